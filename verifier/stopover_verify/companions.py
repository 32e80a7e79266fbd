"""Files that follow from the tables: the maps of stops and the zones as GeoParquet, datapackage.json."""
import json
import struct

import pyarrow.parquet as pq

from stopover_verify.broken import require
from stopover_verify.data_package import check_package
from stopover_verify.hashes import sha256
from stopover_verify.parquet_file import check_nothing_more

SIDES = ("xmin", "ymin", "xmax", "ymax")
CRS84 = {
    "$schema": "https://proj.org/schemas/v0.7/projjson.schema.json", "type": "GeographicCRS", "name": "WGS 84 (CRS84)",
    "datum": {"type": "GeodeticReferenceFrame", "name": "World Geodetic System 1984",
              "ellipsoid": {"name": "WGS 84", "semi_major_axis": 6378137, "inverse_flattening": 298.257223563}},
    "coordinate_system": {"subtype": "ellipsoidal", "axis": [
        {"name": "Geodetic longitude", "abbreviation": "Lon", "direction": "east", "unit": "degree"},
        {"name": "Geodetic latitude", "abbreviation": "Lat", "direction": "north", "unit": "degree"}]},
    "id": {"authority": "OGC", "code": "CRS84"}}
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


def map_of(table, head):
    """What maps/TABLE.parquet must hold: {column: values}, or None where the table is not the map of a stop."""
    kinds = {axis["kind"]: axis["name"] for axis in table.axes}
    names = {axis["name"] for axis in table.axes}
    stops = [stop["name"] for stop in head["domain"]["stops"] if names <= set(stop["axes"])]
    if len(table.axes) != 2 or set(kinds) != {"longitude", "latitude"} or not stops:
        return None
    x, y = kinds["longitude"], kinds["latitude"]
    rows = [row for row, leaf in enumerate(table.values("leaf")) if leaf]
    estimates = table.values("estimate")
    made = {"stop": stops * len(rows), "row": rows, "cells": [], "estimate": [estimates[row] for row in rows],
            "geometry": [], "bbox": []}
    places = [table.values(name) for name in (x + "_from", x + "_to", y + "_from", y + "_to")]
    cells = [table.values(name) for name in (x + "_lo", x + "_hi", y + "_lo", y + "_hi")]
    rectangle = struct.Struct("<BIII10d")
    for row in rows:
        w, e, s, n = (column[row] for column in places)
        a, b, c, d = (column[row] for column in cells)
        made["cells"].append((b - a) * (d - c))
        made["geometry"].append(rectangle.pack(1, 3, 1, 5, w, s, e, s, e, n, w, n, w, s))
        made["bbox"].append({"xmin": w, "ymin": s, "xmax": e, "ymax": n})
    return made


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


def check_geo(path, made):
    """A GeoParquet file holds these columns and says of itself what GeoParquet 1.1 asks for."""
    file = pq.ParquetFile(path)
    check_nothing_more(file, {b"geo"})
    data = file.read(use_threads=False)
    require(data.schema.names == list(made), f"{path.name}: its columns are {data.schema.names}")
    for name, values in made.items():
        require(data.column(name).to_pylist() == values, f"{path.name}: column {name} does not follow from the tables")
    geo = json.loads((data.schema.metadata or {}).get(b"geo", b"{}"))
    require(geo.get("version") == "1.1.0" and geo.get("primary_column") == "geometry", f"{path.name} is not GeoParquet 1.1")
    column = geo["columns"]["geometry"]
    require(column["encoding"] == "WKB" and column["crs"]["id"] == {"authority": "OGC", "code": "CRS84"}
            and column["covering"] == {"bbox": {side: ["bbox", side] for side in SIDES}},
            f"{path.name}: its geometry is described otherwise than it should")
    ends = [(of, side) for of, side in zip((min, min, max, max), SIDES)]
    bbox = [of(box[side] for box in made["bbox"]) for of, side in ends]
    require(column["bbox"] == bbox, f"{path.name}: wrong bbox")
    shape = "Point" if made["geometry"][0][1] == 1 else "Polygon" if made["geometry"][0][1] == 3 else "MultiPolygon"
    right = {"encoding": "WKB", "geometry_types": [shape], "crs": CRS84, "bbox": bbox, "covering": column["covering"]}
    require(geo == {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": right}},
            f"{path.name}: its geometry is described otherwise than it should")


def check_companions(folder, head, tables):
    """All that there should be, and nothing that does not follow from the rest."""
    if "companions" not in head:
        return
    names = [companion["file"] for companion in head["companions"]]
    for companion in head["companions"]:
        require(set(companion) == {"file", "sha256"}
                and sha256((folder / companion["file"]).read_bytes()) == companion["sha256"],
                f"{companion['file']} does not have its sha256")
    made = {f"maps/{table.name}.parquet": rows for table in tables if (rows := map_of(table, head)) is not None}
    if "zones" in head["domain"]:
        zones = json.loads((folder / "zones.geojson").read_text(encoding="utf-8"))
        if zones["form"] != "names":
            made["zones.parquet"] = zones_of(zones)
    require(names == list(made) + ["datapackage.json"], f"its companions are {names}")
    for name, columns in made.items():
        check_geo(folder / name, columns)
    files = {table.said["file"]: TITLES[min(number, 1)] for number, table in enumerate(tables)}
    files.update({name: "Map of one stop, as GeoParquet" if name.startswith("maps/") else "Zones, as GeoParquet"
                  for name in made})
    check_package(folder, head, files)
