#!/usr/bin/env python3
"""Counts for `stopover publish --counts-from spark`: rows stay where Spark has them, sums come back.

    python3 spark/count.py FOLDER --master local[*] [--with-parent]

FOLDER/job.json says where the cells are (Parquet files, or the plan of `stopover cells` to make them) and what their
columns are. Then FOLDER/task-N.bin appears, a public list of boxes (src/ingest/tally_wire.h); it is broadcast, every
executor adds its rows up with the C++ of the Python package `stopover`, and the sums of every piece go to
FOLDER/sums-N as Parquet, which FOLDER/sums-N.done announces. FOLDER/end ends it. No noise is drawn here. The sums, and
the cells, are true counts and private.
"""
import argparse
import json
import os
import sys
import time

from cells import cells_of, end_with_parent, keep_files_in, start

MOST_TRIPS = 1 << 40  # of a row, as in src/ingest/dropped_rows.h
SEEN = -2             # where: rows, trips, rows outside, bad counts


def counter(task, widths, has_count):
    """The function that every executor runs over its rows. Without anything that Spark could not send along."""
    data = task.value if hasattr(task, "value") else task

    def count(batches):
        import numpy
        import pyarrow
        from stopover import _core

        tally = _core.Tally(data)
        seen = [0, 0, 0, 0]
        for batch in batches:
            columns = []
            inside = numpy.ones(batch.num_rows, dtype=bool)
            for axis, width in enumerate(widths):
                column = batch.column(axis)
                values = column.fill_null(-1).to_numpy(zero_copy_only=False)
                inside &= (values >= 0) & (values < width)
                columns.append(values)
            counts = numpy.ones(batch.num_rows, dtype=numpy.int64)
            if has_count:
                counts = batch.column(len(widths)).fill_null(-1).to_numpy(zero_copy_only=False)
            fine = inside & (counts >= 0) & (counts <= MOST_TRIPS)
            seen[2] += int((~inside).sum())
            seen[3] += int((inside & ~fine).sum())
            fine &= counts > 0
            seen[0] += int(fine.sum())
            seen[1] += int(counts[fine].sum())
            tally.add([numpy.ascontiguousarray(values[fine], dtype=numpy.uint32) for values in columns],
                      numpy.ascontiguousarray(counts[fine], dtype=numpy.uint64))
        where, box, number = tally.sums()
        arrays = [numpy.concatenate([numpy.frombuffer(where, dtype=numpy.int32), numpy.full(4, SEEN, numpy.int32)]),
                  numpy.concatenate([numpy.frombuffer(box, dtype=numpy.int64), numpy.arange(4, dtype=numpy.int64)]),
                  numpy.concatenate([numpy.frombuffer(number, dtype=numpy.int64), numpy.array(seen, numpy.int64)])]
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array(a) for a in arrays], names=["where", "box", "count"])

    return count


def whole(name, kind):
    """A column as whole numbers, null where it holds none: as column_sql in src/ingest/cell_rows.cc."""
    quoted = "`" + name.replace("`", "``") + "`"
    if kind in ("float", "double") or kind.startswith("decimal"):
        return f"CASE WHEN {quoted} = floor({quoted}) THEN TRY_CAST({quoted} AS BIGINT) END AS {quoted}"
    return f"TRY_CAST({quoted} AS BIGINT) AS {quoted}"


def rows_of(spark, job, folder):
    if "plan" in job:
        made = os.path.join(folder, "cells")
        cells_of(spark, job["plan"]).write.mode("error").parquet(made)
        table = spark.read.parquet(made)
    else:
        table = spark.read.option("recursiveFileLookup", "true").parquet(*job["paths"])
    kinds = dict(table.dtypes)
    if job.get("stops") is not None:
        table = table.where(f"stops = {int(job['stops'])}")
    names = job["axes"] + (["count"] if "count" in kinds else [])
    return table.selectExpr(*[whole(name, kinds[name]) for name in names]), "count" in kinds


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder")
    arguments.add_argument("--master", default="local[*]")
    arguments.add_argument("--with-parent", action="store_true")
    options = arguments.parse_args()
    if options.with_parent:
        end_with_parent()
    os.umask(0o077)
    keep_files_in(options.folder)
    with open(os.path.join(options.folder, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    spark = start(options.master, options.folder)
    rows, has_count = rows_of(spark, job, options.folder)
    number = 0
    while not os.path.exists(os.path.join(options.folder, "end")):
        path = os.path.join(options.folder, f"task-{number}.bin")
        if not os.path.exists(path):
            time.sleep(0.02)
            continue
        with open(path, "rb") as file:
            task = spark.sparkContext.broadcast(file.read())
        sums = os.path.join(options.folder, f"sums-{number}")
        rows.mapInArrow(counter(task, job["widths"], has_count), "where int, box long, count long").write.parquet(sums)
        task.unpersist()
        with open(sums + ".done", "w", encoding="utf-8"):
            number += 1
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
