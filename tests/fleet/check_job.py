"""Runs job.py over many captures, one of them broken, one a rotated set, and one whose first task is killed:
its answers equal netkit's own statistics.

usage: check_job.py NETKIT FOLDER CAPTURE...    FOLDER is empty.
"""

import collections
import glob
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def rows(folder):
    found = [line for part in sorted(glob.glob(f"{folder}/*.json")) for line in open(part)]
    return list(map(json.loads, found))


def main(netkit, folder, *captures):
    folder, netkit = pathlib.Path(folder), pathlib.Path(netkit).absolute()
    source, out = folder / "captures", folder / "out"
    source.mkdir()
    sets = []
    for number, capture in enumerate(captures):
        name = f"{number:03}-{pathlib.Path(capture).name}"
        if number == 0:
            # Rotated: two files that are one capture.
            (source / name).mkdir()
            whole = pathlib.Path(capture).read_bytes()
            cut = frames(whole)[len(frames(whole)) // 2]
            (source / name / "a.pcap").write_bytes(whole[:cut])
            (source / name / "b.pcap").write_bytes(whole[:24] + whole[cut:])
            sets.append(["--join", str(source / name / "a.pcap"), str(source / name / "b.pcap")])
        else:
            shutil.copy(capture, source / name)
            sets.append([str(source / name)])
    broken = source / "999-broken.pcap"
    broken.write_bytes(pathlib.Path(captures[1]).read_bytes()[:-7])
    sets.append([str(broken)])
    # The first task of one capture is killed when its files exist.
    victim, mark = source.joinpath(f"002-{pathlib.Path(captures[2]).name}"), folder / "killed"
    wrapper = folder / "netkit"
    wrapper.write_text(
        f'#!/bin/sh\n"{netkit}" "$@"; status=$?\n'
        f'case "$*" in *{victim.name}*) [ -e {mark} ] || {{ : > {mark}; kill -9 $PPID; }};; esac\nexit $status\n'
    )
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    # Two tasks at once; a task that fails is tried again.
    job = [sys.executable, HERE / "job.py", wrapper, source, out, "local[2,4]"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(job, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    assert mark.exists(), "no task was killed"

    failed = compare(netkit, sets, out)
    errors = {row["name"] for row in rows(out / "errors")}
    assert broken.name in errors and errors >= failed, (errors, failed)
    print(f"the job's answers over {len(sets)} captures equal netkit's own; errors: {sorted(errors)}")


def compare(netkit, sets, out):
    """Holds the answers against `netkit stats`; returns the captures that cannot be read to their ends."""
    bandwidth, trips = collections.Counter(), {}
    resends = collections.defaultdict(collections.Counter)
    failed = set()
    for files in sets:
        run = subprocess.run([netkit, "-q", "stats", *files, "-f", "json"], capture_output=True, text=True)
        if run.returncode != 0:
            failed.add(pathlib.Path(files[-1]).name)
        found = json.loads(run.stdout)
        for one in found["message"]:
            bandwidth[one["proto"], one["message"]] += one["bytes"]
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
    got = {(row["proto"], row["message"]): row["bytes"] for row in rows(out / "bandwidth")}
    assert got == bandwidth, set(got.items()) ^ set(bandwidth.items())
    got = collections.defaultdict(lambda: (0, 0))
    for row in rows(out / "trips"):
        server = row["proto"], row["server"]
        # These protocols answer only requests or pings; DNP also answers links.
        if row["proto"] in ("nano", "riptide"):
            got[server] = got[server][0] + row["answers"], max(got[server][1], row["worst_ms"])
    for server in got.keys() | trips.keys():
        (count, worst), (wanted, most) = got.get(server, (0, 0)), trips.get(server, (0, 0))
        assert count == wanted and abs(worst - most) < 0.0006, (server, got.get(server), trips.get(server))
    got = {row.get("version"): (row["copies"], row["resent"]) for row in rows(out / "resends")}
    wanted = {version: (n["copies"], n["resent"]) for version, n in resends.items() if n["copies"]}
    assert got == wanted, (got, wanted)
    return failed


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
