#!/usr/bin/env python3
"""The independent verifier accepts what stopover writes and sees every forgery whose hashes were made right again.

  verify_release_test.py RELEASE_SAMPLES

Needs pyarrow (and jsonschema for the schema's test): taken from .deps/venv if this Python has none; else skipped (77).
"""
import contextlib
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    sys.path.insert(0, str(ROOT / "tests"))
    import other_python
    other_python.run_again_with_packages("pyarrow")

sys.path.insert(0, str(ROOT / "verifier"))
import forged_release  # noqa: E402
from stopover_verify import card, command, hashes, pack  # noqa: E402

SAMPLES = sys.argv.pop(1)
NAMES = ["paper", "city", "maps", "grid", "cells", "stations", "believed", "gradual", "old"]
NOT_PRIVATE = ["testkey", "oldkey", "untold"]


class Releases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.originals = Path(cls.holder.name) / "originals"
        subprocess.run([SAMPLES, str(cls.originals)], check=True)

    def setUp(self):
        self.folder = Path(self.holder.name) / "work"
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.originals, self.folder)

    def verdict(self, name, *words):
        told = self.told = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(told[0]), contextlib.redirect_stdout(told[1]):
            code = command.main([*words, str(self.folder / f"{name}.odr")])
        return code, told[0].getvalue()

    def assert_broken(self, name, part):
        code, told = self.verdict(name)
        self.assertEqual(code, 5, told or "accepted")
        self.assertIn(part, " ".join(told.split()))

    def head(self, name):
        return json.loads((self.folder / f"{name}.odr/release.json").read_text(encoding="utf-8"))

    def sign(self, name, head):
        forged_release.seal(self.folder / f"{name}.odr", head)

    def forge_head(self, name, change):
        forged_release.change_head(self.folder / f"{name}.odr", change)

    def forge_rows(self, name, column, change, rehash=True):
        """Changes one column of the first table by change(list), everything that hashes it included."""
        forged_release.change_rows(self.folder / f"{name}.odr", lambda columns: change(columns[column]), rehash=rehash)

    def test_accepts_what_stopover_writes(self):
        for name in NAMES:
            self.assertEqual(self.verdict(name), (0, ""), name)

    def test_a_release_that_protects_nobody_passes_only_when_that_is_accepted(self):
        for name in NOT_PRIVATE:
            self.assert_broken(name, "protects nobody")
        for name in ("testkey", "oldkey"):
            self.assertIn("--accept-test-key", self.verdict(name)[1])
            self.assertEqual(self.verdict(name, "--accept-test-key"), (0, ""))
            self.assertIn("Not private", self.told[1].getvalue())
        self.assertEqual(self.verdict("untold", "--accept-test-key")[0], 5)
        self.assertEqual(self.verdict("city", "--accept-test-key"), (0, ""))
        self.assertNotIn("Not private", self.told[1].getvalue())

    def test_releases_that_an_older_program_wrote(self):
        for name in ("private", "test_key"):
            shutil.copytree(ROOT / f"tests/release/format_1/{name}.odr", self.folder / f"{name}.odr")
        self.assertEqual(self.verdict("private"), (0, ""))
        self.assert_broken("test_key", "a key that can be repeated (old key)")
        self.assertEqual(self.verdict("test_key", "--accept-test-key"), (0, ""))

    def test_sees_that_a_repeatable_key_was_hidden(self):
        # By hand, without the hashes: they notice.
        path = self.folder / "testkey.odr/release.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"repeatable:a key"', '"system"'), encoding="utf-8")
        self.assert_broken("testkey", "json_sha256")
        self.setUp()
        head = self.head("testkey")
        content = head["content_sha256"]
        head["randomness"] = "system"
        head["json_sha256"] = hashes.sha256(hashes.compact({k: v for k,
                                                                            v in head.items() if k != "json_sha256"}))
        path.write_text(json.dumps(head, sort_keys=True, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        self.assert_broken("testkey", "content_sha256")
        # With all hashes made right: the card gives it away, and the content's hash, to which the ledger is bound, is
        # another.
        self.setUp()
        self.forge_head("testkey", lambda h: h.update(randomness="system"))
        self.assert_broken("testkey", "card does not fit")
        self.assertNotEqual(self.head("testkey")["content_sha256"], content)
        for change, part in ((lambda h: h["guarantee"].update(title="Pure differential privacy with epsilon 1."),
                              "card does not fit"),
                             (lambda h: h.update(randomness="fresh"), "means nothing"),
                             (lambda h: h.update(randomness=None), "means nothing"),
                             (lambda h: h.pop("randomness"), "other keys"),
                             (lambda h: h["params"].update(test_key="b"), "name a key"),
                             (lambda h: h.update(format=1), "other keys")):
            with self.subTest(part=part):
                self.setUp()
                self.forge_head("testkey", change)
                self.assert_broken("testkey", part)

    def test_signing_again_changes_nothing(self):
        for name in NAMES + NOT_PRIVATE:
            before = (self.folder / f"{name}.odr/release.json").read_bytes()
            self.forge_head(name, lambda head: None)
            self.assertEqual((self.folder / f"{name}.odr/release.json").read_bytes(), before)

    def test_follows_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is missing")
        schema = json.loads((ROOT / "docs/internals/release.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for name in NAMES + NOT_PRIVATE:
            self.assertEqual([e.message for e in validator.iter_errors(self.head(name))], [], name)
        for name, key, value in (("old", "randomness", "system"), ("city", "format", 1), ("city", "format", 3),
                                 ("city", "randomness", "fresh")):
            self.assertFalse(validator.is_valid({**self.head(name), key: value}), (name, key, value))
        self.assertFalse(validator.is_valid({k: v for k, v in self.head("city").items() if k != "randomness"}))
        head = self.head("city")
        for path, value in ((["k"], 0), (["unit"], "person"), (["epsilon"], 0.1), (["domain", "axes", 0, "lower"], 1.5),
                            (["tables", 0, "extra"], 1), (["charges", 0, "ticks"], "1"), (["writer"], {})):
            changed = json.loads(json.dumps(head))
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            self.assertFalse(validator.is_valid(changed), path)

    def test_sees_damage(self):
        for file in ("release.json", "joint.parquet", "datapackage.json", "maps/stop1.parquet"):
            path = self.folder / "city.odr" / file
            good = path.read_bytes()
            for at in range(0, len(good), len(good) // 40):
                path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
                self.assertEqual(self.verdict("city")[0], 5, f"{file} byte {at}")
            path.write_bytes(good)
        (self.folder / "city.odr/more.txt").write_text("x")
        self.assert_broken("city", "more.txt")
        self.assertEqual(self.verdict("nowhere")[0], 3)

    def test_sees_forged_rows(self):
        def put(row, value):
            return lambda values: values.__setitem__(row, value)

        for column, change, part in (
                ("parent", put(3, 3), "column leaf"),
                ("parent", put(2, -1), "wrong depth"),
                ("depth", put(3, 1), "row 3: wrong depth"),
                ("o_lat_lo", put(5, 2), "o_lat_from does not follow"),
                ("purpose_hi", put(7, 2), "the children of row 4 do not have the volume"),
                ("purpose_lo", put(0, 1), "row 1: its box is empty or leaves its parent"),
                ("count", put(4, 1), "row 4: a count that was not paid for"),
                ("ticks", put(3, 600_000_001), "noise_scale"),
                ("side_ticks", put(7, 20_000_000), "row 7: its path spends more"),
                ("side_ticks", put(1, 1), "row 3: its path spends more"),
                ("side_ticks", put(5, 1), "row 5: its path spends more"),
                ("side_ticks", put(0, 2_999_999), "the receipt"),
                ("estimate", put(6, 1e6), "row 4: its estimate"),
                ("estimate", put(6, -1.0), "row 6: bad estimate"),
                ("estimate", put(6, float("nan")), "row 6: bad estimate"),
                ("noise_scale", put(6, 1.0), "noise_scale"),
                ("leaf", put(0, True), "column leaf"),
                ("d_lon_to", put(0, 0.0), "d_lon_to")):
            with self.subTest(column=column, part=part):
                self.setUp()
                self.forge_rows("city", column, change)
                self.assert_broken("city", part)
        self.setUp()
        self.forge_rows("believed", "spread", put(1, -1.0))
        self.assert_broken("believed", "row 1: bad spread")
        self.setUp()
        self.forge_rows("believed", "spread", put(1, 2.0), rehash=False)
        self.assert_broken("believed", "content_sha256")
        self.setUp()
        self.forge_rows("city", "count", put(0, 1001), rehash=False)
        self.assert_broken("city", "content_sha256")

    def test_coarse_counts_keep_their_rules(self):
        for column, change, part in (
                ("coarse_ticks", lambda v: v.__setitem__(1, 110_000_001), "row 1: its coarse count cost more than both"),
                ("coarse_count", lambda v: v.__setitem__(0, 1), "row 0: a coarse count that was not paid for"),
                ("coarse_ticks", lambda v: v.__setitem__(slice(1, 3), [110_000_000] * 2), "row 1: it was refined for nothing"),
                ("coarse_ticks", lambda v: v.__setitem__(1, 20_000_001), "the children of row 0: their coarse counts did not"),
                ("coarse_count", lambda v: v.__setitem__(1, None), "column coarse_count holds a NULL")):
            with self.subTest(part=part):
                self.setUp()
                forged_release.change_rows(self.folder / "gradual.odr", lambda columns: change(columns[column]), 1)
                self.assert_broken("gradual", part)
        self.setUp()
        forged_release.change_rows(self.folder / "gradual.odr",
                                   lambda c: c.update(coarse_count=[0, 0, 0], coarse_ticks=[0, 0, 0]), 1)
        self.assert_broken("gradual", "it has columns of coarse counts, but none")
        self.setUp()
        forged_release.change_rows(self.folder / "gradual.odr", lambda c: c["coarse_count"].__setitem__(1, 40), 1, rehash=False)
        self.assert_broken("gradual", "content_sha256")

    def test_sees_overlaps_of_equal_volume(self):
        for ends in (("lo", "from"), ("hi", "to")):  # moves cell 1 onto cell 0's place
            for end in ends:
                self.forge_rows("grid", f"a1_{end}", lambda values: values.__setitem__(2, values[1]))
        self.assert_broken("grid", "overlap or leave a gap")

    def test_sees_cells_twice(self):
        for end in ("lo", "hi", "from", "to"):
            self.forge_rows("cells", f"a0_{end}", lambda values: values.__setitem__(1, values[0]))
        self.assert_broken("cells", "not in order, once each")

    def test_zones(self):
        path = self.folder / "stations.odr/zones.geojson"
        good = path.read_text(encoding="utf-8")
        path.write_text(good.replace("13.1", "13.2"), encoding="utf-8")
        self.assert_broken("stations", "zones.geojson does not have its sha256")
        path.unlink()
        self.assert_broken("stations", "the directory holds")
        path.write_text(good.replace('"id":"3"', '"id":"4"'), encoding="utf-8")
        head = self.head("stations")
        head["domain"]["zones"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        self.sign("stations", head)
        self.assert_broken("stations", "other labels than the zones")

    def test_companions_follow_from_the_rest(self):
        """Maps and zones as GeoParquet and datapackage.json: a change is seen even when all hashes are made right."""
        def forge(name, file, change):
            path = self.folder / f"{name}.odr" / file
            data = pq.ParquetFile(path).read()
            pq.write_table(change(data), path)
            self.sign(name, self.head(name))

        def put(column, values):
            return lambda data: data.set_column(data.schema.get_field_index(column), data.schema.field(column),
                                                pa.array(values(data.column(column).to_pylist()),
                                                         data.schema.field(column).type))

        def say(key, value):
            def change(data):
                geo = json.loads(data.schema.metadata[b"geo"])
                geo["columns"]["geometry"][key] = value
                return data.replace_schema_metadata({"geo": json.dumps(geo)})
            return change

        self.sign("city", self.head("city"))
        self.assertEqual(self.verdict("city"), (0, ""))
        for name, file, change, part in (
                ("city", "maps/stop1.parquet", put("estimate", lambda v: [v[0] + 1, *v[1:]]), "column estimate"),
                ("city", "maps/stop1.parquet", put("geometry", lambda v: v[::-1]), "column geometry"),
                ("city", "maps/stop1.parquet", put("bbox", lambda v: v[::-1]), "column bbox"),
                ("city", "maps/stop1.parquet", put("stop", lambda v: ["home"] * len(v)), "column stop"),
                ("city", "maps/stop1.parquet", lambda data: data.slice(1), "column stop"),
                ("city", "maps/stop1.parquet", lambda data: data.replace_schema_metadata({}), "not GeoParquet"),
                ("city", "maps/stop1.parquet", say("bbox", [0, 0, 1, 1]), "wrong bbox"),
                ("city", "maps/stop1.parquet", say("crs", {"id": {"authority": "EPSG", "code": 3857}}), "described"),
                ("stations", "zones.parquet", put("id", lambda v: v[::-1]), "column id"),
                ("stations", "zones.parquet", put("district", lambda v: v[::-1]), "column district")):
            with self.subTest(file=file, part=part):
                self.setUp()
                forge(name, file, change)
                self.assert_broken(name, part)
        for change, part in (
                (lambda h: h["companions"].pop(0), "maps/stop1.parquet"),
                (lambda h: h.pop("companions"), "datapackage.json"),
                (lambda h: h["companions"][0].update(file="release.json"), "companions[0].file is 'release.json'")):
            with self.subTest(part=part):
                self.setUp()
                self.forge_head("city", change)
                self.assert_broken("city", part)
        for old, new, part in (("number", "numbers", None), ('"estimate"', '"estimates"', "other columns"),
                               ("joint.parquet", "stop1.parquet", "lists other files")):
            self.setUp()
            path = self.folder / "city.odr/datapackage.json"
            path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
            self.assert_broken("city", "sha256")
            if part:
                self.sign("city", self.head("city"))
                self.assert_broken("city", part)

    def test_packs(self):
        """One file is the folder in a ZIP archive, with nothing between its files."""
        def zipped(to, names, method):
            with zipfile.ZipFile(to, "w") as archive:
                for name in names:
                    archive.writestr(zipfile.ZipInfo(name), (folder / name).read_bytes(), method)

        folder = self.folder / "city.odr"
        names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
        files = {name: (folder / name).read_bytes() for name in names}
        path = self.folder / "packed.odr"
        whole = pack.pack_bytes(files)
        path.write_bytes(whole)
        self.assertEqual(self.verdict("packed"), (0, ""))
        with zipfile.ZipFile(path) as archive:  # any program reads it
            self.assertEqual({name: archive.read(name) for name in archive.namelist()}, files)
        for order, method, part in ((names, zipfile.ZIP_DEFLATED, "stored"), (names[::-1], zipfile.ZIP_STORED, "in order"),
                                    (names, zipfile.ZIP_STORED, "in another way")):
            zipped(path, order, method)
            self.assert_broken("packed", part)
        path.write_bytes(pack.pack_bytes({name: files[name] for name in names[1:]}))
        self.assert_broken("packed", "the directory holds")
        path.write_bytes(b"hidden" + whole)
        self.assert_broken("packed", "more than its files")
        path.write_text("x")
        self.assertEqual(self.verdict("packed")[0], 3)

    def test_sees_forged_heads(self):
        for name, change, part in (
                ("city", lambda h: h.update(epsilon="0.9"), "slices sum to more than epsilon"),
                ("city", lambda h: h.update(spent="0.9"), "it says it spent"),
                ("city", lambda h: h["charges"][0].update(times=7), "the receipt"),
                ("city", lambda h: h["charges"].pop(), "the receipt"),
                ("city", lambda h: h["tables"][0].update(ticks=1), "its path spends more"),
                ("city", lambda h: h["tables"][0].update(rows=7), "8 rows, not 7"),
                ("city", lambda h: h.update(format=3), "format 3"),
                ("city", lambda h: h.update(hostname="x"), "other keys"),
                ("maps", lambda h: h["charges"][1].update(ticks=89_999_999), "receipt"),
                ("maps", lambda h: h["charges"][2].update(times=3), "receipt"),
                ("maps", lambda h: h["tables"][2].update(view=""), "receipt"),
                ("paper", lambda h: h["tables"][0].update(multiplicity=2), "tables[0].multiplicity is 2"),
                ("paper", lambda h: h["tables"][0].update(kind="cover"), "tables[0].kind is 'cover'"),
                ("paper", lambda h: h.update(tables=[]), "tables is no list")):
            with self.subTest(part=part):
                self.setUp()
                self.forge_head(name, change)
                self.assert_broken(name, part)

    def test_adds_up_stages_that_left_no_table(self):
        """The noisy total of publish --expect-trips: a view of its own on the receipt, in epsilon and in spent."""
        def more(text, ticks):
            return str(Decimal(text) + Decimal(ticks) / 10**9)

        def expect(head, epsilon=10_000_000, spent=10_000_000, times=1):
            head["epsilon"], head["spent"] = more(head["epsilon"], epsilon), more(head["spent"], spent)
            head["charges"].insert(0, {"view": "expected", "depth": 0, "purpose": "count", "ticks": 10_000_000,
                                       "times": times})
            head["guarantee"] = card.private_card(head)

        self.forge_head("city", expect)
        self.assertEqual(self.verdict("city"), (0, ""))
        for change, part in ((dict(epsilon=9_999_999), "take more than epsilon"),
                             (dict(spent=9_999_999), "it says it spent"),
                             (dict(epsilon=10_000_001, spent=10_000_001), "it says it spent"),
                             (dict(spent=0, times=2), "it says it spent")):
            with self.subTest(change):
                self.setUp()
                self.forge_head("city", lambda head: expect(head, **change))
                self.assert_broken("city", part)


if __name__ == "__main__":
    unittest.main()
