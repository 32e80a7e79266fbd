#!/usr/bin/env python3
"""Releases that the last program of format 1 wrote are read for ever, with their digits and hashes, and shown as what
they are.

  format_1_test.py STOPOVER
"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ORIGINALS = Path(__file__).resolve().parent / "format_1"
STOPOVER = sys.argv.pop(1)


class Format1(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.work = Path(holder.name)
        for name in ("private.odr", "test_key.odr"):
            shutil.copytree(ORIGINALS / name, self.work / name)

    def run_it(self, *words):
        run = subprocess.run([STOPOVER, *words], cwd=self.work, capture_output=True, text=True, timeout=1200)
        return run.returncode, run.stdout, run.stderr

    def json_of(self, *words):
        code, out, err = self.run_it(*words, "--json")
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def test_hashes_and_digits_are_the_old_ones(self):
        for name, estimate in (("private.odr", 495.977950406), ("test_key.odr", 492.944638943)):
            document = json.loads((self.work / name / "release.json").read_text(encoding="utf-8"))
            info = self.json_of("info", name)
            self.assertEqual(info["format"], 1)
            self.assertEqual(info["content_sha256"], document["content_sha256"])
            self.assertEqual(info["params"], document["params"])
            self.assertEqual(self.json_of("query", name)["estimate"], estimate)
            self.run_it("export", name, "--as", "csv", "-o", f"{name}.csv")
            card = json.loads((self.work / f"{name}.csv.card.json").read_text(encoding="utf-8"))
            self.assertEqual(card["release"]["content_sha256"], document["content_sha256"])

    def test_private_ones_stay_private(self):
        # Where the same version of the writer looks, verify also writes them again and compares all bytes.
        self.assertEqual(self.json_of("verify", "private.odr"),
                         {"release": "private.odr", "pass": True, "private": True, "randomness": "system"})
        self.assertIn("Pure differential privacy", self.run_it("info", "private.odr")[1])

    def test_a_parameter_that_names_a_key_tells(self):
        code, _, err = self.run_it("verify", "test_key.odr")
        self.assertEqual(code, 5)
        self.assertIn("can be repeated (old key)", err)
        self.assertEqual(self.json_of("verify", "test_key.odr", "--accept-test-key")["randomness"],
                         "repeatable:old key")
        self.assertFalse(self.json_of("info", "test_key.odr")["private"])
        code, out, err = self.run_it("info", "test_key.odr")
        self.assertIn("No privacy: made with a repeatable key (old key)", out)
        self.assertNotIn("ifferential privacy", out)
        self.assertIn("protects nobody", err)

    def test_nothing_was_touched(self):
        for name in ("private.odr", "test_key.odr"):
            self.run_it("verify", name)
            for path in (ORIGINALS / name).iterdir():
                self.assertEqual((self.work / name / path.name).read_bytes(), path.read_bytes())


if __name__ == "__main__":
    unittest.main()
