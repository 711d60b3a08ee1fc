"""A Riptide client (pytide-networking, 2.2's wire form) for netkit's live tests.

riptide_client.py udp|tcp PORT [COUNT]

Connects to 127.0.0.1, says one reliable message, and prints what it hears: `CONNECTED`, `MESSAGE ID`,
`DISCONNECTED`. Leaves after eight seconds at most. With COUNT it says that many reliable messages, `hello 0` and so
on, one every 20 ms, prints the text of each answer as `ECHO TEXT`, and leaves when it has all of them, or five
seconds after it has said the last one.
"""

import sys
import time

from pytidenetworking.client import Client
from pytidenetworking.message import create
from pytidenetworking.message_base import MessageSendMode

transport, port = sys.argv[1], int(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 0
if transport == "udp":
    from pytidenetworking.transports.udp.udp_client import UDPClient

    client = Client(UDPClient())
else:
    from pytidenetworking.transports.tcp.tcp_client import TCPClient

    client = Client(TCPClient())

state = {"over": False, "greeted": False, "said": 0, "heard": 0, "next": 0.0}


def over(*_):
    print("DISCONNECTED", flush=True)
    state["over"] = True


def heard(_connection, number, message):
    if count:
        state["heard"] += 1
        print("ECHO", message.getString(), flush=True)
    else:
        print("MESSAGE", number, flush=True)


client.MessageReceived += heard
client.Disconnected += over
client.connect(("127.0.0.1", port))
end = time.time() + (30 if count else 8)
while time.time() < end and not state["over"]:
    try:
        client.update()
    except Exception as error:  # as in riptide_server.py
        print(error, file=sys.stderr, flush=True)
    if count and client.isConnected and state["said"] < count and time.time() >= state["next"]:
        if not state["said"]:
            print("CONNECTED", flush=True)
        hello = create(MessageSendMode.Reliable, 1)
        hello.putString("hello %d" % state["said"])
        client.send(hello)
        state["said"] += 1
        state["next"] = time.time() + 0.02
    if count and (state["heard"] >= count or state["said"] == count and time.time() > state["next"] + 5):
        # The server's messages are acknowledged before the client leaves.
        linger = time.time() + 1
        while time.time() < linger:
            try:
                client.update()
            except Exception as error:
                print(error, file=sys.stderr, flush=True)
            time.sleep(0.005)
        break
    if not count and client.isConnected and not state["greeted"]:
        state["greeted"] = True
        print("CONNECTED", flush=True)
        hello = create(MessageSendMode.Reliable, 1)
        hello.putString("hello")
        client.send(hello)
    time.sleep(0.005)
if not state["over"]:
    client.disconnect()
