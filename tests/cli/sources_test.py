#!/usr/bin/env python3
"""Where counts come from: the same release from memory and from files, whatever the threads; and who is refused.

  sources_test.py STOPOVER STOPOVER_LAB
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

STOPOVER, LAB = (os.path.abspath(program) for program in sys.argv[1:3])
SHAPE = ["--shape", "1000x1000x1000x1000", "--stops", "origin,destination"]


class Sources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        Path(self.folder, "cells").mkdir()
        for seed in (1, 2):
            self.run_program(STOPOVER, "generate", "city", "--stops", 2, "--n", 20000, "--grid", 1000, "--seed", seed,
                             "-o", f"cells/{seed}.parquet")

    def run_program(self, *words, code=0):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def words(self, name, *more):
        return [LAB, "publish", "--matrix", "cells/*.parquet", *SHAPE, "--unit", "trip", "--epsilon", "1",
                "--ledger", f"{name}.ledger", "--budget", "1", "--state", "none", "--test-key", "sources",
                "-o", f"{name}.odr", *more]

    def release(self, name):
        """What a release says (its tables by their hashes), but for its place in the ledger."""
        told = json.loads(Path(self.folder, f"{name}.odr", "release.json").read_text(encoding="utf-8"))
        for field in ("ledger_head", "content_sha256", "json_sha256", "companions"):
            told.pop(field, None)
        return told

    def test_the_same_release(self):
        for name, more in (("memory", ["--counts-from", "memory"]), ("stream", ["--counts-from", "stream"]),
                           ("one", ["--counts-from", "stream", "--threads", "1"]),
                           ("auto", ["--memory-limit", "1MB"])):
            self.run_program(*self.words(name, *more))
        for name in ("stream", "one", "auto"):
            self.assertEqual(self.release(name), self.release("memory"), name)

    def test_who_is_refused_before_anything_is_spent(self):
        for code, more, word in ((2, ["--mechanism", "daf-entropy"], "memory"), (2, ["--dry-run"], "dry-run"),
                                 (2, ["--memory-limit", "much"], "much"), (2, ["--temp-folder", "nowhere"], "nowhere")):
            done = self.run_program(*self.words("no", "--counts-from", "stream", *more), code=code)
            self.assertIn(word, done.stderr)
            self.assertFalse(Path(self.folder, "no.ledger").exists())
        self.assertIn("tape", self.run_program(*self.words("no", "--counts-from", "tape"), code=2).stderr)

    def test_what_does_not_go_with_spark(self):
        """Refused without Spark being looked for."""
        Path(self.folder, "trips.csv").write_text("uid,tid,datetime,o_lat,o_lng,d_lat,d_lng\n", encoding="utf-8")
        rows = [LAB, "publish", "trips.csv", "--shape-of", "trips", "--user", "uid", "--trip", "tid", "--bbox", "0,0,1,1",
                "--grid", "10x10", "--stops", "od", "--unit", "user", "--max-trips-per-user", 1, "--epsilon", 1,
                "--ledger", "no.ledger", "--state", "none", "-o", "no.odr"]
        spark = ["--engine", "spark"]
        for words, said in ((self.words("no", *spark), "--engine"),
                            (self.words("no", "--spark-master", "x"), "--spark-master"),
                            (self.words("no", "--counts-from", "spark", "--dry-run"), "--dry-run"),
                            ([*rows, "--counts-from", "spark"], "--engine spark"),
                            ([*rows, *spark, "--counts-from", "memory"], "--counts-from"),
                            ([*rows, *spark, "--dry-run"], "--dry-run"), ([*rows, "--engine", "tape"], "tape"),
                            ([*rows, *spark, "--time", "datetime", "--period", "day:2024-01-01..2024-01-02"], "--period"),
                            ([*rows, "--counts-from", "stream", "--time", "datetime", "--period",
                              "day:2024-01-01..2024-01-02"], "--period")):
            budget = "--budget-per-period" if "--period" in words else "--budget"
            more = [] if "--budget" in words else [budget, 1]
            self.assertIn(said, self.run_program(*words, *more, code=2).stderr)
            self.assertFalse(Path(self.folder, "no.ledger").exists())

    def test_rows_are_streamed_by_way_of_a_private_file_that_goes(self):
        numbers = [(i * 7919 % 1000 / 1000, i * 104729 % 1000 / 1000) for i in range(4000)]
        lines = ["uid,tid,o_lat,o_lng,d_lat,d_lng"]
        for i in range(0, 4000, 2):
            lines.append(f"{i % 300},{i},{numbers[i][0]},{numbers[i][1]},{numbers[i + 1][0]},{numbers[i + 1][1]}")
        Path(self.folder, "trips.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        Path(self.folder, "temp").mkdir()
        for name, more in (("rows", []), ("passes", ["--counts-from", "stream", "--temp-folder", "temp"])):
            self.run_program(LAB, "publish", "trips.csv", "--shape-of", "trips", "--user", "uid", "--trip", "tid",
                             "--bbox", "0,0,1,1", "--grid", "500x500", "--stops", "od", "--unit", "user",
                             "--max-trips-per-user", 4, "--epsilon", 1, "--ledger", f"{name}.ledger", "--budget", 1,
                             "--state", "none", "--test-key", "rows", "-o", f"{name}.odr", *more)
        self.assertEqual(self.release("rows"), self.release("passes"))
        self.assertEqual(os.listdir(Path(self.folder, "temp")), [])

    def test_ctrl_c_while_rows_are_passed_over(self):
        for copy in range(3, 40):
            shutil.copy(Path(self.folder, "cells/1.parquet"), Path(self.folder, f"cells/{copy}.parquet"))
        process = subprocess.Popen(self.words("late", "--counts-from", "stream"), cwd=self.folder,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0, told)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".odr") or "partial" in name], [])

    def start_until_reserved(self, words):
        """A program that has reserved its budget, and passes over rows."""
        process = subprocess.Popen([str(word) for word in words], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        ledger = Path(self.folder, words[words.index("--ledger") + 1])
        while process.poll() is None and not (ledger.exists() and b"RESERVE" in ledger.read_bytes()):
            time.sleep(0.002)
        self.assertIsNone(process.poll(), "it ended too early")
        return process

    def nothing_half(self, name, spent):
        told = self.run_program(STOPOVER, "ledger", f"{name}.ledger", "--state", "none", "--json").stdout
        self.assertEqual(json.loads(told)["spent"], spent)
        self.assertFalse(Path(self.folder, f"{name}.odr").exists())

    def test_ctrl_c_after_the_reservation_is_followed_soon(self):
        for copy in range(3, 60):
            shutil.copy(Path(self.folder, "cells/1.parquet"), Path(self.folder, f"cells/{copy}.parquet"))
        process = self.start_until_reserved(self.words("late", "--counts-from", "stream"))
        since = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        took = time.monotonic() - since
        self.assertEqual(process.returncode, 130, told)
        self.assertLess(took, 4)  # 2 on a machine that does nothing else
        self.nothing_half("late", "1")

    def test_kill_9_while_rows_are_passed_over(self):
        """What was reserved is spent, nothing is half, and the next run removes the private folders that were left."""
        lines = ["uid,tid,o_lat,o_lng,d_lat,d_lng"]
        lines += [f"{i % 9000},{i},{i * 7919 % 1009 / 1009},{i * 31 % 1013 / 1013},{i * 3 % 997 / 997},{i * 5 % 991 / 991}"
                  for i in range(60000)]
        Path(self.folder, "trips.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        temp = Path(self.folder, "temp")
        temp.mkdir()

        def words(name):
            return [STOPOVER, "publish", "trips.csv", "--shape-of", "trips", "--user", "uid", "--trip", "tid", "--bbox",
                    "0,0,1,1", "--grid", "1000x1000", "--stops", "od", "--unit", "user", "--max-trips-per-user", "4",
                    "--epsilon", "1", "--ledger", f"{name}.ledger", "--budget", "2", "--state", "none", "--counts-from",
                    "stream", "--temp-folder", "temp", "-o", f"{name}.odr"]

        process = self.start_until_reserved(words("killed"))
        process.kill()
        process.communicate()
        self.nothing_half("killed", "1")
        left = os.listdir(temp)
        self.assertTrue(any(name.startswith("stopover-cells-") for name in left), left)
        self.assertTrue(all(name.startswith(("stopover-cells-", "stopover-spill-")) for name in left), left)
        self.assertEqual({(temp / name).stat().st_mode & 0o777 for name in left}, {0o700})
        self.run_program(*words("killed"))
        self.assertEqual(os.listdir(temp), [])
        self.run_program(STOPOVER, "verify", "killed.odr")
        told = self.run_program(STOPOVER, "ledger", "killed.ledger", "--state", "none", "--json").stdout
        self.assertEqual(json.loads(told)["spent"], "2")

    def test_one_stop(self):
        """multigrid over files, with likely intervals."""
        self.run_program(STOPOVER, "generate", "city", "--stops", 1, "--n", 30000, "--grid", 500, "--seed", 5, "-o",
                         "one.parquet")
        for name in ("memory", "stream"):
            self.run_program(LAB, "publish", "--matrix", "one.parquet", "--shape", "500x500", "--unit", "trip", "--epsilon",
                             1, "--ledger", f"{name}.ledger", "--budget", 1, "--state", "none", "--test-key", "one",
                             "-o", f"{name}.odr", "--counts-from", name)
        self.assertEqual(self.release("memory"), self.release("stream"))
        self.assertEqual(self.release("stream")["mechanism"], "multigrid")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
