"""Runs every block of the page about columns: each question has the same answer in DuckDB and in Polars.

usage: page.py NETKIT    in the project's folder.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import duckdb


def main(netkit):
    page = pathlib.Path("src/docs/columns.md").read_text()
    # Examples with names of stores are not run.
    blocks = [block for block in re.findall(r"^```(\w+)\n(.*?)^```", page, re.M | re.S) if block[0] != "text"]
    assert [kind for kind, _ in blocks] == ["sh", "sh", "sql", "python"], blocks
    first, write, questions, frames = [text for _, text in blocks]
    path = f"{pathlib.Path(netkit).absolute().parent}:{os.environ['PATH']}"

    def shell(commands, folder):
        return subprocess.run(["sh", "-c", commands], cwd=folder, env={**os.environ, "PATH": path}).returncode

    with tempfile.TemporaryDirectory() as folder:
        shutil.copy("fixtures/riptide/riptide22-udp.pcap", f"{folder}/game.pcap")
        assert shell(first, folder) == 0 and os.path.exists(f"{folder}/columns/riptide.reliable.parquet")
    # Some of the fixtures are damaged on purpose.
    status = shell(write, ".")
    assert status in (0, 3), status
    trips, bandwidth, share = [duckdb.sql(q).fetchall() for q in questions.split(";") if q.strip()]
    assert trips and bandwidth and share
    printed = []
    exec(frames, {"print": lambda frame: printed.append(frame.rows())})
    assert sorted(printed[0]) == sorted(trips), (printed[0], trips)
    assert sorted(printed[1]) == sorted((p, m, int(b)) for p, m, b in bandwidth)
    assert [(v, round(s, 9)) for v, s in printed[2]] == [(v, round(s, 9)) for v, s in share], (printed[2], share)
    print("every block of the page runs")


if __name__ == "__main__":
    main(*sys.argv[1:])
