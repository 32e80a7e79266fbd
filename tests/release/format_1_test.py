#!/usr/bin/env python3
"""Releases that the last program of format 1 wrote are read for ever, with their digits and hashes, and shown as what
they are.

  format_1_test.py STOPOVER
"""
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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

    # Upgraded.

    def verified(self, name, *words):
        """By the independent verifier, too: its exit code and what it says."""
        python = ROOT / ".deps/venv/bin/python"
        if not python.exists():
            self.skipTest("the independent verifier's pyarrow is not here: scripts/python-env")
        run = subprocess.run([python, ROOT / "scripts/verify_release.py", *words, name], cwd=self.work, capture_output=True,
                             text=True, timeout=1200)
        return run.returncode, run.stdout + run.stderr

    def upgraded(self, name):
        told = self.json_of("upgrade", name, "-o", "new.odr")
        self.assertEqual(told["upgraded_from"], self.json_of("info", name)["content_sha256"])
        return json.loads((self.work / "new.odr/release.json").read_text(encoding="utf-8"))

    def test_upgraded_numbers_stay(self):
        for name, estimate, randomness in (("private.odr", 495.977950406, "system"),
                                           ("test_key.odr", 492.944638943, "repeatable:old key")):
            with self.subTest(name):
                document = self.upgraded(name)
                old = json.loads((self.work / name / "release.json").read_text(encoding="utf-8"))
                self.assertEqual((document["format"], document["randomness"]), (2, randomness))
                self.assertEqual(document["upgraded_from"], old["content_sha256"])
                self.assertNotIn("test_key", document["params"])
                for key in ("number", "ledger_head", "date", "charges", "domain", "epsilon", "spent"):
                    self.assertEqual(document[key], old[key])
                self.assertEqual([t["content_sha256"] for t in document["tables"]], [t["content_sha256"] for t in old["tables"]])
                self.assertTrue((self.work / "new.odr/datapackage.json").exists())
                info = self.json_of("info", "new.odr")
                self.assertEqual((info["format"], info["upgraded_from"]), (2, old["content_sha256"]))
                self.assertEqual(self.json_of("query", "new.odr")["estimate"], estimate)
                accept = ["--accept-test-key"] * (randomness != "system")
                self.assertTrue(self.json_of("verify", "new.odr", *accept)["pass"])
                self.assertEqual(self.verified("new.odr", *accept)[0], 0)
                code, _, err = self.run_it("upgrade", "new.odr", "-o", "again.odr")
                self.assertEqual(code, 2)
                self.assertIn("new.odr is of format 2 already", err)
                code, _, err = self.run_it("upgrade", name, "-o", "new.odr")
                self.assertEqual(code, 6)
                shutil.rmtree(self.work / "new.odr")

    def test_what_was_signed_before_counts(self):
        for key in ("a", "b"):
            self.run_it("key", "new", "-o", key)
        self.assertEqual(self.run_it("sign", "private.odr", "a.key")[0], 0)
        self.upgraded("private.odr")
        code, out, err = self.run_it("verify", "new.odr", "--signed-by", "a.pub")
        self.assertEqual(code, 0, err)
        self.assertIn("Signed before the upgrade from format 1", " ".join(out.split()))
        self.assertEqual(self.verified("new.odr", "--signed-by", "a.pub")[0], 0)
        for told in (self.run_it("verify", "new.odr", "--signed-by", "b.pub"), self.verified("new.odr", "--signed-by", "b.pub")):
            self.assertEqual(told[0], 5)
            self.assertIn("is not signed by key", "".join(map(str, told[1:])))
        # Signed again, by both; the pack of it is read alike.
        self.assertEqual(self.run_it("sign", "new.odr", "b.key")[0], 0)
        self.assertEqual(self.run_it("pack", "new.odr", "-o", "new.odrz")[0], 0)
        for name in ("new.odr", "new.odrz"):
            self.assertEqual(self.run_it("verify", name, "--signed-by", "a.pub", "--signed-by", "b.pub")[0], 0)
            self.assertEqual(self.verified(name, "--signed-by", "a.pub", "--signed-by", "b.pub")[0], 0)
        # Another release's signatures are not taken for it.
        statement = self.work / "new.odr/old_signatures/statement.txt"
        statement.write_text(statement.read_text().replace("content_sha256 ", "content_sha256 0")[:-1] + "\n")
        self.assertEqual(self.run_it("verify", "new.odr")[0], 5)
        self.assertEqual(self.verified("new.odr")[0], 5)

    def test_its_ledgers_published_heads_still_fit(self):
        made = self.upgraded("private.odr")
        identity, number, digest = made["ledger_head"].split(":")
        for name, line, code in (("heads.txt", made["ledger_head"], 0),
                                 ("forked.txt", f"{identity}:{number}:{digest[::-1]}", 5)):
            (self.work / name).write_text(line + "\n")
            self.assertEqual(self.run_it("verify", "new.odr", "--heads", name)[0], code, name)

    def test_a_withdrawn_release_stays_withdrawn(self):
        self.assertEqual(self.run_it("supersede", "private.odr", "--why", "wrong year")[0], 0)
        self.upgraded("private.odr")
        self.assertIn("wrong year", self.json_of("info", "new.odr")["superseded"]["why"])
        self.assertIn("wrong year", self.verified("new.odr")[1])

    def test_upgraded_from_cannot_be_forged(self):
        """Not even with all other hashes made right again."""
        path = self.work / "new.odr/release.json"
        made = self.upgraded("private.odr")
        for change in ({"upgraded_from": "0" * 64}, {"k": made["k"] + 1}, {"date": "2001-01-01"},
                       {"description": {"title": "x"}}, {"randomness": "not told"}):
            with self.subTest(change):
                document = {**made, **change}
                if change.get("randomness"):
                    document["guarantee"] = {**document["guarantee"], "title": "No privacy"}
                compact = lambda x: json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
                out = ("content_sha256", "json_sha256", "guarantee", "writer", "companions")
                content = {key: value for key, value in document.items() if key not in out}
                content["tables"] = [{k: v for k, v in t.items() if k != "file_sha256"} for t in document["tables"]]
                document["content_sha256"] = hashlib.sha256(compact(content)).hexdigest()
                del document["json_sha256"]
                document["json_sha256"] = hashlib.sha256(compact(document)).hexdigest()
                path.write_text(json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
                code, _, err = self.run_it("verify", "new.odr")
                self.assertEqual(code, 5)
                self.assertIn("upgraded_from", err)
                code, told = self.verified("new.odr")
                self.assertEqual(code, 5)
                self.assertIn("upgraded_from", told)

    def test_nothing_was_touched(self):
        for name in ("private.odr", "test_key.odr"):
            self.run_it("verify", name)
            self.run_it("upgrade", name, "-o", f"new_{name}")
            for path in (ORIGINALS / name).iterdir():
                self.assertEqual((self.work / name / path.name).read_bytes(), path.read_bytes())


if __name__ == "__main__":
    unittest.main()
