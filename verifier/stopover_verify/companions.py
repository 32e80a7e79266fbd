"""Files that follow from the tables: the maps of stops and the zones as GeoParquet, datapackage.json."""
import itertools
import json
import struct

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stopover_verify.broken import require
from stopover_verify.data_package import check_package
from stopover_verify.hashes import sha256
from stopover_verify.parquet_file import check_nothing_more
from stopover_verify.table import flat

SIDES = ("xmin", "ymin", "xmax", "ymax")
CRS84 = {
    "$schema": "https://proj.org/schemas/v0.7/projjson.schema.json", "type": "GeographicCRS", "name": "WGS 84 (CRS84)",
    "datum": {"type": "GeodeticReferenceFrame", "name": "World Geodetic System 1984",
              "ellipsoid": {"name": "WGS 84", "semi_major_axis": 6378137, "inverse_flattening": 298.257223563}},
    "coordinate_system": {"subtype": "ellipsoidal", "axis": [
        {"name": "Geodetic longitude", "abbreviation": "Lon", "direction": "east", "unit": "degree"},
        {"name": "Geodetic latitude", "abbreviation": "Lat", "direction": "north", "unit": "degree"}]},
    "id": {"authority": "OGC", "code": "CRS84"}}
RECTANGLE = struct.Struct("<BIII10d")
TITLES = ("Boxes of trips", "Boxes of the map of one stop")


def wkb_ring(ring):
    ring = ring if ring[0] == ring[-1] else ring + ring[:1]
    return struct.pack("<I", len(ring)) + b"".join(struct.pack("<dd", *point) for point in ring)


def wkb_polygon(rings):
    return struct.pack("<BII", 1, 3, len(rings)) + b"".join(map(wkb_ring, rings))


def wkb_of(geometry):
    """Well-known binary of a GeoJSON Point or MultiPolygon."""
    if geometry["type"] == "Point":
        return struct.pack("<BIdd", 1, 1, *geometry["coordinates"])
    polygons = geometry["coordinates"]
    return struct.pack("<BII", 1, 6, len(polygons)) + b"".join(map(wkb_polygon, polygons))


def box_of(points):
    return dict(zip(SIDES, (*map(min, zip(*points)), *map(max, zip(*points)))))


def stop_of(table, head):
    """The name of the stop whose map the table is; None where it is no map."""
    names = {axis["name"] for axis in table.axes}
    stops = [stop["name"] for stop in head["domain"]["stops"] if names <= set(stop["axes"])]
    kinds = {axis["kind"] for axis in table.axes}
    return stops[0] if len(table.axes) == 2 and kinds == {"longitude", "latitude"} and stops else None


def check_map(path, table, stop):
    """maps/TABLE.parquet: one row per leaf, in order; geometries are rectangles of 93 bytes, counterclockwise."""
    data = read_geo(path, ["stop", "row", "cells", "estimate", "geometry", "bbox"])
    x, y = (next(axis["name"] for axis in table.axes if axis["kind"] == kind) for kind in ("longitude", "latitude"))
    leaf = table.column("leaf")
    west, east, south, north = (table.column(name).filter(leaf) for name in (x + "_from", x + "_to", y + "_from", y + "_to"))
    spans = [pc.subtract(hi, lo) for lo, hi in map(table.ends, table.axes)]
    cells = pc.multiply(*(pc.cast(span.filter(leaf), pa.int64()) for span in spans))
    rows = pc.indices_nonzero(leaf)
    right = {"stop": pa.repeat(stop, len(rows)), "row": rows, "cells": cells, "estimate": table.column("estimate").filter(leaf)}
    for name, made in right.items():
        found = flat(data.column(name))
        same = not found.null_count and found.equals(pc.cast(made, found.type))
        require(same, f"{path.name}: column {name} does not follow from the tables")
    geometry = flat(data.column("geometry"))
    sized = pc.all(pc.equal(pc.binary_length(geometry), RECTANGLE.size), skip_nulls=False, min_count=0).as_py()
    require(sized, f"{path.name}: column geometry does not follow from the tables")
    corners = (west, south, east, south, east, north, west, north, west, south)
    expected = [[part] * len(rows) for part in (1, 3, 1, 5)] + [corner.to_pylist() for corner in corners]
    found = zip(*RECTANGLE.iter_unpack(b"".join(geometry.to_pylist())))
    require(all(list(a) == b for a, b in itertools.zip_longest(found, expected, fillvalue=())) or not len(rows),
            f"{path.name}: column geometry does not follow from the tables")
    bbox = flat(data.column("bbox"))
    for side, made in zip(SIDES, (west, south, east, north)):
        same = not bbox.null_count and str(bbox.type.field(side).type) == "double" and bbox.field(side).equals(made)
        require(same, f"{path.name}: column bbox does not follow from the tables")
    ends = [pc.min(west), pc.min(south), pc.max(east), pc.max(north)]
    check_described(path, data, [end.as_py() for end in ends], "Polygon")


def zones_of(zones):
    """What zones.parquet must hold."""
    features = zones["features"]
    made, taken = {"id": [feature["properties"]["id"] for feature in features]}, {"id", "geometry", "bbox"}
    for level in zones["levels"]:
        name = level
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        made[name] = [feature["properties"][level] for feature in features]
    made["geometry"] = [wkb_of(feature["geometry"]) for feature in features]
    made["bbox"] = []
    for feature in features:
        at = feature["geometry"]["coordinates"]
        points = [at] if feature["geometry"]["type"] == "Point" else [p for rings in at for p in rings[0]]
        made["bbox"].append(box_of(points))
    return made


def read_geo(path, names):
    file = pq.ParquetFile(path)
    check_nothing_more(file, {b"geo"})
    data = file.read(use_threads=False)
    require(data.schema.names == names, f"{path.name}: its columns are {data.schema.names}")
    return data


def check_zones_file(path, made):
    """zones.parquet holds these columns."""
    data = read_geo(path, list(made))
    for name, values in made.items():
        require(data.column(name).to_pylist() == values, f"{path.name}: column {name} does not follow from the tables")
    ends = zip((min, min, max, max), SIDES)
    shape = "Point" if made["geometry"][0][1] == 1 else "MultiPolygon"
    check_described(path, data, [of(box[side] for box in made["bbox"]) for of, side in ends], shape)


def check_described(path, data, bbox, shape):
    """The file says of itself what GeoParquet 1.1 asks for, and nothing else."""
    geo = json.loads((data.schema.metadata or {}).get(b"geo", b"{}"))
    require(geo.get("version") == "1.1.0" and geo.get("primary_column") == "geometry", f"{path.name} is not GeoParquet 1.1")
    require(geo["columns"]["geometry"]["bbox"] == bbox, f"{path.name}: wrong bbox")
    right = {"encoding": "WKB", "geometry_types": [shape], "crs": CRS84, "bbox": bbox,
             "covering": {"bbox": {side: ["bbox", side] for side in SIDES}}}
    require(geo == {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": right}},
            f"{path.name}: its geometry is described otherwise than it should")


def check_companion_hashes(folder, head):
    for companion in head.get("companions", []):
        require(set(companion) == {"file", "sha256"}
                and sha256((folder / companion["file"]).read_bytes()) == companion["sha256"],
                f"{companion['file']} does not have its sha256")


def check_companions(folder, head, tables):
    """All that there should be, and nothing that does not follow from the rest."""
    if "companions" not in head:
        return
    names = [companion["file"] for companion in head["companions"]]
    made = {f"maps/{table.name}.parquet": table for table in tables if stop_of(table, head) is not None}
    if "zones" in head["domain"]:
        zones = json.loads((folder / "zones.geojson").read_text(encoding="utf-8"))
        if zones["form"] != "names":
            made["zones.parquet"] = zones
    require(names == list(made) + ["datapackage.json"], f"its companions are {names}")
    for name, source in made.items():
        if name.startswith("maps/"):
            check_map(folder / name, source, stop_of(source, head))
        else:
            check_zones_file(folder / name, zones_of(source))
    files = {table.said["file"]: TITLES[min(number, 1)] for number, table in enumerate(tables)}
    files.update({name: "Map of one stop, as GeoParquet" if name.startswith("maps/") else "Zones, as GeoParquet"
                  for name in made})
    check_package(folder, head, files)
