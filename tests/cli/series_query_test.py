#!/usr/bin/env python3
"""A series asked as one thing: counts by period, changes, a trend, a sum, the flows that changed, exports.

  series_query_test.py STOPOVER STOPOVER_LAB
"""
import csv
import io
import json
import shutil
import sys
import unittest

import bench_of_commands
from bench_of_commands import Bench

WEST = ("--stop", "origin=bbox:0,0,2,4")
NUMBERS = ["estimate", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper", "lower", "upper"]


class SeriesQuestions(Bench):
    TRIPS = {"2019-01": 100, "2019-02": 200, "2019-03": 300}  # from the west to the east; besides, 50 stay in the east

    def city(self, folder="city", epsilon="100", trips=None, mechanism="identity"):
        """A release for each month, with so little noise that there is none."""
        lines = ["tid,at,lat,lng"]
        for month, n in (trips or self.TRIPS).items():
            for i in range(n + 50):
                west = 0.5 if i < n else 3.5
                for hour, lng in ((7, west), (8, 3.5)):
                    lines.append(f"{month}-{i},{month}-{i % 28 + 1:02}T0{hour}:00:00,{i % 4}.5,{lng}")
        self.write(f"{folder}.csv", "\n".join(lines) + "\n")
        months = sorted(trips or self.TRIPS)
        self.ok("publish", f"{folder}.csv", "--trip", "tid", "--time", "at", "--bbox", "0,0,4,4", "--grid", "4x4",
                "--unit", "trip", "--epsilon", epsilon, "--mechanism", mechanism, "--ledger", f"{folder}.ledger",
                "--period", f"month:{months[0]}..{months[-1]}", "--budget-per-period", epsilon, "-o", folder, "--quiet")

    def table(self, *words):
        self.ok(*words, "-o", "out.csv", "--overwrite")
        return list(csv.DictReader(io.StringIO((self.work / "out.csv").read_text())))

    def test_a_page_of_all_periods(self):
        self.city()
        self.ok("html", "city/", "-o", "city.html")
        page = (self.work / "city.html").read_text()
        places = [page.index(f'"name":"{month}.odr"') for month in self.TRIPS]
        self.assertEqual(places, sorted(places))
        shutil.copytree(self.work / "city/2019-01.odr", self.work / "city/again.odr")
        self.fails(3, "html", "city", "-o", "two.html", says="both of 2019-01")
        self.assertFalse((self.work / "two.html").exists())
        self.fails(3, "serve", "city", "--port", "0", says="both of 2019-01")

    def test_a_count_for_every_period(self):
        self.city()
        told = self.json_of("query", "city", *WEST)
        self.assertEqual((told["series"], told["kind"]), ("each", "month"))
        self.assertEqual({row["period"]: round(row["estimate"]) for row in told["periods"]}, self.TRIPS)
        for row in told["periods"]:
            alone = self.json_of("query", f"city/{row['period']}.odr", *WEST)
            self.assertEqual({k: v for k, v in row.items() if k != "period"},
                             {k: v for k, v in alone.items() if k != "notes"}, "the same digits as of one release")
        text = self.ok("query", "city/", *WEST)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        for month, trips in self.TRIPS.items():
            self.assertRegex(text, rf"(?m)^  {month} +{trips} +[\d.]+ +[\d.]+  =*o$")
        rows = self.table("query", "city", *WEST)
        self.assertEqual(list(rows[0]), ["period", *NUMBERS, "claimed"])
        self.assertEqual([(row["period"], round(float(row["estimate"]))) for row in rows], list(self.TRIPS.items()))
        two = self.json_of("query", "city", *WEST, "--period", "2019-02..2019-03", "--above", "250", "--at-least")
        self.assertEqual([row["period"] for row in two["periods"]], ["2019-02", "2019-03"])
        self.assertEqual([round(row["above"]["probability"]) for row in two["periods"]], [0, 1])
        self.assertIn("at least", self.ok("query", "city", *WEST, "--above", "250", "--at-least"))

    def test_the_label_of_an_interval_is_of_its_numbers(self):
        """Nothing is cut: what noise leaves open, and what is likely, differ, and tables show the second."""
        self.city(epsilon="1", mechanism="eug", trips={"2019-01": 400, "2019-02": 500})
        whole = ("--period", "2019-01..2019-02")
        for words, rows, of in ((whole, "periods", lambda row: row),
                                (("--change",), "changes", lambda row: row["difference"])):
            told = [of(row) for row in self.json_of("query", "city", *words)[rows]]
            self.assertTrue(all(a["aligned"] and not a["believed"] for a in told))
            self.assertTrue(any(abs(a["lower"] - a["noise_lower"]) > 1e-9 for a in told), "they are told apart")
            text = self.ok("query", "city", *words)
            self.assertIn("from, to: " + ("likely" if told[0]["calibrated"] else "bounds"), text)
            self.assertNotIn("what noise leaves open", text)
        cells = self.ok("query", "city/2019-01.odr")
        self.assertIn("whole story", cells)

    def test_partitions_are_those_of_each_release(self):
        for mechanism in ("eug", "anchor"):
            self.city(mechanism, epsilon="1", mechanism=mechanism, trips={"2019-01": 400, "2019-02": 500})
            text = self.ok("info", mechanism)
            for one in self.json_of("info", mechanism)["releases"]:
                self.assertRegex(text, rf"(?m)^  {one['period']} +1 +\d+ +{one['info']['partitions']:,}  ")

    def test_cells_of_another_grid_are_refused(self):
        self.city(trips={"2019-01": 20, "2019-02": 20})
        self.ok("publish", "city.csv", "--trip", "tid", "--time", "at", "--bbox", "0,0,4,4", "--grid", "8x8", "--unit", "trip",
                "--epsilon", "100", "--mechanism", "identity", "--ledger", "fine.ledger", "--period", "month:2019-02",
                "--budget-per-period", "100", "-o", "fine", "--quiet")
        shutil.rmtree(self.work / "city/2019-02.odr")
        shutil.copytree(self.work / "fine/2019-02.odr", self.work / "city/2019-02.odr")
        for words in (("--stop", "origin=box:0:2,0:4"), ("--stop", "origin=cells:1/1"), ("--box", "a0=0:2")):
            self.fails(2, "query", "city", *words, says=["2019-02 has another box, grid or stops", "Ask in degrees"])
            self.fails(2, "query", "city", *words, "--change", says="Ask in degrees")
            self.fails(2, "query", "city/2019-01.odr", "--compare", "city/2019-02.odr", *words,
                       says=["the second release has another box", "Ask in degrees"])
            self.ok("query", "city", *words, "--period", "2019-01")
        told = self.json_of("query", "city", *WEST)
        self.assertTrue(any("the same places are asked" in note for note in told["notes"]), told["notes"])

    def test_shares_and_tables_by_period(self):
        self.city()
        shares = self.table("query", "city", *WEST, "--share")
        self.assertEqual([round(float(row["share"]), 3) for row in shares], [0.667, 0.8, 0.857])
        more = self.json_of("query", "city", "--stop", "origin=bbox:0,0,2,4", "--minus", "origin=bbox:2,0,4,4")
        self.assertEqual([round(row["difference"]["estimate"]) for row in more["periods"]], [50, 150, 250])
        for words in (["--totals", "--tiles", "2"], ["--top", "3", "--tiles", "2"], ["--matrix", "origin,destination"]):
            rows = self.table("query", "city", *words)
            self.assertEqual(list(rows[0])[0], "period")
            self.assertEqual(sorted({row["period"] for row in rows}), list(self.TRIPS))
            alone = self.table("query", "city/2019-02.odr", *words)
            here = [{k: v for k, v in row.items() if k != "period"} for row in rows if row["period"] == "2019-02"]
            self.assertEqual(here, alone, words)
            self.assertIn("2019-03", self.ok("query", "city", *words))

    def test_changes_between_periods(self):
        self.city()
        told = self.json_of("query", "city", *WEST, "--change")
        self.assertEqual([(row["against"], row["period"]) for row in told["changes"]],
                         [("2019-01", "2019-02"), ("2019-02", "2019-03")])
        self.assertEqual([round(row["difference"]["estimate"]) for row in told["changes"]], [100, 100])
        pair = self.json_of("query", "city", *WEST, "--period", "2019-01", "--against", "2019-03")["changes"]
        self.assertEqual(len(pair), 1)
        compared = self.json_of("query", "city/2019-03.odr", *WEST, "--compare", "city/2019-01.odr")
        for member in ("first", "second", "difference", "ratio"):
            self.assertEqual(pair[0][member], compared[member])
        self.assertEqual(round(pair[0]["difference"]["estimate"]), -200)
        text = self.ok("query", "city", *WEST, "--period", "2019-03", "--against", "2019-01")
        self.assertRegex(text, r"2019-01 +2019-03 +100 +300 +200 +199 +201")
        self.assertIn("after by before: 3 times", text)
        rows = self.table("query", "city", *WEST, "--change")
        self.assertEqual([round(float(row["ratio"]), 6) for row in rows], [2, 1.5])
        together = self.json_of("query", "city", *WEST, "--change", "--together")
        self.assertTrue(any("hold at once" in note for note in together["notes"]), together["notes"])

    def test_a_trend_and_a_sum(self):
        self.city()
        trend = self.json_of("query", "city", *WEST, "--trend", "--above", "0")
        self.assertAlmostEqual(trend["slope"]["estimate"], 100, places=6)
        self.assertAlmostEqual(trend["periods"][0]["fitted"], 100, places=6)
        self.assertGreater(trend["above"]["probability"], 0.99)
        self.assertIn("rises by about 100 trips per month; bounds 99.5 to 100 (95 %)", self.ok("query", "city", *WEST, "--trend"))
        total = self.json_of("query", "city", *WEST, "--sum")
        self.assertAlmostEqual(total["sum"]["estimate"], 600, places=6)
        self.assertAlmostEqual(total["one_release_noise"], 3 ** -0.5, places=9)
        self.assertTrue(any("58 % of it" in note for note in total["notes"]), total["notes"])
        self.assertEqual(self.table("query", "city", *WEST, "--sum")[0]["last"], "2019-03")
        text = self.ok("query", "city", *WEST, "--sum")
        self.assertNotIn("whole story", text)
        self.assertIn("the noise interval leaves that out", " ".join(text.split()))
        self.assertRegex(text, r"noise alone: .* \(95 %\)\n  (likely|bounds): ")
        self.city("down", trips={"2019-01": 300, "2019-02": 100})
        self.assertIn("falls by about 200 trips per month", self.ok("query", "down", *WEST, "--trend"))

    def test_flows_that_surely_changed(self):
        self.city()
        told = self.json_of("query", "city", "--changes", "--top", "3", "--tiles", "2")
        self.assertEqual(told["among"], 2 * 2 ** 4, "two steps of as many combinations of tiles")
        first = told["rows"][0]
        self.assertTrue(first["sure"])
        self.assertEqual(round(first["difference"]["estimate"]), 50)
        pair = self.json_of("query", "city", "--changes", "--top", "30", "--tiles", "2", "--period", "2019-03", "--against",
                            "2019-01")
        self.assertEqual([round(row["difference"]["estimate"]) for row in pair["rows"] if row["sure"]], [100, 100])
        self.assertIn("surely changed: 2 of these", self.ok("query", "city", "--changes", "--top", "2", "--tiles", "2"))
        long = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": f"The old quarter between the rivers, {name}"}, "geometry": {
                "type": "Polygon", "coordinates": [[[w, 0], [w + 2, 0], [w + 2, 4], [w, 4], [w, 0]]]}}
            for name, w in (("west", 0), ("east", 2))]}
        self.write("zones.geojson", json.dumps(long))
        for words in ([], ["--period", "2019-03", "--against", "2019-01"]):
            text = self.ok("query", "city", "--changes", "--zones", "zones.geojson", *words)
            self.assertIn("The old quar", text if words else text.replace("The old ..", "The old quar"))
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)
        rows = self.table("query", "city", "--changes", "--top", "2", "--tiles", "2")
        self.assertEqual([row["sure"] for row in rows], ["true", "true"])

    def test_noise_alone_changes_nothing_for_sure(self):
        """At epsilon 0.1 months of the same trips: an interval of 99.9 % for all at once misses once in 1,000 runs."""
        self.city(epsilon="0.1", trips={"2019-01": 400, "2019-02": 400, "2019-03": 400}, mechanism="eug")
        told = self.json_of("query", "city", "--changes", "--tiles", "2", "--level", "0.999")
        self.assertTrue(told["rows"])
        self.assertFalse([row for row in told["rows"] if row["sure"]])

    def test_what_the_folder_says(self):
        self.city()
        shutil.rmtree(self.work / "city/2019-02.odr")
        told = self.json_of("query", "city", *WEST)
        self.assertIn("there is no release of 2019-02", told["notes"])
        self.assertEqual([round(row["difference"]["estimate"]) for row in
                          self.json_of("query", "city", *WEST, "--change")["changes"]], [200])
        slope = self.json_of("query", "city", *WEST, "--trend")["slope"]["estimate"]
        self.assertAlmostEqual(slope, 100, places=6, msg="a month that is not there counts as time")
        self.ok("pack", "city/2019-03.odr", "-o", "city/2019-03.odrz")
        self.fails(3, "query", "city", says=["are both of 2019-03"])
        shutil.rmtree(self.work / "city/2019-03.odr")
        self.assertEqual(len(self.json_of("query", "city")["periods"]), 2)
        self.matrix()
        self.ok(*self.publish_words("city/other.odr", ledger="o.ledger"), "--quiet")
        self.assertIn("city/other.odr is of no period: it is left out", self.json_of("query", "city")["notes"])
        info = self.json_of("info", "city")
        self.assertEqual([one["period"] for one in info["releases"]], ["2019-01", "2019-03"])
        self.assertEqual(info["releases"][0]["info"], self.json_of("info", "city/2019-01.odr"))
        text = self.ok("info", "city/")
        self.assertIn("a series of 2 months, 2019-01 to 2019-03", text)
        self.assertRegex(text, r"(?m)^  2019-01 +100 +150 +\d+  \d{4}-\d\d-\d\d [0-9a-f]{12}$")
        for one in info["releases"]:
            self.assertRegex(text, rf"(?m)^  {one['period']} +100 +\d+ +{one['info']['partitions']:,}  ")
        self.assertIn("epsilon 100 for one trip", text)
        (self.work / "none").mkdir()
        self.fails(3, "query", "none", says="a folder without releases")
        shutil.copytree(self.work / "city/other.odr", self.work / "none/other.odr")
        self.fails(3, "query", "none", says="none of a period")

    def test_exports_of_all_periods(self):
        self.city()
        zones = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": [
                [[w, 0], [w + 2, 0], [w + 2, 4], [w, 4], [w, 0]]]}} for name, w in (("West", 0), ("East", 2))]}
        self.write("zones.geojson", json.dumps(zones))
        told = self.json_of("export", "city", "--as", "zones", "--zones", "zones.geojson", "-o", "od.csv", "--quiet")
        self.assertEqual([row["period"] for row in told["periods"]], list(self.TRIPS))
        rows = self.csv_rows("od.csv")
        self.assertEqual(rows[0][:4], ["period", "origin", "destination", "estimate"])
        trips = {(row[0], row[1], row[2]): round(float(row[3])) for row in rows[1:]}
        self.assertEqual(len(trips), 3 * 4)
        for month, n in self.TRIPS.items():
            self.assertEqual((trips[month, "West", "East"], trips[month, "East", "East"]), (n, 50))
        card = json.loads((self.work / "od.csv.card.json").read_text())
        self.assertEqual([one["period"] for one in card["releases"]], list(self.TRIPS))
        self.assertIn("epsilon 100", card["guarantee"]["title"])
        self.assertEqual(sorted(p.name for p in self.work.glob("od*")), ["od.csv", "od.csv.card.json"])
        for kind, name in (("csv", "p.csv"), ("parquet", "p.parquet"), ("trips", "t.csv")):
            self.assertIn("3 months, 2019-01 to 2019-03", self.ok("export", "city", "--as", kind, "-o", name, "--quiet"))
        self.assertEqual(self.csv_rows("p.csv")[0][0], "period")
        by_month = [row[0] for row in self.csv_rows("t.csv")[1:]]
        self.assertEqual([by_month.count(month) for month in self.TRIPS], [n + 50 for n in self.TRIPS.values()])
        self.ok("export", "city", "--as", "omx", "--zones", "zones.geojson", "-o", "od.omx", "--quiet")
        matrices = (self.work / "od.omx").read_bytes()
        for month in self.TRIPS:
            for core in (month, f"{month}_lower", f"{month}_upper"):
                self.assertIn(core.encode() + b"\0", matrices)
        self.fails(2, "export", "city", "--as", "geojson", "-o", "x.geojson", says=["is of one release", "city is a series"])

    def test_what_cannot_be_asked(self):
        self.city(trips={"2019-01": 20, "2019-02": 20})
        one = "city/2019-01.odr"
        self.fails(2, "query", one, "--trend", says=["--trend goes with a series", "docs/guide/series.md"])
        self.fails(3, "query", "cities", "--trend", says="there is no release at cities")
        self.fails(2, "query", "city", "--compare", one, says="--compare goes with one release")
        self.fails(2, "query", "city", "--batch", "b.csv", says="--batch goes with one release")
        self.fails(2, "query", "city", "--trend", "--sum", says="different questions")
        self.fails(2, "query", "city", "--trend", "--totals", says="a trend is of counts")
        self.fails(2, "query", "city", "--period", "2019-05", says=["no 2019-05", "2019-01, 2019-02"])
        self.fails(2, "query", "city", "--period", "May", says="--period May names no period")
        self.fails(2, "query", "city", "--against", "2019-01", says="--period 2019-02")
        self.fails(2, "query", "city", "--sum", "--period", "2019-02", "--against", "2019-01", says="--against goes with")
        self.fails(2, "query", "city", "--period", "2019-02", "--against", "2019-02", says="with itself")
        self.fails(2, "query", "city", "--change", "--period", "2019-02", says="a change needs two periods")
        self.fails(2, "query", "city", "--change", "--share", says="counts and tables are compared")
        self.fails(2, "query", "city", "--stop", "home=bbox:0,0,1,1", says="2019-01:")
        self.fails(2, "query", "city", "-o", "x.txt", says=".csv or .json")
        spec = self.write("q.json", json.dumps({"series": "sum", "period": "2019-01..2019-02"}))
        self.assertEqual(self.json_of("query", "city", "--spec", spec)["series"], "sum")
        self.fails(2, "query", "city", "--spec", self.write("b.json", '{"series": "sums"}'), says="Did you mean sum?")


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=sys.argv[:1])
