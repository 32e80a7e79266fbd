#!/usr/bin/env python3
"""Zones as the geography: from files of stations and areas to releases, answers and tables; bad zones cost nothing.

  zones_test.py STOPOVER STOPOVER_LAB VERIFY_RELEASE [unittest arguments]
"""
import hashlib
import json
import random
import subprocess
import sys
import unittest

import bench_of_commands
from bench_of_commands import Bench

VERIFY = ""


def square(west, south, side=1.0):
    ring = [[west, south], [west + side, south], [west + side, south + side], [west, south + side], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def area(name, geometry, **more):
    return {"type": "Feature", "properties": {"TAZ": name, **more}, "geometry": geometry}


def collection(*features):
    return json.dumps({"type": "FeatureCollection", "features": list(features)})


# Four squares around (11, 51), two of each side of town.
AREAS = [area("1", square(10, 50), DISTRICT="west"), area("2", square(11, 50), DISTRICT="east"),
         area("3", square(10, 51), DISTRICT="west"), area("4", square(11, 51), DISTRICT="east")]


class Zones(Bench):
    def stations(self):
        """Stations A to F, of which the trips use five; 4,000 trips, most of them from A to B."""
        dice = random.Random(7)
        self.write("stations.csv", "id,lat,lng,district\n" + "".join(
            f"{name},{50 + i / 100},{10 + i / 50},{'north' if i > 2 else 'south'}\n" for i, name in enumerate("ABCDEF")))
        rows = ["trip,o,d,start,member"]
        for i in range(4000):
            o, d = ("A", "B") if dice.random() < 0.6 else (dice.choice("ABCDE"), dice.choice("ABCDE"))
            rows.append(f"{i},{o},{d},2024-03-0{1 + i % 7} {i % 24:02}:30,{'casual' if i % 4 == 0 else 'member'}")
        self.write("trips.csv", "\n".join(rows) + "\n")

    def publish(self, *words, output="city.odr", program="stopover", **more):
        return self.json_of("publish", *words, "--epsilon", "1", "--ledger", "z.ledger", "--budget", "10", "-o", output,
                            program=program, **more)

    STATIONS = ["trips.csv", "--shape-of", "trips", "--trip", "trip", "--zones", "stations.csv", "--zone-columns", "o,d",
                "--unit", "trip"]

    def ask(self, *words, release="city.odr"):
        return self.json_of("query", release, *words)

    def test_stations_from_file_to_table(self):
        self.stations()
        told = self.publish(*self.STATIONS, "--levels", "district")
        self.assertEqual(told["mechanism"], "zones")
        self.ok("verify", "city.odr")
        code = subprocess.run([sys.executable, VERIFY, str(self.work / "city.odr")], capture_output=True, text=True)
        if "pyarrow is missing" not in code.stdout + code.stderr:
            self.assertEqual(code.returncode, 0, code.stdout + code.stderr)
        true = sum(row[1:3] == ["A", "B"] for row in self.csv_rows("trips.csv"))
        pair = self.ask("--stop", "origin=zone:A", "--stop", "destination=zone:B")
        self.assertLess(abs(pair["estimate"] - true), 60)
        # Nothing is cut, and yet there is a likely interval: of whole numbers, not wider than the noise's.
        self.assertTrue(pair["aligned"] and pair["calibrated"] and pair["believed"] and pair["claimed"])
        self.assertTrue(pair["lower"] <= pair["estimate"] <= pair["upper"])
        self.assertLessEqual(pair["upper"] - pair["lower"], pair["noise_upper"] - pair["noise_lower"])
        # The median is for one pair at a time: a whole number inside the interval, the same in every face.
        self.assertEqual(pair["median"], round(pair["median"]))
        self.assertTrue(pair["lower"] <= pair["median"] <= pair["upper"])
        matrix = self.ask("--matrix", "origin,destination")
        self.assertEqual(matrix["median"][matrix["rows"].index("A")][matrix["columns"].index("B")], pair["median"])
        self.ok("export", "city.odr", "--as", "zones", "-o", "medians.csv")
        self.assertEqual(self.pairs("medians.csv")["A", "B"]["median"], pair["median"])
        # The count as it is, with its noise and nothing else; in JSON `unprojected`. This pair was counted by itself.
        counted = self.pairs("medians.csv")["A", "B"]["counted"]
        self.assertEqual(counted, round(counted))
        self.assertAlmostEqual(counted, pair["unprojected"], delta=1e-9 * counted)
        self.assertLess(abs(counted - true), 60)
        text = self.ok("query", "city.odr", "--stop", "origin=zone:A", "--stop", "destination=zone:B")
        self.assertRegex(text, r"likely: +[0-9,]+ to [0-9,]+ \(95 %\)\n  median: +[0-9,]+\n")
        # A circle takes the stations inside and cuts nothing; a district is its stations.
        near = self.ask("--stop", "origin=circle:50.0,10.0,1")
        self.assertAlmostEqual(near["estimate"], self.ask("--stop", "origin=zone:A")["estimate"], delta=1e-6)
        south = self.ask("--stop", "origin=zone:south")["estimate"]
        each = [self.ask("--stop", f"origin=zone:{name}")["estimate"] for name in "ABC"]
        self.assertAlmostEqual(south, sum(each), delta=1e-5)
        self.fails(2, "query", "city.odr", "--stop", "origin=zone:sout", says=["sout", "Did you mean south?"])
        top = self.ask("--top", 1)["tables"][0]["rows"][0]
        self.assertEqual([top["where"][stop] for stop in ("origin", "destination")],
                         [{"category": "A"}, {"category": "B"}])
        self.ok("export", "city.odr", "--as", "zones", "-o", "od.csv")
        head, *table = self.csv_rows("od.csv")
        self.assertEqual(len(table), 36)
        self.assertEqual(head[:3], ["origin", "destination", "estimate"])
        self.assertLessEqual({"lower", "upper", "claimed"}, set(head))
        found = {(row[0], row[1]): float(row[2]) for row in table}
        self.assertAlmostEqual(found["A", "B"], pair["estimate"], delta=1e-6)
        self.ok("export", "city.odr", "--as", "omx", "-o", "od.omx")

    def pairs(self, name):
        """A table of pairs as {(origin, destination): {column: number}}."""
        head, *rows = self.csv_rows(name)
        return {(row[0], row[1]): dict(zip(head[2:], (float(x or "nan") for x in row[2:]))) for row in rows}

    def total(self, table, column, stop=None, zones=None):
        return sum(row[column] for pair, row in table.items() if stop is None or pair[stop] in zones)

    def test_whole_numbers_add_up_beside_the_estimates(self):
        self.stations()
        self.publish(*self.STATIONS, "--levels", "district")
        words = ["export", "city.odr", "--as", "zones", "-o"]
        self.ok(*words, "plain.csv")
        told = self.json_of(*words, "od.csv", "--integers")
        table = self.pairs("od.csv")
        self.assertEqual({pair: row["estimate"] for pair, row in table.items()},
                         {pair: row["estimate"] for pair, row in self.pairs("plain.csv").items()})
        self.assertEqual(told["whole_sum"], self.total(table, "whole"))
        for row in table.values():
            self.assertLess(abs(row["whole"] - row["estimate"]), 1)
            self.assertEqual(row["whole"] % 1, 0)
            self.assertGreaterEqual(row["whole"], 0)
        for stop in (0, 1):
            for zones in [*"ABCDEF", "ABC", "DEF", "ABCDEF"]:
                self.assertLess(abs(self.total(table, "whole", stop, zones) - self.total(table, "estimate", stop, zones)), 1)
        card = json.loads((self.work / "od.csv.card.json").read_text())
        self.assertEqual(card["settings"]["integers"], "yes")
        self.assertIn("whole numbers that add up", " ".join(card["notes"]))
        self.ok(*words, "again.csv", "--integers")
        self.assertEqual((self.work / "again.csv").read_bytes(), (self.work / "od.csv").read_bytes())
        # Leaving out pairs of 0 leaves out nothing of the sums.
        busy = self.json_of(*words, "busy.csv", "--integers", "--at-least", "1")
        listed = self.pairs("busy.csv")
        self.assertEqual(listed, {pair: row for pair, row in table.items() if row["whole"] >= 1})
        self.assertEqual((busy["left_out"]["pairs"], busy["left_out"]["trips"]), (36 - len(listed), 0))
        # Partitions have them too, beside the counts as they were measured.
        self.ok("export", "city.odr", "--as", "csv", "--integers", "-o", "p.csv")
        head, *rows = self.csv_rows("p.csv")
        self.assertLessEqual({"count", "estimate", "whole"}, set(head))
        both = [sum(float(row[head.index(name)]) for row in rows) for name in ("estimate", "whole")]
        self.assertLess(abs(both[0] - both[1]), 1)
        self.assertEqual(self.json_of("export", "city.odr", "--as", "omx", "--integers", "-o", "od.omx")["matrices"], 4)

    def test_public_totals_are_met(self):
        self.stations()
        self.publish(*self.STATIONS, "--levels", "district")
        self.write("totals.csv", "zone,origins,destinations\nA,2700,\nB,300,2800\nnorth,,900\nF,7,\n")
        words = ["export", "city.odr", "--as", "zones", "--fix-totals", "totals.csv", "-o"]
        code, out, err = self.run_it(*words, "od.csv", "--integers", "--json")
        self.assertEqual(code, 0, err)
        self.ok("export", "city.odr", "--as", "zones", "-o", "plain.csv")
        # No trip is at F; noise may have left half a trip there.
        nothing = self.total(self.pairs("plain.csv"), "estimate", 0, "F") < 0.5
        self.assertEqual("origins of F" in err, nothing)
        told = json.loads(out)["fixed_totals"]
        self.assertEqual((told["origins"], told["destinations"], told["filled"]),
                         (3, 2, ["origins of F"] if nothing else []))
        table = self.pairs("od.csv")
        for stop, zones, total in ((0, "A", 2700), (0, "B", 300), (0, "F", 7), (1, "B", 2800), (1, "DEF", 900)):
            self.assertAlmostEqual(self.total(table, "estimate", stop, zones), total, delta=1e-5)
            self.assertEqual(self.total(table, "whole", stop, zones), total)
        for row in table.values():
            self.assertLessEqual(row["lower"], row["estimate"])
            self.assertGreaterEqual(row["upper"], row["estimate"])
            self.assertEqual(row["claimed"], 0)
        card = json.loads((self.work / "od.csv.card.json").read_text())
        self.assertEqual(card["settings"]["fix_totals"], "totals.csv")
        self.assertEqual(card["settings"]["fix_totals_sha256"],
                         hashlib.sha256((self.work / "totals.csv").read_bytes()).hexdigest())
        self.assertIn("public totals (3 of origins, 2 of destinations)", " ".join(card["notes"]))
        self.ok("export", "city.odr", "--as", "omx", "--fix-totals", "totals.csv", "-o", "od.omx")
        self.assertIn(b"public totals (3 of origins", (self.work / "od.omx").read_bytes())
        for text, says in (("zone,origins\nG,3\n", ["--fix-totals bad.csv", '"G"', "no zone"]),
                           ("zone,origins,destinations\n*,100,101\n", ["origins add up to 100", "destinations to 101"]),
                           ("zone,origins\nsouth,5\nA,6\n", ['group "south"', "5", "6"]),
                           ("zone,origins\nA,-6\n", ['"-6"', 'zone "A"']),
                           ("zone,orgins\nA,6\n", ['"orgins"', "zone,origins,destinations"])):
            self.write("bad.csv", text)
            self.fails(3, "export", "city.odr", "--as", "zones", "--fix-totals", "bad.csv", "-o", "x.csv", says=says)
            self.assertFalse((self.work / "x.csv").exists())

    def test_estimates_and_intervals_expand_to_a_population(self):
        self.stations()
        self.publish(*self.STATIONS, "--levels", "district")
        words = ["export", "city.odr", "--as", "zones", "-o"]
        self.ok(*words, "plain.csv")
        told = self.json_of(*words, "od.csv", "--expand", "2.5")
        self.assertEqual(told["expand"], 2.5)
        self.assertAlmostEqual(told["sum"], 2.5 * told["total"], delta=1e-6)
        plain, table = self.pairs("plain.csv"), self.pairs("od.csv")
        numbers = ["estimate", "median", "counted", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper", "lower",
                   "upper"]
        for pair, row in plain.items():
            for name in numbers:
                self.assertAlmostEqual(table[pair][name], 2.5 * row[name], delta=1e-9 * (1 + abs(row[name])))
            self.assertEqual(table[pair]["claimed"], row["claimed"])
        self.write("factors.csv", "zone,factor\nsouth,2\nC,4\n*,10\n")
        self.ok(*words, "by.csv", "--expand", "factors.csv")
        by = self.pairs("by.csv")
        for origin, factor in (("A", 2), ("C", 4), ("D", 10)):
            self.assertAlmostEqual(by[origin, "B"]["upper"], factor * plain[origin, "B"]["upper"], delta=1e-6)
        self.assertIn("factor of the zone of origin", (self.work / "by.csv.card.json").read_text())
        self.ok(*words, "sum.csv", "--summary")
        self.ok(*words, "sum2.csv", "--summary", "--expand", "2")
        once, twice = ([row[2:9] for row in self.csv_rows(name)[1:]] for name in ("sum.csv", "sum2.csv"))
        self.assertEqual([[2 * float(x) for x in row] for row in once], [[float(x) for x in row] for row in twice])
        self.write("few.csv", "zone,factor\nsouth,2\n")
        for code, more, says in ((3, ["--expand", "few.csv"], ['zone "D"', "no factor"]),
                                 (2, ["--expand", "0"], "--expand 0"),
                                 (3, ["--expand", "nowhere.csv"], "nowhere.csv"),
                                 (2, ["--summary", "--integers"], ["--integers", "--summary"]),
                                 (2, ["--summary", "--expand", "factors.csv"], "--summary"),
                                 (2, ["--draws", "2", "--expand", "2"], ["--expand", "--draws"])):
            self.fails(code, *words, "x.csv", *more, says=says)
        self.fails(2, "export", "city.odr", "--as", "trips", "--integers", "-o", "x.csv",
                   says="--integers does not go with --as trips")

    def test_axes_of_trips_are_filters_and_rows(self):
        self.stations()
        self.publish(*self.STATIONS, "--trip-axis", "hour:start=0-12,12-24", "--trip-axis", "daytype:start", "--trip-axis",
                     "category:member=casual,member")
        document = json.loads((self.work / "city.odr/release.json").read_text())
        self.assertEqual([stop["name"] for stop in document["domain"]["stops"]],
                         ["origin", "destination", "hour", "daytype", "member"])
        casual = self.ask("--stop", "member=category:casual")["estimate"]
        self.assertLess(abs(casual - 1000), 120)
        rows = self.ask("--totals", "--over", "hour")["tables"][0]["rows"]
        self.assertEqual([row["where"]["hour"] for row in rows], [{"category": "0-12"}, {"category": "12-24"}])
        self.assertLess(abs(rows[0]["estimate"] - 2000), 150)
        self.ok("export", "city.odr", "--as", "zones", "-o", "od.csv")

    def test_areas_by_coordinates(self):
        self.write("taz.geojson", collection(*AREAS))
        rows = ["tid,seq,lat,lng"]
        for i in range(600):
            rows += [f"{i},0,50.5,10.5", f"{i},1,51.5,{11.5 if i % 3 else 10.5}"]
        # On the border of 1 and 2: the eastern one has it. Outside of all: the trip is left out, and told.
        rows += ["900,0,50.5,11", "900,1,50.5,11", "901,0,49,10.5", "901,1,50.5,10.5"]
        self.write("trips.csv", "\n".join(rows) + "\n")
        words = ["trips.csv", "--seq", "seq", "--zones", "taz.geojson", "--zone-id", "TAZ", "--levels", "DISTRICT", "--unit",
                 "trip"]
        dry = self.json_of("publish", *words, "--epsilon", "1", "--ledger", "z.ledger", "--budget", "10", "-o", "x.odr",
                           "--dry-run")
        self.assertEqual(dry["trips"], 601)
        self.assertEqual(dry["rows"]["outside_the_zones"], 1)
        self.publish(*words)
        one = self.ask("--stop", "origin=zone:1", "--stop", "destination=zone:4")
        self.assertLess(abs(one["estimate"] - 400), 40)
        # Half of a zone is half of its trips, and said.
        half = self.ask("--stop", "origin=bbox:10,50,10.5,51")
        self.assertAlmostEqual(half["estimate"], self.ask("--stop", "origin=zone:1")["estimate"] / 2, delta=1e-6)
        self.assertIn("cuts 1 of the 1 zones", half["notes"][0])
        self.ok("export", "city.odr", "--as", "geojson", "--layer", "zones", "-o", "z.geojson")
        self.assertEqual(len(json.loads((self.work / "z.geojson").read_text())["features"]), 4)
        # The same from cells.
        self.ok("cells", *words, "-o", "cells.parquet")
        self.publish("--matrix", "cells.parquet", output="again.odr")
        self.assertEqual((self.work / "again.odr/zones.geojson").read_bytes(),
                         (self.work / "city.odr/zones.geojson").read_bytes())

    def test_other_areas_are_asked_of_a_release_of_zones(self):
        self.write("taz.geojson", collection(*AREAS))
        self.write("trips.csv", "o,d\n" + "".join(f"{1 + i % 4},{1 + i % 3}\n" for i in range(1200)))
        self.publish("trips.csv", "--shape-of", "trips", "--zones", "taz.geojson", "--zone-columns", "o,d", "--unit", "trip")
        # North and south halves: one cuts two zones, the other all four; a third lies elsewhere.
        self.write("halves.geojson", collection(
            area("south", {"type": "Polygon", "coordinates": [[[10, 50], [12, 50], [12, 50.5], [10, 50.5], [10, 50]]]}),
            area("north", {"type": "Polygon", "coordinates": [[[10, 50.5], [12, 50.5], [12, 52], [10, 52], [10, 50.5]]]}),
            area("far", square(30, 50))))
        self.ok("export", "city.odr", "--as", "zones", "--zones", "halves.geojson", "-o", "q.csv")
        table = self.pairs("q.csv")
        asked = self.ask("--zones", "halves.geojson", "--stop", "origin=zone:north", "--stop", "destination=zone:south")
        self.assertAlmostEqual(table["north", "south"]["estimate"], asked["estimate"], delta=1e-6)
        self.assertAlmostEqual(table["north", "south"]["lower"], asked["lower"], delta=1e-6)
        self.assertEqual(table["north", "far"]["estimate"], 0)
        self.assertAlmostEqual(self.total(table, "estimate"), self.ask()["estimate"], delta=1e-3)
        for words in (("omx", "q.omx"), ("sumo", "q.od"), ("gpkg", "q.gpkg"), ("kepler", "q.json")):
            self.ok("export", "city.odr", "--as", words[0], "--zones", "halves.geojson", "-o", words[1])
        self.ok("export", "city.odr", "--as", "zones", "--zones", "halves.geojson", "--summary", "-o", "s.csv")
        self.ok("export", "city.odr", "--as", "zones", "--zones", "halves.geojson", "--draws", "2", "-o", "d.csv")
        self.assertGreater(sum(float(row[3]) for row in self.csv_rows("d.csv")[1:]), 2000)
        self.ok("export", "city.odr", "--as", "zones", "--zones", "h3:3", "-o", "h.csv")
        cells = self.pairs("h.csv")
        self.assertAlmostEqual(self.total(cells, "estimate"), self.ask()["estimate"], delta=1e-3)
        self.fails(3, "export", "city.odr", "--as", "geojson", "-o", "p.geojson", says=["is zones", "--layer flows"])

    def test_flows_between_zones_as_lines(self):
        self.write("taz.geojson", collection(*AREAS))
        self.write("trips.csv", "o,d,start\n" + "".join(f"{1 + i % 4},{1 + i % 3},2024-05-0{1 + i % 7}T0{i % 9}:00\n"
                                                        for i in range(3600)))
        self.publish("trips.csv", "--shape-of", "trips", "--zones", "taz.geojson", "--zone-columns", "o,d", "--trip-axis",
                     "hour:start=0-5,5-24", "--unit", "trip")
        self.ok("export", "city.odr", "--as", "zones", "-o", "od.csv")
        table = self.pairs("od.csv")
        all_told = self.json_of("export", "city.odr", "--as", "flowmap", "--at-least", "0.001", "-o", "f.json")
        made = json.loads((self.work / "f.json").read_text())
        self.assertEqual({one["id"]: [one["lon"], one["lat"]] for one in made["locations"]},
                         {"1": [10.5, 50.5], "2": [11.5, 50.5], "3": [10.5, 51.5], "4": [11.5, 51.5]})
        self.assertEqual(made["flows"], sorted(made["flows"], key=lambda flow: -flow["count"]))
        for flow in made["flows"]:
            self.assertAlmostEqual(flow["count"], table[flow["origin"], flow["dest"]]["estimate"], delta=1e-6)
        self.assertAlmostEqual(sum(flow["count"] for flow in made["flows"]), self.ask()["estimate"], delta=0.02)
        self.assertIn("guarantee", made["stopover"])
        # Pairs of less than a trip are left out and told; --top instead takes the largest.
        told = self.json_of("export", "city.odr", "--as", "flowmap", "--at-least", "250", "-o", "f.json", "--overwrite")
        self.assertEqual(all_told["flows"], len(made["flows"]))
        self.assertEqual(told["flows"] + told["left_out"]["pairs"], all_told["flows"] + all_told["left_out"]["pairs"])
        kept = json.loads((self.work / "f.json").read_text())
        self.assertTrue(all(flow["count"] >= 250 for flow in kept["flows"]))
        self.assertIn("fewer than 250 trips", json.dumps(kept["stopover"]))
        self.ok("export", "city.odr", "--as", "geojson", "--layer", "flows", "--top", "5", "-o", "l.geojson")
        lines = json.loads((self.work / "l.geojson").read_text())["features"]
        self.assertEqual(len(lines), 5)
        for line in lines:
            told, is_one = line["properties"], line["properties"]["from"] == line["properties"]["to"]
            row = table[told["from"], told["to"]]
            for name in ("estimate", "noise_lower", "noise_upper", "lower", "upper"):
                self.assertAlmostEqual(told[name], row[name], delta=1e-6)
            self.assertEqual(line["geometry"]["type"], "Point" if is_one else "LineString")
        self.ok("export", "city.odr", "--as", "gpkg", "-o", "q.gpkg")
        self.fails(2, "export", "city.odr", "--as", "flowmap", "--from", "hour", "-o", "g.json", says="hour is no place")
        self.fails(2, "export", "city.odr", "--as", "zones", "--to", "hour", "-o", "g.csv", says="hour is no place")
        self.fails(2, "export", "city.odr", "--as", "geojson", "--layer", "zones", "--at-least", "3", "-o", "g.geojson",
                   says="--at-least goes with --layer flows")
        # Stations have points; names alone are nowhere.
        self.write("s.csv", "id,lat,lng\nA,34,-118\nB,34.5,-118.5\n")
        self.write("n.csv", "id\nA\nB\n")
        self.write("ab.csv", "o,d\n" + "A,B\n" * 500 + "B,B\n" * 300)
        for zones, output in (("s.csv", "s.odr"), ("n.csv", "n.odr")):
            self.publish("ab.csv", "--shape-of", "trips", "--zones", zones, "--zone-columns", "o,d", "--unit", "trip",
                         output=output)
        self.ok("export", "s.odr", "--as", "flowmap", "-o", "flows")
        self.assertEqual(self.csv_rows("flows/locations.csv"),
                         [["id", "name", "lat", "lon"], ["A", "A", "34", "-118"], ["B", "B", "34.5", "-118.5"]])
        for words in (("flowmap", "x.json"), ("geojson", "x.geojson", "--layer", "flows")):
            self.fails(3, "export", "n.odr", "--as", words[0], *words[2:], "-o", words[1], says=["are names", "--as zones"])

    def test_a_group_may_have_the_name_of_a_zone(self):
        self.write("z.csv", "id,lat,lng,district\n1,34,-118,2\n2,34.01,-118,2\n3,34.02,-118,1\n4,34.03,-118,1\n")
        self.write("trips.csv", "o,d\n" + "".join(f"{1 + i % 4},{1 + i % 3}\n" for i in range(1200)))
        words = ["trips.csv", "--shape-of", "trips", "--zones", "z.csv", "--zone-columns", "o,d", "--levels", "district",
                 "--unit", "trip", "--epsilon", "1", "--ledger", "z.ledger", "--budget", "1", "-o", "city.odr"]
        self.assertIn("zone:district=2", self.run_it("publish", *words)[2])
        one, two = (self.ask("--stop", f"origin=zone:{name}")["estimate"] for name in ("3", "4"))
        self.assertAlmostEqual(self.ask("--stop", "origin=zone:district=1")["estimate"], one + two, delta=1e-5)

    def test_a_circle_takes_stations_on_both_sides_of_the_antimeridian(self):
        self.write("s.csv", "id,lat,lng\nA,-17,179.95\nB,-17,-179.95\nC,-17,170\n")
        self.write("trips.csv", "o,d\n" + "A,B\n" * 500 + "C,B\n" * 300)
        self.publish("trips.csv", "--shape-of", "trips", "--zones", "s.csv", "--zone-columns", "o,d", "--unit", "trip")
        for place in ("-17,-179.99,20", "-17,179.99,20"):
            near = self.ask("--stop", f"origin=circle:{place}")
            each = [self.ask("--stop", f"origin=zone:{name}")["estimate"] for name in "AB"]
            self.assertAlmostEqual(near["estimate"], sum(each), delta=1e-5)

    def test_inspect_and_a_dry_run_know_zones(self):
        self.stations()
        told = self.json_of("inspect", "trips.csv", "--shape-of", "trips", "--zones", "stations.csv", "--zone-columns", "o,d")
        self.assertEqual(told["rows"]["unknown_zone"], 0)
        code, out, err = self.run_it("publish", "trips.csv", "--shape-of", "trips", "--zones", "stations.csv",
                                     "--zone-columns", "trip,start", "--unit", "trip", "--epsilon", "1", "--ledger",
                                     "z.ledger", "--budget", "1", "-o", "x.odr", "--dry-run")
        self.assertEqual(code, 0)
        self.assertIn("Nothing would be counted: are the ids", out + err)

    def test_bad_zones_cost_nothing(self):
        self.stations()
        self.write("taz.geojson", collection(*AREAS))
        crossing = {"type": "Polygon", "coordinates": [[[10, 50], [11, 51], [11, 50], [10, 51], [10, 50]]]}
        self.write("crossing.geojson", collection(area("bow", crossing)))
        self.write("overlap.geojson", collection(area("1", square(10, 50)), area("2", square(10.5, 50))))
        self.write("metres.geojson", collection(area("1", square(500000, 4e6, 100))))
        self.write("empty.geojson", collection())
        self.write("empty.csv", "")
        self.write("twice.csv", "id,lat,lng\nA,50,10\nA,51,11\n")
        self.write("names.csv", "id\nA\nB\n")
        words = ["--unit", "trip", "--epsilon", "1", "--ledger", "z.ledger", "--budget", "10", "-o", "x.odr"]
        wide = ["trips.csv", "--shape-of", "trips", "--zone-columns", "o,d"]
        for code, given, says in (
                (3, [*wide, "--zones", "crossing.geojson"], ["crossing.geojson", "bow"]),
                (3, [*wide, "--zones", "overlap.geojson"], ["overlap", "\"1\"", "\"2\""]),
                (3, [*wide, "--zones", "metres.geojson"], ["metres.geojson", "degrees"]),
                (3, [*wide, "--zones", "empty.geojson"], ["empty.geojson"]),
                (3, [*wide, "--zones", "empty.csv"], ["empty.csv"]),
                (3, [*wide, "--zones", "twice.csv"], ["twice.csv", "A"]),
                (3, [*wide, "--zones", "nowhere.csv"], ["nowhere.csv"]),
                (2, [*wide, "--zones", "stations.csv", "--levels", "region"], ["region", "district"]),
                (2, [*wide, "--zones", "stations.csv", "--zone-id", "ID_"], ["ID_"]),
                (2, [*wide, "--zones", "stations.csv", "--grid", "10x10"], ["--zones", "--grid"]),
                (3, ["trips.csv", "--shape-of", "trips", "--zones", "stations.csv", "--zone-columns", "o,x"], ["column x"]),
                (2, ["trips.csv", "--shape-of", "trips", "--zones", "stations.csv", "--zone-columns", "o"],
                 ["--zone-columns", "2 columns"]),
                (2, ["trips.csv", "--shape-of", "trips", "--zones", "names.csv"], ["names", "--zone-columns"]),
                (2, ["trips.csv", "--shape-of", "stops", "--zones", "stations.csv", "--zone-columns", "o,d"],
                 ["--zone-column COLUMN"]),
                (2, [*wide, "--zones", "stations.csv", "--trip-axis", "hour:start=9-6"], ["--trip-axis", "9-6"])):
            self.fails(code, "publish", *given, *words, says=says)
        self.assertFalse((self.work / "z.ledger").exists())

    def test_cuts_follow_public_borders(self):
        """Trips fill half a map evenly; the districts' border lies where no cut would be."""
        dice = random.Random(5)
        rows = ["olat,olng,dlat,dlng"]
        for _ in range(20000):
            rows.append(",".join(f"{dice.uniform(50, 51):.5f},{dice.uniform(10, 11):.5f}" for _ in range(2)))
        self.write("trips.csv", "\n".join(rows) + "\n")
        west = {"type": "Polygon", "coordinates": [[[10, 50], [10.34, 50], [10.34, 51], [10, 51], [10, 50]]]}
        east = {"type": "Polygon", "coordinates": [[[10.34, 50], [11, 50], [11, 51], [10.34, 51], [10.34, 50]]]}
        self.write("districts.geojson", collection(area("west", west), area("east", east)))
        given = ["publish", "trips.csv", "--shape-of", "trips", "--point", "olat,olng", "--point", "dlat,dlng", "--unit", "trip",
                 "--epsilon", "1", "--ledger", "z.ledger", "--budget", "10"]
        grid = [*given, "--bbox", "10,50,11,51", "--grid", "100x100"]
        self.ok(*grid, "--borders", "districts.geojson", "-o", "with.odr")
        self.ok(*grid, "-o", "without.odr")

        def crossed(release):
            """The share of the trips in leaves that lie on both sides of the border at either stop."""
            self.ok("export", release, "--as", "csv", "-o", release + ".csv")
            lines = (self.work / (release + ".csv")).read_text().splitlines()
            names = lines[0].split(",")
            edges = [(names.index(f"a{axis}_from"), names.index(f"a{axis}_to")) for axis in (0, 2)]  # the longitudes
            inside = outside = 0.0
            for line in lines[1:]:
                values = line.split(",")
                trips = max(0.0, float(values[names.index("estimate")]))
                cut = any(float(values[lo]) < 10.339 and float(values[hi]) > 10.341 for lo, hi in edges)
                inside, outside = inside + trips * (not cut), outside + trips * cut
            return outside / (inside + outside)
        self.assertLess(crossed("with.odr"), 0.5 * crossed("without.odr"))
        # Two districts make four pairs, far fewer than leaves: so leaves are larger and fewer.
        leaves = {release: len((self.work / (release + ".csv")).read_text().splitlines())
                  for release in ("with.odr", "without.odr")}
        self.assertLess(leaves["with.odr"], 0.85 * leaves["without.odr"])
        marks = json.loads((self.work / "with.odr/release.json").read_text())["params"]
        digest = hashlib.sha256((self.work / "districts.geojson").read_bytes()).hexdigest()
        self.assertEqual(marks["borders"], f"2 areas, sha256 {digest}")
        self.ok("verify", "with.odr")

        # What cannot be meant is refused before anything is spent.
        self.write("far.geojson", collection(area("1", square(80, 10))))
        self.write("points.csv", "id,lat,lng\nA,50.5,10.5\n")
        self.write("x.geojson", "{")
        spent = (self.work / "z.ledger").read_bytes()
        for code, words, says in (
                (2, [*grid, "--borders", "districts.geojson", "--mechanism", "daf-entropy"], ["--borders", "anchor"]),
                (2, [*grid, "--borders", "points.csv"], ["points.csv", "points", "polygons"]),
                (3, [*grid, "--borders", "far.geojson"], ["far.geojson", "bounding box"]),
                (3, [*grid, "--borders", "nowhere.geojson"], ["nowhere.geojson"]),
                (3, [*grid, "--borders", "x.geojson"], ["x.geojson"]),
                (2, [*given, "--zones", "districts.geojson", "--zone-id", "TAZ", "--borders", "districts.geojson",
                     "--mechanism", "anchor"], ["--borders", "--bbox"])):
            self.fails(code, *words, "-o", "x.odr", says=says)
        # Stops on different maps, the second one finer.
        self.write("m.csv", "a0,a1,a2,a3\n" + "".join(f"{i % 20},{i % 19},{i % 199},{i % 197}\n" for i in range(5000)))
        self.fails(2, "publish", "--matrix", "m.csv", "--shape", "20x20x200x200", "--stops", "o,d", "--bbox", "10,50,11,51",
                   "--borders", "districts.geojson", "--epsilon", "1", "--ledger", "z.ledger", "-o", "x.odr",
                   says=["--borders", "20 x 20", "200 x 200"])
        self.assertEqual((self.work / "z.ledger").read_bytes(), spent)

    def test_a_damaged_file_of_zones_is_found(self):
        self.stations()
        self.publish(*self.STATIONS)
        path = self.work / "city.odr/zones.geojson"
        text = path.read_text()
        path.write_text(text.replace('"A"', '"Z"'))
        self.fails(5, "verify", "city.odr", says="zones.geojson is damaged")
        self.fails(3, "query", "city.odr", says="zones.geojson")
        path.unlink()
        self.fails(5, "verify", "city.odr", says="zones.geojson")


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    VERIFY = sys.argv[3]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
