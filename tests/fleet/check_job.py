"""Runs job.py over 200 captures of a folder, and dask_job.py over the same in a local S3 server: one has half of all
bytes, one is broken, one is a rotated set, and the first tasks of two are killed. The rows and the answers equal
netkit's own statistics.

usage: check_job.py NETKIT FOLDER CAPTURE...    FOLDER is empty.
"""

import collections
import contextlib
import glob
import importlib.util
import json
import logging
import os
import pathlib
import shutil
import stat
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
COUNT = 200


def captures_in(source, captures):
    """Fills the folder. Returns the arguments of netkit for each capture, by name, and the names of the broken one and
    of the two whose first tasks are killed."""
    source.mkdir()
    sets = {}
    for number in range(COUNT - 2):
        capture = pathlib.Path(captures[number % len(captures)])
        name = f"{number:03}-{capture.name}"
        if number == 0:
            # Rotated: two files that are one capture.
            (source / name).mkdir()
            whole = capture.read_bytes()
            cut = frames(whole)[len(frames(whole)) // 2]
            (source / name / "a.pcap").write_bytes(whole[:cut])
            (source / name / "b.pcap").write_bytes(whole[:24] + whole[cut:])
            sets[name] = ["--join", str(source / name / "a.pcap"), str(source / name / "b.pcap")]
        else:
            shutil.copy(capture, source / name)
            sets[name] = [str(source / name)]
    whole = pathlib.Path(captures[0]).read_bytes()
    broken, large = "998-broken.pcap", "999-large.pcap"
    (source / broken).write_bytes(pathlib.Path(captures[1]).read_bytes()[:-7])
    others = sum(file.stat().st_size for file in source.rglob("*") if file.is_file())
    (source / large).write_bytes(whole[:24] + whole[24:] * (others // len(whole) + 1))
    sets |= {name: [str(source / name)] for name in (broken, large)}
    return sets, broken, [name for name in sets if name[:3] in ("002", "117")]


def wrapper(folder, netkit, victims):
    """A netkit that kills its parent when it has read one of the victims for the first time."""
    folder.mkdir()
    file = folder / "netkit"
    cases = "".join(
        f'*{name}*) [ -e {folder}/{name} ] || {{ : > {folder}/{name}; kill -9 $PPID; }};;' for name in victims
    )
    file.write_text(f'#!/bin/sh\n"{netkit}" "$@"; status=$?\ncase "$*" in {cases} esac\nexit $status\n')
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def run(*job, **environment):
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, **environment}
    done = subprocess.run([sys.executable, *job], env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]


def lines(paths):
    return [json.loads(line) for path in sorted(paths) for line in open(path)]


def main(netkit, folder, *captures):
    folder, netkit = pathlib.Path(folder), pathlib.Path(netkit).absolute()
    source = folder / "captures"
    sets, broken, victims = captures_in(source, captures)
    wanted = own_figures(netkit, sets)

    if importlib.util.find_spec("pyspark") and shutil.which("java"):
        program, out = wrapper(folder / "spark", netkit, victims), folder / "spark/out"
        # Two tasks at once; a task that fails is tried again.
        run(HERE / "job.py", program, source, out, "local[2,4]")
        compare({name: lines(glob.glob(f"{out}/{name}/*.json")) for name in ANSWERS}, wanted, broken)
        assert all((folder / "spark" / name).exists() for name in victims), "no task was killed"
        print(f"Spark's answers over {len(sets)} captures equal netkit's own")
    else:
        print("SKIPPED: Spark: no Java, or no pyspark")

    if all(map(importlib.util.find_spec, ["dask", "distributed", "s3fs", "moto"])):
        program = wrapper(folder / "dask", netkit, victims)
        with store() as (fs, environment):
            fs.put(str(source), "bucket/captures", recursive=True)
            run(HERE / "dask_job.py", program, "s3://bucket/captures", "s3://bucket/out", **environment)
            fs.get([f"bucket/out/{name}.json" for name in ANSWERS], f"{folder}/dask/")
        compare({name: lines([folder / f"dask/{name}.json"]) for name in ANSWERS}, wanted, broken)
        assert all((folder / "dask" / name).exists() for name in victims), "no task was killed"
        print(f"Dask's answers over {len(sets)} captures of an S3 server equal netkit's own")
    else:
        print("SKIPPED: Dask: no dask, distributed, s3fs or moto")


@contextlib.contextmanager
def store():
    """A local S3 server with an empty bucket; its file system, and the environment that names it."""
    import s3fs
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    os.environ.update(environment)
    try:
        fs = s3fs.S3FileSystem()
        fs.mkdir("bucket")
        yield fs, environment
    finally:
        server.stop()


ANSWERS = ["bandwidth", "trips", "resends", "errors"]


def announced(netkit, files):
    """The lines with a fault over TCP, with their bytes."""
    names = [name for name in files if name != "--join"]
    which = ["-F", "has fault and transport == tcp", "-f", "ndjson", "--bytes"]
    run = subprocess.run([netkit, "-q", "decode", *names, *which], capture_output=True, text=True)
    return map(json.loads, run.stdout.splitlines())


def own_figures(netkit, sets):
    """The answers by `netkit stats`, and the captures that cannot be read to their ends."""
    bandwidth, trips = collections.defaultdict(collections.Counter), {}
    resends = collections.defaultdict(collections.Counter)
    failed = set()
    for name, files in sets.items():
        run = subprocess.run([netkit, "-q", "stats", *files, "-f", "json"], capture_output=True, text=True)
        if run.returncode != 0:
            failed.add(name)
        found = json.loads(run.stdout)
        for one in found["message"]:
            bandwidth[one["proto"], one["message"]] += {"messages": one["messages"], "bytes": one["bytes"]}
        # The jobs add up the lengths of lines: of a message over TCP that is cut, that is what it announces.
        for one in announced(netkit, files):
            there = len(one["bytes"]) // 2
            bandwidth[one["proto"], one["message"]] += {"bytes": max(one["length"] - there, 0)}
        flows = {flow["flow"]: flow for flow in found["flow"]}
        for one in found["delivery"]:
            flow = flows[one["flow"]]
            if one["proto"] == "riptide" and one["from"] == "client":
                resends[flow.get("version")] += {"copies": one["sent"], "resent": one["resent"]}
        # Riptide's heartbeats are answered, too: as pings.
        for one in found["request"] + found["ping"]:
            count, longest = ("pongs", "ping_max") if "pings" in one else ("responses", "response_max")
            if one["from"] == "client" and one[count] and one["proto"] in ("nano", "riptide"):
                server = one["proto"], flows[one["flow"]]["server"]
                before = trips.get(server, (0, 0))
                trips[server] = (before[0] + one[count], max(before[1], one[longest]))
    return bandwidth, trips, resends, failed


def compare(answers, wanted, broken):
    """Holds a job's answers against netkit's own."""
    bandwidth, trips, resends, failed = wanted
    got = {(row["proto"], row["message"]): (row["messages"], row["bytes"]) for row in answers["bandwidth"]}
    bandwidth = {key: (of["messages"], of["bytes"]) for key, of in bandwidth.items()}
    assert got == bandwidth, set(got.items()) ^ set(bandwidth.items())
    got = collections.defaultdict(lambda: (0, 0))
    for row in answers["trips"]:
        server = row["proto"], row["server"]
        # These protocols answer only requests or pings; DNP also answers links.
        if row["proto"] in ("nano", "riptide"):
            got[server] = got[server][0] + row["answers"], max(got[server][1], row["worst_ms"])
    for server in got.keys() | trips.keys():
        (count, worst), (wanted, most) = got.get(server, (0, 0)), trips.get(server, (0, 0))
        assert count == wanted and abs(worst - most) < 0.0006, (server, got.get(server), trips.get(server))
    got = {row.get("version"): (row["copies"], row["resent"]) for row in answers["resends"]}
    resends = {version: (n["copies"], n["resent"]) for version, n in resends.items() if n["copies"]}
    assert got == resends, (got, resends)
    errors = {row["capture"] for row in answers["errors"]}
    assert broken in errors and errors == failed, (errors, failed)


def frames(whole):
    """Where each record of a classic pcap begins."""
    order = "little" if whole[0] in (0xD4, 0x4D) else "big"
    at, found = 24, []
    while at < len(whole):
        found.append(at)
        at += 16 + int.from_bytes(whole[at + 8 : at + 12], order)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
