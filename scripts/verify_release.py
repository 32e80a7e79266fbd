#!/usr/bin/env python3
"""Verifies a release without any code of stopover: Python and pyarrow alone, after docs/internals/release_format.md.

  verify_release.py [--accept-test-key] [--signed-by NAME.pub] ... NAME.odr|NAME.odrz ...

Recomputes the hashes of files and contents; checks columns, nesting, tiling, every path's budget, the receipt, that
estimates add up, and that maps, zones and datapackage.json follow from the rest. Exit code 0: all rules hold; 3: there
is no release to read; 5: a rule is broken (told on stderr), or the release was made with a key that can be repeated and
protects nobody: --accept-test-key lets such a one pass, and says so. Each key of --signed-by (a file, or its line) must
have signed it, and its note, if it has been superseded.
"""
import array
import base64
import hashlib
import itertools
import json
import math
import re
import struct
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    pa = pq = None

TICKS = 10**9  # of one epsilon
MOST_CORNERS = 30_000_000  # work beyond which a family's tiling is checked by volume only
KEYS = {"format", "guarantee", "domain", "mechanism", "params", "epsilon", "spent", "unit", "k", "answer_model",
        "tables", "charges", "number", "ledger_head", "date", "content_sha256", "json_sha256", "writer"}
NEW_KEYS = {1: set(), 2: {"randomness"}}  # by format
MAY_KEYS = {1: {"calibration"}, 2: {"calibration", "probes", "companions", "description", "upgraded_from"}}
NOT_CONTENT = ("content_sha256", "json_sha256", "guarantee", "writer", "companions")
ACCEPT, SIGNED = "--accept-test-key", "--signed-by"
PAPER = re.compile(r"(old_)?signatures/statement\.txt|notes/superseded\.json"
                   r"|((old_)?signatures|notes)/[0-9A-F]{16}\.minisig")
CODES = {"uint32": "I", "int32": "i", "uint16": "H", "int64": "q", "uint64": "Q", "double": "d", "float": "f"}


class Broken(Exception):
    pass


def require(rule, message):
    if not rule:
        raise Broken(message)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def ticks_of(decimal):
    whole, _, part = decimal.partition(".")
    require((whole + part).isascii() and (whole + part).isdigit() and len(part) <= 9, f"{decimal} is not an epsilon")
    return int(whole) * TICKS + int((part or "0").ljust(9, "0"))


def check_document(folder):
    text = (folder / "release.json").read_bytes()
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Broken(f"release.json is not JSON: {problem}") from None
    require(isinstance(head, dict) and "format" in head, "release.json has no format")
    require(type(head["format"]) is int and head["format"] in NEW_KEYS, f"format {head['format']} is not known here")
    require(set(head) - MAY_KEYS[head["format"]] == KEYS | NEW_KEYS[head["format"]], "release.json has other keys than it should")
    canonical = json.dumps(head, sort_keys=True, indent=2, ensure_ascii=False).encode() + b"\n"
    require(text == canonical, "release.json is not in canonical form")
    rest = {key: value for key, value in head.items() if key != "json_sha256"}
    require(sha256(compact(rest)) == head["json_sha256"], "release.json does not have its json_sha256")
    content = {key: value for key, value in rest.items() if key not in NOT_CONTENT}
    content["tables"] = [{k: v for k, v in table.items() if k != "file_sha256"} for table in head["tables"]]
    require(sha256(compact(content)) == head["content_sha256"], "release.json does not have its content_sha256")
    check_upgrade(content)
    check_calibration(head)
    check_probes(head)
    check_randomness(head)
    said = head.get("description", {"title": "-"})
    require(isinstance(said, dict) and said and set(said) <= {"title", "about", "covers", "credit", "licence", "contact"}
            and all(isinstance(text, str) and text for text in said.values()), "its description is not one")
    expected = {"release.json"} | {table["file"] for table in head["tables"]}
    if "zones" in head["domain"]:
        check_zones(folder, head)
        expected.add("zones.geojson")
    expected |= {companion["file"] for companion in head.get("companions", [])}
    files = (entry for entry in folder.rglob("*") if entry.is_symlink() or not entry.is_dir())
    found = {entry.relative_to(folder).as_posix() for entry in files}
    found -= {name for name in found if PAPER.fullmatch(name) and not (folder / name).is_symlink()}
    require(found == expected, f"the directory holds {sorted(found)}, not {sorted(expected)}")
    return head


def check_upgrade(content):
    """The hash that the same content had in format 1, where `upgraded_from` names one."""
    if "upgraded_from" not in content:
        return
    new = {"upgraded_from", "randomness"}
    old = {key: value for key, value in content.items() if key not in new} | {"format": 1}
    said = content["randomness"]
    require(said != "not told" and not {"description", "probes"} & set(old) and "zones" not in old["domain"],
            "it says upgraded_from, but format 1 cannot say what it says")
    if said.startswith("repeatable:"):
        old["params"] = old["params"] | {"test_key": said.partition(":")[2]}
    require(sha256(compact(old)) == content["upgraded_from"], "its content in format 1 does not have the hash upgraded_from")


def check_zones(folder, head):
    """The public zones beside the tables: the file that was hashed, and one zone per cell of every zone axis."""
    said = head["domain"]["zones"]
    require(head["format"] > 1 and set(said) == {"file", "sha256"} and said["file"] == "zones.geojson",
            "the domain's zones are told otherwise than they should")
    require((folder / "zones.geojson").is_file(), "there is no zones.geojson")
    text = (folder / "zones.geojson").read_bytes()
    require(sha256(text) == said["sha256"], "zones.geojson does not have its sha256")
    zones = json.loads(text)
    ids = [feature["properties"]["id"] for feature in zones["features"]]
    require(len(set(ids)) == len(ids), "two zones have one id")
    for axis in head["domain"]["axes"]:
        require(axis["kind"] != "zone" or axis["labels"] == ids, f"axis {axis['name']} has other labels than the zones")
    for level in zones["levels"]:
        groups = [feature["properties"][level] for feature in zones["features"]]
        runs = [group for i, group in enumerate(groups) if i == 0 or groups[i - 1] != group]
        require(len(set(runs)) == len(runs), f"the zones of a {level} do not stand together")


def randomness_of(head):
    """Where the noise came from: "system", "repeatable:NAME" or "not told". Format 1 had a parameter for it."""
    if head["format"] > 1:
        return head["randomness"]
    return "repeatable:" + head["params"]["test_key"] if "test_key" in head["params"] else "system"


def check_randomness(head):
    """Told in one place, and the card does not promise what the key cannot keep."""
    if head["format"] == 1:
        return
    said = head["randomness"]
    require(said in ("system", "not told") or (isinstance(said, str) and said.startswith("repeatable:")),
            f"its randomness is {said!r}, which means nothing")
    require("test_key" not in head["params"], "its parameters name a key")
    require(head["guarantee"]["title"].startswith("No privacy") == (said != "system"),
            f"its card does not fit its randomness, {said}")


def check_private(head, accept):
    said = randomness_of(head)
    if said == "system" or (accept and said.startswith("repeatable:")):
        return
    known = f"a key that can be repeated ({said.partition(':')[2]})" if said != "not told" else "randomness that nobody told about"
    advice = f"; if a release for tests is what you expect: {ACCEPT}" if said != "not told" else ""
    raise Broken(f"it was made with {known} and protects nobody; its other rules hold{advice}")


def check_calibration(head):
    """Intervals learned from the rest of the release: where they are there, a table that must make sense."""
    if "calibration" not in head:
        return
    table = head["calibration"]
    require(head["answer_model"] == "maps", "a calibration needs answers that use maps")
    require(set(table) == {"draws", "questions", "weights", "tails", "signals", "below", "above"},
            "the calibration has other keys than it should")
    number = {key: [float(x) for x in table[key]] for key in ("weights", "tails", "signals")}
    require(all(math.isfinite(x) for values in number.values() for x in values), "the calibration is not finite")
    require(len(number["weights"]) == 7 and min(number["weights"]) >= 0 and max(number["weights"]) > 0,
            "the calibration's weights are wrong")
    tails, signals = number["tails"], number["signals"]
    require(tails and 0 < tails[-1] and tails[0] <= 0.5 and all(a > b for a, b in zip(tails, tails[1:])),
            "the calibration's tails do not descend")
    require(signals and all(a < b for a, b in zip(signals, signals[1:])), "the calibration's signals do not ascend")
    for side, sign in (("below", -1), ("above", 1)):
        require(len(table[side]) == len(signals), f"the calibration's {side} has not one row a signal")
        for row in table[side]:
            values = [sign * float(x) for x in row]
            require(len(values) == len(tails) and all(math.isfinite(x) for x in values) and values[0] >= 0
                    and all(a <= b for a, b in zip(values, values[1:])), f"the calibration's {side} is wrong")


def check_probes(head):
    """Evidence that was bought for intervals: paid once in the receipt, and tables of the sizes they should have."""
    paid = [charge for charge in head["charges"] if charge["purpose"] == "ranks"]
    if "probes" not in head:
        require(not paid, "the receipt has ranks, but there are no probes")
        return
    probes = head["probes"]
    require(head["answer_model"] == "maps" and "calibration" not in head, "the probes are not the one source of intervals")
    require(set(probes) == {"ticks", "lattices", "counts", "scales", "squares", "signals", "whole", "tails", "below",
                            "above"}, "the probes have other keys than they should")
    require([(charge["ticks"], charge["times"]) for charge in paid] == [(probes["ticks"], 1)],
            "the receipt does not have what the probes say was paid for them")
    number = {key: [float(x) for x in probes[key]]
              for key in ("scales", "squares", "signals", "whole", "tails", "below", "above")}
    require(all(math.isfinite(x) and x >= 0 for values in number.values() for x in values), "the probes are not finite")
    tails = number["tails"]
    require(tails and 0 < tails[-1] and tails[0] <= 0.5 and all(a > b for a, b in zip(tails, tails[1:])),
            "the probes' tails do not descend")
    sizes = {"scales": 14, "squares": 14, "signals": 14, "whole": 70, "below": 14 * len(tails), "above": 14 * len(tails)}
    require(probes["lattices"] > 0 and len(probes["counts"]) == 168
            and all(len(number[key]) == size for key, size in sizes.items()), "the probes' tables have wrong sizes")
    require(min(number["below"] + number["above"]) > 0, "the probes have a distance that is not above 0")


def expected_schema(table, axes, spread):
    columns = []
    for name in table["axes"]:
        columns += [(name + "_lo", "uint32"), (name + "_hi", "uint32")]
        if axes[name]["kind"] not in ("category", "zone"):
            columns += [(name + "_from", "double"), (name + "_to", "double")]
    return columns + [("parent", "int32"), ("depth", "uint16"), ("leaf", "bool"), ("count", "int64"),
                      ("ticks", "uint64"), ("side_ticks", "uint64"), ("noise_scale", "double"), ("estimate", "double")
                      ] + [("spread", "float")] * spread


def read_columns(folder, table, axes):
    """{column: list of values}, after checking hashes, types, NULLs and the columns that follow from others."""
    path = folder / table["file"]
    require(table["file"] == table["name"] + ".parquet" and path.is_file() and not path.is_symlink(), "its file is odd")
    require(sha256(path.read_bytes()) == table["file_sha256"], "the file does not have its file_sha256")
    try:
        data = pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as problem:
        raise Broken(f"the file is not Parquet: {problem}") from None
    schema = expected_schema(table, axes, "spread" in data.schema.names)
    require([(f.name, str(f.type)) for f in data.schema] == schema, f"its columns are {data.schema.names}")
    require(data.num_rows == table["rows"], f"it has {data.num_rows} rows, not {table['rows']}")
    columns = {name: data.column(i).to_pylist() for i, (name, _) in enumerate(schema)}
    for name, values in columns.items():
        require(name == "noise_scale" or None not in values, f"column {name} holds a NULL")
    digest = hashlib.sha256(f"stopover-table-1 {table['rows']} {len(table['axes'])}\n".encode())
    for name, kind in schema:
        if name in ("leaf", "noise_scale") or (name.endswith(("_from", "_to")) and kind == "double"):
            continue
        values = array.array(CODES[kind], columns[name])
        if sys.byteorder == "big":
            values.byteswap()
        digest.update(values.tobytes())
    require(digest.hexdigest() == table["content_sha256"], "its rows do not have their content_sha256")
    return columns


def check_derived(columns, table, axes, k):
    for name in table["axes"]:
        axis = axes[name]
        if axis["kind"] in ("category", "zone"):
            continue
        lower, upper, cells = float(axis["lower"]), float(axis["upper"]), axis["cells"]
        for cell, edge in (("_lo", "_from"), ("_hi", "_to")):
            pairs = zip(columns[name + cell], columns[name + edge])
            right = all(at == lower + (upper - lower) * c / cells for c, at in pairs)
            require(right, f"column {name}{edge} does not follow from its cells")
    inner = set(columns["parent"])
    leaves = [row not in inner for row in range(table["rows"])]
    require(columns["leaf"] == leaves, "column leaf does not follow from parent")
    scales = [1e9 * k / t if t else None for t in columns["ticks"]]
    require(columns["noise_scale"] == scales, "column noise_scale does not follow from ticks")


def check_tiling(boxes, whole, whose):
    """Every cell of `whole` is in exactly one box. A box is the signed sum of the 2^d orthants at its corners,
    and different orthants are independent: so boxes tile if and only if all corners but those of the whole cancel."""
    volume = sum(math.prod(hi - lo for lo, hi in box) for box in boxes)
    require(volume == math.prod(hi - lo for lo, hi in whole), f"{whose} do not have the volume of the whole")
    sides = [sorted({box[i] for box in boxes}) for i in range(len(whole))]
    chains = all([side[0]] + [a[1] for a in row] == [b[0] for b in row] + [side[1]] for row, side in zip(sides, whole))
    if chains and math.prod(map(len, sides)) == len(boxes) == len(set(boxes)):
        return  # a full grid: every combination of touching intervals once
    active = [i for i, side in enumerate(whole) if any(box[i] != side for box in boxes)]
    if len(boxes) << len(active) > MOST_CORNERS:
        print(f"  note: {len(boxes)} boxes on {len(active)} axes checked by volume only", file=sys.stderr)
        return
    corners = Counter()
    for box, weight in itertools.chain(((box, 1) for box in boxes), [(whole, -1)]):
        for ends in itertools.product((0, 1), repeat=len(active)):
            corner = tuple(box[i][end] for i, end in zip(active, ends))
            corners[corner] += -weight if sum(ends) % 2 else weight
    require(not any(corners.values()), f"{whose} overlap or leave a gap")


def check_cells(boxes):
    for sides in zip(*boxes):
        lattice = sorted(set(sides))
        require(all(a[1] <= b[0] for a, b in zip(lattice, lattice[1:])), "the boxes are not cells of one lattice")
    corners = [tuple(lo for lo, _ in box) for box in boxes]
    require(all(a < b for a, b in zip(corners, corners[1:])), "the cells are not in order, once each")


def check_rows(columns, table, axes):
    """Nesting, tiling, budgets, estimates. Returns the most that one trip pays in this table."""
    require(table["kind"] in ("partition", "cells"), f"kind {table['kind']} is not known")
    require(table["multiplicity"] == 1, f"multiplicity {table['multiplicity']} is not 1")
    whole = tuple((0, axes[name]["cells"]) for name in table["axes"])
    boxes = list(zip(*(zip(columns[name + "_lo"], columns[name + "_hi"]) for name in table["axes"])))
    children, path = {}, []
    for row, (box, parent) in enumerate(zip(boxes, columns["parent"])):
        require(-1 <= parent < row, f"row {row}: its parent does not come before it")
        outer = whole if parent < 0 else boxes[parent]
        inside = all(lo <= a < b <= hi for (a, b), (lo, hi) in zip(box, outer))
        require(inside, f"row {row}: its box is empty or leaves its parent")
        require(columns["depth"][row] == (0 if parent < 0 else columns["depth"][parent] + 1), f"row {row}: wrong depth")
        require(columns["ticks"][row] or not columns["count"][row], f"row {row}: a count that was not paid for")
        path.append((path[parent] if parent >= 0 else 0) + columns["ticks"][row] + columns["side_ticks"][row])
        require(path[row] <= table["ticks"], f"row {row}: its path spends more than the table's {table['ticks']} ticks")
        require(0 <= columns["estimate"][row] < math.inf, f"row {row}: bad estimate")
        require("spread" not in columns or 0 <= columns["spread"][row] < math.inf, f"row {row}: bad spread")
        children.setdefault(parent, []).append(row)
    if table["kind"] == "cells":
        require(set(children) == {-1}, "a cell has a parent")
        check_cells(boxes)
        return max(path)
    for parent, rows in children.items():
        outer, whose = (whole, "the roots") if parent < 0 else (boxes[parent], f"the children of row {parent}")
        check_tiling([boxes[row] for row in rows], outer, whose)
        if parent >= 0:
            mine, theirs = columns["estimate"][parent], math.fsum(columns["estimate"][row] for row in rows)
            require(abs(mine - theirs) <= 1e-6 + 1e-6 * mine, f"row {parent}: its estimate is not its children's sum")
    return max(path)


def check_receipt(charges, table, columns):
    counts, others = Counter(), Counter()
    for depth, ticks, side in zip(columns["depth"], columns["ticks"], columns["side_ticks"]):
        counts[depth, ticks] += 1 if ticks else 0
        others[depth] += side
    for line in charges:
        if line["view"] == table["name"] and line["purpose"] == "count":
            counts[line["depth"], line["ticks"]] -= line["times"]
        elif line["view"] == table["name"]:
            others[line["depth"]] -= line["ticks"] * line["times"]
    require(not any(counts.values()) and not any(others.values()), "the receipt does not say what the rows say")


def check_shared_receipt(charges, view, tables):
    """Maps bought together: a count is one stop's, a measured row, or one of all stops, side_ticks of a row in every
    map."""
    counts, together = Counter(), 0
    for line in charges:
        if line["view"] == view and line["purpose"] == "count":
            counts[line["ticks"]] += line["times"]
        elif line["view"] == view:
            together += line["ticks"] * line["times"]
    for columns in tables:
        counts.subtract(ticks for ticks in columns["ticks"] if ticks)
    require(min(counts.values(), default=0) >= 0, f"view {view}: the receipt has fewer counts than the rows")
    together += sum(ticks * left for ticks, left in counts.items())
    for columns in tables:
        require(sum(columns["side_ticks"]) == together, f"view {view}: the receipt does not say what the rows say")


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
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), (*map(min, zip(*points)), *map(max, zip(*points)))))


def map_of(table, columns, head, axes):
    """What maps/TABLE.parquet must hold: {column: values}, or None where the table is not the map of a stop."""
    kinds = {axes[name]["kind"]: name for name in table["axes"]}
    stops = [stop["name"] for stop in head["domain"]["stops"] if set(table["axes"]) <= set(stop["axes"])]
    if len(table["axes"]) != 2 or set(kinds) != {"longitude", "latitude"} or not stops:
        return None
    x, y = kinds["longitude"], kinds["latitude"]
    rows = [row for row, leaf in enumerate(columns["leaf"]) if leaf]
    made = {"stop": stops * len(rows), "row": rows, "cells": [], "estimate": [columns["estimate"][r] for r in rows],
            "geometry": [], "bbox": []}
    for row in rows:
        west, east, south, north = (columns[name][row] for name in (x + "_from", x + "_to", y + "_from", y + "_to"))
        corners = [(west, south), (east, south), (east, north), (west, north)]
        made["cells"].append(math.prod(columns[name + "_hi"][row] - columns[name + "_lo"][row] for name in (x, y)))
        made["geometry"].append(wkb_polygon([corners]))
        made["bbox"].append(box_of(corners))
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
    data = pq.ParquetFile(path).read()
    require(data.schema.names == list(made), f"{path.name}: its columns are {data.schema.names}")
    for name, values in made.items():
        require(data.column(name).to_pylist() == values, f"{path.name}: column {name} does not follow from the tables")
    geo = json.loads((data.schema.metadata or {}).get(b"geo", b"{}"))
    require(geo.get("version") == "1.1.0" and geo.get("primary_column") == "geometry", f"{path.name} is not GeoParquet 1.1")
    column = geo["columns"]["geometry"]
    require(column["encoding"] == "WKB" and column["crs"]["id"] == {"authority": "OGC", "code": "CRS84"}
            and column["covering"] == {"bbox": {side: ["bbox", side] for side in ("xmin", "ymin", "xmax", "ymax")}},
            f"{path.name}: its geometry is described otherwise than it should")
    sides = [(min, "xmin"), (min, "ymin"), (max, "xmax"), (max, "ymax")]
    require(column["bbox"] == [of(box[side] for box in made["bbox"]) for of, side in sides], f"{path.name}: wrong bbox")


def check_package(folder, head, files):
    """datapackage.json lists the Parquet files with their hashes and columns."""
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    title = head.get("description", {}).get("title", head["guarantee"]["title"])
    require(package["id"] == "sha256:" + head["content_sha256"] and package["title"] == title,
            "datapackage.json is about another release")
    require([resource["path"] for resource in package["resources"]] == files, "datapackage.json lists other files")
    for resource in package["resources"]:
        data = (folder / resource["path"]).read_bytes()
        require(resource["hash"] == "sha256:" + sha256(data), f"datapackage.json: {resource['path']} has another hash")
        fields = [field["name"] for field in resource["schema"]["fields"]]
        require(fields == pq.read_schema(folder / resource["path"]).names,
                f"datapackage.json: {resource['path']} has other columns")


def check_companions(folder, head, maps):
    """Files beside the tables: all that there should be, and nothing that does not follow from the rest."""
    if "companions" not in head:
        return
    made = {f"maps/{name}.parquet": rows for name, rows in maps.items() if rows is not None}
    if "zones" in head["domain"]:
        zones = json.loads((folder / "zones.geojson").read_text(encoding="utf-8"))
        if zones["form"] != "names":
            made["zones.parquet"] = zones_of(zones)
    names = [companion["file"] for companion in head["companions"]]
    require(names == list(made) + ["datapackage.json"], f"its companions are {names}")
    for companion in head["companions"]:
        require(set(companion) == {"file", "sha256"} and sha256((folder / companion["file"]).read_bytes()) == companion["sha256"],
                f"{companion['file']} does not have its sha256")
    for name, columns in made.items():
        check_geo(folder / name, columns)
    check_package(folder, head, [table["file"] for table in head["tables"]] + list(made))


def verify(folder):
    head = check_document(folder)
    maps = {}
    axes = {axis["name"]: axis for axis in head["domain"]["axes"]}
    epsilon, spent, names, slices, shared = ticks_of(head["epsilon"]), 0, set(), 0, {}
    require(head["tables"] and head["tables"][0]["axes"] == list(axes), "the first table does not have all axes")
    for table in head["tables"]:
        try:
            columns = read_columns(folder, table, axes)
            check_derived(columns, table, axes, head["k"])
            spent += check_rows(columns, table, axes)
            maps[table["name"]] = map_of(table, columns, head, axes)
            if table["view"]:
                shared.setdefault(table["view"], []).append(columns)
            else:
                check_receipt(head["charges"], table, columns)
        except Broken as problem:
            raise Broken(f"table {table['name']}: {problem}") from None
        require(table["name"] not in names, f"two tables {table['name']}")
        names.add(table["name"])
        slices += table["ticks"]
    require(slices <= epsilon, "the tables' slices sum to more than epsilon")
    for view, tables in shared.items():
        require(view not in names, f"view {view} has the name of a table")
        check_shared_receipt(head["charges"], view, tables)
    names |= set(shared)
    stages = {}
    for line in head["charges"]:
        if line["view"] not in names:
            stages.setdefault(line["view"], []).append(line)
    least = sum(max(line["ticks"] for line in lines) for lines in stages.values())
    exact = all(len(lines) == 1 and lines[0]["times"] == 1 for lines in stages.values())
    require(slices + least <= epsilon, "the tables and the stages without one take more than epsilon")
    spent += least
    said = ticks_of(head["spent"])
    fits = spent <= said <= epsilon and (not exact or spent == said)
    require(fits, f"it says it spent {said} ticks, its rows say {spent}")
    check_companions(folder, head, maps)
    return head


# Ed25519 (RFC 8032, section 5.1): points of the curve -x^2 + y^2 = 1 + d x^2 y^2 modulo P as (x, y), slow and plain.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add_points(a, b):
    """The curve's law, without a special case: (x1 y2 + x2 y1)/(1 + t), (y1 y2 + x1 x2)/(1 - t), t = d x1 x2 y1 y2."""
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + t, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - t, -1, P) % P)


def times(n, point):
    """n times the point, by doubling."""
    result = (0, 1)
    while n:
        if n & 1:
            result = add_points(result, point)
        point, n = add_points(point, point), n >> 1
    return result


def point_of(data):
    """y, and in the highest bit whether x is odd; x follows from the curve: x^2 = (y^2 - 1)/(d y^2 + 1)."""
    value = int.from_bytes(data, "little")
    y, odd = value & (2**255 - 1), value >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    require(y < P and not (x * x - square) % P, "a key or signature is no point of the curve")
    return (P - x if x & 1 != odd else x, y)


BASE = point_of((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signed(key, message, signature):
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return s < ORDER and times(s, BASE) == add_points(point_of(signature[:32]), times(k, point_of(key)))


def check_signature(path, key, message, what):
    """A file as minisign writes it: "ED", the key's id and the signature of the BLAKE2b hash; a comment, signed too."""
    name = key[2:10][::-1].hex().upper()
    path = path / f"{name}.minisig"
    require(path.is_file(), f"its {what} is not signed by key {name}")
    lines = path.read_text(encoding="utf-8").split("\n")
    require(len(lines) == 5 and lines[2].startswith("trusted comment: ") and not lines[4], f"{path.name} is no signature")
    first, second = (base64.b64decode(lines[i], validate=True) for i in (1, 3))
    good = (len(first) == 74 and len(second) == 64 and first[:10] == b"ED" + key[2:10]
            and is_signed(key[10:], hashlib.blake2b(message).digest(), first[10:])
            and is_signed(key[10:], first[10:] + lines[2][len("trusted comment: "):].encode(), second))
    require(good, f"the signature of its {what} by key {name} is forged or damaged")


def check_papers(folder, head, keys):
    """Signatures and notes beside the content; gives the sentence of a note, or nothing."""
    statement = (f"stopover release statement 1\ncontent_sha256 {head['content_sha256']}\n"
                 f"ledger_head {head['ledger_head']}\n").encode()
    before = statement.replace(head["content_sha256"].encode(), head.get("upgraded_from", "").encode())
    for place, message in (("signatures", statement), ("old_signatures", before)):
        if (folder / place).exists():
            require(place == "signatures" or "upgraded_from" in head, "it has old signatures, but was not upgraded")
            require((folder / place / "statement.txt").read_bytes() == message, "its statement is about another release")
    note = (folder / "notes/superseded.json").read_bytes() if (folder / "notes").exists() else None
    said = json.loads(note) if note else None
    require(said is None or said["release"] in (head["content_sha256"], head.get("upgraded_from")), "its note is about another release")
    for key in keys:
        name = key[2:10][::-1].hex().upper() + ".minisig"
        if (folder / "old_signatures" / name).is_file() and not (folder / "signatures" / name).is_file():
            check_signature(folder / "old_signatures", key, before, "content before the upgrade")
        else:
            check_signature(folder / "signatures", key, statement, "content")
        if note:
            check_signature(folder / "notes", key, note, "note")
    if not said:
        return ""
    by = f" by release {said['by'][:12]}" if said["by"] else ""
    return f"{said['kind']} on {said['date']}{by}: {said['why']}"


def key_of(text):
    """A public key: a file as minisign has them, or its second line."""
    if Path(text).is_file():
        text = Path(text).read_text(encoding="utf-8").strip().split("\n")[-1]
    key = base64.b64decode(text, validate=True)
    if len(key) != 42 or key[:2] != b"Ed":
        raise ValueError
    return key


def unpacked(path, place):
    """The folder of a release; one file, NAME.odrz, is a ZIP archive of such a folder, stored as it is."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return path
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        names = [entry.filename for entry in entries]
        stored = all(entry.compress_type == zipfile.ZIP_STORED for entry in entries)
        if names != sorted(set(names)) or not stored:
            raise ValueError("the pack's files are not in order, once each, stored as they are")
        whole = 22 + sum(30 + 46 + 2 * len(entry.filename) + entry.file_size for entry in entries)
        if whole != path.stat().st_size:
            raise ValueError("the pack holds more than its files")
        archive.extractall(place)
    return place


def judge(name, place, accept, keys):
    """Verifies one release and says so; the exit code."""
    try:
        folder = unpacked(Path(name), place)
    except (OSError, ValueError, zipfile.BadZipFile) as problem:
        print(f"{name}: {problem}", file=sys.stderr)
        return 5
    if not (folder / "release.json").is_file():
        print(f"there is no release at {name}", file=sys.stderr)
        return 3
    try:
        head = verify(folder)
        check_private(head, accept)
        note = check_papers(folder, head, keys)
    except (Broken, KeyError, IndexError, TypeError, AttributeError, ValueError, OSError) as problem:
        reason = problem if isinstance(problem, Broken) else f"release.json is malformed: {problem!r}"
        print(f"{name}: {reason}", file=sys.stderr)
        return 5
    rows = sum(table["rows"] for table in head["tables"])
    print(f"{name}: all rules hold ({rows} rows, epsilon {head['epsilon']}, content {head['content_sha256']})")
    if keys:
        print("  Signed by the owner of every key given.")
    if "upgraded_from" in head:
        print(f"  Upgraded from format 1, where its content was {head['upgraded_from']}.")
    if note:
        print(f"  It was {note}.")
    if randomness_of(head) != "system":
        print("  Not private, and accepted as such: made with a key that can be repeated; it protects nobody.")
    return 0


def main(arguments):
    accept = ACCEPT in arguments
    arguments = [name for name in arguments if name != ACCEPT]
    keys = []
    while SIGNED in arguments[:-1]:
        at = arguments.index(SIGNED)
        try:
            keys.append(key_of(arguments[at + 1]))
        except (OSError, ValueError):
            print(f"{arguments[at + 1]} is not a public key", file=sys.stderr)
            return 3
        del arguments[at:at + 2]
    if not arguments or pa is None:
        missing = "pyarrow is missing: scripts/python-env makes .deps/venv with it"
        print(__doc__ if not arguments else missing, file=sys.stderr)
        return 2
    for name in arguments:
        with tempfile.TemporaryDirectory() as place:
            code = judge(name, Path(place), accept, keys)
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
