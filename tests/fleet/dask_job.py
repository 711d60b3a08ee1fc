"""Three questions over all captures of a folder, asked of Dask.

usage: dask_job.py NETKIT CAPTURES OUT [WORKERS|ADDRESS]

CAPTURES and OUT are folders of any store that fsspec knows: paths, or URLs such as s3://. A file of CAPTURES is a
capture; a folder in it is a rotated set, read as one. One task copies one of them to a temporary folder, where netkit
reads it, and writes its messages as one object, so a task whose worker was killed and that runs again adds no row twice.
What cannot be read to its end is a row of OUT/errors.json, and the job goes on.
"""

import json
import pathlib
import sys
import tempfile

import dask.dataframe
import distributed
import fsspec
import pyarrow.parquet

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import messages as shared


def read(netkit, captures, out, name):
    """Reads one capture or rotated set, and writes its messages as OUT/messages/NAME.parquet."""
    fs, root = fsspec.core.url_to_fs(captures)
    place = f"{root.rstrip('/')}/{name}"
    with tempfile.TemporaryDirectory() as folder:
        files = fs.ls(place, detail=False) if fs.isdir(place) else [place]
        for file in files:
            fs.get_file(file, str(pathlib.Path(folder, file.rsplit("/", 1)[-1])))
        table = shared.read(netkit, name, folder)
    with fsspec.open(f"{out}/messages/{name}.parquet", "wb") as to:
        pyarrow.parquet.write_table(table, to)
    return table.slice(len(table) - 1).select(["capture", "status", "error"]).to_pylist()[0]


def main(netkit, captures, out, workers="2"):
    cluster = {"n_workers": int(workers), "threads_per_worker": 1} if workers.isdigit() else {"address": workers}
    with distributed.Client(**cluster, dashboard_address=None) as client:
        client.upload_file(shared.__file__)
        fs, root = fsspec.core.url_to_fs(captures)
        fs_out, place = fsspec.core.url_to_fs(out)
        fs_out.makedirs(f"{place}/messages", exist_ok=True)
        names = sorted(path.rstrip("/").rsplit("/", 1)[-1] for path in fs.ls(root, detail=False))
        done = client.gather([client.submit(read, netkit, captures, out, name, retries=3) for name in names])

        rows = dask.dataframe.read_parquet(f"{out}/messages/*.parquet")
        messages = rows[rows.status.isna()]
        client_side = messages[(messages["from"] == "client") & (messages.proto == "riptide")]
        numbered = client_side[client_side.sequence_id.notnull() & (client_side.message != "notify")]
        replies = messages[messages["from"] == "server"][["proto", "src", "answers_after_ms"]]
        replies = replies.explode("answers_after_ms").dropna(subset=["answers_after_ms"])
        replies["answers_after_ms"] = replies.answers_after_ms.astype(float)
        answers = {
            "bandwidth": messages.groupby(["proto", "message"]).length.agg(["count", "sum"]),
            "resends": numbered.groupby("version").resent.agg(["count", "sum"]),
            "trips": replies.groupby(["proto", "src"]).answers_after_ms.agg(["count", "max"]),
        }
        names_of = {
            "bandwidth": ["proto", "message", "messages", "bytes"],
            "resends": ["version", "copies", "resent"],
            "trips": ["proto", "server", "answers", "worst_ms"],
        }
        for name, answer in answers.items():
            table = answer.compute().reset_index()
            table.columns = names_of[name]
            print(table.to_string(max_rows=20))
            write(out, name, table.to_dict("records"))
        write(out, "errors", [one for one in done if one["status"] != 0])


def write(out, name, rows):
    with fsspec.open(f"{out}/{name}.json", "w") as to:
        to.writelines(json.dumps(row, default=lambda number: number.item()) + "\n" for row in rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
