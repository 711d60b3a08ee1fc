"""Every value of the Parquet files equals ndjson's: read by DuckDB, and by Polars and PySpark as DuckDB does.

usage: values.py NETKIT FOLDER CAPTURE...    FOLDER is empty; it keeps the files, one folder a capture.
"""

import collections
import datetime
import decimal
import itertools
import json
import pathlib
import re
import shlex
import subprocess
import sys

import duckdb
import polars

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


def by_type(value, kind):
    """A value as ndjson has it: bytes as hex, what is missing left out."""
    if value is None:
        return None
    if kind.id == "struct":
        below = {name: by_type(value[name], child) for name, child in kind.children}
        return {name: v for name, v in below.items() if v is not None}
    if kind.id == "list":
        return [by_type(v, kind.children[0][1]) for v in value]
    return value.hex() if isinstance(value, bytes) else value


def put(message, path, value):
    """Puts a value of `other` in its place: fields.links[0].value."""
    # A name may have dots: only known paths are split, and those begin with packet, fields or derived.
    steps = [int(s[1:-1]) if s.startswith("[") else s.lstrip(".") for s in re.findall(r"\[\d+\]|\.?[^.\[]+", path)]
    at = message
    for step, after in zip(steps, steps[1:]):
        empty = [] if isinstance(after, int) else {}
        if isinstance(step, int):
            at.extend({} for _ in range(step + 1 - len(at)))
            if at[step] is None or (at[step] == {} and isinstance(empty, list)):
                at[step] = empty
            at = at[step]
        else:
            at = at.setdefault(step, empty)
    if isinstance(steps[-1], int):
        at.extend({} for _ in range(steps[-1] + 1 - len(at)))
        at[steps[-1]] = value
    elif steps[-1] == "payload_bytes":
        at["payload"] = value
    else:
        at[steps[-1]] = value


def line(row, kinds):
    """A row as ndjson's line."""
    message = {name: by_type(value, kinds[name]) for name, value in row.items()}
    ns = message.pop("time_ns")
    if ns is not None:
        assert (message.pop("time") - EPOCH) // datetime.timedelta(microseconds=1) == ns // 1000, ns
        message["time"] = ns
    for at in [message.get("packet"), message.get("fields"), message.get("derived")]:
        if at and "payload_bytes" in at:
            at["payload"] = at.pop("payload_bytes")
    for other in message.pop("other") or []:
        put(message, other["path"], json.loads(other["json"]))
    return message


def same(a, b):
    """Equal, up to what is missing; an enumeration's value without a name is its digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same(a.get(k), b.get(k)) for k in a.keys() | b.keys())
    if isinstance(a, list) and isinstance(b, list):
        # Elements without known content may be omitted at the end.
        return all(same(x, y) for x, y in itertools.zip_longest(a, b, fillvalue={}))
    if isinstance(a, float) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= 2**-23 * abs(b)
    if isinstance(a, str) and isinstance(b, int) and not isinstance(b, bool):
        return a == str(b)
    if a == b or (a in (None, {}, []) and b in (None, {}, [])):
        return True
    try:
        # A value whose type varies between messages is JSON text.
        return isinstance(a, str) and b is not None and json.loads(a) == b
    except ValueError:
        return False


def described(capture):
    """The options that name the capture's protocol file, for a capture of a described protocol."""
    path = pathlib.Path(capture)
    options, own = path.with_suffix(".args"), pathlib.Path("fixtures/protocols", path.stem + ".toml")
    if options.exists():
        return shlex.split(options.read_text())
    return ["-p", own] if own.exists() else []


def nanoseconds(text):
    whole, _, part = text.partition(".")
    ns = abs(int(whole)) * 10**9 + int((part + "000000000")[:9])
    return -ns if whole.startswith("-") else ns


def main(netkit, folder, *captures):
    spark = None
    try:
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
    except ImportError:
        print("SKIPPED: PySpark is not installed")
    values = messages = 0
    files_of, rows_of = collections.defaultdict(list), collections.defaultdict(list)
    for number, capture in enumerate(captures):
        out = pathlib.Path(folder, str(number))
        command = [netkit, "-q", "decode", capture, *described(capture), "--bytes", "-f"]
        written = subprocess.run([*command, "parquet", "-o", out])
        text = subprocess.run([*command, "ndjson"], capture_output=True)
        assert written.returncode == text.returncode, (capture, written.returncode, text.returncode)
        expected = collections.defaultdict(list)
        for one in text.stdout.decode().splitlines():
            # Times have more digits than floats.
            object_ = json.loads(one)
            if found := re.search(r'"time":(-?[0-9.]+)', one):
                object_["time"] = nanoseconds(found[1])
            expected[object_["proto"], object_["message"]].append(object_)
        files = sorted(out.glob("*.parquet"))
        assert {tuple(f.name.split(".")[:2]) for f in files} == set(expected), (capture, files)
        for file in files:
            relation = duckdb.sql(f"select * from read_parquet('{file}')")
            kinds = dict(zip(relation.columns, relation.types))
            rows = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
            wanted = expected[tuple(file.name.split(".")[:2])]
            assert len(rows) == len(wanted), (capture, file, len(rows), len(wanted))
            for row, one in zip(rows, wanted):
                got = line(row, kinds)
                assert got.pop("file") == capture and got.pop("file_frame") == got["frame"], got
                assert same(got, one), f"{capture} {file.name}\n{got}\n{one}"
                messages += 1
            for row, other in zip(rows, polars.read_parquet(file).to_dicts(), strict=True):
                for name, value in row.items():
                    if name != "time":
                        assert plain(other[name]) == plain(value), (capture, file, name, value, other[name])
                        values += 1
            if spark:
                files_of[file.name].append(str(file))
                rows_of[file.name].extend(rows)
    # Spark reads the files of all captures at once, in any order.
    for name, files in files_of.items():
        got = sorted(as_text(row.asDict(recursive=True)) for row in spark.read.parquet(*files).collect())
        assert got == sorted(map(as_text, rows_of[name])), name
    assert messages, "no message"
    print(f"{messages} messages of {len(captures)} captures are equal, {values} values read the same by others")


def as_text(row):
    return repr(sorted((name, plain(value)) for name, value in row.items() if name != "time"))


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, decimal.Decimal):
        # Spark has no unsigned numbers of 64 bits.
        return int(value)
    return bytes(value) if isinstance(value, bytearray) else value


if __name__ == "__main__":
    main(*sys.argv[1:])
