#!/usr/bin/env python3
"""`stopover query` with regions: the flags as written, what tables add up to, bad input; the table in
docs/guide/answers.md.

  query_test.py STOPOVER STOPOVER_LAB [unittest arguments]
"""
import csv
import json
import math
import pathlib
import random
import re
import shutil
import sys
import unittest

import bench_of_commands
from bench_of_commands import Bench

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "verifier"))
from stopover_verify import hashes  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "answers.md"
BOX = (-122.6, 37.6, -122.3, 37.9)


def square(w, s, e, n):
    return {"type": "Polygon", "coordinates": [[[w, s], [e, s], [e, n], [w, n], [w, s]]]}


def feature(name, geometry):
    return {"type": "Feature", "properties": {"name": name}, "geometry": geometry}


def collection(*features):
    return {"type": "FeatureCollection", "features": list(features)}


QUARTERS = collection(feature("Southwest", square(-122.6, 37.6, -122.45, 37.75)),
                      feature("Southeast", square(-122.45, 37.6, -122.3, 37.75)),
                      feature("Northwest", square(-122.6, 37.75, -122.45, 37.9)),
                      feature("Northeast", square(-122.45, 37.75, -122.3, 37.9)))


class Regions(Bench):
    def setUp(self):
        super().setUp()
        self.ok("generate", "city", "--stops", 3, "--n", 20000, "--grid", 100, "--seed", 7, "-o", "city.parquet")
        self.publish("c.odr", 1)
        self.write("zones.geojson", json.dumps(QUARTERS))

    def publish(self, name, key):
        self.ok("publish", "--matrix", "city.parquet", "--shape", "x".join(["100"] * 6), "--stops",
                "origin,via1,destination",
                "--bbox", ",".join(map(str, BOX)), "--epsilon", "1", "--mechanism", "daf-entropy", "--ledger",
                f"{name}.ledger",
                "--budget", "1", "--test-key", f"query {key}", "-o", name, program="stopover-lab")

    def ask(self, *words):
        return self.json_of("query", "c.odr", *words)

    def test_the_largest_flow_may_be_one_that_nobody_foresaw(self):
        """700 trips between two places at the edge of town, where the stops' maps have next to nothing."""
        numbers = random.Random(5)
        rows = [[min(999, max(0, int(numbers.gauss(500, 120)))) for _ in range(4)] + [1] for _ in range(20_000)]
        rows.append([93, 871, 912, 158, 700])
        self.write("flow.csv", "a0,a1,a2,a3,count\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        self.ok("publish", "--matrix", "flow.csv", "--shape", "1000x1000x1000x1000", "--stops", "origin,destination",
                "--bbox", ",".join(map(str, BOX)), "--epsilon", "0.5", "--mechanism", "anchor", "--no-calibration",
                "--ledger", "flow.ledger", "--budget", "1", "--test-key", "flow", "-o", "flow.odr",
                program="stopover-lab")
        largest = self.json_of("query", "flow.odr", "--top", 3, "--tiles", 25)["tables"][0]["rows"][0]
        for stop, (column, row) in {"origin": (93, 871), "destination": (912, 158)}.items():
            west, south, east, north = largest["where"][stop]["bbox"]
            self.assertTrue(west <= BOX[0] + column * 3e-4 <= east, (stop, largest))
            self.assertTrue(south <= BOX[1] + row * 3e-4 <= north, (stop, largest))
        self.assertTrue(350 <= largest["estimate"] <= 1050, largest)

    def test_cells_that_are_not_listed_are_in_no_interval(self):
        self.ok("generate", "city", "--stops", 2, "--n", 3000, "--grid", 100, "--seed", 7, "-o", "few.parquet", "--quiet")
        self.ok("publish", "--matrix", "few.parquet", "--shape", "100x100x100x100", "--mechanism", "sparse", "--epsilon", 1,
                "--ledger", "few.ledger", "--budget", 1, "-o", "few.odr", "--quiet")
        text = self.ok("query", "few.odr")
        self.assertNotIn("whole story", text)
        self.assertIn("of the listed cells alone", text)
        self.assertIn("only cells with a noisy count beyond a threshold are listed", text)
        self.assertIs(json.loads(self.ok("query", "few.odr", "--json"))["claimed"], False)
        self.assertIn("in the cells that are listed", self.ok("info", "few.odr"))

    def test_flags_that_people_try_say_what_to_type(self):
        for flag, stop in (("--origin", "origin"), ("--to", "destination"), ("--where", "NAME")):
            self.fails(2, "query", "x.odr", flag, "zone:A", says=f"Type --stop {stop}=REGION")
            self.fails(2, "query", "x.odr", f"{flag}=zone:A", says=f"Type --stop {stop}=REGION")

    def test_the_flags_as_written(self):
        answer = self.ask("--stop", "origin=circle:37.75,-122.45,5", "--stop",
                          "destination=bbox:-122.55,37.65,-122.40,37.80")
        for key in ("estimate", "noise_lower", "noise_upper", "level", "partitions_cut", "aligned", "bounds_lower",
                    "bounds_upper",
                    "lower", "upper", "projected"):
            self.assertIn(key, answer)
        self.assertGreater(answer["estimate"], 0)
        self.assertTrue(answer["bounds_lower"] <= answer["lower"] <= answer["estimate"] <= answer["upper"] <=
                        answer["bounds_upper"])
        self.write("area.geojson", json.dumps(square(-122.55, 37.65, -122.40, 37.80)))
        given = self.ask("--stop", "via1=polygon:area.geojson", "--given", "origin", "--top", 10)
        rows = given["tables"][0]["rows"]
        self.assertEqual(len(rows), 10)
        self.assertEqual(sorted(rows, key=lambda r: -r["estimate"]), rows)
        zone = self.ask("--stop", "origin=zone:Southwest", "--zones", "zones.geojson")
        box = self.ask("--stop", "origin=bbox:-122.6,37.6,-122.45,37.75")
        self.assertAlmostEqual(zone["estimate"], box["estimate"], delta=1e-6)
        for words in (["--stop", "origin=circle:37.75,-122.45,5"],
                      ["--stop", "via1=polygon:area.geojson", "--given", "origin"],
                      ["--top", 3], ["--matrix", "origin,destination", "--zones", "zones.geojson"],
                      ["--totals", "--over", "origin"],
                      ["--stop", "via1=circle:37.75,-122.45,5", "--share"], ["--compare", "c.odr"]):
            text = self.ok("query", "c.odr", *words)
            self.assertNotIn("nan", text)
            self.assertLessEqual(max(map(len, text.splitlines())), 160)

    def test_a_test_key_is_warned_about(self):
        code, out, err = self.run_it("query", "c.odr")
        self.assertEqual(code, 0)
        self.assertIn("protects nobody", err)
        self.assertIn("(query 1): it protects nobody", self.ask("--top", 3)["not_private"])
        self.write("b.csv", "a0_lo,a0_hi\n0,9\n")
        self.assertIn("protects nobody", self.ask("--batch", "b.csv", "-o", "a.csv")["not_private"])

    def test_spec_is_the_same_question(self):
        self.write("q.json", json.dumps({"where": {"origin": {"circle": [37.75, -122.45, 5]},
                                                   "destination": "bbox:-122.55,37.65,-122.40,37.80"}}))
        self.assertEqual(self.ask("--spec", "q.json"),
                         self.ask("--stop", "origin=circle:37.75,-122.45,5", "--stop",
                                  "destination=bbox:-122.55,37.65,-122.40,37.80"))
        self.fails(2, "query", "c.odr", "--spec", "q.json", "--top", "3", says="--spec")
        self.write("bad.json", "{")
        self.fails(3, "query", "c.odr", "--spec", "bad.json", says="bad.json")

    def test_the_page_lists_every_kind_of_region(self):
        """docs/guide/answers.md has a row for every form that the program names, and no other."""
        said = re.search(r"A region is (.*?) and anywhere", " ".join(self.ok("query", "--help").split())).group(1)
        known = set(re.findall(r"\b([a-z]+):", said))
        rows = re.findall(r'^\| `\{"([a-z]+)": .*?\}` \| `([a-z]+):', PAGE.read_text(encoding="utf-8"), re.M)
        self.assertGreaterEqual(len(known), 9)
        self.assertEqual(known, {name for name, _ in rows})
        self.assertTrue(all(name == typed for name, typed in rows))

    def test_a_polygon_typed_or_in_a_file(self):
        corners = [[-122.55, 37.65], [-122.40, 37.66], [-122.42, 37.80]]
        self.write("area.geojson", json.dumps({"type": "Polygon", "coordinates": [corners + corners[:1]]}))
        typed = "polygon:" + ",".join(f"{x} {y}" for x, y in corners)
        self.assertEqual(self.ask("--stop", f"origin={typed}"), self.ask("--stop", "origin=polygon:area.geojson"))
        self.write("q.json", json.dumps({"where": {"origin": typed}}))
        self.assertEqual(self.ask("--spec", "q.json"), self.ask("--stop", "origin=polygon:area.geojson"))
        self.write("q.json", json.dumps({"where": {"origin": "polygon:area.geojson"}}))
        self.fails(2, "query", "c.odr", "--spec", "q.json", says="file")
        self.fails(2, "query", "c.odr", "--stop", "origin=polygon:1 2,3", says='"3" for a point')

    def test_tables_add_up(self):
        total = self.ask()["estimate"]
        zones = ["--zones", "zones.geojson"]
        matrix = self.ask("--matrix", "origin,destination", *zones)
        self.assertEqual(matrix["rows"], ["Southwest", "Southeast", "Northwest", "Northeast"])
        self.assertAlmostEqual(sum(map(sum, matrix["estimate"])), total, delta=1e-5)
        for row in matrix["transition"]:
            self.assertAlmostEqual(sum(row), 1, delta=1e-9)
        for table in self.ask("--totals", *zones)["tables"]:
            self.assertAlmostEqual(sum(r["estimate"] for r in table["rows"]), total, delta=1e-5)
        chains = self.ask("--top", 64, *zones)["tables"][0]["rows"]
        self.assertEqual(set(chains[0]["where"]), {"origin", "via1", "destination"})
        self.assertAlmostEqual(sum(r["estimate"] for r in chains), total, delta=1e-5)
        share = self.ask("--stop", "origin=zone:Southwest", "--stop", "via1=zone:Southeast", "--share-of", "origin",
                         *zones)
        self.assertAlmostEqual(share["share"], share["part"]["estimate"] / share["whole"]["estimate"], delta=1e-9)

    def test_a_part_lies_in_its_whole(self):
        zones = ["--zones", "zones.geojson"]
        typed = self.ask("--stop", "origin=zone:Southwest", "--stop", "destination=zone:Northeast", "--share-of", "origin",
                         *zones)
        self.write("q.json", json.dumps({"ask": "share", "zones": QUARTERS, "where": {"destination": "zone:Northeast"},
                                         "of": {"origin": "zone:Southwest"}}))
        self.assertEqual(self.ask("--spec", "q.json"), typed)
        self.assertLess(typed["share"], 1)

    def test_several_zones_at_once(self):
        def trips(region):
            return self.ask("--stop", f"origin={region}", "--zones", "zones.geojson")["estimate"]

        west, east = trips("zone:Southwest"), trips("zone:Southeast")
        self.assertAlmostEqual(trips("zone:Southwest|zone:Southeast"), west + east, delta=1e-6)
        self.assertAlmostEqual(trips("(zone:Southwest|zone:Southeast) - zone:Southeast"), west, delta=1e-6)
        self.assertAlmostEqual(trips("bbox:-122.6,37.6,-122.3,37.9 & zone:Southeast"), east, delta=1e-6)
        both = self.ask("--stop", "origin=zone:Southwest", "--stop", "origin=zone:Northeast", "--zones", "zones.geojson")
        self.assertEqual(both["estimate"], 0)
        self.assertIn("no place in common", both["notes"][0])
        self.assertNotIn("outside", " ".join(both["notes"]))

    def test_over_stops(self):
        """At any stop, at no stop, and in order: by what the single stops say, on the command line and as JSON."""
        zones = ["--zones", "zones.geojson"]

        def trips(*words):
            return self.ask(*words, *zones)["estimate"]

        def at(*stops):
            return trips(*(word for stop in stops for word in ("--stop", f"{stop}=zone:Southwest")))

        o, v, d = "origin", "via1", "destination"
        anywhere = trips("--any-stop", "zone:Southwest")
        self.assertAlmostEqual(anywhere, at(o) + at(v) + at(d) - at(o, v) - at(o, d) - at(v, d) + at(o, v, d),
                               delta=1e-5)
        self.assertAlmostEqual(anywhere + trips("--no-stop", "zone:Southwest"), self.ask()["estimate"], delta=1e-5)
        in_order = self.ask("--in-order", "zone:Southwest > zone:Northeast", *zones)
        self.write("q.json", json.dumps({"zones": QUARTERS, "in_order": ["zone:Southwest", {"zone": "Northeast"}]}))
        self.assertEqual(self.ask("--spec", "q.json"), in_order)
        self.assertGreaterEqual(in_order["estimate"] + 1e-6, trips("--stop", f"{o}=zone:Southwest", "--stop",
                                                                   f"{d}=zone:Northeast"))
        self.assertTrue(in_order["bounds_lower"] <= in_order["estimate"] <= in_order["bounds_upper"])
        self.fails(2, "query", "c.odr", "--any-stop", "zone:Nowhere", *zones, says="Nowhere")
        self.fails(2, "query", "c.odr", "--in-order", "zone:A > nothing", *zones, says="zone \"A > nothing\"")

    def test_a_table_in_a_file(self):
        words = ["--matrix", "origin,destination", "--zones", "zones.geojson", "--stop", "origin=circle:37.75,-122.45,8"]
        asked = self.ask(*words)
        self.ok("query", "c.odr", *words, "-o", "m.csv")
        header, *rows = self.csv_rows("m.csv")
        self.assertEqual(header, ["origin", "destination", "estimate", "noise_lower", "noise_upper", "bounds_lower",
                                  "bounds_upper", "lower", "upper", "claimed", "transition"])
        self.assertEqual(len(rows), 16)
        self.assertEqual([float(row[2]) for row in rows], [value for row in asked["estimate"] for value in row])
        self.assertAlmostEqual(sum(float(row[2]) for row in rows), asked["total"]["estimate"], delta=1e-5)
        self.fails(6, "query", "c.odr", *words, "-o", "m.csv", says="m.csv")
        self.ok("query", "c.odr", *words, "-o", "m.json")
        self.assertEqual(json.loads((self.work / "m.json").read_text()), asked)
        self.ok("query", "c.odr", "--totals", "--top", 2, "--tiles", 4, "-o", "t.csv")
        self.assertEqual([row[0] for row in self.csv_rows("t.csv")],
                         ["stop", "origin", "origin", "via1", "via1", "destination", "destination"])

    def test_totals_of_the_largest(self):
        table = self.ask("--totals", "--top", 5, "--tiles", 20, "--over", "origin")["tables"][0]
        self.assertEqual(len(table["rows"]), 5)
        self.assertEqual(sorted(table["rows"], key=lambda r: -r["estimate"]), table["rows"])

    def test_the_example_of_the_help_can_be_copied(self):
        self.assertNotRegex(self.ok("query", "--help"), r"\\ *\\")

    def test_info_tells_how_many_trips(self):
        total = self.ask()
        told = self.json_of("info", "c.odr")["total"]
        self.assertEqual(told["estimate"], total["estimate"])
        self.assertEqual((told["lower"], told["upper"]), (total["noise_lower"], total["noise_upper"]))
        self.assertIn(f"about {round(told['estimate']):,}, ", self.ok("info", "c.odr"))

    def test_two_releases(self):
        self.publish("d.odr", 2)
        words = ["--stop", "origin=bbox:-122.6,37.6,-122.45,37.75"]
        both = self.ask("--compare", "d.odr", *words)
        self.assertEqual(both["first"], {k: v for k, v in self.ask(*words).items()
                                         if k not in ("notes", "not_private")})
        self.assertAlmostEqual(both["difference"]["estimate"], both["second"]["estimate"] - both["first"]["estimate"],
                               delta=1e-6)
        self.assertTrue(both["difference"]["noise_lower"] < 0 < both["difference"]["noise_upper"])
        self.fails(2, "query", "c.odr", "--compare", "d.odr", "--share", says="shares and --given are not")
        self.assertRegex(self.ok("query", "c.odr", "--compare", "d.odr", *words), r"second by first: [\d.]+ times, ")
        # Tables, row by row, with names that fit a screen; a file has all numbers of both.
        top = self.ok("query", "c.odr", "--compare", "d.odr", "--top", "3", "--tiles", 4)
        self.assertRegex(top.splitlines()[1], r"^ +origin +via1 +destination +first +second +change +from +to$")
        self.assertRegex(top.splitlines()[2], r"^ +[A-D][1-4] +[A-D][1-4] +[A-D][1-4] +[\d.,]+ ")
        self.assertLessEqual(max(map(len, top.splitlines())), 80)
        self.ok("query", "c.odr", "--compare", "d.odr", "--matrix", "origin,destination", "--tiles", 2, "-o", "m.csv")
        with open(self.work / "m.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 16)
        for row in rows:
            self.assertAlmostEqual(float(row["difference_estimate"]),
                                   float(row["second_estimate"]) - float(row["estimate"]), delta=1e-6)
        # A release and itself, by whatever name.
        self.assertEqual(self.ask("--compare", "./c.odr", *words)["difference"]["bounds_upper"], 0)
        # Two places of one release.
        less = self.ask(*words, "--minus", "origin=bbox:-122.45,37.6,-122.3,37.75")
        self.assertEqual(less["count"]["estimate"], both["first"]["estimate"])
        self.assertAlmostEqual(less["ratio"]["value"], less["count"]["estimate"] / less["minus"]["estimate"], 9)
        text = self.ok("query", "c.odr", *words, "--minus", "origin=bbox:-122.45,37.6,-122.3,37.75", "--above", "0")
        self.assertRegex(text, r"  ratio: [\d.]+ times, ")
        self.assertRegex(text, r"  more than 0: ")
        self.fails(2, "query", "c.odr", "--minus", "origin", says="--minus must be NAME=REGION")
        self.fails(2, "query", "c.odr", "--above", "many", says="many")
        self.fails(2, "query", "c.odr", "--above", "3", "--totals", says="--above, --at-least, --at-most and --minus")
        self.fails(3, "query", "c.odr", "--compare", "none.odr", says="none.odr")

    def test_exports_take_the_same_regions(self):
        words = ["--stop", "via1=circle:37.75,-122.45,5", "--zones", "zones.geojson"]
        asked = self.ask("--matrix", "origin,destination", *words)
        pairs = {(a, b): asked["estimate"][i][j] for i, a in enumerate(asked["rows"])
                 for j, b in enumerate(asked["columns"])}
        told = self.json_of("export", "c.odr", "--as", "zones", "-o", "z.csv", *words)
        self.assertEqual(told["where"], ["via1=circle:37.75,-122.45,5"])
        self.assertAlmostEqual(told["total"], asked["total"]["estimate"], delta=0.01)
        for least in ([], ["--at-least", "1"]):
            self.ok("export", "c.odr", "--as", "zones", "-o", "z.csv", "--overwrite", *words, *least)
            with open(self.work / "z.csv") as file:
                rows = list(csv.DictReader(file))
            self.assertGreater(len(rows), 1)
            for row in rows:
                self.assertAlmostEqual(float(row["estimate"]), pairs[row["origin"], row["destination"]], delta=1e-6)
        self.assertIn("where", (self.work / "z.csv.card.json").read_text())
        self.ok("export", "c.odr", "--as", "omx", "-o", "z.omx", *words)
        export = ("export", "c.odr", "--as", "zones", "-o", "no.csv", "--zones", "zones.geojson")
        self.fails(2, *export, "--stop", "origin=circle:37.75,-122.45,5", says="runs over the places of origin")
        self.fails(2, *export, "--stop", "via1", says="--stop must be NAME=REGION")
        self.fails(2, *export, "--stop", "via1=circle:1", says="--stop via1: ")
        self.fails(2, *export, *words[:2], "--draws", "2", says="--draws")
        self.fails(2, "export", "c.odr", "--as", "csv", "-o", "no.csv", *words[:2], says="--stop does not go with --as csv")
        self.assertFalse((self.work / "no.csv").exists())

    def test_outside_and_clipped_are_said(self):
        for region in ("circle:40,-100,5", "bbox:-100,30,-99,31"):
            answer = self.ask("--stop", f"origin={region}")
            self.assertEqual((answer["estimate"], answer["bounds_upper"]), (0, 0))
            self.assertIn("outside the release's box", answer["notes"][0])
            self.assertIn("outside the release's box", " ".join(self.ok("query", "c.odr", "--stop",
                                                                        f"origin={region}").split()))
        self.assertIn("cut off", self.ask("--stop", "origin=circle:37.6,-122.45,2")["notes"][0])
        swapped = self.ask("--stop", "origin=polygon:" + self.write("s.geojson",
                                                                    json.dumps(square(37.65, -89, 37.8, -88))))
        self.assertEqual(swapped["estimate"], 0)

    def test_bad_regions(self):
        bad = {"circle:37.75,-122.45,0": "above 0", "circle:37.75,-122.45,-1": "above 0",
               "circle:-122.45,37.75,1": "37.75,-122.45,1",
               "circle:1,2": "LAT,LNG,KM", "circle:a,b,c": "LAT,LNG,KM", "circl:1,2,3": "circle",
               "bbox:1,2,3": "W,S,E,N",
               "bbox:-122.4,37.7,-122.5,37.8": "west", "zone:Southwest": "--zones", "cells:100/0": "numbered from 0",
               "box:5:3": "half-open",
               "time:07:00-09:00": "no axis of time", "category:work": "no categories", "": "region",
               "circle:": "region"}
        for region, says in bad.items():
            self.fails(2, "query", "c.odr", "--stop", f"origin={region}", says=says)
        self.fails(2, "query", "c.odr", "--stop", "orgin=circle:37.75,-122.45,1", says="origin")
        self.fails(2, "query", "c.odr", "--stop", "circle:37.75,-122.45,1", says="NAME=REGION")
        self.fails(2, "query", "c.odr", "--given", "nowhere", says="nowhere")
        self.fails(2, "query", "c.odr", "--top", "0", says="--top")
        self.fails(2, "query", "c.odr", "--matrix", "origin", says="FROM,TO")
        self.fails(2, "query", "c.odr", "--share", "--totals", says="one at a time")
        self.fails(2, "query", "c.odr", "--stop", "origin=zone:Southwst", "--zones", "zones.geojson", says="Southwest")

    def test_bad_files(self):
        bow = {"type": "Polygon", "coordinates": [[[-122.5, 37.7], [-122.4, 37.8], [-122.4, 37.7], [-122.5, 37.8],
                                                   [-122.5, 37.7]]]}
        lopsided = {"type": "Polygon", "coordinates": [[[-122.5, 37.7], [-122.4, 37.8], [-122.4, 37.7], [-122.5, 37.85],
                                                        [-122.5, 37.7]]]}
        unclosed = {"type": "Polygon", "coordinates": [[[-122.5, 37.7], [-122.4, 37.7], [-122.4, 37.8],
                                                        [-122.5, 37.8]]]}
        swapped = {"type": "Polygon", "coordinates": [[[37.7, -122.5], [37.7, -122.4], [37.8, -122.4], [37.7, -122.5]]]}
        files = {"bow": (bow, "crosses itself near longitude -122.45, latitude 37.75"),
                 "lopsided": (lopsided, "crosses itself near"),
                 "unclosed": (unclosed, "closed"), "swapped": (swapped, "swapped"),
                 "point": ({"type": "Point", "coordinates": [1, 2]}, "Point"),
                 "empty": (collection(), "without features"),
                 "list": ([], "type")}
        for name, (geometry, says) in files.items():
            self.write(f"{name}.geojson", json.dumps(geometry))
            self.fails(3, "query", "c.odr", "--stop", f"origin=polygon:{name}.geojson", says=(f"{name}.geojson", says))
        self.write("no.geojson", "not json")
        self.fails(3, "query", "c.odr", "--stop", "origin=polygon:no.geojson", says="no.geojson")
        self.fails(3, "query", "c.odr", "--stop", "origin=polygon:none.geojson", says="none.geojson")
        self.fails(3, "query", "c.odr", "--zones", "none.geojson", says="none.geojson")
        self.fails(3, "query", "c.odr", "--zones", self.write("z.geojson", json.dumps(square(1, 2, 3, 4))),
                   says="FeatureCollection")
        self.fails(3, "query", "c.odr", "--zones", "zones.geojson", "--zone-name", "nmae", says="name")
        self.write("two.geojson", json.dumps(collection(feature("a", square(-122.6, 37.6, -122.4, 37.75)),
                                                        feature("b", square(-122.45, 37.6, -122.3, 37.75)))))
        self.fails(3, "query", "c.odr", "--totals", "--zones", "two.geojson", says=("\"a\"", "\"b\"", "overlap"))
        self.assertIn("both", self.ask("--totals", "--zones", "two.geojson", "--overlaps")["notes"][0])

    def test_the_old_name_of_overlaps(self):
        """It goes on working, typed and in a settings file, with a note."""
        self.write("two.geojson", json.dumps(collection(feature("a", square(-122.6, 37.6, -122.4, 37.75)),
                                                        feature("b", square(-122.45, 37.6, -122.3, 37.75)))))
        words = ["query", "c.odr", "--totals", "--zones", "two.geojson"]
        meant = self.ok(*words, "--overlaps", "--json")
        self.write("old.toml", "[query]\noverlapping-zones = true\n")
        for old in (["--overlapping-zones"], ["--config", "old.toml"]):
            code, out, err = self.run_it(*words, "--json", *old)
            self.assertEqual((code, out), (0, meant), err)
            self.assertIn("overlaps", err)
            self.assertRegex(err, r"overlapping-zones is called (--)?overlaps now")
        self.assertNotIn("overlapping-zones", self.ok("query", "--help"))

    def test_a_hundred_thousand_corners(self):
        n = 100_000
        ring = [[-122.45 + 0.1 * math.cos(2 * math.pi * i / n), 37.75 + 0.1 * math.sin(2 * math.pi * i / n)]
                for i in range(n)]
        self.write("big.geojson", json.dumps({"type": "Polygon", "coordinates": [ring + ring[:1]]}))
        self.assertGreater(self.ask("--stop", "origin=polygon:big.geojson")["estimate"], 0)

    def test_disjoint_regions_add_up(self):
        whole = self.ask("--stop", "origin=circle:37.75,-122.45,8")["estimate"]
        west = self.ask("--stop", "origin=circle:37.75,-122.45,8", "--stop",
                        "origin=bbox:-122.6,37.6,-122.45,37.9")["estimate"]
        east = self.ask("--stop", "origin=circle:37.75,-122.45,8", "--stop",
                        "origin=bbox:-122.45,37.6,-122.3,37.9")["estimate"]
        self.assertAlmostEqual(west + east, whole, delta=1e-6 * whole)


class Claims(Bench):
    """A likely interval is claimed to hold only where that was measured."""

    def asked(self, stops, trips, *more):
        self.ok("generate", "city", "--stops", stops, "--n", trips, "--grid", 200, "-o", "city.parquet")
        self.ok("publish", "--matrix", "city.parquet", "--shape", "x".join(["200x200"] * stops), "--epsilon", "0.5",
                "--ledger",
                "city.ledger", "--budget", 1, "-o", "city.odr", *more)
        box = ("query", "city.odr", "--box", "a0=31:97,a3=55:111")
        return self.json_of(*box), self.ok(*box)

    def test_two_stops_and_many_trips(self):
        answer, text = self.asked(2, 100_000)
        self.assertTrue(answer["calibrated"] and answer["claimed"] and not answer["aligned"])
        self.assertEqual(answer["notes"], [])
        self.assertRegex(text, r"likely:      \S+ to \S+ \(95 %\)")
        # People read rounded numbers, --json keeps all digits.
        self.assertEqual(text.splitlines()[0], f"{answer['estimate']:,.0f}")
        self.assertIn(f"  likely:      {answer['lower']:,.0f} to {answer['upper']:,.0f} (95 %)\n", text)
        self.assertNotEqual(answer["estimate"], round(answer["estimate"]))
        share = ("query", "city.odr", "--box", "a0=31:97,a3=55:111", "--share")
        self.assertEqual(self.ok(*share).splitlines()[0], f"{100 * self.json_of(*share)['share']:.3g} %")
        unusual = self.json_of("query", "city.odr", "--box", "a0=31:97,a3=55:111", "--level", "0.9999")
        self.assertFalse(unusual["claimed"])
        self.assertIn("a level other than 80 to 99 %", unusual["notes"][0])

    def test_several_answers_that_hold_together(self):
        self.asked(2, 200_000, "--stops", "from,to")
        box = ("query", "city.odr", "--box", "a0=31:97,a3=55:111")
        self.ok("publish", "--matrix", "city.parquet", "--shape", "200x200x200x200", "--stops", "from,to", "--epsilon", "0.5",
                "--ledger", "again.ledger", "--budget", 1, "-o", "again.odr")
        for level, claimed in (("0.99", True), ("0.995", False)):
            notes = [] if claimed else ["likely intervals are not claimed here (a level other than 80 to 99 % per answer): they "
                                        "may fail more often than they say; for a safe statement quote the bounds"]
            share = self.json_of(*box, "--share", "--level", level)
            self.assertEqual((share["claimed"], share["notes"]), (claimed, notes))
            compared = self.json_of(*box, "--compare", "again.odr", "--level", level)
            self.assertEqual(compared["difference"]["claimed"], claimed)
            self.assertEqual(compared["notes"], notes + ["in the second release, " + note for note in notes])
        for level, claimed in (("0.95", True), ("0.99", False)):  # each at 97.5 and at 99.5 %
            top = self.json_of("query", "city.odr", "--top", 2, "--over", "from", "--tiles", 7, "--together", "--level",
                               level)
            self.assertEqual([row["claimed"] for row in top["tables"][0]["rows"]], [claimed] * 2)
            self.assertEqual(any("a level other than" in note for note in top["notes"]), not claimed)
        self.assertRegex(self.ok(*box, "--share", "--level", "0.995"), r"\(meant for 99.5 %, not claimed\)")

    def test_few_trips(self):
        answer, text = self.asked(2, 30_000)
        self.assertTrue(answer["calibrated"] and not answer["claimed"])
        self.assertIn("too few trips for this epsilon", answer["notes"][0])
        self.assertRegex(text, r"likely:      \S+ to \S+ \(meant for 95 %, not claimed\)")

    def test_three_stops(self):
        answer, _ = self.asked(3, 100_000)  # the third stop is left open
        self.assertTrue(answer["calibrated"] and answer["claimed"])
        answer = self.json_of("query", "city.odr", "--box", "a0=31:97,a3=55:111,a4=20:150")
        self.assertTrue(answer["calibrated"] and answer["claimed"])
        self.assertEqual(answer["notes"], [])
        answer = self.json_of("query", "city.odr", "--box", "a0=31:97")
        self.assertTrue(answer["calibrated"] and answer["claimed"])

    def test_no_probes(self):
        answer, _ = self.asked(2, 100_000, "--probe-share", "0")
        self.assertTrue(answer["calibrated"] and not answer["claimed"])
        self.assertIn("no probes", answer["notes"][0])
        self.fails(2, "publish", "--matrix", "city.parquet", "--shape", "200x200x200x200", "--epsilon", "0.5", "--ledger",
                   "city.ledger", "-o", "other.odr", "--probe-share", "0.7", says="--probe-share")


    def test_a_flow_that_nobody_foresaw(self):
        """Four times ln(cells/2)/epsilon: 164 trips on 200 cells a side at 0.5."""
        self.asked(2, 100_000)
        self.assertAlmostEqual(self.json_of("info", "city.odr")["shows_flows_from"], 164, 0)
        self.assertIn("one that nobody foresaw is mostly shown from about 164 trips on", " ".join(self.ok("info", "city.odr").split()))
        notes = self.json_of("query", "city.odr", "--box", "a0=0:9,a1=0:9,a2=0:9,a3=0:9")["notes"]
        self.assertTrue(any("may be missing here if it has fewer than about 164 trips" in note for note in notes), notes)
        for box in ("a0=0:9,a1=0:9", "a0=0:199,a3=0:199"):  # a stop left open; thousands of trips
            self.assertEqual(self.json_of("query", "city.odr", "--box", box)["notes"], [], box)

    def scale_of_probes(self, scale):
        """Writes city.odr as probed by another scale; None: as before a release told its own."""
        path = self.work / "city.odr" / "release.json"
        head = json.loads(path.read_text(encoding="utf-8"))
        head["probes"].pop("scale", None)
        if scale is not None:
            head["probes"]["scale"] = scale
        head["content_sha256"] = hashes.content_hash(head)
        head["json_sha256"] = hashes.json_hash(head)
        path.write_bytes(hashes.pretty(head))

    def test_probes_of_another_scale_are_not_read(self):
        now, _ = self.asked(2, 400_000)
        box = ("query", "city.odr", "--box", "a0=31:97,a3=55:111")
        self.assertEqual(self.json_of(*box)["certified"]["sure"], 0.999)
        self.assertNotIn("bounds alone", self.ok("info", "city.odr"))
        why = "its probes are of a scale that this version does not read"
        for scale in (None, 1, 3):
            self.scale_of_probes(scale)
            answer, text = self.json_of(*box), self.ok(*box)
            self.assertEqual((answer["estimate"], answer["noise_lower"]), (now["estimate"], now["noise_lower"]))
            self.assertFalse(answer["calibrated"])
            self.assertIsNone(answer.get("certified"))
            self.assertEqual((answer["lower"], answer["upper"]), (answer["bounds_lower"], answer["bounds_upper"]))
            self.assertGreater(answer["upper"], now["upper"])
            self.assertEqual(answer["notes"], [f"there are no likely intervals here ({why}): the bounds hold; for likely "
                                               "intervals ask with the program that published it, or publish again"])
            self.assertNotIn("likely:", text)
            for words in ([], ["--as", "markdown"]):
                told = " ".join(self.ok("info", "city.odr", *words).split())
                self.assertIn(f"{why}. Ask with the program that published it, or publish again", told)
            for words in (["--share"], ["--at-least"]):
                self.assertTrue(any(why in note for note in self.json_of(*box, *words)["notes"]), words)
        self.scale_of_probes(2)
        self.assertEqual(self.json_of(*box), now)

    def test_one_end_by_itself_wants_more_trips(self):
        """100,000 trips at 0.5: claimed, but not either end; 400,000: both. At 0.8 either end misses too often anywhere."""
        for trips, claimed in ((100_000, False), (400_000, True)):
            for name in ("city.parquet", "city.ledger", "city.odr"):
                path = self.work / name
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            self.asked(2, trips)
            box = ("query", "city.odr", "--box", "a0=31:97,a3=55:111")
            answer = self.json_of(*box)
            self.assertTrue(answer["claimed"])
            one = self.json_of(*box, "--at-least", "--at-most", "--above", answer["lower"])
            self.assertTrue(one["claimed"])
            for name in ("at_least", "at_most", "above"):
                self.assertEqual(one[name]["claimed"], claimed, (trips, name))


class OneMapForTwoStops(Bench):
    """A matrix without --stops has a stop per axis, and maps of two axes each."""

    def test_what_needs_a_map_of_its_own_is_refused(self):
        self.ok("generate", "city", "--stops", 2, "--n", 2000, "--grid", 50, "-o", "city.parquet")
        self.ok("publish", "--matrix", "city.parquet", "--shape", "50x50x50x50", "--epsilon", 1, "--mechanism",
                "anchor", "--ledger",
                "city.ledger", "--budget", 1, "--no-calibration", "-o", "city.odr")
        self.ok("query", "city.odr", "--stop", "a0=box:3:30")
        for words in (["--top", 2], ["--totals"], ["--matrix", "a0,a2"], ["--given", "a0", "--stop", "a1=box:3:30"],
                      ["--stop", "a0=cells:3,4"]):
            self.fails(2, "query", "city.odr", *words, says="no map of its own")


if __name__ == "__main__":
    bench_of_commands.use(*sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
