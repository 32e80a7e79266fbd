#!/usr/bin/env python3
"""The independent verifier as a wheel: what is in it, what it needs, and that it runs away from this tree.

  verifier_wheel_test.py

Needs scikit-build-core (.deps/python-venv) and pyarrow (.deps/venv); else skipped (77).
"""
import ast
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILDER, RUNNER = ROOT / ".deps/python-venv/bin/python", ROOT / ".deps/venv/bin/python"
if not BUILDER.exists() or not RUNNER.exists():
    print("scikit-build-core or pyarrow is missing: scripts/python-env makes environments with them")
    sys.exit(77)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.work = Path(holder.name)
        shutil.copytree(ROOT / "verifier", cls.work / "source", ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([BUILDER, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation",
                        "--no-deps", cls.work / "source", "-w", cls.work], check=True)
        (cls.wheel,) = cls.work.glob("*.whl")
        with zipfile.ZipFile(cls.wheel) as archive:
            cls.names = archive.namelist()
            archive.extractall(cls.work / "installed")

    def test_it_is_small_and_for_any_machine(self):
        self.assertEqual(self.wheel.name, "stopover_verify-0.1.0-py3-none-any.whl")
        self.assertLess(self.wheel.stat().st_size, 100_000)
        own = {f"stopover_verify/{path.name}" for path in (ROOT / "verifier/stopover_verify").glob("*.py")}
        self.assertEqual({name for name in self.names if ".dist-info/" not in name}, own)

    def test_it_needs_two_packages_and_gives_one_program(self):
        (folder,) = (self.work / "installed").glob("*.dist-info")
        needed = [line for line in (folder / "METADATA").read_text().splitlines() if line.startswith("Requires-Dist:")]
        self.assertEqual(needed, ["Requires-Dist: pyarrow>=14", "Requires-Dist: cryptography>=41"])
        self.assertIn("stopover-verify=stopover_verify.command:run",
                      (folder / "entry_points.txt").read_text().replace(" ", ""))

    def test_no_code_of_ours(self):
        """Nothing is imported but the standard library, the two packages and itself."""
        allowed = set(sys.stdlib_module_names) | {"pyarrow", "cryptography", "stopover_verify"}
        for path in (self.work / "installed/stopover_verify").glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) else []
                self.assertLessEqual({name.partition(".")[0] for name in names}, allowed, path.name)

    def test_it_runs_elsewhere(self):
        release = ROOT / "tests/release/format_1/private.odr"
        run = subprocess.run([RUNNER, "-m", "stopover_verify", release], cwd=self.work / "installed", text=True,
                             capture_output=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stderr)
        self.assertIn("all rules hold", run.stdout)
        self.assertLessEqual(max(len(line) for line in run.stdout.splitlines()[1:]), 80)
        run = subprocess.run([RUNNER, "-m", "stopover_verify", "--false-alarm", "2", release],
                             cwd=self.work / "installed", text=True, capture_output=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("2 is not a chance between 0 and 0.5", run.stderr)


if __name__ == "__main__":
    unittest.main()
