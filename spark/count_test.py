#!/usr/bin/env python3
"""Counts made on Spark: the same release as from memory and from files, bit for bit; who dies half way; who is refused.

    python3 spark/count_test.py STOPOVER STOPOVER_LAB [TEST ...]     PYTHONPATH has the package

STOPOVER_COUNT_TRIPS: how many trips the compared releases have (100000). STOPOVER_COUNT_CELLS: a folder of Parquet
files of two-stop cells to compare instead. scripts/test-spark runs Same and Killed; scripts/test-sources all, with more
trips, and KilledRows, which takes STOPOVER_COUNT_ROWS raw rows (1000000) end to end.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

STOPOVER, LAB = sys.argv[1:3]
TRIPS = int(os.environ.get("STOPOVER_COUNT_TRIPS", "100000"))
CLUSTER = "local-cluster[2,1,1024]"
ENVIRONMENT = {**os.environ, "STOPOVER_PYTHON": sys.executable, "PYTHONWARNINGS": "ignore"}
WIDTH = {2: 1000, 3: 300}


def processes():
    """Of every living process its parent and its words."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if stat[0] != "Z":
            found[int(folder.name)] = (int(stat[1]), words)
    return found


def below(root, word):
    """The numbers of processes that `root` started, itself or by others, with `word` among their words."""
    all_of_them = processes()
    found = []
    for number, (_, words) in all_of_them.items():
        at = number
        while at in all_of_them and at != root:
            at = all_of_them[at][0]
        if at == root and number != root and word in words:
            found.append(number)
    return found


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="stopover-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "temp").mkdir()

    def run_program(self, *words, code=0, environment=None):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True,
                              env=environment or ENVIRONMENT, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def cells(self, stops=2, trips=20000):
        """Two files of cells, in a folder."""
        name = f"cells{stops}"
        (self.folder / name).mkdir()
        for seed in (1, 2):
            self.run_program(STOPOVER, "generate", "city", "--stops", stops, "--n", trips // 2, "--grid", WIDTH[stops],
                             "--seed", seed, "-o", f"{name}/{seed}.parquet")
        return f"{name}/*.parquet"

    def words(self, name, matrix, *more, stops=2, k=1, program=LAB):
        unit = ["--unit", "trip"] if k == 1 else ["--unit", "user", "--max-trips-per-user", k]
        key = ["--test-key", "sources"] if program == LAB else []
        return [str(word) for word in
                (program, "publish", "--matrix", matrix, "--shape", "x".join([str(WIDTH[stops])] * 2 * stops),
                 "--stops", ",".join(f"s{i}" for i in range(stops)), *unit, "--epsilon", "1", "--ledger",
                 f"{name}.ledger", "--budget", "3", "--state", "none", *key, "--temp-folder", "temp", "-o",
                 f"{name}.odr", *more)]

    def release(self, name):
        """What a release says (its tables by their hashes), but for its place in the ledger."""
        told = json.loads((self.folder / f"{name}.odr" / "release.json").read_text(encoding="utf-8"))
        for field in ("ledger_head", "content_sha256", "json_sha256", "companions"):
            told.pop(field, None)
        return told

    def ledger(self, name):
        return json.loads(self.run_program(STOPOVER, "ledger", f"{name}.ledger", "--state", "none", "--json").stdout)

    def start_until_reserved(self, *words):
        """A program that has reserved its budget, and counts."""
        process = subprocess.Popen(words, cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        ledger = self.folder / words[words.index("--ledger") + 1]
        while process.poll() is None and not (ledger.exists() and b"RESERVE" in ledger.read_bytes()):
            time.sleep(0.01)
        if process.poll() is not None:
            self.fail(f"ended too early: {process.communicate()}")
        return process

    def nothing_half(self, name, spent):
        self.assertEqual(self.ledger(name)["spent"], spent)
        self.assertEqual(list(self.folder.glob(f"{name}.odr")), [])


class Compared(Bench):
    """From memory, from files and from Spark."""

    def compare(self, stops, k):
        since = time.monotonic()
        given = os.environ.get("STOPOVER_COUNT_CELLS")
        matrix = os.path.join(given, "*.parquet") if given and stops == 2 else self.cells(stops, TRIPS)
        ways = {"memory": ["--counts-from", "memory"], "stream": ["--counts-from", "stream"],
                "local[2]": ["--counts-from", "spark", "--spark-master", "local[2]"],
                CLUSTER: ["--counts-from", "spark", "--spark-master", CLUSTER]}
        took = []
        for name, more in ways.items():
            begun = time.monotonic()
            self.run_program(*self.words(name, matrix, *more, stops=stops, k=k))
            took.append(f"{name} {time.monotonic() - begun:.0f} s")
        for name in ways:
            self.assertEqual(self.release(name), self.release("memory"), name)
        self.assertIn("probes", json.dumps(self.release("local[2]")))
        print(f"the same: {stops} stops, k {k}, {TRIPS} trips: {', '.join(took)}; {time.monotonic() - since:.0f} s in all",
              file=sys.stderr)
        self.assertEqual(os.listdir(self.folder / "temp"), [])


class Same(Compared):
    def test_two_stops_of_users(self):
        self.compare(2, 4)

    def test_three_stops_of_trips(self):
        self.compare(3, 1)


class SameToo(Compared):
    def test_two_stops_of_trips(self):
        self.compare(2, 1)

    def test_three_stops_of_users(self):
        self.compare(3, 4)


class Rows(Bench):
    def test_rows_of_two_and_three_stops_and_rows_that_fit_nowhere(self):
        lines = ["uid,tid,seq,lat,lng"]
        for i in range(6000):
            for seq in range(2 + i % 2):
                lat, lng = (i * 7919 + seq * 104729) % 1009 / 1000, (i * 31 + seq * 611953) % 1013 / 1000
                lines.append(f"{i % 1500},{i},{seq},{lat},{lng}")
        lines += ['"9,1,1,0.5', "x,y,z", "1,2,3,nan,0.5"]
        Path(self.folder, "trips.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for name, more in (("duckdb", []), ("spark", ["--engine", "spark", "--spark-master", "local[2]"])):
            self.run_program(LAB, "publish", "trips.csv", "--seq", "seq", "--stops", "2,3", "--bbox", "0,0,1,1", "--grid",
                             "200x200", "--unit", "user", "--max-trips-per-user", 4, "--epsilon", 1, "--ledger",
                             f"{name}.ledger", "--budget", 1, "--state", "none", "--test-key", "rows", "--temp-folder",
                             "temp", "-o", name, *more)
        for part in sorted(path.name for path in (self.folder / "duckdb").iterdir()):
            shutil.copytree(self.folder / "duckdb" / part, self.folder / f"d-{part}")
            shutil.copytree(self.folder / "spark" / part, self.folder / f"s-{part}")
            name = part.removesuffix(".odr")
            self.assertEqual(self.release(f"d-{name}"), self.release(f"s-{name}"))
        # Numbers of other types, rows outside and none at all.
        import pyarrow
        import pyarrow.parquet

        odd = pyarrow.table({"a0": [1.0, 2.5, None, 7.0, 1e300, 9.0], "a1": pyarrow.array([1, 2, 3, 4, 5, 9], "uint64"),
                             "a2": [0, 1, 2, 3, 4, 10], "a3": [0, 1, 2, 3, -4, 9], "count": [1, 1, 1, 2, 3, 1 << 41]})
        pyarrow.parquet.write_table(odd, self.folder / "odd.parquet")
        pyarrow.parquet.write_table(odd.slice(0, 0), self.folder / "none.parquet")
        for file in ("odd", "none"):
            words = lambda way: [LAB, "publish", "--matrix", f"{file}.parquet", "--shape", "10x10x10x10", "--stops", "a,b",
                                 "--unit", "trip", "--epsilon", "1", "--budget", "1", "--state", "none", "--test-key", "x",
                                 "--mechanism", "anchor", "--ledger", f"{way}-{file}.ledger", "--private-notes", "always",
                                 "-o", f"{way}-{file}.odr", "--counts-from", way]
            told = [self.run_program(*words(way)).stderr for way in ("memory", "spark")]
            self.assertEqual(self.release(f"memory-{file}"), self.release(f"spark-{file}"))
            dropped = [[line for line in text.splitlines() if "dropped" in line] for text in told]
            self.assertEqual(dropped[0], dropped[1])
            self.assertEqual(len(dropped[0]), 1 if file == "odd" else 0, told)


class Killed(Bench):
    def test_an_executor_and_its_python_half_way(self):
        matrix = self.cells(trips=200000)
        self.run_program(*self.words("whole", matrix, "--counts-from", "memory"))
        for name, word in (("executor", "CoarseGrainedExecutorBackend"), ("python", "pyspark.daemon")):
            process = self.start_until_reserved(*self.words(name, matrix, "--counts-from", "spark", "--spark-master",
                                                            CLUSTER))
            victims = below(process.pid, word)
            self.assertTrue(victims, f"no {word} found")
            os.kill(victims[0], signal.SIGKILL)
            _, told = process.communicate()
            self.assertEqual(process.returncode, 0, told)
            self.assertEqual(self.release(name), self.release("whole"))
            self.assertEqual(self.ledger(name)["spent"], "1")
            print(f"the same after kill -9 of an {word} half way", file=sys.stderr)
        self.assertEqual(os.listdir(self.folder / "temp"), [])

    def test_every_executor_again_and_again_ends_the_job(self):
        matrix = self.cells(trips=200000)
        process = self.start_until_reserved(*self.words("lost", matrix, "--counts-from", "spark", "--spark-master",
                                                        "local[2]"))
        while process.poll() is None:
            for victim in below(process.pid, "pyspark.daemon"):
                try:
                    os.kill(victim, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)
        _, told = process.communicate()
        self.assertEqual(process.returncode, 3, told)
        self.assertIn("spent", told)
        self.nothing_half("lost", "1")
        self.assertEqual(os.listdir(self.folder / "temp"), [])

    def test_the_program_and_the_driver(self):
        matrix = self.cells(trips=100000)
        words = lambda name: self.words(name, matrix, "--counts-from", "spark", "--spark-master", "local[2]")
        process = self.start_until_reserved(*words("program"))
        started = below(process.pid, "")
        self.assertGreater(len(started), 1)
        process.kill()
        process.communicate()
        self.nothing_half("program", "1")
        until = time.monotonic() + 30
        while set(started) & set(processes()) and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(set(started) & set(processes()), set(), "Spark worked on for nobody")
        self.assertEqual(len(os.listdir(self.folder / "temp")), 1, "what was killed leaves its private folder")
        process = self.start_until_reserved(*words("driver"))
        os.kill(below(process.pid, "count.py")[0], signal.SIGKILL)
        process.communicate()
        self.assertNotEqual(process.returncode, 0)
        self.nothing_half("driver", "1")
        self.assertEqual(os.listdir(self.folder / "temp"), [], "the next one removes what was left")

    def test_ctrl_c(self):
        process = self.start_until_reserved(*self.words("late", self.cells(trips=100000), "--counts-from", "spark",
                                                        "--spark-master", "local[2]"))
        since = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate()
        took = time.monotonic() - since
        self.assertEqual(process.returncode, 130)
        self.nothing_half("late", "1")
        self.assertEqual(os.listdir(self.folder / "temp"), [])
        print(f"Ctrl-C was followed in {took:.1f} s", file=sys.stderr)
        self.assertLess(took, 4)  # 2 on a machine that does nothing else


class KilledRows(Bench):
    """Rows with user ids to a release on Spark, an executor killed half way: as if nothing had happened."""

    def rows(self, rows):
        """Pieces of Parquet; every user has four trips or so."""
        import numpy
        import pyarrow
        import pyarrow.parquet

        (self.folder / "rows").mkdir()
        piece = 5_000_000
        for first in range(0, rows, piece):
            random, n = numpy.random.default_rng(first), min(piece, rows - first)
            columns = {"uid": random.integers(0, rows // 4, n), "tid": numpy.arange(first, first + n)}
            for name in ("o_lat", "o_lng", "d_lat", "d_lng"):
                columns[name] = (random.random(n) ** 2).astype("float32")
            pyarrow.parquet.write_table(pyarrow.table(columns), self.folder / f"rows/{first:010}.parquet",
                                        compression="zstd")

    def test_an_executor_half_way(self):
        rows = int(os.environ.get("STOPOVER_COUNT_ROWS", "1000000"))
        self.rows(rows)
        words = lambda name, *more: [
            LAB, "publish", "rows/*.parquet", "--shape-of", "trips", "--user", "uid", "--trip", "tid", "--bbox", "0,0,1,1",
            "--grid", "1000x1000", "--stops", "od", "--unit", "user", "--max-trips-per-user", "4", "--epsilon", "1",
            "--ledger", f"{name}.ledger", "--budget", "3", "--state", "none", "--test-key", "rows", "--temp-folder",
            "temp", "-o", f"{name}.odr", *more]
        begun = time.monotonic()
        self.run_program(*words("duckdb", "--counts-from", "stream", "--memory-limit", "8GB"))
        whole = time.monotonic() - begun
        begun = time.monotonic()
        process = self.start_until_reserved(*words("spark", "--engine", "spark", "--spark-master", CLUSTER))
        reserved = time.monotonic() - begun
        time.sleep(min(60, reserved / 10))  # into the passes
        victims = below(process.pid, "CoarseGrainedExecutorBackend")
        self.assertTrue(victims, "no executor found")
        os.kill(victims[0], signal.SIGKILL)
        _, told = process.communicate()
        self.assertEqual(process.returncode, 0, told)
        self.assertEqual(self.release("spark"), self.release("duckdb"))
        self.assertEqual(self.ledger("spark")["spent"], "1")
        self.assertEqual(os.listdir(self.folder / "temp"), [])
        print(f"the same after kill -9 of an executor: {rows} rows, DuckDB {whole:.0f} s, Spark "
              f"{time.monotonic() - begun:.0f} s, of them {reserved:.0f} s before the reservation", file=sys.stderr)


class Refused(Bench):
    def test_nothing_is_spent_where_something_is_missing(self):
        matrix = self.cells(trips=2000)
        words = self.words("no", matrix, "--counts-from", "spark", "--spark-master", "local[1]")
        empty = self.folder / "empty"
        empty.mkdir()
        real = shutil.which("python3")
        for change, said in (({"STOPOVER_PYTHON": "no-such-python"}, "cannot be started"),
                             ({"STOPOVER_PYTHON": real, "PYTHONPATH": ""}, "pyspark"),
                             ({"PYTHONPATH": str(empty)}, "package stopover"),
                             ({"PATH": str(empty), "JAVA_HOME": ""}, "Java"),
                             ({"STOPOVER_SPARK_JOB": str(empty / "cells.py")}, "")):
            done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                                  env={**ENVIRONMENT, **change})
            self.assertIn(done.returncode, (2,), done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual(list(self.folder.glob("no*")), [])
            self.assertEqual(os.listdir(self.folder / "temp"), [])
        for more, said in ((["--engine", "spark"], "--engine"), (["--dry-run"], "dry-run"),
                           (["--mechanism", "daf-entropy"], "memory")):
            self.assertIn(said, self.run_program(*words, *more, code=2).stderr)
        self.assertEqual(list(self.folder.glob("no*")), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
