#!/usr/bin/env python3
"""The QGIS plugin in a headless QGIS: its layers, styles and numbers, against the command line's.

  qgis_test.py STOPOVER REPOSITORY [PICTURE]

Exit code 77: there is no QGIS for this Python. PICTURE: where a map is drawn to, to look at.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ["QT_QPA_PLATFORM"] = "offscreen"
STOPOVER = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).resolve()
PICTURE = sys.argv[3] if len(sys.argv) > 3 else None
try:
    from qgis.core import (QgsApplication, QgsFeature, QgsGeometry, QgsMapRendererParallelJob, QgsMapSettings,
                           QgsProcessingContext, QgsProcessingException, QgsProcessingFeedback, QgsProject, QgsSymbol,
                           QgsVectorLayer)
    from qgis.PyQt.QtCore import QSize
except ImportError:
    print("QGIS is not installed for this Python (scripts/install-deps --qgis): the plugin is not tested")
    sys.exit(77)

BOX = ((-0.05, -0.05, 0.0, 0.05), (0.0, -0.05, 0.05, 0.05))
SCRATCH = tempfile.TemporaryDirectory(prefix="stopover-qgis-")
WORK = pathlib.Path(SCRATCH.name)
FIGURES = ("estimate", "lower", "upper", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper")


def typed(*words):
    done = subprocess.run([STOPOVER, *map(str, words)], cwd=WORK, check=True, capture_output=True, text=True)
    return done.stdout


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["STOPOVER_PROGRAM"] = STOPOVER
        os.environ["XDG_STATE_HOME"] = str(WORK / "state")
        sys.path[:0] = [str(ROOT / "qgis"), "/usr/share/qgis/python/plugins"]
        cls.app = QgsApplication([], False)
        cls.app.initQgis()
        import processing
        from processing.core.Processing import Processing

        Processing.initialize()
        from stopover_qgis import classFactory

        cls.plugin = classFactory(None)
        cls.plugin.initProcessing()
        cls.processing = processing
        typed("generate", "city", "--stops", 3, "--n", 20000, "--grid", 100, "--seed", 7, "-o", "city.parquet")
        typed("publish", "--matrix", "city.parquet", "--shape", "x".join(["100"] * 6), "--stops",
              "origin,stop,destination", "--bbox=-0.1,-0.1,0.1,0.1", "--epsilon", 1, "--ledger", "l", "--budget", 1, "-o",
              "city.odr")
        cls.release = str(WORK / "city.odr")

    @classmethod
    def tearDownClass(cls):
        cls.plugin.unload()
        cls.app.exitQgis()

    def zones(self, crs="EPSG:4326"):
        layer = QgsVectorLayer(f"Polygon?crs={crs}&field=who:string", "zones", "memory")
        for name, (w, s, e, n) in zip("ab", BOX):
            feature = QgsFeature(layer.fields())
            feature.setGeometry(QgsGeometry.fromWkt(f"POLYGON(({w} {s},{e} {s},{e} {n},{w} {n},{w} {s}))"))
            feature.setAttributes([name])
            layer.dataProvider().addFeature(feature)
        return layer

    def file_of_zones(self):
        features = [{"type": "Feature", "properties": {"who": name}, "geometry": {"type": "Polygon", "coordinates": [
            [[w, s], [e, s], [e, n], [w, n], [w, s]]]}} for name, (w, s, e, n) in zip("ab", BOX)]
        (WORK / "z.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        return "z.geojson"

    def run_it(self, name, **parameters):
        return self.processing.run(f"stopover:{name}", {"RELEASE": self.release, **parameters})

    def test_what_it_offers(self):
        names = {algorithm.id() for algorithm in self.plugin.provider.algorithms()}
        self.assertEqual(names, {"stopover:load", "stopover:zones", "stopover:zoneflows", "stopover:count"})
        for algorithm in self.plugin.provider.algorithms():
            self.assertTrue(algorithm.shortHelpString())

    def test_nothing_is_published(self):
        from stopover_qgis import program

        for word in ("publish", "ledger", "cells", "sign"):
            with self.assertRaisesRegex(QgsProcessingException, "not for this plugin"):
                program.run(word)

    def test_maps_and_flows(self):
        context, feedback = QgsProcessingContext(), QgsProcessingFeedback()
        project = QgsProject()
        context.setProject(project)
        output = str(WORK / "city.gpkg")
        found = self.processing.run("stopover:load", {"RELEASE": self.release, "TOP": 50, "OUTPUT": output},
                                    context=context, feedback=feedback)
        self.assertEqual(found["LAYERS"], 4)
        wanted = context.layersToLoadOnCompletion()
        self.assertEqual({details.name for details in wanted.values()},
                         {"Trips: origin", "Trips: stop", "Trips: destination", "Flows"})
        layers = {}
        for identity, details in wanted.items():
            layer = context.takeResultLayer(identity)
            details.postProcessor().postProcessLayer(layer, context, feedback)
            layers[details.name] = layer
        total = json.loads(typed("query", "city.odr", "--json"))["estimate"]
        trips = sum(f["estimate"] for f in layers["Trips: origin"].getFeatures())
        self.assertAlmostEqual(trips / total, 1, places=6)
        for layer in layers.values():
            symbol = layer.renderer().symbols(self.render_context())[0]
            told = symbol.dataDefinedProperties().property(QgsSymbol.PropertyOpacity)
            self.assertIn("noise_upper", told.asExpression())
            self.assertIn("noise_lower", layer.mapTipTemplate())
        self.assertGreater(len(layers["Trips: origin"].renderer().ranges()), 3)
        image = self.drawn([layers["Flows"], layers["Trips: origin"]])
        colours = {image.pixel(x, y) for x in range(0, 600, 5) for y in range(0, 600, 5)}
        self.assertGreater(len(colours), 20)
        blank = sum(image.pixelColor(x, y).name() == "#ffffff" for x in range(0, 600, 5) for y in range(0, 600, 5))
        self.assertLess(blank, 0.05 * 120 * 120, "places that no class of the style has")
        if PICTURE:
            image.save(PICTURE)

    @staticmethod
    def render_context():
        from qgis.core import QgsRenderContext

        return QgsRenderContext()

    @staticmethod
    def drawn(layers):
        settings = QgsMapSettings()
        settings.setLayers(layers)
        settings.setOutputSize(QSize(600, 600))
        settings.setExtent(layers[-1].extent())
        job = QgsMapRendererParallelJob(settings)
        job.start()
        job.waitForFinished()
        return job.renderedImage()

    def same(self, layer, rows, keys):
        told = {tuple(f[key] for key in keys): f for f in layer.getFeatures()}
        self.assertEqual(len(told), len(rows))
        for row in rows:
            feature = told[tuple(list(row.values())[:2])]
            for name in FIGURES:
                self.assertEqual(feature[name], float(row[name]), name)

    def test_zones(self):
        layer = self.run_it("zones", ZONES=self.zones(), NAME="who", OUTPUT="memory:")["OUTPUT"]
        typed("export", "city.odr", "--as", "zones", "--zones", self.file_of_zones(), "--zone-name", "who", "--summary", "-o",
              "s.csv", "--overwrite")
        with open(WORK / "s.csv", newline="") as file:
            self.same(layer, list(csv.DictReader(file)), ("stop", "zone"))
        self.assertEqual(layer.featureCount(), 6)
        self.assertFalse(any(f.geometry().isEmpty() for f in layer.getFeatures()))

    def test_flows_between_zones(self):
        layer = self.run_it("zoneflows", ZONES=self.zones(), NAME="who", OUTPUT="memory:")["OUTPUT"]
        typed("export", "city.odr", "--as", "zones", "--zones", self.file_of_zones(), "--zone-name", "who", "-o", "f.csv",
              "--overwrite")
        with open(WORK / "f.csv", newline="") as file:
            self.same(layer, list(csv.DictReader(file)), ("from_zone", "to_zone"))
        self.assertEqual(sorted(f.hasGeometry() for f in layer.getFeatures()), [False, False, True, True])
        layer = self.run_it("zoneflows", ZONES=self.zones(), NAME="who", TO="stop", OUTPUT="memory:")["OUTPUT"]
        self.assertEqual(layer.featureCount(), 4)

    def test_count(self):
        zones = self.zones()
        zones.selectByExpression("who = 'a'")
        from qgis.core import QgsProcessingFeatureSourceDefinition

        chosen = QgsProcessingFeatureSourceDefinition(zones.id(), True)
        QgsProject.instance().addMapLayer(zones)
        found = self.run_it("count", FIRST_AREA=chosen, SECOND_AREA=self.zones())
        said = json.loads(typed("query", "city.odr", "--stop", "origin=polygon:-0.05 -0.05,0 -0.05,0 0.05,-0.05 0.05",
                                "--stop", "destination=polygon:-0.05 -0.05,0.05 -0.05,0.05 0.05,-0.05 0.05", "--json"))
        for name in FIGURES:
            self.assertEqual(found[name.upper()], said[name], name)

    def test_zones_of_another_projection(self):
        layer = self.zones()
        moved = self.processing.run("native:reprojectlayer", {"INPUT": layer, "TARGET_CRS": "EPSG:3857",
                                                              "OUTPUT": "memory:"})["OUTPUT"]
        a = self.run_it("zones", ZONES=layer, NAME="who", OUTPUT="memory:")["OUTPUT"]
        b = self.run_it("zones", ZONES=moved, NAME="who", OUTPUT="memory:")["OUTPUT"]
        for one, other in zip(a.getFeatures(), b.getFeatures()):
            self.assertAlmostEqual(one["estimate"], other["estimate"], delta=1e-6 * max(1, one["estimate"]))

    def test_what_goes_wrong_is_told(self):
        with self.assertRaisesRegex(QgsProcessingException, "none.odr"):
            self.processing.run("stopover:load", {"RELEASE": str(WORK / "none.odr"), "OUTPUT": str(WORK / "x.gpkg")})
        with self.assertRaisesRegex(QgsProcessingException, "nowhere"):
            self.run_it("count", FIRST_STOP="nowhere", FIRST_AREA=self.zones())
        os.environ["STOPOVER_PROGRAM"], path = str(WORK / "nothing"), os.environ["PATH"]
        os.environ["PATH"] = str(WORK)
        try:
            with self.assertRaisesRegex(QgsProcessingException, "STOPOVER_PROGRAM"):
                self.run_it("count", FIRST_AREA=self.zones())
        finally:
            os.environ["STOPOVER_PROGRAM"], os.environ["PATH"] = STOPOVER, path


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
