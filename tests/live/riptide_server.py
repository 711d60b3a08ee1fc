"""A Riptide server (pytide-networking, 2.2's wire form) for netkit's live tests.

riptide_server.py udp|tcp open|full|many|reject|data|pending|echo [LOG]

Prints `PORT n` when it listens, and lives for a minute at most. `data` rejects with a message. `echo` says every
reliable message's text back, reliably, and writes `ID TEXT` into the file LOG. For each line on its stdin it prints
`CLIENTS n`: how many clients it has, and how many it has lost because they were silent, without leaving.
"""

import socket
import sys
import threading
import time

from pytidenetworking.message import create
from pytidenetworking.message_base import MessageSendMode
from pytidenetworking.peer import DisconnectReason
from pytidenetworking.server import Server


def free_port(kind):
    """pytide listens on the port it is told: one that was free a moment ago."""
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


transport, mode = sys.argv[1:3]
if transport == "udp":
    from pytidenetworking.transports.udp.udp_server import UDPServer

    server = Server(UDPServer(listenAddress="127.0.0.1"))
    port = free_port(socket.SOCK_DGRAM)
else:
    from pytidenetworking.transports.tcp.tcp_server import TCPServer

    server = Server(TCPServer(listenAddress="127.0.0.1"))
    port = free_port(socket.SOCK_STREAM)


def decide(connection, _message):
    if mode == "pending":
        return
    if mode == "data":
        message = create(MessageSendMode.Unreliable, 0)
        message.putString("maintenance")
        server.reject(connection, message)
    else:
        server.reject(connection)


if mode in ("reject", "data", "pending"):
    server.handleConnection = decide
if mode == "echo":
    log = open(sys.argv[3], "w", buffering=1)

    def echo(connection, number, message):
        text = message.getString()
        print(number, text, file=log, flush=True)
        answer = create(MessageSendMode.Reliable, 2)
        answer.putString(text)
        server.send(answer, connection)

    server.MessageReceived += echo


lost = []


def disconnected(connection, reason):
    if reason == DisconnectReason.TimedOut:
        lost.append(connection)


server.ClientDisconnected += disconnected


def tell():
    for _ in sys.stdin:
        # In one write: pytide's own output must not be mixed with it.
        sys.stdout.write(f"CLIENTS {server.clientCount + len(lost)}\n")


threading.Thread(target=tell, daemon=True).start()
server.start(port, {"full": 0, "many": 600}.get(mode, 4))
print("PORT", port, flush=True)
end = time.time() + 60
while time.time() < end:
    try:
        server.update()
    except Exception as error:  # pytide raises out of update() on odd acks: known, and not our subject
        print(error, file=sys.stderr, flush=True)
    time.sleep(0.005)
server.stop()
