"""Sessions of Riptide 2.0 through the proxy: the losses that stats estimates, and those that the proxy counted.

usage: losses.py NETKIT [SESSIONS [SEED]]

Both sides number 1,000 messages each, and resend like the library. 1 to 20 % are lost on one or both sides, alone or in
runs of four; round trips take 10 to 200 ms. Each leg of the recording is read alone. Fails if fewer than 95 % of the
intervals contain the share that was lost. Times are real: a busy machine delays packets, which then look lost.
"""

import heapq
import json
import pathlib
import random
import re
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

MESSAGES = 1001  # and the welcome
TOGETHER = 14
LONGEST = 150
ACK, ACK_EXTRA, CONNECT, HEARTBEAT, RELIABLE, WELCOME = 1, 2, 3, 5, 7, 8


class Clock:
    """Calls at given times."""

    def __init__(self):
        self.calls, self.count = [], 0

    def after(self, seconds, call, *args):
        self.count += 1
        heapq.heappush(self.calls, (time.monotonic() + seconds, self.count, call, args))

    def run(self):
        while self.calls and self.calls[0][0] <= time.monotonic():
            *_, call, args = heapq.heappop(self.calls)
            call(*args)

    def wait(self):
        return min(max(0, self.calls[0][0] - time.monotonic()), 0.1) if self.calls else 0.1


class Peer:
    """A side of a session, with the reliable messages of Riptide 2.0."""

    def __init__(self, clock, pauses, server):
        self.clock, self.pauses, self.server = clock, pauses, server
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.other, self.number, self.waiting, self.got, self.newest = None, 0, {}, set(), 0
        self.trip, self.pings, self.speaks = None, {}, False

    def done(self):
        return self.number >= MESSAGES and not self.waiting

    def send(self, message):
        self.socket.sendto(message, self.other)

    def reliable(self, kind, body):
        self.number += 1
        self.waiting[self.number] = [struct.pack("<BH", kind, self.number) + body, 0]
        self.transmit(self.number)

    def transmit(self, number):
        if number in self.waiting:
            message = self.waiting[number]
            message[1] += 1
            if message[1] > 15:
                del self.waiting[number]
                return
            self.send(message[0])
            self.clock.after(0.05 if self.trip is None else max(0.01, self.trip * 1.2), self.transmit, number)

    def connect(self):
        if not self.number:
            self.send(bytes([CONNECT]))
            self.clock.after(1, self.connect)

    def speak(self):
        if self.number < MESSAGES:
            self.reliable(RELIABLE, struct.pack("<HI", 9, self.number))
            self.clock.after(self.pauses.randrange(10) / 100, self.speak)

    def beat(self):
        ping = len(self.pings) % 256
        self.pings[ping] = time.monotonic()
        self.send(struct.pack("<BBh", HEARTBEAT, ping, -1 if self.trip is None else int(self.trip * 1000)))
        self.clock.after(1, self.beat)

    def acknowledge(self, number):
        self.got.add(number)
        self.newest = newest = max(self.newest, number)
        before = (newest - 1 - k for k in range(16))
        bits = sum(1 << k for k, one in enumerate(before) if one == 0 or one in self.got)
        extra = b"" if number == newest else struct.pack("<H", number)
        self.send(struct.pack("<BHH", ACK_EXTRA if extra else ACK, newest, bits) + extra)

    def receive(self, message):
        kind = message[0]
        if kind in (RELIABLE, WELCOME):
            self.acknowledge(struct.unpack_from("<H", message, 1)[0])
            if kind == WELCOME and not self.speaks:
                self.speaks = True
                if not self.server:
                    self.reliable(WELCOME, message[3:5])
                    self.beat()
                self.speak()
        elif kind in (ACK, ACK_EXTRA):
            newest, bits, *extra = struct.unpack("<HH" + "H" * (kind == ACK_EXTRA), message[1:])
            for number in [newest, *extra, *(newest - 1 - k for k in range(16) if bits >> k & 1)]:
                self.waiting.pop(number, None)
        elif kind == CONNECT and not self.number:
            self.reliable(WELCOME, struct.pack("<H", 1))
        elif kind == HEARTBEAT and self.server:
            self.send(message[:2])
            trip = struct.unpack_from("<h", message, 2)[0]
            self.trip = trip / 1000 if trip > 0 else self.trip
        elif kind == HEARTBEAT:
            took = time.monotonic() - self.pings.get(message[1], time.monotonic())
            self.trip = took if self.trip is None else 0.7 * self.trip + 0.3 * took


class Session:
    """A client and a server, with the proxy between them."""

    def __init__(self, netkit, clock, chance, seed, folder):
        self.peers = [Peer(clock, chance, server) for server in (False, True)]
        self.losses = chance.choice([[True, True], [True, False], [False, True]])
        self.losses = [chance.randint(1, 20) if lossy else 0 for lossy in self.losses]
        self.burst, self.trip = chance.choice([1, 4]), chance.choice([10, 50, 100, 200])
        self.file = pathlib.Path(folder, f"{seed}.pcapng")
        server = self.peers[1].socket.getsockname()[1]
        command = [netkit, "proxy", "127.0.0.1:0", f"127.0.0.1:{server}", "-p", "riptide", "-f", "none"]
        command += ["--transport", "udp", "--delay", f"{self.trip / 2}ms", "--seed", str(seed), "--pcap", self.file]
        for side, loss in zip(("--up", "--down"), self.losses):
            if loss:
                command += [side, "--loss", f"{loss}%/{self.burst}" if self.burst > 1 else f"{loss}%"]
        self.proxy = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while not (port := re.search(r"127\.0\.0\.1:(\d+)", self.proxy.stderr.readline())):
            assert self.proxy.poll() is None, "the proxy has ended"
        self.peers[0].other = ("127.0.0.1", int(port[1]))
        self.peers[0].connect()

    def rows(self, netkit):
        """For each leg and direction: the share that the proxy lost, and the estimate."""
        self.proxy.send_signal(signal.SIGINT)
        reported = self.proxy.stderr.read()
        self.proxy.wait()
        truth = {}
        for direction, side in ("up", "client"), ("down", "server"):
            line = re.search(rf"^netkit: {direction} .*packets arrived.*$", reported, re.M)[0]
            arrived, lost = (re.search(rf"(\d+) {word}", line) for word in ("packets arrived", "lost"))
            truth[side] = int(lost[1]) / int(arrived[1]) if lost else 0.0
        for leg in "client", "server":
            read = [netkit, "stats", "-q", "--delivery", "-f", "json", "-p", "riptide", "--leg", leg, self.file]
            for row in json.loads(subprocess.run(read, capture_output=True).stdout)["path"]:
                yield truth[row["from"]], row["loss"], row["loss_low"], row["loss_high"]
        self.file.unlink()


def read(peer):
    """Reads a message."""
    try:
        message, source = peer.socket.recvfrom(2048)
    except OSError:
        return
    if peer.server:
        peer.other = source
    peer.receive(message)


def run(netkit, count, seed, folder):
    """Some sessions at the same time."""
    clock, chance, selector = Clock(), random.Random(seed), selectors.DefaultSelector()
    sessions = [Session(netkit, clock, chance, seed + k, folder) for k in range(count)]
    for peer in (peer for session in sessions for peer in session.peers):
        selector.register(peer.socket, selectors.EVENT_READ, peer)
    end = time.monotonic() + LONGEST
    while time.monotonic() < end and not all(peer.done() for session in sessions for peer in session.peers):
        # What has arrived is read before anything is resent.
        for key, _ in selector.select(clock.wait()):
            read(key.data)
        while ready := selector.select(0):
            for key, _ in ready:
                read(key.data)
        clock.run()
    # What is on its way arrives.
    time.sleep(0.3)
    return [(session, row) for session in sessions for row in session.rows(netkit)]


def main(netkit, sessions="56", seed="1"):
    found, left = [], int(sessions)
    with tempfile.TemporaryDirectory() as folder:
        while left > 0:
            found += run(netkit, min(left, TOGETHER), int(seed) + len(found), folder)
            left -= TOGETHER
    all_held = 0
    for burst in 1, 4:
        rows = [row for session, row in found if session.burst == burst]
        known = [row for row in rows if row[1] is not None]
        near = sum(abs(loss - truth) <= 0.015 for truth, loss, _, _ in known)
        # The limits are printed with six digits.
        held = sum(low - 1e-6 <= truth <= high + 1e-6 for truth, _, low, high in known) + len(rows) - len(known)
        print(f"burst {burst}: {len(rows)} directions, {near} within 1.5 points, {held} intervals hold,", end=" ")
        print(f"{len(rows) - len(known)} unknown")
        all_held += held
    assert found and all_held >= 0.95 * len(found), f"{all_held} of {len(found)}"


if __name__ == "__main__":
    main(*sys.argv[1:])
