#!/usr/bin/env python3
"""Stops of more than 2^24 cells, and domains whose cells have no key: published, verified, asked, drawn and exported.

  large_domain_test.py STOPOVER STOPOVER_LAB VERIFY_RELEASE
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import other_python  # noqa: E402

if importlib.util.find_spec("pyarrow") is None:
    other_python.run_again_with_packages("pyarrow")

STOPOVER, LAB, VERIFY = (os.path.abspath(program) for program in sys.argv[1:4])


class LargeDomain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, *words, code=0):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def publish(self, name, grid, stops, *more, code=0):
        names = ["origin", *(f"via{i}" for i in range(1, stops - 1)), "destination"]
        return self.run_program(LAB, "publish", "--matrix", "trips.parquet", "--shape", "x".join([str(grid)] * 2 * stops),
                                "--stops", ",".join(names), "--bbox", "0,0,1,1", "--unit", "trip", "--epsilon", 1,
                                "--ledger", f"{name}.ledger", "--budget", 1, "--state", "none", "--test-key", "large",
                                "-o", f"{name}.odr", *more, code=code)

    def generate(self, grid, stops, trips):
        self.run_program(STOPOVER, "generate", "city", "--stops", stops, "--n", trips, "--grid", grid, "--seed", 3, "-o",
                         "trips.parquet")

    def release(self, name):
        told = json.loads(Path(self.folder, f"{name}.odr", "release.json").read_text(encoding="utf-8"))
        return told["tables"], told.get("probes")

    def ask(self, name, *words):
        return json.loads(self.run_program(STOPOVER, "query", f"{name}.odr", "--json", *words).stdout)["estimate"]

    def check(self, name):
        self.run_program(STOPOVER, "verify", f"{name}.odr", "--accept-test-key")
        self.run_program(sys.executable, VERIFY, "--accept-test-key", f"{name}.odr")
        self.run_program(STOPOVER, "html", f"{name}.odr", "-o", f"{name}.html")
        self.assertGreater(Path(self.folder, f"{name}.html").stat().st_size, 100_000)
        self.run_program(STOPOVER, "export", f"{name}.odr", "--as", "trips", "-o", f"{name}.parquet")

    def test_two_stops_of_5000_x_5000(self):
        self.generate(5000, 2, 20_000)
        self.publish("memory", 5000, 2, "--counts-from", "memory")
        self.publish("stream", 5000, 2, "--counts-from", "stream")
        self.assertEqual(self.release("memory"), self.release("stream"))
        self.check("memory")
        self.assertAlmostEqual(self.ask("memory"), 20_000, delta=200)
        west = self.ask("memory", "--box", "a0=0:2501")
        east = self.ask("memory", "--box", "a0=2501:5000")
        self.assertAlmostEqual(west + east, self.ask("memory"), delta=1)

    def test_one_stop_of_10000_x_10000(self):
        self.generate(10_000, 1, 50_000)
        for name in ("memory", "stream"):
            self.run_program(LAB, "publish", "--matrix", "trips.parquet", "--shape", "10000x10000", "--stops", "place",
                             "--bbox", "0,0,1,1", "--unit", "trip", "--epsilon", 1, "--ledger", f"{name}.ledger",
                             "--budget", 1, "--state", "none", "--test-key", "large", "--counts-from", name, "-o",
                             f"{name}.odr")
        self.assertEqual(self.release("memory"), self.release("stream"))
        told = json.loads(Path(self.folder, "memory.odr", "release.json").read_text(encoding="utf-8"))
        self.assertEqual(told["mechanism"], "multigrid")
        self.check("memory")
        self.assertAlmostEqual(self.ask("memory"), 50_000, delta=200)
        answer = json.loads(self.run_program(STOPOVER, "query", "memory.odr", "--json", "--box", "a0=1001:5003").stdout)
        self.assertTrue(answer["calibrated"])
        rest = self.ask("memory", "--box", "a0=0:1001") + self.ask("memory", "--box", "a0=5003:10000")
        self.assertAlmostEqual(answer["estimate"] + rest, self.ask("memory"), delta=1)

    def test_five_stops_of_10000_x_10000(self):
        self.generate(10_000, 5, 10_000)
        refused = self.publish("no", 10_000, 5, "--counts-from", "memory", code=2)
        self.assertIn("140 bits", refused.stderr)
        self.assertFalse(Path(self.folder, "no.ledger").exists())
        self.publish("five", 10_000, 5)
        self.check("five")
        self.assertAlmostEqual(self.ask("five"), 10_000, delta=200)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
