#!/usr/bin/env python3
"""One release, opened as it is by programs that know nothing of us, each without a warning.

  foreign_readers_test.py STOPOVER

Readers come from the environments that scripts/python-env makes and from the system: QGIS (Debian: qgis,
python3-qgis), R's sf and arrow (r-cran-sf; Debian has no arrow), ogrinfo (gdal-bin), kepler.gl's schema (npm install
@kepler.gl/schemas in .deps/kepler). One that is not there is skipped, with a word, and nothing is installed here. At
the end it is told which opened the release, which are not here and which failed. Nothing here imports our package.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STOPOVER = Path(sys.argv.pop(1)).resolve()
FRAMES, VERIFIER, READERS = (ROOT / f".deps/{name}/bin/python" for name in ("python-venv", "venv", "readers-venv"))
BOX = "-122.6,37.6,-122.3,37.9"
KEPLER = Path(os.environ.get("STOPOVER_KEPLER", ROOT / ".deps/kepler"))
QGIS = Path(os.environ.get("STOPOVER_QGIS_PYTHON", "/usr/bin/python3"))  # QGIS's package is for the system's Python
TWELVE = ["pandas", "Polars", "DuckDB", "pyarrow", "GeoPandas", "frictionless", "geoparquet-validator", "openmatrix", "ogrinfo",
          "QGIS", "kepler.gl's schema", "R"]
opened = []


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=1200, **more)


class ForeignReaders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.work = Path(holder.name)

        def stopover(*words):
            done = run(STOPOVER, *words, cwd=cls.work)
            assert done.returncode == 0, done.stderr
            return done.stdout

        square = [[-122.55, 37.65], [-122.45, 37.65], [-122.45, 37.75], [-122.55, 37.75], [-122.55, 37.65]]
        other = [[x + 0.15, y + 0.1] for x, y in square]
        (cls.work / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
            for name, ring in (("a", square), ("b", other))]}))
        stopover("generate", "city", "--stops", 2, "--n", 20000, "--grid", 64, "--seed", 7, "-o", "trips.parquet")
        stopover("publish", "--matrix", "trips.parquet", "--shape", "64x64x64x64", "--stops", "origin,destination",
                 "--bbox", BOX, "--epsilon", 1, "--ledger", "l", "--budget", 1, "--state", "none", "-q", "-o", "city.odr")
        stopover("export", "city.odr", "--as", "omx", "--zones", "zones.geojson", "-o", "city.omx")
        stopover("export", "city.odr", "--as", "gpkg", "--zones", "zones.geojson", "-o", "city.gpkg")
        stopover("export", "city.odr", "--as", "kepler", "--zones", "zones.geojson", "--top", 100, "-o", "map.json")
        stopover("pack", "city.odr", "-o", "city.odrz")
        cls.total = json.loads(stopover("query", "city.odr", "--json"))["estimate"]
        cls.leaves = json.loads(stopover("info", "city.odr", "--json"))["partitions"]

    maxDiff = None

    def says(self, name, python, package, code):
        """What the code prints, by a Python that has the package; warnings are errors."""
        if not python.exists() or run(python, "-c", f"import {package}").returncode:
            self.skipTest(f"{name} is not here: scripts/python-env installs it where it can")
        done = run(python, "-W", "error", "-c", textwrap.dedent(code), cwd=self.work)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        opened.append(name)
        return json.loads(done.stdout)

    def check(self, told):
        """The leaves of the joint table, and about all trips in both maps, which have estimates of their own."""
        self.assertEqual(told[0], self.leaves)
        for total in told[1:]:
            self.assertAlmostEqual(total, self.total, delta=0.02 * self.total)

    def test_pandas(self):
        self.check(self.says("pandas", FRAMES, "pandas, pyarrow", """
            import json, pandas
            joint, maps = pandas.read_parquet("city.odr/joint.parquet"), pandas.read_parquet("city.odr/maps")
            sums = maps.groupby("stop").estimate.sum()
            print(json.dumps([int(joint.leaf.sum()), sums["origin"], sums["destination"]]))"""))

    def test_polars(self):
        self.check(self.says("Polars", FRAMES, "polars", """
            import json, polars
            joint = polars.read_parquet("city.odr/joint*.parquet").filter("leaf")
            maps = polars.read_parquet("city.odr/maps").group_by("stop").agg(polars.col("estimate").sum()).sort("stop")
            print(json.dumps([joint.height, *maps["estimate"].to_list()]))"""))

    def test_duckdb(self):
        self.check(self.says("DuckDB", FRAMES, "duckdb", """
            import json, duckdb
            leaves = duckdb.sql("SELECT count(*) FROM 'city.odr/joint.parquet' WHERE leaf").fetchall()[0]
            sums = duckdb.sql("SELECT sum(estimate) FROM 'city.odr/maps/*.parquet' GROUP BY stop").fetchall()
            print(json.dumps([*leaves, *(total for total, in sums)]))"""))

    def test_pyarrow(self):
        self.check(self.says("pyarrow", FRAMES, "pyarrow.dataset", """
            import json, pyarrow.compute, pyarrow.dataset, pyarrow.parquet
            maps = pyarrow.dataset.dataset("city.odr/maps").to_table().group_by("stop").aggregate([("estimate", "sum")])
            leaves = pyarrow.compute.sum(pyarrow.parquet.read_table("city.odr/joint.parquet")["leaf"]).as_py()
            print(json.dumps([leaves, *maps["estimate_sum"].to_pylist()]))"""))

    def test_geopandas(self):
        told = self.says("GeoPandas", FRAMES, "geopandas, pyarrow", """
            import json, geopandas
            one = geopandas.read_parquet("city.odr/maps/map1.parquet")
            part = geopandas.read_parquet("city.odr/maps/map1.parquet", bbox=(-122.5, 37.7, -122.49, 37.71))
            print(json.dumps([one.crs.to_authority(), list(one.total_bounds), bool(one.is_valid.all()),
                              one.estimate.sum(), len(one), len(part),
                              float(one.set_crs(None, allow_override=True).area.sum())]))""")
        self.assertEqual(told[:3], [["OGC", "CRS84"], [float(x) for x in BOX.split(",")], True])
        self.assertAlmostEqual(told[3], self.total, delta=0.02 * self.total)
        self.assertTrue(0 < told[5] < told[4])
        self.assertAlmostEqual(told[6], 0.3 * 0.3, places=9, msg="the rectangles tile the map")

    def test_gdal_reads_the_geopackage(self):
        told = self.says("GDAL (pyogrio)", FRAMES, "pyogrio, geopandas", """
            import json, pyogrio
            layers = {name: str(kind) for name, kind in pyogrio.list_layers("city.gpkg")}
            stops, flows = (pyogrio.read_dataframe("city.gpkg", layer=name) for name in ("stops", "flows"))
            sums = stops.groupby("stop").estimate.sum()
            zones = pyogrio.read_dataframe("city.gpkg", layer="zones")
            print(json.dumps([layers, stops.crs.to_epsg(), bool(stops.is_valid.all()), sums["origin"],
                              bool((flows.noise_lower <= flows.noise_upper).all()), list(zones.zone),
                              bool((zones.origin_lower <= zones.origin_upper).all())]))""")
        self.assertEqual((told[0]["stops"], told[0]["flows"], told[0]["zones"]), ("Polygon", "LineString", "MultiPolygon"))
        self.assertIn("layer_styles", told[0])
        self.assertEqual((told[1], told[2], told[4], told[5], told[6]), (4326, True, True, ["a", "b"], True))
        self.assertAlmostEqual(told[3], self.total, delta=0.02 * self.total)

    def test_sqlite_finds_the_geopackage_sound(self):
        told = self.says("SQLite", Path(sys.executable), "sqlite3", """
            import json, sqlite3, xml.etree.ElementTree
            db = sqlite3.connect("city.gpkg")
            one = lambda sql: [row[0] for row in db.execute(sql)]
            for style in one("SELECT styleQML FROM layer_styles"):
                ranges = xml.etree.ElementTree.fromstring(style.split("\\n", 1)[1]).findall(".//range")
                assert ranges and all(float(r.get("lower")) <= float(r.get("upper")) for r in ranges)
            print(json.dumps([one("PRAGMA integrity_check"), one("PRAGMA application_id"), list(db.execute("PRAGMA foreign_key_check")),
                              one("SELECT json_extract(card, '$.release.private') FROM stopover"),
                              one("SELECT count(*) FROM layer_styles") == one("SELECT count(*) FROM gpkg_geometry_columns")]))
            db.close()""")
        self.assertEqual(told, [["ok"], [0x47504B47], [], [1], True])

    def test_ogrinfo(self):
        if not shutil.which("ogrinfo"):
            self.skipTest("ogrinfo is not here (Debian: gdal-bin)")
        done = run("ogrinfo", "-so", "-al", "city.gpkg", cwd=self.work)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Layer name: flows", done.stdout)
        opened.append("ogrinfo")

    def test_frictionless(self):
        told = self.says("frictionless", READERS, "frictionless", """
            import json, warnings
            warnings.simplefilter("ignore")   # of its own imports
            import frictionless
            report = frictionless.Package("city.odr/datapackage.json").validate()
            print(json.dumps([report.valid, report.flatten(["type", "note"]), [task.place for task in report.tasks]]))""")
        self.assertEqual(told[:2], [True, []])
        self.assertEqual(told[2], ["joint.parquet", "map1.parquet", "map2.parquet", "maps/map1.parquet", "maps/map2.parquet"])

    def test_geoparquet_validator(self):
        program = READERS.parent / "geoparquet-validator"
        if not program.exists():
            self.skipTest("geoparquet-validator is not here: scripts/python-env installs it where it can")
        for name in ("map1", "map2"):
            done = run(READERS, program, "check", f"city.odr/maps/{name}.parquet", cwd=self.work)
            self.assertEqual(done.returncode, 0, done.stdout)
            for part in ("core", "covering", "distribution"):
                self.assertRegex(done.stdout, rf"=> {part}: \d+ pass, 0 fail, \d+ skipped: conformant")
        opened.append("geoparquet-validator")

    def test_openmatrix(self):
        told = self.says("openmatrix", VERIFIER, "openmatrix", """
            import json, openmatrix
            with openmatrix.open_file("city.omx") as file:
                print(json.dumps([sorted(file.list_matrices()), [int(n) for n in file.shape()],
                                  bool(file["trips"][:].sum() > 0)]))""")
        self.assertEqual(told, [["trips", "trips_lower", "trips_upper"], [2, 2], True])

    def test_qgis(self):
        """Headless: layers, their styles, a picture, and no word in QGIS's log."""
        if not QGIS.exists() or run(QGIS, "-c", "import qgis.core", env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}).returncode:
            self.skipTest("QGIS is not here (Debian: qgis, python3-qgis)")
        done = run(QGIS, "-W", "error::UserWarning", "-c", textwrap.dedent("""
            import json, sys
            from qgis.core import (Qgis, QgsApplication, QgsMapRendererSequentialJob, QgsMapSettings, QgsVectorLayer)
            from qgis.PyQt.QtCore import QSize
            from qgis.PyQt.QtGui import QColor
            QgsApplication.setPrefixPath("/usr", True)
            app = QgsApplication([], False)
            logged = []
            app.messageLog().messageReceived.connect(
                lambda text, tag, level: logged.append(f"{tag}: {text}") if level in (Qgis.Warning, Qgis.Critical) else None)
            app.initQgis()
            told, layers = {}, []
            for name in ("stops", "flows", "zones"):
                layer = QgsVectorLayer(f"city.gpkg|layername={name}", name, "ogr")
                styled = layer.loadDefaultStyle()[1]
                renderer = layer.renderer()
                ranges = len(renderer.ranges()) if hasattr(renderer, "ranges") else 0
                told[name] = [layer.isValid(), layer.featureCount(), layer.crs().authid(), styled, renderer.type(),
                              ranges]
                layers.append(layer)
            settings = QgsMapSettings()
            settings.setLayers(layers)
            settings.setExtent(layers[0].extent())
            settings.setOutputSize(QSize(400, 400))
            settings.setBackgroundColor(QColor("white"))
            job = QgsMapRendererSequentialJob(settings)
            job.start()
            job.waitForFinished()
            image = job.renderedImage()
            if len(sys.argv) > 1:
                image.save(sys.argv[1])
            colours = {image.pixel(x, y) for x in range(0, 400, 4) for y in range(0, 400, 4)}
            logged += [f"{e.layerID}: {e.message}" for e in job.errors()]
            print(json.dumps([told, len(colours), logged]))
            sys.stdout.flush()
            """), *([os.environ["STOPOVER_QGIS_PICTURE"]] if "STOPOVER_QGIS_PICTURE" in os.environ else []), cwd=self.work,
                   env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(self.work),
                        "HOME": str(self.work)})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        told, colours, logged = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(logged, [])
        for name, (valid, features, crs, styled, kind, ranges) in told.items():
            self.assertEqual((valid, crs, styled, kind), (True, "EPSG:4326", True, "graduatedSymbol"), name)
            self.assertGreater(features, 1)
            self.assertGreater(ranges, 1, name)
        self.assertEqual(told["zones"][1], 2)
        self.assertGreater(colours, 5, "a picture of one colour")
        opened.append("QGIS")

    def says_in_r(self, package, code):
        if not shutil.which("Rscript") or run("Rscript", "-e", f"library({package})").returncode:
            self.skipTest(f"R's {package} is not here" + (" (Debian: r-cran-sf)" if package == "sf" else " (Debian has none)"))
        done = run("Rscript", "-e", f"options(warn = 2); suppressPackageStartupMessages(library({package}))", "-e",
                   textwrap.dedent(code), cwd=self.work)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        opened.append("R")
        return json.loads(done.stdout)

    def test_r_sf(self):
        told = self.says_in_r("sf", """
            stops <- st_read("city.gpkg", layer = "stops", quiet = TRUE)
            zones <- st_read("city.gpkg", layer = "zones", quiet = TRUE)
            origin <- stops[stops$stop == "origin", ]
            cat(sprintf("[%d, %s, %.6f, %d]", st_crs(stops)$epsg, tolower(all(st_is_valid(stops))), sum(origin$estimate), nrow(zones)))
            """)
        self.assertEqual((told[0], told[1], told[3]), (4326, True, 2))
        self.assertAlmostEqual(told[2], self.total, delta=0.02 * self.total)

    def test_r_arrow(self):
        self.check(self.says_in_r("arrow", """
            joint <- read_parquet("city.odr/joint.parquet")
            sums <- sapply(c("map1", "map2"), function(name)
                sum(as.data.frame(read_parquet(sprintf("city.odr/maps/%s.parquet", name), col_select = "estimate"))$estimate))
            cat(sprintf("[%d, %.6f, %.6f]", sum(joint$leaf), sums[1], sums[2]))
            """))

    def test_keplers_schema(self):
        if not shutil.which("node") or not (KEPLER / "node_modules/@kepler.gl/schemas").exists():
            self.skipTest("kepler.gl's schema is not here (npm install @kepler.gl/schemas)")
        done = run("node", "-e", """
            const {KeplerGlSchema} = require('@kepler.gl/schemas');
            const map = JSON.parse(require('fs').readFileSync(process.argv[1]));
            const {datasets} = KeplerGlSchema.load(map.datasets, map.config);
            console.log(JSON.stringify(datasets.map(d => [d.info.label, d.data.rows.length > 0])));
            """, self.work / "map.json", cwd=KEPLER)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout.splitlines()[-1]),
                         [[name, True] for name in ("flows", "zones", "origin", "destination")])
        opened.append("kepler.gl's schema")

    def test_unzip(self):
        if not shutil.which("unzip"):
            self.skipTest("unzip is not here")
        self.assertEqual(run("unzip", "-tq", "city.odrz", cwd=self.work).returncode, 0)
        opened.append("unzip")


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    named = [reader for reader in TWELVE if reader in opened]
    others = sorted(set(opened) - set(TWELVE))
    print(f"{len(named)} of {len(TWELVE)} readers opened it without a warning: {', '.join(named)}; others: {', '.join(others)}")
    for case, why in result.skipped:
        print(f"  not tried: {case.id().rpartition('.')[2]}: {why}")
    for case, why in result.failures + result.errors:
        print(f"  failed: {case.id().rpartition('.')[2]}: {why.strip().splitlines()[-1]}")
    sys.exit(0 if result.wasSuccessful() else 1)
