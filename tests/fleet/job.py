"""Three questions over all captures of a folder, asked of Spark.

usage: job.py NETKIT CAPTURES OUT [MASTER]

CAPTURES and OUT are any folders that Spark reads and writes: paths, or URLs such as s3a://, gs:// and hdfs://. A file of
CAPTURES is a capture; a folder in it is a rotated set, read as one. One task reads one of them, which Spark hands over
as bytes; netkit reads them from a temporary folder. Spark writes the messages, so a task that is killed and tried again
adds no row twice. What cannot be read to its end is a row of OUT/errors, and the job goes on.
"""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import messages as shared

COLUMNS = """capture string, file string, frame long, time timestamp, flow long, proto string, message string,
    version string, `from` string, src string, dst string, length long, sequence_id long,
    answers_after_ms array<double>, resent boolean, status long, error string"""


def reader(netkit):
    def read(captures):
        name = captures["capture"][0].as_py()
        with tempfile.TemporaryDirectory() as folder:
            for file, content in zip(captures["name"], captures["content"]):
                pathlib.Path(folder, file.as_py()).write_bytes(content.as_buffer())
            return shared.read(netkit, name, folder)

    return read


def main(netkit, captures, out, master="local[2]"):
    spark = SparkSession.builder.master(master).config("spark.sql.session.timeZone", "UTC").getOrCreate()
    spark.sparkContext.addPyFile(shared.__file__)
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(captures)
    below = f.substring_index("path", captures.rstrip("/") + "/", -1)
    files = files.select(
        f.substring_index(below, "/", 1).alias("capture"), f.substring_index("path", "/", -1).alias("name"), "content"
    )
    files.groupBy("capture").applyInArrow(reader(netkit), COLUMNS).write.parquet(f"{out}/messages")

    rows = spark.read.schema(COLUMNS).parquet(f"{out}/messages")
    messages, errors = rows.where("status is null"), rows.where("status != 0").select("capture", "status", "error")
    trips = (
        messages.withColumn("after_ms", f.explode("answers_after_ms"))
        .where("`from` = 'server'")
        .groupBy("proto", f.col("src").alias("server"), f.date_trunc("hour", "time").alias("hour"))
        .agg(f.count("*").alias("answers"), f.max("after_ms").alias("worst_ms"))
        .orderBy(f.desc("worst_ms"))
    )
    bandwidth = (
        messages.groupBy("proto", "message")
        .agg(f.count("*").alias("messages"), f.sum("length").alias("bytes"))
        .orderBy(f.desc("bytes"))
    )
    resends = (
        messages.where("proto = 'riptide' and sequence_id is not null and message != 'notify' and `from` = 'client'")
        .groupBy("version")
        .agg(f.count("*").alias("copies"), f.sum(f.col("resent").cast("long")).alias("resent"))
        .withColumn("share", f.col("resent") / f.col("copies"))
        .orderBy("version")
    )
    for name, answer in {"trips": trips, "bandwidth": bandwidth, "resends": resends, "errors": errors}.items():
        answer.coalesce(1).write.json(f"{out}/{name}")
        answer.show(truncate=60)


if __name__ == "__main__":
    main(*sys.argv[1:])
