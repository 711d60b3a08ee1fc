"""Every column has the type that the list has: `netkit fields -f parquet` against DuckDB's DESCRIBE.

usage: columns.py NETKIT FOLDER    FOLDER is what values.py has written.
"""

import collections
import itertools
import pathlib
import subprocess
import sys

import duckdb


def main(netkit, folder):
    # A file over a built-in protocol changes the columns of its messages.
    listed = collections.defaultdict(list)
    for file in [None, *sorted(pathlib.Path("fixtures/protocols").glob("*.toml"))]:
        option = ["--protocol-file", file] if file else []
        fields = [netkit, "fields", "-f", "parquet", *option]
        text = subprocess.run(fields, capture_output=True, check=True, text=True).stdout
        for message, lines in itertools.groupby((line.split(" ", 2) for line in text.splitlines()), key=lambda line: line[0]):
            listed[message].append([(column, kind.replace('"', "")) for _, column, kind in lines])
    # A carrier's messages are listed with its protocol, and their files bear the carrier's name.
    count = 0
    for file in sorted(pathlib.Path(folder).glob("*/*.parquet")):
        proto, name, _ = file.name.split(".")
        same_name = [list_ for message, lists in listed.items() if message.split(".")[1] == name for list_ in lists]
        wanted = listed.get(f"{proto}.{name}") or same_name
        found = duckdb.sql(f"describe select * from read_parquet('{file}')").fetchall()
        found = [(column, kind.replace('"', "")) for column, kind, *_ in found]
        assert found in wanted, f"{file}\n{found}\n{wanted}"
        count += len(found)
    assert count, "no column"
    print(f"{count} columns have the types that are listed")


if __name__ == "__main__":
    main(*sys.argv[1:])
