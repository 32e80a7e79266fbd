#!/usr/bin/env python3
"""Exports for transport models and maps, each opened by its own consumer where that is installed.

  planners_test.py STOPOVER

AequilibraE and MATSim's Python tools come from .deps/readers-venv (scripts/python-env). Too large to be installed by
default: SUMO (od2trips on the PATH, or `pip install eclipse-sumo` there), kepler.gl's schema (`npm install
@kepler.gl/schemas` in .deps/kepler), MATSim's population_v6.dtd in .deps/matsim. What is not there is skipped, with a
word.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STOPOVER = Path(sys.argv.pop(1)).resolve()
READERS = ROOT / ".deps/readers-venv/bin/python"
KEPLER = Path(os.environ.get("STOPOVER_KEPLER", ROOT / ".deps/kepler"))
DTD = Path(os.environ.get("STOPOVER_MATSIM_DTD", ROOT / ".deps/matsim/population_v6.dtd"))
opened = []


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=1200, **more)


class Planners(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.work = Path(holder.name)
        ring = [[-122.6, 37.6], [-122.45, 37.6], [-122.45, 37.9], [-122.6, 37.9], [-122.6, 37.6]]
        (cls.work / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": name},
             "geometry": {"type": "Polygon", "coordinates": [[[x + dx, y] for x, y in ring]]}}
            for name, dx in (("west side", 0), ("east", 0.15))]}))
        cls.stopover("generate", "city", "--stops", 2, "--n", 20000, "--grid", 64, "--seed", 7, "-o", "trips.parquet")
        cls.stopover("publish", "--matrix", "trips.parquet", "--shape", "64x64x64x64", "--stops", "origin,destination",
                     "--bbox", "-122.6,37.6,-122.3,37.9", "--epsilon", 1, "--ledger", "l", "--budget", 1, "--state",
                     "none", "-q", "-o", "city.odr")
        cls.stopover("export", "city.odr", "--as", "zones", "--zones", "zones.geojson", "-o", "od.csv")
        pairs = (cls.work / "od.csv").read_text().splitlines()
        head = pairs[0].split(",")
        cls.pairs = {tuple(row.split(",")[:2]): dict(zip(head, row.split(","))) for row in pairs[1:]}

    @classmethod
    def stopover(cls, *words):
        done = run(STOPOVER, *words, cwd=cls.work)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def says(self, name, package, code):
        if not READERS.exists() or run(READERS, "-c", f"import {package}").returncode:
            self.skipTest(f"{name} is not here: scripts/python-env installs it where it can")
        done = run(READERS, "-c", textwrap.dedent(code), cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stderr)
        opened.append(name)
        return json.loads(done.stdout.splitlines()[-1])

    def estimate(self, a, b):
        return float(self.pairs[a, b]["estimate"])

    # SUMO.

    def sumo(self, ending):
        self.stopover("export", "city.odr", "--as", "sumo", "--zones", "zones.geojson", "--hours", "7-9", "-o",
                      f"morning{ending}", "--overwrite")
        return (self.work / f"morning{ending}").read_text()

    def test_sumo_matrices_hold_the_pairs(self):
        lines = [line for line in self.sumo(".od").splitlines() if line[0] not in "*$"]
        self.assertEqual(lines[:2], ["7.00 9.00", "1.00"])
        self.assertEqual(len(lines), 2 + 4)
        self.assertIn(f"west_side east {self.estimate('west side', 'east'):.12g}", lines)
        root = xml.fromstring(self.sumo(".xml"))
        interval = root.find("interval")
        self.assertEqual((interval.get("begin"), interval.get("end")), ("25200", "32400"))
        found = {(r.get("from"), r.get("to")): r for r in interval.findall("tazRelation")}
        one, row = found["west_side", "east"], self.pairs["west side", "east"]
        for own, theirs in (("count", "estimate"), ("lower", "lower"), ("upper", "upper")):
            self.assertAlmostEqual(float(one.get(own)), float(row[theirs]), delta=1e-6)
        card = json.loads((self.work / "morning.od.card.json").read_text())
        self.assertEqual(card["settings"]["hours"], "07:00-09:00")

    def test_od2trips_makes_trips_of_both(self):
        program = shutil.which("od2trips") or shutil.which("od2trips", path=str(READERS.parent))
        if not program:
            self.skipTest("od2trips is not here (SUMO)")
        (self.work / "taz.xml").write_text("<additional>" + "".join(
            f'<taz id="{name}"><tazSource id="{name}_out" weight="1"/><tazSink id="{name}_in" weight="1"/></taz>'
            for name in ("west_side", "east")) + "</additional>")
        total = sum(float(row["estimate"]) for row in self.pairs.values())
        for flag, ending in (("--od-matrix-files", ".od"), ("--tazrelation-files", ".xml")):
            self.sumo(ending)
            done = run(program, "--taz-files", "taz.xml", flag, f"morning{ending}", "-o", "out.xml", cwd=self.work)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            trips = xml.parse(self.work / "out.xml").getroot().findall("trip")
            self.assertAlmostEqual(len(trips), total, delta=4)
            self.assertTrue(all(7 * 3600 <= float(trip.get("depart")) <= 9 * 3600 for trip in trips))
        opened.append("SUMO od2trips")

    # MATSim.

    def plans(self):
        self.stopover("export", "city.odr", "--as", "matsim", "--n", 500, "--hours", "7-9", "--mode", "bike", "-o",
                      "plans.xml", "--overwrite")
        return xml.parse(self.work / "plans.xml").getroot()

    def test_matsim_plans(self):
        root = self.plans()
        self.assertEqual(len(root.findall("person")), 500)
        attributes = {a.get("name"): a.text for a in root.find("attributes")}
        self.assertEqual(attributes["coordinateReferenceSystem"], "EPSG:4326")
        self.assertIn("Pure differential privacy", json.loads(attributes["stopover"])["guarantee"]["title"])
        for person in root.findall("person"):
            first, leg, last = person.find("plan")
            self.assertEqual([first.get("type"), leg.get("mode"), last.get("type")], ["origin", "bike", "destination"])
            self.assertTrue("07:00:00" <= first.get("end_time") < "09:00:00")
            self.assertTrue(-122.6 <= float(last.get("x")) <= -122.3 and 37.6 <= float(last.get("y")) <= 37.9)
        before = (self.work / "plans.xml").read_bytes()
        self.plans()
        self.assertEqual((self.work / "plans.xml").read_bytes(), before)

    def test_matsims_own_schema(self):
        if not DTD.exists():
            self.skipTest("MATSim's population_v6.dtd is not here")
        self.plans()
        told = self.says("MATSim's schema", "lxml", f"""
            import json, lxml.etree
            dtd = lxml.etree.DTD({str(DTD)!r})
            print(json.dumps([dtd.validate(lxml.etree.parse("plans.xml")), str(dtd.error_log)]))""")
        self.assertEqual(told, [True, ""])

    def test_matsims_python_reader(self):
        self.plans()
        told = self.says("MATSim's Python tools", "matsim", """
            import json, matsim
            plans = [[e.tag for e in plan] for person, plan in matsim.plan_reader("plans.xml", selected_plans_only=True)]
            print(json.dumps([len(plans), plans[0]]))""")
        self.assertEqual(told, [500, ["activity", "leg", "activity"]])

    # AequilibraE.

    def test_aequilibrae_reads_the_omx(self):
        self.stopover("export", "city.odr", "--as", "omx", "--zones", "zones.geojson", "-o", "od.omx", "--overwrite")
        told = self.says("AequilibraE", "aequilibrae.matrix", """
            import json
            from aequilibrae.matrix import AequilibraeMatrix
            matrix = AequilibraeMatrix()
            matrix.load("od.omx")
            matrix.computational_view(["trips"])
            print(json.dumps([sorted(matrix.names), int(matrix.zones), float(matrix.matrix_view[0][1])]))""")
        self.assertEqual(told[:2], [["trips", "trips_lower", "trips_upper"], 2])
        self.assertAlmostEqual(told[2], self.estimate("west side", "east"), delta=1e-6)

    # kepler.gl.

    def kepler(self, *more):
        self.stopover("export", "city.odr", "--as", "kepler", *more, "-o", "map.json", "--overwrite")
        return json.loads((self.work / "map.json").read_text())

    def test_kepler_has_data_and_how_to_show_them(self):
        made = self.kepler("--zones", "zones.geojson", "--top", 100)
        labels = [one["data"]["label"] for one in made["datasets"]]
        self.assertEqual(labels, ["flows", "zones", "origin", "destination"])
        for one in made["datasets"]:
            names = [field["name"] for field in one["data"]["fields"]]
            self.assertTrue(one["data"]["allData"])
            self.assertTrue(all(len(row) == len(names) for row in one["data"]["allData"]))
        flows = made["datasets"][0]["data"]
        self.assertLessEqual(len(flows["allData"]), 100)
        at = [field["name"] for field in flows["fields"]].index("estimate")
        self.assertGreater(flows["allData"][0][at], 0)
        origin = made["datasets"][2]["data"]
        at = [field["name"] for field in origin["fields"]].index("estimate")
        total = json.loads(self.stopover("query", "city.odr", "--json"))["estimate"]
        self.assertAlmostEqual(sum(row[at] for row in origin["allData"]), total, delta=0.02 * total)
        self.assertIn("guarantee", made["stopover"])
        state = made["config"]["config"]["mapState"]
        self.assertAlmostEqual(state["longitude"], -122.45, delta=0.01)

    def test_kepler_of_zones_has_their_flows(self):
        stations = "".join(f"s{i},{50 + i / 100},{10 + i / 50}\n" for i in range(9))
        (self.work / "stations.csv").write_text("id,lat,lng\n" + stations)
        (self.work / "rides.csv").write_text("o,d\n" + "".join(f"s{i % 3},s{i % 4}\n" for i in range(2400)))
        self.stopover("publish", "rides.csv", "--shape-of", "trips", "--zones", "stations.csv", "--zone-columns", "o,d",
                      "--unit", "trip", "--epsilon", 1, "--ledger", "r", "--budget", 1, "--state", "none", "-q", "-o",
                      "rides.odr")
        self.stopover("export", "rides.odr", "--as", "kepler", "--top", 5, "-o", "rides.json")
        made = json.loads((self.work / "rides.json").read_text())
        flows, zones = (one["data"] for one in made["datasets"])
        self.assertEqual([flows["label"], len(flows["allData"])], ["flows", 5])
        self.assertEqual([zones["label"], len(zones["allData"])], ["zones", 9])
        names = [field["name"] for field in flows["fields"]]
        row = dict(zip(names, flows["allData"][0]))
        self.assertNotEqual(row["from"], row["to"])
        self.assertAlmostEqual(row["estimate"], 200, delta=40)
        self.assertTrue(row["noise_lower"] <= row["estimate"] <= row["noise_upper"])
        self.assertAlmostEqual(row["from_lat"], 50 + int(row["from"][1:]) / 100)

    def test_keplers_own_schema(self):
        if not shutil.which("node") or not (KEPLER / "node_modules/@kepler.gl/schemas").exists():
            self.skipTest("kepler.gl's schema is not here (npm install @kepler.gl/schemas)")
        self.kepler("--zones", "zones.geojson", "--top", 100)
        done = run("node", "-e", """
            const {KeplerGlSchema} = require('@kepler.gl/schemas');
            const map = JSON.parse(require('fs').readFileSync(process.argv[1]));
            const {datasets, config} = KeplerGlSchema.load(map.datasets, map.config);
            console.log(JSON.stringify([datasets.map(d => [d.info.label, d.data.rows.length, d.data.fields.length]),
              config.visState.layers.map(l => [l.type, l.config.dataId, l.config.columns]), config.mapState.zoom > 5]));
        """, self.work / "map.json", cwd=KEPLER)
        self.assertEqual(done.returncode, 0, done.stderr)
        datasets, layers, zoomed = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual([name for name, *_ in datasets], ["flows", "zones", "origin", "destination"])
        self.assertTrue(all(rows > 0 and fields > 1 for _, rows, fields in datasets))
        self.assertEqual([kind for kind, *_ in layers], ["arc", "geojson", "geojson", "geojson"])
        self.assertTrue(zoomed)
        opened.append("kepler.gl's schema")

    # H3.

    def test_h3_table(self):
        self.stopover("export", "city.odr", "--as", "zones", "--zones", "h3:7", "--summary", "-o", "h3.csv")
        rows = [line.split(",") for line in (self.work / "h3.csv").read_text().splitlines()]
        self.assertEqual(rows[0][:3], ["stop", "zone", "estimate"])
        self.assertTrue(all(len(row[1]) == 15 and row[1].startswith("87") for row in rows[1:]))
        total = json.loads(self.stopover("query", "city.odr", "--json"))["estimate"]
        for stop in ("origin", "destination"):
            mine = [float(row[2]) for row in rows[1:] if row[0] == stop]
            self.assertAlmostEqual(sum(mine), total, delta=0.01 * total, msg="the cells tile the map")
        for words, says in ((["h3:16"], "H3's resolutions are 0 to 15"), (["h3:x"], "H3's resolutions"),
                            (["h3:12"], "more than 100000 cells")):
            done = run(STOPOVER, "export", "city.odr", "--as", "zones", "--zones", *words, "-o", "b.csv", cwd=self.work)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    print(f"{len(opened)} consumers opened it: {', '.join(sorted(opened))}")
    sys.exit(0 if result.wasSuccessful() else 1)
