"""A Riptide client (pytide-networking, 2.2's wire form) for netkit's live tests.

riptide_client.py udp|tcp PORT

Connects to 127.0.0.1, says one reliable message, and prints what it hears: `CONNECTED`, `MESSAGE ID`,
`DISCONNECTED`. Leaves after eight seconds at most.
"""

import sys
import time

from pytidenetworking.client import Client
from pytidenetworking.message import create
from pytidenetworking.message_base import MessageSendMode

transport, port = sys.argv[1], int(sys.argv[2])
if transport == "udp":
    from pytidenetworking.transports.udp.udp_client import UDPClient

    client = Client(UDPClient())
else:
    from pytidenetworking.transports.tcp.tcp_client import TCPClient

    client = Client(TCPClient())

state = {"over": False, "greeted": False}


def over(*_):
    print("DISCONNECTED", flush=True)
    state["over"] = True


client.MessageReceived += lambda _connection, number, _message: print("MESSAGE", number, flush=True)
client.Disconnected += over
client.connect(("127.0.0.1", port))
end = time.time() + 8
while time.time() < end and not state["over"]:
    client.update()
    if client.isConnected and not state["greeted"]:
        state["greeted"] = True
        print("CONNECTED", flush=True)
        hello = create(MessageSendMode.Reliable, 1)
        hello.putString("hello")
        client.send(hello)
    time.sleep(0.005)
if not state["over"]:
    client.disconnect()
