#!/usr/bin/env bash
# Compares netkit with programs that know only one protocol, in one run on one processor. Only the ratios
# count, because the figures differ between machines and times of day.
#   peers.sh NETKIT GENPCAP LIMITS [PACKETS [ROUNDS]]
# GENPCAP makes captures (-n PACKETS -o FILE, -p nano -f FLOWS --session N for TCP); LIMITS FILE STAGE
# is the hand-written printer: e3 flat ndjson, t1 annotated, s1 lines, n2 nano over TCP.
# Protocol files describe ENet and RakNet. If tshark is installed, it reads a twentieth of the same
# datagrams, RakNet with its own dissector and ENet with one in Lua.
# Each cell is the median of user and system time over ROUNDS interleaved rounds.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
export netkit=$(realpath "$1") limits=$(realpath "$3"); genpcap=$(realpath "$2")
export packets=${4:-1000000} rounds=${5:-5}
export here=$(cd "$(dirname "$0")" && pwd)
work=${BENCH_DIR:-$(mktemp -d)}; mkdir -p "$work"; cd "$work"
[ -s riptide.pcap ] || "$genpcap" -n "$packets" -o riptide.pcap >/dev/null
[ -s nano.pcap ] || "$genpcap" -p nano -n "$packets" -f 500 --session 2000 -o nano.pcap >/dev/null
enet() { [ -s "$1" ] || "$here/enet.sh" "$2" | "$netkit" encode -q -p "$here/../../fixtures/protocols/enet.toml" --json - --as pcap -o "$1"; }
enet enet.pcap "$packets"; enet enet-tshark.pcap "$((packets / 20))"
exec python3 - <<'PY'
import os, resource, shutil, statistics, struct, subprocess, time
netkit, limits = os.environ["netkit"], os.environ["limits"]
packets, rounds = int(os.environ["packets"]), int(os.environ["rounds"])
one = "taskset -c 0 "
here = os.environ["here"]
files = f"{here}/../../fixtures/protocols"

def repeated(path, count):
    """The conversations of the RakNet fixture again and again, each time of other ports."""
    if os.path.exists(path): return
    capture = open(f"{here}/../../fixtures/described/raknet.pcap", "rb").read()
    frames, at = [], 24
    while at < len(capture):
        end = at + 16 + struct.unpack_from("<I", capture, at + 8)[0]
        frames.append(bytearray(capture[at:end]))
        at = end
    port = 16 + {1: 14, 101: 0, 113: 16, 276: 20}[struct.unpack_from("<I", capture, 20)[0]] + 20
    with open(path, "wb") as out:
        out.write(capture[:24])
        for k in range(count // len(frames)):
            for frame in frames:
                both = [(p + k * 7) % 64000 + 1024 for p in struct.unpack_from(">2H", frame, port)]
                struct.pack_into(">2H", frame, port, *both)
                out.write(frame)

repeated("raknet.pcap", packets)
repeated("raknet-tshark.pcap", packets // 20)
rows = [  # name, command, limit, wanted ratio
    ("ndjson", f"{one}{netkit} decode riptide.pcap -f ndjson", "e3", 1 / 2),
    ("json", f"{one}{netkit} decode riptide.pcap -f json", "t1", 1 / 2),
    ("summary", f"{one}{netkit} decode riptide.pcap -f summary", "s1", 1 / 3),
    ("nano ndjson", f"{one}{netkit} decode nano.pcap -f ndjson", "n2", 1 / 3),
    ("enet by file", f"{one}{netkit} decode enet.pcap -p {files}/enet.toml -f ndjson --threads 1", None, None),
    ("raknet by file", f"{one}{netkit} decode raknet.pcap -p {files}/raknet.toml -f ndjson --threads 1", None, None),
    ("ndjson | cat", f"{netkit} decode riptide.pcap -f ndjson --threads 1 | cat", None, None),
    ("ndjson, 1 thread", f"{netkit} decode riptide.pcap -f ndjson --threads 1", None, None),
    ("ndjson, 2 threads", f"{netkit} decode riptide.pcap -f ndjson --threads 2", None, None),
    ("e3", f"{one}{limits} riptide.pcap e3", None, None), ("t1", f"{one}{limits} riptide.pcap t1", None, None),
    ("s1", f"{one}{limits} riptide.pcap s1", None, None), ("n2", f"{one}{limits} nano.pcap n2", None, None),
]
few = set()  # these read a twentieth
if shutil.which("tshark"):
    few = {"enet, tshark + Lua", "raknet, tshark"}
    tshark = f"{one}tshark -n -T ek -X lua_script:{here}/enet.lua -r"
    rows += [
        ("enet, tshark + Lua", f"{tshark} enet-tshark.pcap -J enet_lua", None, None),
        ("raknet, tshark", f"{one}tshark -n -T ek -r raknet-tshark.pcap -J raknet", None, None),
    ]
took = {name: [] for name, *_ in rows}
for _ in range(rounds):
    for name, command, *_ in rows:
        start = time.perf_counter()
        child = subprocess.Popen(["bash", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        took[name].append((used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss))
        assert status == 0, command
cpu = {name: statistics.median(t[0] for t in all) for name, all in took.items()}
wall = {name: statistics.median(t[1] for t in all) for name, all in took.items()}
print(f"{'':20} {'cpu s':>7} {'wall s':>7} {'packets/s cpu':>14} {'MB':>6}  ratio")
for name, _, limit, wanted in rows:
    ratio = f"{cpu[limit] / cpu[name]:.2f} of {limit} (wanted {wanted:.2f})" if limit else ""
    print(f"{name:20} {cpu[name]:7.2f} {wall[name]:7.2f} {packets / (20 if name in few else 1) / cpu[name]:14,.0f} {max(t[2] for t in took[name]) / 1024:6.1f}  {ratio}")
print(f"two threads: {wall['ndjson, 1 thread'] / wall['ndjson, 2 threads']:.2f} times one (wanted 1.60)")
print(f"into a pipe: {wall['ndjson, 1 thread'] / wall['ndjson | cat']:.2f} of the speed to /dev/null (wanted 0.50)")
PY
