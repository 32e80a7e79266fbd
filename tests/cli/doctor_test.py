#!/usr/bin/env python3
"""`stopover doctor`: what is there, what is lacking, and the exit code.

  doctor_test.py STOPOVER STOPOVER_LAB [TEST ...]
"""
import json
import os
import sys
import unittest

import bench_of_commands
from bench_of_commands import Bench

NAMES = ["program", "laboratory", "DuckDB", "entropy", "state folder", "temporary folder", "this folder", "memory",
         "processors", "locale", "page", "browser", "Spark"]


class Doctor(Bench):
    def findings(self, code=0):
        got, out, err = self.run_it("doctor", "--json")
        self.assertEqual(got, code, out + err)
        answer = json.loads(out)
        self.assertEqual(list(answer), ["fit", "findings"])
        self.assertEqual(answer["fit"], code == 0)
        self.assertEqual([finding["name"] for finding in answer["findings"]], NAMES)
        for finding in answer["findings"]:
            self.assertEqual("get" in finding, finding["health"] != "ok", finding)
        return {finding["name"]: finding for finding in answer["findings"]}

    def program(self, name, says=""):
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\necho '{says}'\n")
        (folder / name).chmod(0o755)
        self.environment["PATH"] = str(folder)

    def test_what_is_needed_is_here(self):
        found = self.findings()
        for name in ("program", "laboratory", "DuckDB", "entropy", "state folder", "temporary folder", "this folder",
                     "locale"):
            self.assertEqual(found[name]["health"], "ok", found[name])
        self.assertRegex(found["DuckDB"]["found"], r"^v\d+\.\d+")
        self.assertIn(str(self.state), found["state folder"]["found"])
        self.assertFalse(self.state.exists(), "nothing is written")
        text = self.ok("doctor")
        self.assertLessEqual(max(map(len, text.splitlines())), max(80, 28 + len(str(self.folder)) + 40))
        self.assertIn("stopover demo", text)

    def test_without_a_state_folder(self):
        del self.environment["HOME"], self.environment["XDG_STATE_HOME"]
        self.assertEqual(self.findings(5)["state folder"]["health"], "bad")
        self.assertIn("--state", self.fails(5, "doctor", says="not here") + self.run_it("doctor")[1])

    def test_without_a_temporary_folder(self):
        self.environment["TMPDIR"] = str(self.folder / "nowhere")
        found = self.findings(5)
        self.assertEqual(found["temporary folder"]["health"], "bad")
        self.assertIn("TMPDIR", found["temporary folder"]["get"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_is_not_ours(self):
        self.work.chmod(0o500)
        self.assertEqual(self.findings()["this folder"]["health"], "lacking")
        self.work.chmod(0o700)

    def test_locales(self):
        for name, health in (("C.UTF-8", "ok"), ("C", "lacking"), ("xx_XX.UTF-8", "lacking")):
            self.environment["LC_ALL"] = name
            found = self.findings()["locale"]
            self.assertEqual(found["health"], health, found)
            self.assertIn(name, found["found"])

    def test_spark_and_browser(self):
        self.environment["PATH"] = str(self.folder / "empty")
        found = self.findings()
        self.assertIn("there is no python3", found["Spark"]["found"])
        self.assertEqual(found["browser"]["health"], "lacking")
        self.program("firefox")
        self.program("python3")
        found = self.findings()
        self.assertIn("has no pyspark", found["Spark"]["found"])
        self.assertIn("pip install", found["Spark"]["get"])
        self.assertEqual(found["browser"]["health"], "ok")
        self.program("python3", "4.0.1")
        self.assertIn("but no java", self.findings()["Spark"]["found"])
        self.program("java")
        self.assertEqual(self.findings()["Spark"]["health"], "ok")
        self.environment["STOPOVER_PYTHON"] = "python9"
        self.assertIn("there is no python9", self.findings()["Spark"]["found"])


if __name__ == "__main__":
    bench_of_commands.use(*sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
