#!/usr/bin/env python3
"""Exports read by independent readers: Parquet by pyarrow, OMX by openmatrix, GeoJSON by shapely, .npy by NumPy.

  readers_test.py STOPOVER STOPOVER_LAB

Taken from .deps/venv if this Python has none (scripts/python-env makes it); else skipped (77).
"""
import contextlib
import hashlib
import io
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
try:
    import numpy
    import openmatrix
    import pyarrow.parquet as pq
    import shapely
    from openmatrix import validator
except ImportError:
    sys.path.insert(0, str(ROOT / "tests"))
    import other_python
    other_python.run_again_with_packages("openmatrix, pyarrow or shapely")

sys.path.insert(0, str(ROOT / "tests/cli"))
import bench_of_commands  # noqa: E402
from bench_of_commands import Bench  # noqa: E402

WEST, SOUTH, EAST, NORTH = -122.6, 37.6, -122.3, 37.9


def zones_geojson(columns, rows, west=WEST, south=SOUTH, east=EAST, north=NORTH):
    features = []
    for i in range(columns):
        for j in range(rows):
            x0, x1 = (west + (east - west) * k / columns for k in (i, i + 1))
            y0, y1 = (south + (north - south) * k / rows for k in (j, j + 1))
            ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
            features.append({"type": "Feature", "properties": {"name": f"zone {i}/{j} é"},
                             "geometry": {"type": "Polygon", "coordinates": [ring]}})
    return json.dumps({"type": "FeatureCollection", "features": features})


class Readers(Bench):
    def setUp(self):
        super().setUp()
        self.ok("generate", "city", "--stops", 2, "--n", 20000, "--grid", 100, "--seed", 7, "-o", "c.parquet")
        self.ok("publish", "--matrix", "c.parquet", "--shape", "100x100x100x100", "--stops", "origin,destination",
                "--bbox",
                f"{WEST},{SOUTH},{EAST},{NORTH}", "--epsilon", "1", "--ledger", "c.ledger", "--budget", "1", "-o",
                "c.odr", "-q")
        self.total = self.json_of("query", "c.odr")["estimate"]
        self.write("zones.geojson", zones_geojson(3, 2))

    def check_card(self, card):
        self.assertIn("epsilon 1 ", card["guarantee"]["title"])
        self.assertEqual(card["release"]["content_sha256"], self.json_of("info", "c.odr")["content_sha256"])
        self.assertTrue(card["notes"])

    def test_parquet(self):
        self.ok("export", "c.odr", "--as", "parquet", "-o", "p.parquet")
        table = pq.read_table(self.work / "p.parquet")
        self.check_card(json.loads(table.schema.metadata[b"stopover"]))
        self.assertAlmostEqual(sum(table["estimate"].to_pylist()), self.total, places=3)
        self.assertEqual(table.num_rows, self.json_of("info", "c.odr")["partitions"])
        self.ok("export", "c.odr", "--as", "csv", "-o", "p.csv")
        rows = self.csv_rows("p.csv")
        self.assertEqual(rows[0], table.schema.names)
        self.assertEqual(len(rows), table.num_rows + 1)
        card = json.loads((self.work / "p.csv.card.json").read_text())
        self.check_card(card)
        self.assertEqual(card["file"]["sha256"], hashlib.sha256((self.work / "p.csv").read_bytes()).hexdigest())

    def test_geojson_is_valid(self):
        for layer, more in (("partitions", []), ("stops", []), ("flows", ["--top", "50"]),
                            ("zones", ["--zones", "zones.geojson"])):
            self.ok("export", "c.odr", "--as", "geojson", "--layer", layer, *more, "-o", f"out-{layer}.geojson")
            document = json.loads((self.work / f"out-{layer}.geojson").read_text())
            self.assertEqual(document["type"], "FeatureCollection")
            self.check_card(document["stopover"])
            self.assertTrue(document["features"])
            for feature in document["features"]:
                self.assertEqual(set(feature), {"type", "geometry", "properties"})
                shape = shapely.geometry.shape(feature["geometry"])
                self.assertTrue(shape.is_valid, feature)
                west, south, east, north = shape.bounds
                self.assertTrue(WEST - 1e-9 <= west <= east <= EAST + 1e-9
                                and SOUTH - 1e-9 <= south <= north <= NORTH + 1e-9)
                if shape.geom_type == "Polygon":
                    self.assertTrue(shape.exterior.is_ccw)
            if layer == "stops":
                tiles = [shapely.geometry.shape(f["geometry"]) for f in document["features"]
                         if f["properties"]["stop"] == "origin"]
                self.assertAlmostEqual(sum(t.area for t in tiles), 0.09, places=9)
                self.assertAlmostEqual(shapely.union_all(tiles).area, 0.09, places=9)
            if layer == "zones":
                self.assertAlmostEqual(sum(f["properties"]["origin"] for f in document["features"]), self.total,
                                       places=3)

    def test_omx(self):
        self.ok("export", "c.odr", "--as", "omx", "--zones", "zones.geojson", "--draws", "3", "-o", "od.omx")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            validator.run_checks(str(self.work / "od.omx"))
        self.assertIn("Overall :  Pass", said.getvalue())
        with openmatrix.open_file(str(self.work / "od.omx")) as omx:
            self.assertEqual(omx.version(), b"0.2")
            self.assertEqual(tuple(omx.shape()), (6, 6))
            self.assertEqual(sorted(omx.list_matrices()), ["draw_0001", "draw_0002", "draw_0003", "trips",
                                                           "trips_lower", "trips_upper"])
            trips, lower, upper = (numpy.array(omx[name]) for name in ("trips", "trips_lower", "trips_upper"))
            names = [n.decode() for n in omx.mapentries("zone")]
            draws = [numpy.array(omx[f"draw_000{i}"]) for i in (1, 2, 3)]
            card = omx.root._v_attrs["stopover"]
        self.check_card(json.loads(card if isinstance(card, str) else card.decode()))
        self.assertAlmostEqual(trips.sum(), self.total, places=3)
        self.assertTrue((lower <= upper + 1e-9).all())
        self.assertEqual(names[1], "zone 0/1 é")
        answer = self.json_of("query", "c.odr", "--zones", "zones.geojson", "--stop", "origin=zone:zone 1/0 é",
                              "--stop",
                              "destination=zone:zone 0/1 é")
        self.assertAlmostEqual(trips[2, 1], answer["estimate"], places=6)
        for draw in draws:
            self.assertAlmostEqual(draw.sum() / self.total, 1, delta=0.05)
        self.assertFalse((draws[0] == draws[1]).all())

    def test_whole_numbers_in_omx(self):
        self.write("totals.csv", "zone,origins\nzone 1/0 é,5000\n")
        self.ok("export", "c.odr", "--as", "omx", "--zones", "zones.geojson", "--integers", "--fix-totals", "totals.csv",
                "--expand", "2", "-o", "od.omx")
        with openmatrix.open_file(str(self.work / "od.omx")) as omx:
            trips, whole = (numpy.array(omx[name]) for name in ("trips", "trips_whole"))
            card = omx.root._v_attrs["stopover"]
        self.assertLess(abs(whole - trips).max(), 1)
        self.assertTrue((whole == numpy.floor(whole)).all())
        for axis in (0, 1):
            self.assertLess(abs(whole.sum(axis) - trips.sum(axis)).max(), 1)
        self.assertEqual(whole[2].sum(), 5000)
        settings = json.loads(card if isinstance(card, str) else card.decode())["settings"]
        self.assertEqual((settings["expand"], settings["fix_totals"], settings["integers"]), ("2", "totals.csv", "yes"))

    def test_sparse_omx(self):
        """300 stations, 20 of which have all trips: with --at-least most of the matrix is not in the file."""
        self.write("stations.csv", "id,lat,lng\n" + "".join(f"s{i},{50 + i / 1000},10\n" for i in range(300)))
        self.write("trips.csv", "o,d\n" + "".join(f"s{i * i % 20},s{i * 7 % 20}\n" for i in range(4000)))
        self.ok("publish", "trips.csv", "--shape-of", "trips", "--zones", "stations.csv", "--zone-columns", "o,d",
                "--unit", "trip", "--epsilon", "1", "--ledger", "s.ledger", "--budget", "1", "-o", "s.odr", "-q")
        self.ok("export", "s.odr", "--as", "omx", "-o", "all.omx")
        told = self.json_of("export", "s.odr", "--as", "omx", "--at-least", "2", "-o", "busy.omx")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            validator.run_checks(str(self.work / "busy.omx"))
        self.assertIn("Overall :  Pass", said.getvalue())
        with openmatrix.open_file(str(self.work / "all.omx")) as omx:
            everything = {name: numpy.array(omx[name]) for name in omx.list_matrices()}
        with openmatrix.open_file(str(self.work / "busy.omx")) as omx:
            busy = {name: numpy.array(omx[name]) for name in omx.list_matrices()}
            card = json.loads(omx.root._v_attrs["stopover"])
        self.assertIn("Pairs of fewer than 2 trips, as estimated, are left out.", card["notes"])
        kept = everything["trips"] >= 2
        self.assertTrue(0 < kept.sum() < 2000)
        for name, matrix in everything.items():
            self.assertEqual(matrix.shape, (300, 300))
            self.assertTrue((busy[name] == numpy.where(kept, matrix, 0)).all(), name)
        self.assertEqual(told["left_out"]["pairs"], 90000 - kept.sum())
        self.assertAlmostEqual(told["left_out"]["trips"], everything["trips"][~kept].sum(), places=3)
        self.assertLess((self.work / "busy.omx").stat().st_size * 3, (self.work / "all.omx").stat().st_size)
        rows = self.json_of("export", "s.odr", "--as", "zones", "--at-least", "2", "-o", "busy.parquet")["rows"]
        table = pq.read_table(self.work / "busy.parquet").to_pylist()
        self.assertEqual((rows, len(table)), (kept.sum(), kept.sum()))
        self.assertTrue(all(row["estimate"] >= 2 for row in table))
        self.assertIn(["s0", "s0"], [[row["origin"], row["destination"]] for row in table])
        # The same in compressed rows, which readers of OMX pass by.
        told = self.json_of("export", "s.odr", "--as", "omx", "--at-least", "2", "--sparse", "-o", "csr.omx")
        self.assertEqual(told["entries"], kept.sum())
        with contextlib.redirect_stdout(io.StringIO()) as said:
            validator.run_checks(str(self.work / "csr.omx"))
        self.assertIn("Overall :  Pass", said.getvalue())
        with openmatrix.open_file(str(self.work / "csr.omx")) as omx:
            self.assertEqual(sorted(omx.list_matrices()), sorted(busy))
            starts, columns = (numpy.array(omx.get_node("/sparse/" + name)) for name in ("indptr", "indices"))
            rows = numpy.repeat(numpy.arange(300), numpy.diff(starts))
            for name, matrix in busy.items():
                dense = numpy.zeros((300, 300))
                dense[rows, columns] = numpy.array(omx.get_node("/sparse/" + name))
                self.assertTrue((dense == matrix).all(), name)

    def test_zones_tables(self):
        told = self.json_of("export", "c.odr", "--as", "zones", "--zones", "zones.geojson", "-o", "od.parquet")
        self.assertEqual(told["rows"], 36)
        table = pq.read_table(self.work / "od.parquet")
        self.assertEqual(table.schema.names[:3], ["origin", "destination", "estimate"])
        self.assertAlmostEqual(sum(table["estimate"].to_pylist()), self.total, places=3)
        self.ok("export", "c.odr", "--as", "zones", "--zones", "zones.geojson", "--summary", "-o", "sums.parquet")
        sums = pq.read_table(self.work / "sums.parquet").to_pylist()
        self.assertEqual(len(sums), 12)
        self.assertAlmostEqual(sum(r["share"] for r in sums if r["stop"] == "origin"), 1, places=6)
        self.ok("export", "c.odr", "--as", "zones", "--zones", "zones.geojson", "--draws", "2", "-o", "draws.parquet")
        draws = pq.read_table(self.work / "draws.parquet").to_pylist()
        self.assertEqual({r["draw"] for r in draws}, {1, 2})

    def test_dense(self):
        self.ok("generate", "gaussian", "--dims", 3, "--n", 5000, "--width", 12, "--sd", 3, "-o", "g.parquet")
        self.ok("publish", "--matrix", "g.parquet", "--shape", "12x12x12", "--epsilon", "1", "--mechanism",
                "daf-entropy", "--ledger",
                "g.ledger", "--budget", "1", "-o", "g.odr", "-q")
        self.ok("export", "g.odr", "--as", "dense", "-o", "g.npy")
        array = numpy.load(self.work / "g.npy")
        self.assertEqual(array.shape, (12, 12, 12))
        for row in pq.read_table(self.work / "g.odr/joint.parquet").to_pylist():
            if not row["leaf"]:
                continue
            part = array[tuple(slice(row[f"a{i}_lo"], row[f"a{i}_hi"]) for i in range(3))]
            self.assertTrue(numpy.allclose(part, row["count"] / part.size, rtol=1e-12, atol=0))

    def test_trips(self):
        self.ok("export", "c.odr", "--as", "trips", "-o", "t.parquet")
        table = pq.read_table(self.work / "t.parquet")
        self.assertEqual(table.num_rows, round(self.total))
        self.assertEqual(table.schema.names, ["origin_lng", "origin_lat", "destination_lng", "destination_lat"])
        self.assertTrue(all(WEST <= x < EAST for x in table["origin_lng"].to_pylist()))
        inside = sum(1 for r in table.to_pylist() if r["origin_lng"] < -122.45 and r["destination_lat"] < 37.75)
        expected = self.json_of("query", "c.odr", "--box", "a0=0:50,a3=0:50")["estimate"]
        self.assertAlmostEqual(inside, expected, delta=5 * expected ** 0.5 + 1)
        self.check_card(json.loads(table.schema.metadata[b"stopover"]))


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
