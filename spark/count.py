#!/usr/bin/env python3
"""Counts for `stopover publish --counts-from spark`: rows stay where Spark has them, sums come back.

    python3 spark/count.py FOLDER --master local[*] [--with-parent]

FOLDER/job.json says where the cells are (Parquet files, or the plan of `stopover cells` that makes them) and their columns
(names). Then FOLDER/ask-0 appears, and FOLDER/task-0.bin, a public list of boxes (src/ingest/tally_wire.h): it is
broadcast, every executor adds its rows up with the C++ of the Python package `stopover`, and the sums of all pieces go
to FOLDER/sums-0 as Parquet, which FOLDER/sums-0.done announces; then ask-1, and so on, until this is ended. No noise is
drawn here. Sums and cells are true counts and private.
"""

import argparse
import importlib.util
import json
import os
import shutil
import sys
import threading
import time

import cells
from cells import NO_PACKAGE, PACKAGES, cells_of, end_with_parent, keep_files_in, start
from pyspark import cloudpickle
from pyspark.sql import Observation

NO_JAVA = 4  # exit code; 2 is that of cells.py without pyspark
ROWS_AT_ONCE = 1 << 17
PIECES = 4  # for every core: not too many, for each sends its sums


def counter(task, has_count):
    """What an executor does with a piece of the rows. It takes nothing along but the task and the names."""

    def count(batches):
        import numpy
        import pyarrow
        from stopover import _core

        tally = _core.PieceTally(task.value)
        for batch in batches:
            columns = [column.fill_null(-1).to_numpy(zero_copy_only=False) for column in batch.columns]
            counts = columns.pop() if has_count else None
            tally.add([numpy.ascontiguousarray(column, dtype=numpy.int64) for column in columns],
                      None if counts is None else numpy.ascontiguousarray(counts, dtype=numpy.int64))
        yield pyarrow.RecordBatch.from_pydict(dict(zip(("lattice", "box", "count"), tally.sums())))

    return count


def whole(name, kind):
    """A column as whole numbers, null where it holds none: as column_sql in src/ingest/cell_rows.cc."""
    quoted = "`" + name.replace("`", "``") + "`"
    if kind in ("float", "double") or kind.startswith("decimal"):
        return f"CASE WHEN {quoted} = floor({quoted}) THEN TRY_CAST({quoted} AS BIGINT) END AS {quoted}"
    return f"TRY_CAST({quoted} AS BIGINT) AS {quoted}"


def table_of(spark, job, folder):
    if "plan" in job:
        made, facts = os.path.join(folder, "cells"), Observation()
        cells_of(spark, job["plan"], facts).write.mode("error").parquet(made)
        if job["plan"]["source"]["format"] == "csv":
            with open(made + ".facts.json", "w", encoding="utf-8") as file:
                json.dump(facts.get, file)
        return spark.read.parquet(made)
    return spark.read.parquet(*job["files"])


def rows_of(spark, table, part):
    """The rows of a part as whole numbers, and whether they have counts."""
    kinds = dict(table.dtypes)
    if "stops" in part:
        table = table.where(f"stops = {int(part['stops'])}")
    names = part["axes"] + (["count"] if "count" in kinds else [])
    rows = table.selectExpr(*[whole(name, kinds[name]) for name in names])
    return rows.coalesce(PIECES * max(2, spark.sparkContext.defaultParallelism)), "count" in kinds


def tell_progress(tracker, path):
    """How many tasks are done, of how many, every half a second: `3 8`."""
    while True:
        time.sleep(0.5)
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        done = sum(stage.numCompletedTasks for stage in stages if stage)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(f"{done} {sum(stage.numTasks for stage in stages if stage)}")
        os.replace(path + ".new", path)


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.02)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder")
    arguments.add_argument("--master", default="local[*]")
    arguments.add_argument("--with-parent", action="store_true")
    options = arguments.parse_args()
    if any(importlib.util.find_spec(name) is None for name in PACKAGES):
        sys.exit(NO_PACKAGE)
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        sys.exit(NO_JAVA)
    if options.with_parent:
        end_with_parent()
    os.umask(0o077)
    at = lambda name: os.path.join(options.folder, name)
    keep_files_in(options.folder)
    with open(at("job.json"), encoding="utf-8") as file:
        job = json.load(file)
    cloudpickle.register_pickle_by_value(cells)  # executors have no such module
    spark = start(options.master, options.folder)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(ROWS_AT_ONCE))
    spark.conf.set("spark.sql.files.ignoreMissingFiles", "false")
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "false")
    table = table_of(spark, job, options.folder)
    tracker = spark.sparkContext.statusTracker()
    threading.Thread(target=tell_progress, args=(tracker, at("progress")), daemon=True).start()
    number = 0
    while True:
        wait_for(at(f"ask-{number}"))
        with open(at(f"ask-{number}"), encoding="utf-8") as file:
            rows, has_count = rows_of(spark, table, job["parts"][int(file.read())])
        with open(at(f"task-{number}.bin"), "rb") as file:
            task = spark.sparkContext.broadcast(file.read())
        counted = rows.mapInArrow(counter(task, has_count), "lattice int, box long, count long")
        counted.write.mode("error").parquet(at(f"sums-{number}"))
        task.destroy()
        os.remove(at(f"task-{number}.bin"))
        with open(at(f"sums-{number}.done"), "w", encoding="utf-8"):
            number += 1


if __name__ == "__main__":
    main()
