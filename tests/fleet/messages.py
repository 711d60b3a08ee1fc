"""The messages of one capture, or of one rotated set, as a table of Arrow: what the jobs of Spark and of Dask share."""

import pathlib
import subprocess

import pyarrow
import pyarrow.parquet

# One row for each message, then one for the capture itself with what netkit answered: `status` and `error`.
SCHEMA = pyarrow.schema(
    [
        ("capture", pyarrow.string()),
        ("file", pyarrow.string()),
        ("frame", pyarrow.int64()),
        ("time", pyarrow.timestamp("us", "UTC")),
        ("flow", pyarrow.int64()),
        ("proto", pyarrow.string()),
        ("message", pyarrow.string()),
        ("version", pyarrow.string()),
        ("from", pyarrow.string()),
        ("src", pyarrow.string()),
        ("dst", pyarrow.string()),
        ("length", pyarrow.int64()),
        ("sequence_id", pyarrow.int64()),
        ("answers_after_ms", pyarrow.list_(pyarrow.float64())),
        ("resent", pyarrow.bool_()),
        ("status", pyarrow.int64()),
        ("error", pyarrow.string()),
    ]
)


def read(netkit, name, folder):
    """Reads the captures of a folder of this machine as one, in the order of their names; `name` names the set."""
    files = sorted(file.name for file in pathlib.Path(folder).iterdir())
    join = ["--join"] if len(files) > 1 else []
    run = [netkit, "-q", "decode", *join, *files, "-f", "parquet", "-o", "messages"]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, errors="replace")
    written = sorted(pathlib.Path(folder, "messages").glob("*.parquet"))
    tables = [rows(name, pyarrow.parquet.ParquetFile(file).read()) for file in written]
    last = {"capture": name, "status": done.returncode, "error": done.stderr.strip()}
    return pyarrow.concat_tables([*tables, pyarrow.Table.from_pylist([last], SCHEMA)])


def rows(name, table):
    """The columns of one file of messages that the questions need."""
    fields = table["fields"].combine_chunks() if "fields" in table.column_names else None
    numbered = fields is not None and fields.type.get_field_index("sequence_id") >= 0
    made = {
        "capture": [name] * len(table),
        "sequence_id": fields.field("sequence_id") if numbered else [None] * len(table),
        "answers_after_ms": [
            [one["after_ms"] for one in of or [] if one["kind"] == "answers" and one["after_ms"] is not None]
            for of in table["related"].to_pylist()
        ],
        "resent": [any(note["code"] == "riptide.resent" for note in of or []) for of in table["notes"].to_pylist()],
        "status": [None] * len(table),
        "error": [None] * len(table),
    }
    columns = [made[field.name] if field.name in made else table[field.name].cast(field.type) for field in SCHEMA]
    return pyarrow.table(columns, schema=SCHEMA)
