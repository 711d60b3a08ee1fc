"""Three questions over all captures of a folder, asked of Spark.

usage: job.py NETKIT CAPTURES OUT [MASTER]

A file of CAPTURES is a capture; a folder in it is a rotated set, read as one. One task reads one of them:
netkit writes OUT/messages/NAME as a whole or not at all, so a task that is killed and tried again adds no
row twice. What cannot be read to its end is a row of OUT/errors, and the job goes on.
"""

import pathlib
import subprocess
import sys

import pandas
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

COLUMNS = """proto string, message string, version string, `from` string, src string, dst string, length long,
    time timestamp, file string, related array<struct<kind: string, after_ms: double>>,
    notes array<struct<code: string>>"""


def reader(netkit, out):
    def read(batches):
        for batch in batches:
            rows = []
            for name, files in zip(batch["name"], batch["files"]):
                join = ["--join"] if len(files) > 1 else []
                folder = ["-o", f"{out}/messages/{name}", "--force"]
                run = [netkit, "-q", "decode", *join, *files, "-f", "parquet", *folder]
                done = subprocess.run(run, capture_output=True, text=True, errors="replace")
                rows.append((name, done.returncode, done.stderr.strip()))
            yield pandas.DataFrame(rows, columns=["name", "status", "error"])

    return read


def main(netkit, captures, out, master="local[2]"):
    spark = SparkSession.builder.master(master).config("spark.sql.session.timeZone", "UTC").getOrCreate()
    found = sorted(pathlib.Path(captures).iterdir())
    sets = [(p.name, sorted(map(str, p.iterdir())) if p.is_dir() else [str(p)]) for p in found]
    pathlib.Path(out, "messages").mkdir(parents=True)
    tasks = spark.createDataFrame(sets, "name string, files array<string>").repartition(len(sets))
    read = tasks.mapInPandas(reader(netkit, out), "name string, status int, error string")
    # Read once: each use of it would read the captures again.
    read.write.parquet(f"{out}/read")
    errors = spark.read.parquet(f"{out}/read").where("status != 0")
    errors.write.json(f"{out}/errors")

    messages = spark.read.schema(COLUMNS).parquet(f"{out}/messages/*/*.parquet")
    trips = (
        messages.withColumn("relation", f.explode("related"))
        .where("relation.kind = 'answers' and relation.after_ms is not null and `from` = 'server'")
        .groupBy("proto", f.col("src").alias("server"), f.date_trunc("hour", "time").alias("hour"))
        .agg(f.count("*").alias("answers"), f.max("relation.after_ms").alias("worst_ms"))
        .orderBy(f.desc("worst_ms"))
    )
    bandwidth = (
        messages.groupBy("proto", "message")
        .agg(f.count("*").alias("messages"), f.sum("length").alias("bytes"))
        .orderBy(f.desc("bytes"))
    )
    resent = f.exists("notes", lambda note: note.code == "riptide.resent").cast("long")
    reliable = spark.read.schema(f"{COLUMNS}, fields struct<sequence_id: long>").parquet(f"{out}/messages/*/riptide.*")
    resends = (
        reliable.where("fields.sequence_id is not null and message != 'notify' and `from` = 'client'")
        .groupBy("version")
        .agg(f.count("*").alias("copies"), f.sum(f.coalesce(resent, f.lit(0))).alias("resent"))
        .withColumn("share", f.col("resent") / f.col("copies"))
        .orderBy("version")
    )
    for name, answer in {"trips": trips, "bandwidth": bandwidth, "resends": resends}.items():
        answer.coalesce(1).write.json(f"{out}/{name}")
        answer.show(truncate=False)
    errors.show(truncate=60)


if __name__ == "__main__":
    main(*sys.argv[1:])
