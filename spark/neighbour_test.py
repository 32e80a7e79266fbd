#!/usr/bin/env python3
"""Spark makes DuckDB's cells of the neighbour fuzzer's data sets, with the unit and without it.

    python3 spark/neighbour_test.py NEIGHBOUR_TEST [MOST]

NEIGHBOUR_TEST is the program of src/ingest/neighbour_test.cc. It makes its data sets, shows that DuckDB's cells of a
pair differ by at most k trips, and leaves data, plans and cells in a folder; here every plan is run by Spark, MOST of
them (240) in one session. Where all cells are the same, the bound holds for Spark too.
"""

import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

import cells


def counted(rows):
    return collections.Counter({tuple(-1 if value is None else value for value in row[:-1]): row[-1] for row in rows})


def main():
    program, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 240
    with tempfile.TemporaryDirectory() as folder:
        pairs = os.path.join(folder, "pairs")
        os.mkdir(pairs)
        environment = {name: value for name, value in os.environ.items() if name != "STOPOVER_LONG_TESTS"}
        done = subprocess.run([program], env={**environment, "STOPOVER_PAIRS_TO": pairs}, capture_output=True,
                              text=True)
        if done.returncode != 0:
            sys.exit(done.stdout[-2000:])
        spark = cells.start("local[2]", folder)
        spark.conf.set("spark.sql.shuffle.partitions", "2")
        compared, different, trips = 0, 0, 0
        # By data set: a few pairs of each, if not all.
        found = sorted(glob.glob(os.path.join(pairs, "*.json")), key=lambda path: (path[-6:], path))
        for path in found[:most]:
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            # Cells of a part with fewer stops end in axes that are missing.
            rows = [[value for value in row[1:] if value is not None] if kept["by_count"] else list(row)
                    for row in (tuple(row) for row in cells.cells_of(spark, kept["plan"]).collect())]
            ours, theirs = counted(kept["cells"]), counted(rows)
            compared, trips = compared + 1, trips + sum(ours.values())
            if ours != theirs:
                different += 1
                print(f"DIFFER {os.path.basename(path)}: DuckDB {dict(ours - theirs)}, Spark {dict(theirs - ours)}",
                      flush=True)
        spark.stop()
    print(f"{'equal ' if different == 0 else 'DIFFER'} neighbours: {compared} data sets, {trips} trips, {different} with other cells")
    sys.exit(1 if different or trips < compared else 0)


if __name__ == "__main__":
    main()
