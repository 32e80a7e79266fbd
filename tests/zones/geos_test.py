#!/usr/bin/env python3
"""Which zone a place lies in, against GEOS: 100,000 places in irregular zones with holes, islands and parts, and on
their borders and corners. Areas and centroids as they are read from GeoJSON and GeoParquet.

  geos_test.py ZONE_POINTS

Taken from .deps/venv if this Python has no shapely (scripts/python-env makes it); else skipped (77).
"""
import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
try:
    import numpy
    import pyarrow
    import pyarrow.parquet
    import shapely
except ImportError:
    sys.path.insert(0, str(ROOT / "tests"))
    import other_python
    other_python.run_again_with_packages("pyarrow or shapely")

WEST, SOUTH, EAST, NORTH = -122.6, 37.6, -122.3, 37.9
NEAR = 3e-9  # degrees: places are rounded to billionths, corners too


def irregular_zones(count, seed):
    """Voronoi cells, which share corners; some have a hole with an island zone in it, some an empty hole, and some
    zones have two parts. {id: shape}"""
    random.seed(seed)
    box = shapely.box(WEST, SOUTH, EAST, NORTH)
    seeds = shapely.MultiPoint([(random.uniform(WEST, EAST), random.uniform(SOUTH, NORTH)) for _ in range(count)])
    cells = [cell for cell in shapely.get_parts(shapely.voronoi_polygons(seeds, extend_to=box))]
    cells = [shapely.intersection(cell, box) for cell in cells]
    zones = {}
    for i, cell in enumerate(cells):
        if i % 7 == 0:
            middle, size = shapely.point_on_surface(cell), cell.area ** 0.5
            arms = [(t, random.uniform(.05, .2) * size) for t in numpy.linspace(0, 2 * numpy.pi, 9)[:-1]]
            star = shapely.Polygon([(middle.x + r * numpy.cos(t), middle.y + r * numpy.sin(t)) for t, r in arms])
            if shapely.contains_properly(cell, star):
                cell = shapely.Polygon(cell.exterior, [star.exterior])
                if i % 14 == 0:
                    zones[f"island {i}"] = star
        name = f"zone {i - 5}"
        if i % 11 == 5 and name in zones and shapely.disjoint(zones[name], cell):  # a second part of another zone
            zones[name] = shapely.MultiPolygon([zones[name], cell])
        else:
            zones[f"zone {i}"] = cell
    return zones


def write_geojson(path, zones):
    features = [{"type": "Feature", "properties": {"id": name}, "geometry": json.loads(shapely.to_geojson(shape))}
                for name, shape in zones.items()]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")


def located(program, path, places):
    lines = "".join(f"{x!r} {y!r}\n" for x, y in places)
    done = subprocess.run([program, "locate", str(path)], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def listed(program, path):
    done = subprocess.run([program, "list", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class GeosTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "zones.geojson"

    def tearDown(self):
        self.folder.cleanup()

    def test_irregular_zones(self):
        zones = irregular_zones(800, 7)
        write_geojson(self.path, zones)
        random.seed(8)
        places = [(random.uniform(WEST - .01, EAST + .01), random.uniform(SOUTH - .01, NORTH + .01))
                  for _ in range(60000)]
        shapes = list(zones.values())
        for _ in range(20000):  # corners, and places on edges as near as doubles come
            ring = random.choice(shapely.get_rings(shapely.get_parts(random.choice(shapes))))
            at = shapely.get_coordinates(ring)
            i, t = random.randrange(len(at) - 1), random.choice([0, .5, random.random()])
            places.append(tuple((at[i] + t * (at[i + 1] - at[i])).tolist()))
        holes = [hole.bounds for part in shapely.get_parts(shapes) for hole in part.interiors]
        self.assertGreater(len(holes), 50)
        for _ in range(20000):  # in and about holes
            west, south, east, north = random.choice(holes)
            places.append((random.uniform(west, east), random.uniform(south, north)))
        ours = located(PROGRAM, self.path, places)
        self.assertEqual(len(ours), 100000)

        names, tree, points = list(zones), shapely.STRtree(shapes), shapely.points(places)
        inside, near = {}, {}
        for point, zone in tree.query(points, predicate="within").T.tolist():
            self.assertNotIn(point, inside)
            inside[point] = zone
        for point, zone in tree.query(points, predicate="dwithin", distance=NEAR).T.tolist():
            near.setdefault(point, set()).add(zone)
        borders = shapely.STRtree(shapely.boundary(shapes))
        on_border = {point for point, _ in borders.query(points, predicate="dwithin", distance=NEAR).T.tolist()}
        whole = shapely.buffer(shapely.union_all([shapely.buffer(s, 1e-7, join_style="mitre") for s in shapes]), -5e-7)
        shapely.prepare(whole)
        covered = shapely.contains(whole, points)
        for i, name in enumerate(ours):
            if i not in on_border:
                self.assertEqual(name, names[inside[i]] if i in inside else "-", places[i])
            elif covered[i]:  # on a border between zones: one of them
                self.assertIn(name, [names[z] for z in near[i]], places[i])
        self.assertGreater(len(on_border), 15000)
        self.assertGreater(sum(covered[i] for i in on_border), 10000)

    def test_areas_and_centroids_from_geojson_and_geoparquet(self):
        zones = irregular_zones(300, 3)
        write_geojson(self.path, zones)
        from_geojson = listed(PROGRAM, self.path)
        self.assertEqual({zone["id"] for zone in from_geojson}, set(zones))
        for zone in from_geojson:
            shape = zones[zone["id"]]
            read = shapely.MultiPolygon([shapely.Polygon(rings[0], rings[1:]) for rings in zone["polygons"]])
            self.assertTrue(shapely.equals(read, shape), zone["id"])
            self.assertLess(shapely.distance(shapely.Point(zone["place"]), shapely.centroid(shape)), 1e-9, zone["id"])
        parquet = self.path.with_suffix(".parquet")
        table = pyarrow.table({"id": list(zones), "geometry": [shapely.to_wkb(shape) for shape in zones.values()]})
        geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": {
            "encoding": "WKB", "geometry_types": ["Polygon", "MultiPolygon"],
            "crs": {"type": "GeographicCRS", "id": {"authority": "OGC", "code": "CRS84"}}}}}
        pyarrow.parquet.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), parquet)
        self.assertEqual(listed(PROGRAM, parquet), from_geojson)

    def test_squares_have_their_west_and_south_borders(self):
        # Coordinates in eighths are exact, so places on borders are.
        side, zones = 16, {}
        for i in range(side):
            for j in range(side):
                zones[f"{i},{j}"] = shapely.box(i / 8, j / 8, (i + 1) / 8, (j + 1) / 8)
        write_geojson(self.path, zones)
        random.seed(9)
        places = [(random.randrange(-4, side * 4 + 4) / 32, random.randrange(-4, side * 4 + 4) / 32)
                  for _ in range(20000)]
        for (x, y), name in zip(places, located(PROGRAM, self.path, places)):
            i, j = int(numpy.floor(x * 8)), int(numpy.floor(y * 8))
            self.assertEqual(name, f"{i},{j}" if 0 <= i < side and 0 <= j < side else "-")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
