#!/usr/bin/env python3
"""What packages are put together from, tried with small stand-ins for programs: nothing is compiled.

  packaging_test.py ROOT
"""
import base64
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
EPOCH = "1700000000"


class Packaging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_script(self, name, *words):
        run = subprocess.run([sys.executable, ROOT / "packaging" / name, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def parts(self, folder):
        return self.write(folder / "PARTS", "zlib|1.2.13|Zlib|pkg:deb/debian/zlib@1.2.13\n"
                                            "libstdc++|12|GPL-3.0-or-later WITH GCC-exception-3.1|pkg:generic/gcc@12\n")

    def bom(self, folder):
        return self.run_script("sbom.py", "--version", "0.1.0", "--commit", "c0ffee", "--epoch", EPOCH, "--parts",
                               self.parts(folder), "--duckdb", "1.4.4", "--python")

    def wheel(self, folder, tag="abi3"):
        build = folder / "build"
        for name in ("stopover", "stopover-lab", f"python/{tag}/_core.so"):
            self.write(build / name, f"stands for {name}")
        self.write(folder / "licences" / "zlib.txt", "a licence")
        self.run_script("wheel.py", "--build", build, "--tag", tag, "--machine", "x86_64", "--glibc", "2.28", "--duckdb",
                        self.write(folder / "libduckdb.so", "stands for DuckDB"), "--sbom",
                        self.write(folder / "bom.json", self.bom(folder)), "--licences", folder / "licences", "--epoch",
                        EPOCH, "--out", folder / "out")
        wheel, = (folder / "out").glob("*.whl")
        return wheel

    def test_two_folders_and_times_give_one_wheel(self):
        first = self.wheel(self.folder / "a")
        os.utime(self.folder / "a" / "build" / "stopover", (0, 0))
        time.sleep(1.1)
        os.umask(0o077)
        self.addCleanup(os.umask, 0o022)
        second = self.wheel(self.folder / "another")
        self.assertEqual(first.name, second.name)
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_the_record_names_every_file_with_its_digest(self):
        wheel = zipfile.ZipFile(self.wheel(self.folder, "cp310"))
        self.assertTrue(wheel.filename.endswith("-cp310-cp310-manylinux_2_28_x86_64.whl"))
        record, = (name for name in wheel.namelist() if name.endswith("/RECORD"))
        rows = {name: digest for name, digest, _ in csv.reader(io.StringIO(wheel.read(record).decode()))}
        self.assertEqual(set(rows), set(wheel.namelist()))
        for name, said in rows.items():
            if name != record:
                found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                self.assertEqual(said, f"sha256={found}", name)
        self.assertIn("stopover/_core.cpython-310-x86_64-linux-gnu.so", rows)
        self.assertEqual(wheel.getinfo("stopover/bin/stopover").external_attr >> 16, 0o100755)

    def test_the_wheel_holds_the_list_of_parts_and_no_laboratory_module(self):
        wheel = zipfile.ZipFile(self.wheel(self.folder))
        bom = json.loads(wheel.read("stopover-0.1.0.dist-info/sboms/stopover.cdx.json"))
        self.assertEqual((bom["bomFormat"], bom["specVersion"]), ("CycloneDX", "1.5"))
        names = {part["name"] for part in bom["components"]}
        self.assertLessEqual({"zlib", "libstdc++", "DuckDB", "nanobind", "preact", "nlohmann/json"}, names)
        self.assertFalse(any("_lab" in name for name in wheel.namelist()))

    def test_two_image_files_are_one(self):
        layers = []
        for name in ("a", "b"):
            layer = self.folder / name
            self.write(layer / "usr" / "bin" / "stopover", "stands for stopover").chmod(0o755)
            (layer / "bin").symlink_to("usr/bin")
            self.run_script("image.py", "--layer", layer, "--machine", "amd64", "--version", "0.1.0", "--epoch", EPOCH, "--out",
                            self.folder / f"{name}.tar")
            layers.append((self.folder / f"{name}.tar").read_bytes())
        self.assertEqual(*layers)
        with tarfile.open(self.folder / "a.tar") as tar:
            index = json.load(tar.extractfile("index.json"))
            digest = index["manifests"][0]["digest"][7:]
            manifest = json.load(tar.extractfile(f"blobs/sha256/{digest}"))
            blob = tar.extractfile(f"blobs/sha256/{manifest['layers'][0]['digest'][7:]}").read()
        self.assertEqual(manifest["layers"][0]["digest"], "sha256:" + hashlib.sha256(blob).hexdigest())
        with tarfile.open(fileobj=io.BytesIO(blob)) as tar:
            self.assertEqual(tar.getmember("bin").linkname, "usr/bin")
            self.assertEqual(tar.getmember("usr/bin/stopover").mode, 0o755)


if __name__ == "__main__":
    unittest.main()
