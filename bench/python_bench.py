#!/usr/bin/env python3
"""What Python costs: a batch of box queries from NumPy against the library's own call, and the memory of publishing an
Arrow table.

    PYTHONPATH=build/release/python STOPOVER_PROGRAMS=build/release .deps/python-venv/bin/python bench/python_bench.py
    batch PYTHONPATH=build/release/python .deps/python-venv/bin/python bench/python_bench.py memory [ROWS]

batch: 100,000 boxes on a release of a synthetic city (two stops, 1000 x 1000 cells), the median of five pairs of runs,
taken in turn in one process; fails above 1.2. Also with intervals off, where the library's part is smallest. memory:
wide trips (two points, four doubles per row, 10 million rows), counted to cells; tells how far the process grew at
most, beside the size of the coordinates, in memory and, for comparison, from the same rows in a Parquet file.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

LIMIT = 1.2


def batch():
    import stopover as so
    from stopover import _lab

    warnings.simplefilter("ignore", so.StopoverWarning)
    programs = os.environ["STOPOVER_PROGRAMS"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        shape = "x".join(["1000"] * 4)
        subprocess.run([f"{programs}/stopover", "generate", "city", "--stops", "2", "--n", "200000", "--grid", "1000",
                        "--seed", "7", "-o",
                        f"{folder}/c.parquet"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([f"{programs}/stopover-lab", "publish", "--quiet", "--matrix", f"{folder}/c.parquet", "--shape",
                        shape, "--epsilon",
                        "1", "--mechanism", "daf-entropy", "--test-key", "bench", "--ledger", f"{folder}/l", "--budget",
                        "1", "-o",
                        f"{folder}/c.odr"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rel = so.open_release(f"{folder}/c.odr")
        inner = _lab.OpenRelease.open(f"{folder}/c.odr")
        dice = np.random.default_rng(1)
        low = dice.integers(0, 950, (100_000, 4))
        boxes = np.ascontiguousarray(np.stack([low, low + 50], axis=2).reshape(len(low), 8))
        worst = 0.0
        for intervals in (True, False):
            rel.count_boxes(boxes[:1000], intervals=intervals)
            library, python = [], []
            for _ in range(5):
                library.append(_lab.batch_seconds(inner, boxes, intervals))
                begun = time.perf_counter()
                rel.count_boxes(boxes, intervals=intervals)
                python.append(time.perf_counter() - begun)
            ratio = statistics.median(p / c for p, c in zip(python, library))
            worst = max(worst, ratio)
            print(f"100,000 boxes {'with' if intervals else 'without'} intervals: library {statistics.median(library):.3f} s, "
                  f"Python {statistics.median(python):.3f} s, ratio {ratio:.3f}")
    return 0 if worst <= LIMIT else 1


def memory_mb(name):
    """VmRSS: now; VmHWM: the most since the last reset."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(name + ":"))


def reset_peak():
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def measure(kind, rows, path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    import stopover as so

    names = ("o_lat", "o_lng", "d_lat", "d_lng")
    if kind != "file":
        dice = np.random.default_rng(1)
        # A few thousand distinct places, so that what is counted is small beside what is read.
        table = pa.table({name: dice.integers(0, 8, rows) / 8 + 0.05 for name in names})
        if kind == "write":
            pq.write_table(table, path)
            return 0
        data = table
    else:
        data = path
    so.mechanisms()
    reset_peak()
    before = memory_mb("VmRSS")
    begun = time.monotonic()
    so.cells(data, so.Domain(bbox=(0, 0, 1, 1), grid=(100, 100)), path + ".cells.parquet", shape_of="trips",
             unit="trip", quiet=True, progress=False)
    seconds = time.monotonic() - begun
    peak = memory_mb("VmHWM")
    print(f"{kind}: {rows:,} rows, {rows * 32 / 1e6:.0f} MB of coordinates; {before:.0f} MB before, {peak:.0f} MB at most "
          f"(+{peak - before:.0f}), {seconds:.1f} s")
    return 0


def memory(rows):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/trips.parquet"
        for kind in ("write", "arrow", "file"):
            subprocess.run([sys.executable, __file__, "measure", kind, str(rows), path], check=True)
            for name in os.listdir(folder):
                if name.endswith(".cells.parquet"):
                    os.remove(f"{folder}/{name}")
    return 0


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else "batch"
    if what == "batch":
        sys.exit(batch())
    if what == "measure":
        sys.exit(measure(sys.argv[2], int(sys.argv[3]), sys.argv[4]))
    sys.exit(memory(int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000))
