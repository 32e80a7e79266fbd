#!/usr/bin/env python3
"""`stopover export` and `stopover plan` as promised: exit codes, what is left behind, what fits on a screen.

  export_test.py STOPOVER STOPOVER_LAB [unittest arguments]
"""
import contextlib
import hashlib
import json
import pathlib
import re
import sqlite3
import sys
import unittest
import xml.etree.ElementTree

import bench_of_commands
from bench_of_commands import Bench

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "exports.md"
ZONES = {"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"name": name},
     "geometry": {"type": "Polygon", "coordinates": [[[w, 0], [e, 0], [e, 1], [w, 1], [w, 0]]]}}
    for name, w, e in (("west", 0, 0.5), ("east", 0.5, 1))]}


class Exports(Bench):
    def setUp(self):
        super().setUp()
        lines = ["a0,a1,a2,a3"] + [f"{i * 7 % 16},{i * 3 % 16},{i * 5 % 16},{i * i % 16}" for i in range(500)]
        self.write("m.csv", "\n".join(lines) + "\n")
        self.ok("publish", "--matrix", "m.csv", "--shape", "16x16x16x16", "--stops", "origin,destination", "--bbox",
                "0,0,1,1",
                "--epsilon", "1", "--ledger", "m.ledger", "--budget", "2", "-o", "x.odr", "-q")
        self.ok("publish", "--matrix", "m.csv", "--shape", "16x16x16x16", "--epsilon", "1", "--mechanism",
                "daf-entropy", "--ledger",
                "m.ledger", "-o", "bare.odr", "-q")
        self.write("zones.geojson", json.dumps(ZONES))

    LINES = {"csv": ["p.csv"], "parquet": ["p.parquet"], "geojson": ["p.geojson"], "gpkg": ["p.gpkg"], "flowmap": ["flowmap"],
             "trips": ["t.csv"],
             "dense": ["d.npy"], "zones": ["z.csv", "--zones", "zones.geojson"],
             "omx": ["z.omx", "--zones", "zones.geojson"], "sumo": ["z.od", "--zones", "zones.geojson"],
             "matsim": ["plans.xml"], "kepler": ["kepler.json"]}

    def test_the_page_and_this_test_know_every_kind(self):
        told = self.fails(2, "export", "x.odr", "--as", "?", "-o", "x", says="There are ")
        known = re.search(r"There are ([a-z0-9, ]+)\.", told).group(1).split(", ")
        line = re.search(r"^`--as` takes (.*)\.$", PAGE.read_text(encoding="utf-8"), re.M).group(1)
        self.assertEqual(re.findall("`([a-z0-9]+)`", line), known)
        self.assertEqual(set(self.LINES), set(known))
        self.assertIn(" ".join(", ".join(known).split()), " ".join(self.ok("export", "--help").split()))

    def words(self, kind, *more):
        output, *rest = self.LINES[kind]
        return ["export", "x.odr", "--as", kind, "-o", output, *rest, *more]

    def test_an_output_that_is_there_stays(self):
        for kind, (output, *_) in self.LINES.items():
            told = self.json_of(*self.words(kind))
            self.assertEqual((told["output"], told["as"]), (output, kind))
            for name in told["files"]:
                self.assertTrue((self.work / name).exists(), name)
            before = self.snapshot()
            self.fails(6, *self.words(kind), says=output)
            self.ok(*self.words(kind, "--overwrite"))
            self.assertEqual(set(self.snapshot()), set(before))
            self.assertEqual(self.snapshot(), before, f"{kind}: the same export has the same bytes")

    def test_a_name_says_what_is_in_the_file(self):
        for kind, name, says in (("csv", "p.parquet", ".csv, or export --as parquet"), ("parquet", "p.csv", ".parquet"),
                                 ("geojson", "p.omx", ".geojson"), ("flowmap", "p.csv", ".json")):
            self.fails(2, "export", "x.odr", "--as", kind, "-o", name, says=(f"--as {kind} cannot be written to {name}",
                                                                              says))
            self.assertFalse((self.work / name).exists())
        self.ok("export", "x.odr", "--as", "csv", "-o", "partitions.txt")

    def test_the_old_name_of_tiles(self):
        """It goes on working, typed and in a settings file, with a note."""
        self.ok("publish", "--matrix", "m.csv", "--shape", "16x16x16x16", "--stops", "origin,destination", "--bbox",
                "0,0,1,1",
                "--epsilon", "1", "--mechanism", "eug", "--ledger", "tiles.ledger", "--budget", "1", "-o", "tiles.odr",
                "-q")
        words = ["export", "tiles.odr", "--as", "geojson", "--layer", "stops", "--overwrite"]
        self.ok(*words, "--tiles", 3, "-o", "new.geojson")
        features = json.loads((self.work / "new.geojson").read_text())["features"]
        self.assertEqual(len(features), 2 * 3 * 3)
        self.write("old.toml", "[export]\nparts = 3\n")
        for old in (["--parts", 3], ["--parts=3"], ["--config", "old.toml"]):
            code, _, err = self.run_it(*words, *old, "-o", "old.geojson")
            self.assertEqual(code, 0, err)
            self.assertRegex(err, r"parts is called (--)?tiles now")
            self.assertEqual((self.work / "old.geojson").read_bytes(), (self.work / "new.geojson").read_bytes())

    def test_every_export_has_its_card(self):
        for kind, name in (("csv", "p.csv"), ("trips", "t.csv"), ("dense", "d.npy"), ("zones", "z.csv"), ("sumo", "z.od")):
            self.ok(*self.words(kind))
            card = json.loads((self.work / (name + ".card.json")).read_text())
            self.assertIn("epsilon 1", card["guarantee"]["title"])
            self.assertEqual(card["file"], {"name": name,
                                            "sha256": hashlib.sha256((self.work / name).read_bytes()).hexdigest()})
        self.ok(*self.words("flowmap"))
        self.assertIn("guarantee", json.loads((self.work / "flowmap/card.json").read_text()))
        self.assertEqual(self.csv_rows("flowmap/locations.csv")[0], ["id", "name", "lat", "lon"])
        self.assertEqual(self.csv_rows("flowmap/flows.csv")[0], ["origin", "dest", "count"])
        self.ok("export", "x.odr", "--as", "flowmap", "-o", "f.json")
        flows = json.loads((self.work / "f.json").read_text())
        self.assertIn("guarantee", flows["stopover"])
        ids = {place["id"] for place in flows["locations"]}
        self.assertTrue(all(flow["origin"] in ids and flow["dest"] in ids for flow in flows["flows"]))
        for name, key in (("p.parquet", b"guarantee"), ("z.omx", b"guarantee")):
            self.ok(*self.words("parquet" if name == "p.parquet" else "omx"))
            self.assertIn(key, (self.work / name).read_bytes())

    def test_every_export_of_a_test_key_says_that_it_protects_nobody(self):
        self.ok("publish", "--matrix", "m.csv", "--shape", "16x16x16x16", "--stops", "origin,destination", "--bbox",
                "0,0,1,1",
                "--epsilon", "1", "--ledger", "lab.ledger", "--budget", "2", "--test-key", "lab", "-o", "lab.odr", "-q",
                program="stopover-lab")
        outputs = {kind: output for kind, (output, *_) in self.LINES.items()}
        for kind, output in outputs.items():
            words = [word.replace("x.odr", "lab.odr") for word in self.words(kind)]
            self.assertIn("protects nobody", self.json_of(*words)["not_private"])
            if kind in ("parquet", "omx"):
                text = (self.work / output).read_bytes().decode("latin-1")
                self.assertIn('"randomness": "repeatable:lab"', text)
                self.assertIn("No privacy: made with a repeatable key (lab)", text)
                continue
            if kind == "matsim":
                root = xml.etree.ElementTree.parse(self.work / output).getroot()
                card = json.loads(root.find("attributes/attribute[@name='stopover']").text)
            elif kind in ("geojson", "kepler"):
                card = json.loads((self.work / output).read_text())["stopover"]
            elif kind == "gpkg":
                with contextlib.closing(sqlite3.connect(self.work / output)) as db:
                    card = json.loads(db.execute("SELECT card FROM stopover").fetchone()[0])
            else:
                card = json.loads((self.work / (f"{output}/card.json" if kind == "flowmap"
                                                else f"{output}.card.json")).read_text())
            self.assertIn("No privacy: made with a repeatable key (lab)", card["guarantee"]["title"], kind)
            self.assertEqual((card["release"]["private"], card["release"]["randomness"]), (False, "repeatable:lab"),
                             kind)
            self.assertNotIn("ifferential privacy", json.dumps(card["guarantee"]), kind)

    def test_folders_that_are_not_ours_stay(self):
        (self.work / "flowmap").mkdir()
        self.write("flowmap/mine.txt", "keep")
        self.fails(6, *self.words("flowmap"), says="flowmap")
        self.fails(6, *self.words("flowmap", "--overwrite"), says="not made by an export")
        (self.work / "p.csv").mkdir()
        self.fails(6, *self.words("csv", "--overwrite"), says="p.csv")
        self.fails(2, "export", "x.odr", "--as", "csv", "-o", "nowhere/p.csv", says="nowhere")

    def test_a_full_disk_leaves_the_old_state(self):
        self.ok(*self.words("csv"))
        for kind in ("csv", "parquet", "geojson", "gpkg", "trips", "dense", "omx"):
            self.fails(8, *self.words(kind, "--overwrite"), largest_file=1000)

    def test_usage(self):
        self.fails(2, "export", "x.odr", "--as", "shapefile", "-o", "x", says=["shapefile", "geojson"])
        self.fails(2, "export", "x.odr", "--as", "geojsn", "-o", "x", says="Did you mean geojson?")
        self.fails(2, "export", "x.odr", "--as", "csv", "--layer", "flows", "-o", "x",
                   says="--layer does not go with --as csv")
        self.fails(2, "export", "x.odr", "--as", "geojson", "--layer", "roads", "-o", "x", says="roads")
        self.fails(2, "export", "x.odr", "--as", "trips", "-o", "x.txt", says=".parquet")
        self.fails(2, "export", "x.odr", "--as", "dense", "-o", "x.csv", says=".npy")
        self.fails(2, "export", "x.odr", "--as", "omx", "-o", "x.omx", says="--zones")
        self.fails(2, *self.words("zones", "--at-least", "0"), says="--at-least must be a number of trips above 0")
        self.fails(2, *self.words("zones", "--at-least", "few"), says="few")
        self.fails(2, *self.words("zones", "--at-least", "1", "--draws", "2"), says="--at-least does not go with")
        self.fails(2, *self.words("zones", "--at-least", "1", "--summary"), says="--at-least does not go with")
        self.fails(2, *self.words("csv", "--at-least", "1"), says="--at-least does not go with --as csv")
        self.fails(2, "export", "x.odr", "--as", "omx", "--zones", "zones.geojson", "-o", "x.h5", says=".omx")
        self.fails(2, "export", "x.odr", "--as", "flowmap", "--from", "orign", "-o", "f", says="Did you mean origin?")
        self.fails(2, "export", "x.odr", "--as", "flowmap", "--from", "destination", "-o", "f", says="same stop")
        self.fails(2, *self.words("trips", "--n", "-3"), says="-3")
        self.fails(2, *self.words("trips", "--draws", "0"), says="0")
        self.fails(2, *self.words("trips", "--draws", "2", "--n", "5"), says="--n")
        self.fails(2, *self.words("dense", "--estimates", "rough"), says="rough")
        self.fails(3, "export", "none.odr", "--as", "csv", "-o", "x", says="none.odr")
        self.fails(3, "export", "bare.odr", "--as", "geojson", "-o", "x", says="--bbox")

    def test_bad_zones(self):
        words = ["export", "x.odr", "--as", "zones", "-o", "z.csv", "--zones"]
        self.fails(3, *words, "none.geojson", says="none.geojson")
        self.write("no.geojson", "{")
        self.fails(3, *words, "no.geojson", says="no.geojson")
        self.write("point.geojson", json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": "a"}, "geometry": {"type": "Point", "coordinates": [0, 0]}}]}))
        self.fails(3, *words, "point.geojson", says="point.geojson")
        twice = json.loads(json.dumps(ZONES))
        twice["features"][1]["geometry"]["coordinates"][0][0][0] = 0.2
        twice["features"][1]["geometry"]["coordinates"][0][3][0] = 0.2
        twice["features"][1]["geometry"]["coordinates"][0][4][0] = 0.2
        self.write("twice.geojson", json.dumps(twice))
        self.fails(3, *words, "twice.geojson", says=["overlap", "west", "east", "--overlaps"])
        self.ok(*words, "twice.geojson", "--overlaps")

    def test_zone_tables_say_what_their_intervals_are(self):
        self.ok("publish", "--matrix", "m.csv", "--shape", "16x16x16x16", "--stops", "origin,destination", "--bbox",
                "0,0,1,1",
                "--epsilon", "1", "--no-calibration", "--ledger", "plain.ledger", "--budget", "1", "-o", "plain.odr",
                "-q")
        numbers = ["estimate", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper", "lower", "upper",
                   "calibrated", "claimed"]
        # Learned from too few trips to be claimed; bounds, which always are.
        for release, meaning in (("x.odr", ["1", "0"]), ("plain.odr", ["0", "1"])):
            for more, names in (([], ["origin", "destination"] + numbers),
                                (["--summary"], ["stop", "zone"] + numbers + ["share"])):
                self.ok("export", release, "--as", "zones", "--zones", "zones.geojson", *more, "-o", "z.csv",
                        "--overwrite")
                header, *rows = self.csv_rows("z.csv")
                self.assertEqual(header, names)
                at = header.index("calibrated")
                self.assertEqual([row[at:at + 2] for row in rows], [meaning] * 4)

    def test_pairs_below_a_limit_are_left_out_and_told(self):
        self.ok(*self.words("zones"))
        head, *rows = self.csv_rows("z.csv")
        least = sorted(float(row[2]) for row in rows)[2]
        told = self.json_of(*self.words("zones", "--overwrite", "--at-least", least))
        self.assertEqual(self.csv_rows("z.csv"), [head] + [row for row in rows if float(row[2]) >= least])
        self.assertEqual((told["rows"], told["left_out"]["pairs"]), (2, 2))
        gone = sum(float(row[2]) for row in rows if float(row[2]) < least)
        self.assertAlmostEqual(told["left_out"]["trips"], gone, delta=0.01)
        self.assertRegex(" ".join(json.loads((self.work / "z.csv.card.json").read_text())["notes"]),
                         f"Pairs of fewer than {int(least)}.* trips, as estimated, are left out")
        self.assertIn("2 pairs of", self.ok(*self.words("zones", "--overwrite", "--at-least", least)))

    def test_a_grid_says_what_a_release_of_the_zones_would_be_good_for(self):
        """Once, on the screen and in JSON, of tables and of the matrix; a release of zones does not say it."""
        crooked = json.loads(json.dumps(ZONES))
        for feature in crooked["features"]:
            for point in feature["geometry"]["coordinates"][0]:
                point[0] = 0.43 if point[0] == 0.5 else point[0]
        self.write("crooked.geojson", json.dumps(crooked))
        words = ["export", "x.odr", "--as", "zones", "--zones", "crooked.geojson", "--overwrite", "-o", "z.csv"]
        said = "a release of these zones (docs/guide/zones.md) would be better here"
        told = self.json_of(*words)
        self.assertEqual([note.count(said) for note in told["notes"]], [1])
        code, _, err = self.run_it(*words)
        self.assertEqual((code, err.count(said)), (0, 1), err)
        matrix = self.json_of("query", "x.odr", "--matrix", "origin,destination", "--zones", "crooked.geojson")
        self.assertEqual(sum(note.count(said) for note in matrix["notes"]), 1)
        self.assertEqual([n for n in matrix["notes"] if said in n], told["notes"])
        self.write("two.csv", "id,lat,lng\nwest,0.5,0.2\neast,0.5,0.7\n")
        self.write("trips.csv", "o,d\n" + "west,east\n" * 300)
        self.ok("publish", "trips.csv", "--shape-of", "trips", "--zones", "two.csv", "--zone-columns", "o,d", "--unit",
                "trip", "--epsilon", "1", "--ledger", "two.ledger", "--budget", "1", "-o", "two.odr", "-q")
        self.assertNotIn("notes", self.json_of("export", "two.odr", "--as", "zones", "-o", "two-od.csv"))

    def test_seeds_and_draws(self):
        def drawn(*more):
            self.ok("export", "x.odr", "--as", "trips", "-o", "t.csv", "--overwrite", *more)
            return (self.work / "t.csv").read_text()
        self.assertEqual(drawn(), drawn("--seed", "1"))
        self.assertNotEqual(drawn(), drawn("--seed", "2"))
        self.assertEqual(len(drawn("--n", "10").splitlines()), 11)
        rows = drawn("--draws", "3").splitlines()
        self.assertEqual({row.split(",")[0] for row in rows[1:]}, {"1", "2", "3"})
        self.assertEqual(drawn("--draws", "3"), "\n".join(rows) + "\n")
        self.ok("export", "x.odr", "--as", "csv", "--draws", "2", "-o", "d.csv")
        self.assertEqual(self.csv_rows("d.csv")[0], ["draw", "partition", "value"])
        note = self.run_it("export", "bare.odr", "--as", "csv", "--draws", "2", "-o", "b.csv")[2]
        self.assertIn("does not say how trips lie", note)


class Plans(Bench):
    LINE = ["plan", "--n", "3000", "--stops", "2", "--grid", "60x60", "--extent-km", "70", "--epsilon", "0.1,1"]

    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")

    def test_a_plan_reads_nothing_and_fits_the_screen(self):
        text = self.ok(*self.LINE)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        for words in ("73", "one more stop", "by formula", "daf-entropy", "synthetic city"):
            self.assertIn(words, text)
        self.assertEqual(self.snapshot(), {})

    def test_json(self):
        plan = self.json_of(*self.LINE)
        self.assertEqual((plan["n"], plan["stops"], plan["grid"], plan["unit"], plan["k"]),
                         (3000, 2, [60, 60], "trip", 1))
        self.assertEqual([round(row["belief"], 3) for row in plan["privacy"]], [0.525, 0.731])
        self.assertEqual(plan["simulated_trips"], 3000)
        self.assertEqual([(row["epsilon"], row["mechanism"]) for row in plan["rows"]],
                         [(e, m) for e in (0.1, 1.0) for m in ("anchor", "daf-entropy", "eug")])
        for row in plan["rows"]:
            self.assertGreater(row["simulated"]["partitions"], 0)
            self.assertEqual(len(row["simulated"]["side_by_stop"]), 2)
            self.assertEqual(len(row["simulated"]["all_stops"]), 3)
        self.assertEqual(plan["rows"][0]["formula"], None)
        self.assertGreater(plan["rows"][2]["formula"]["partitions"], 0)
        again = self.json_of(*self.LINE)
        self.assertEqual((again["trials_made"], again["rows"]), (0, plan["rows"]))

    def test_units_and_lengths(self):
        plan = self.json_of("plan", "--n", "2000", "--grid", "50x40", "--bbox", "-122.6,37.6,-122.3,37.9", "--epsilon",
                            "1",
                            "--unit", "user", "--max-trips-per-user", "4", "--mechanism", "eug", "--query-side", "5")
        self.assertEqual((plan["unit"], plan["k"], plan["length_unit"]), ("user", 4, "km"))
        self.assertAlmostEqual(plan["extent"][1], 33.36, places=1)
        self.assertEqual(plan["one_more_trip"][0]["k"], 5)
        quick = self.json_of("plan", "--n", "100000000000", "--formulas")
        self.assertEqual((quick["simulated_trips"], quick["length_unit"]), (0, "percent"))

    def test_people_and_bounds(self):
        line = ["plan", "--people", "4000", "--trips-per-person", "3", "--grid", "50x50", "--epsilon", "0.2,2",
                "--mechanism", "auto"]
        plan = self.json_of(*line)
        self.assertEqual((plan["n"], plan["unit"], plan["k"], plan["people"]["spread"]),
                         (12000, "user", None, "geometric"))
        self.assertEqual([row["k"] for row in plan["bounds"]], [1, 2, 4, 8, 16] * 2)
        self.assertAlmostEqual(plan["bounds"][1]["kept_share"], 1 - (2 / 3) ** 2, places=9)
        self.assertEqual(plan["bounds"][2]["noise_scale"], 20)
        for epsilon, row in zip((0.2, 2), plan["rows"]):
            bounds = [b for b in plan["bounds"] if b["epsilon"] == epsilon]
            best = [b for b in bounds if b["recommended"]]
            self.assertEqual((len(best), best[0]["error"], best[0]["k"]),
                             (1, min(b["error"] for b in bounds), row["k"]))
            for b in bounds:
                self.assertAlmostEqual(b["error"], 1 - b["kept_share"] + b["kept_share"] * b["answer_error"], places=9)
        text = self.ok(*line)
        self.assertIn("How many trips of one person to count", text)
        for row in text.splitlines():
            self.assertLessEqual(len(row), 80, row)
        fixed = self.json_of(*line, "--formulas", "--max-trips-per-user", "3")
        self.assertEqual((fixed["k"], fixed["rows"][0]["k"]), (3, 3))
        self.assertEqual([row["k"] for row in fixed["bounds"]][:4], [1, 2, 3, 4])
        # More data or more epsilon: a larger K pays.
        large = self.json_of("plan", "--people", "100000000", "--trips-per-person", "3", "--formulas", "--epsilon", "1")
        small = self.json_of("plan", "--people", "300", "--trips-per-person", "3", "--formulas", "--epsilon", "1")
        chosen = [next(b["k"] for b in plan["bounds"] if b["recommended"]) for plan in (small, large)]
        self.assertLess(chosen[0], chosen[1])

    def test_usage(self):
        for bad in (["--people", "10"], ["--trips-per-person", "2"], ["--people", "10", "--trips-per-person", "0.5"],
                    ["--n", "0"],
                    ["--n", "10", "--people", "5", "--trips-per-person", "2"],
                    ["--people", "10", "--trips-per-person", "2", "--unit", "trip"], ["--n", "many"],
                    ["--n", "10", "--stops", "7"], ["--n", "10", "--grid", "10"],
                    ["--n", "10", "--epsilon", "0"], ["--n", "10", "--epsilon", "1,,2"],
                    ["--n", "10", "--extent-km", "-3"],
                    ["--n", "10", "--extent-km", "70", "--query-side", "80"],
                    ["--n", "10", "--mechanism", "daf-entrpy"],
                    ["--n", "10", "--unit", "user"], ["--n", "10", "--unit", "trip", "--max-trips-per-user", "2"],
                    ["--n", "10", "--bbox", "1,2,3"], ["--n", "10", "--bbox", "0,0,1,1", "--extent-km", "3"], []):
            self.fails(2, "plan", *bad)
        self.fails(4, "plan", "--n", "10", "--bbox", "auto", says="declared")


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
