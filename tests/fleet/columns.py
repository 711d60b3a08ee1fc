"""Every column has the type that the list has: `netkit fields -f parquet` against DuckDB's DESCRIBE.

usage: columns.py NETKIT FOLDER    FOLDER is what values.py has written.
"""

import pathlib
import subprocess
import sys

import duckdb


def main(netkit, folder):
    listed = {}
    text = subprocess.run([netkit, "fields", "-f", "parquet"], capture_output=True, check=True, text=True).stdout
    for line in text.splitlines():
        message, column, kind = line.split(" ", 2)
        listed.setdefault(message, []).append((column, kind))
    # A carrier's messages are listed with its protocol, and their files bear the carrier's name.
    count = 0
    for file in sorted(pathlib.Path(folder).glob("*/*.parquet")):
        proto, name, _ = file.name.split(".")
        same_name = [columns for message, columns in listed.items() if message.split(".")[1] == name]
        lists = [listed[f"{proto}.{name}"]] if f"{proto}.{name}" in listed else same_name
        found = duckdb.sql(f"describe select * from read_parquet('{file}')").fetchall()
        found = [(column, kind.replace('"', "")) for column, kind, *_ in found]
        wanted = [[(column, kind.replace('"', "")) for column, kind in columns] for columns in lists]
        assert found in wanted, f"{file}\n{found}\n{wanted}"
        count += len(found)
    assert count, "no column"
    print(f"{count} columns have the types that are listed")


if __name__ == "__main__":
    main(*sys.argv[1:])
