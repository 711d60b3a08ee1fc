"""Every figure of `stats -f parquet` equals that of `stats -f json`, and its column has one type in all captures.

usage: figures.py NETKIT FOLDER CAPTURE...    FOLDER is empty.
"""

import json
import pathlib
import subprocess
import sys

import duckdb


def account(of):
    """The account as the one row that it is in Parquet."""
    row = {name: value for name, value in of.items() if isinstance(value, int)}
    parts = {**of, "at_claimed_servers": of["unclaimed"]["at_claimed_servers"]}
    for part in ["claimed", "unclaimed", "at_claimed_servers", "no_payload"]:
        row |= {f"{part}_{name}": value for name, value in parts[part].items() if isinstance(value, int)}
    # Packets without a payload have no bytes.
    assert row.pop("no_payload_bytes") == 0
    for column, part, name in [
        ("backward_step_frames", "backward_step", "frames"),
        ("duplicate_packets", "duplicate_packets", "duplicates"),
        ("cut_frames", "cut_frames", "frames"),
    ]:
        row[column] = of.get(part, {}).get(name, 0)
    row.setdefault("dropped_packets", 0)
    return row | {"limits_reached": sum(of["limits"].values())}


def main(netkit, folder, *captures):
    types, count = {}, 0
    for number, capture in enumerate(captures):
        out = pathlib.Path(folder, str(number))
        written = subprocess.run([netkit, "-q", "stats", capture, "-f", "parquet", "-o", out])
        text = subprocess.run([netkit, "-q", "stats", capture, "-f", "json"], capture_output=True, text=True)
        assert written.returncode == text.returncode, (capture, written.returncode, text.returncode)
        found = json.loads(text.stdout)
        found["account"] = [account(found["account"])]
        files = list(out.glob("*.parquet"))
        assert {file.stem for file in files} <= found.keys() and files, capture
        for file in files:
            relation = duckdb.sql(f"select * from read_parquet('{file}')")
            kinds = list(zip(relation.columns, map(str, relation.types)))
            assert types.setdefault(file.stem, kinds) == kinds, (capture, file, kinds)
            rows = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
            for row, wanted in zip(rows, found[file.stem], strict=True):
                assert row.pop("capture") == capture
                assert row == wanted, f"{capture} {file.stem}\n{row}\n{wanted}"
                count += len(row)
    assert count, "no figure"
    print(f"{count} figures of {len(captures)} captures are equal")


if __name__ == "__main__":
    main(*sys.argv[1:])
