#!/usr/bin/env python3
"""Verifies a release without any code of stopover: Python and pyarrow alone, after docs/internals/release_format.md.

  verify_release.py [--accept-test-key] NAME.odr ...

Recomputes the hashes of files and contents; checks columns, nesting, tiling, every path's budget, the receipt, and that
estimates add up. Exit code 0: all rules hold; 3: there is no release to read; 5: a rule is broken (told on stderr), or
the release was made with a key that can be repeated and protects nobody: --accept-test-key lets such a one pass, and
says so.
"""
import array
import hashlib
import itertools
import json
import math
import sys
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
ACCEPT = "--accept-test-key"
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
    require(set(head) - {"calibration"} == KEYS | NEW_KEYS[head["format"]],
            "release.json has other keys than it should")
    canonical = json.dumps(head, sort_keys=True, indent=2, ensure_ascii=False).encode() + b"\n"
    require(text == canonical, "release.json is not in canonical form")
    rest = {key: value for key, value in head.items() if key != "json_sha256"}
    require(sha256(compact(rest)) == head["json_sha256"], "release.json does not have its json_sha256")
    content = {key: value for key, value in rest.items() if key not in ("content_sha256", "guarantee", "writer")}
    content["tables"] = [{k: v for k, v in table.items() if k != "file_sha256"} for table in head["tables"]]
    require(sha256(compact(content)) == head["content_sha256"], "release.json does not have its content_sha256")
    check_calibration(head)
    check_randomness(head)
    expected = {"release.json"} | {table["file"] for table in head["tables"]}
    if "zones" in head["domain"]:
        check_zones(folder, head)
        expected.add("zones.geojson")
    found = {entry.name for entry in folder.iterdir()}
    require(found == expected, f"the directory holds {sorted(found)}, not {sorted(expected)}")
    return head


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


def verify(folder):
    head = check_document(folder)
    axes = {axis["name"]: axis for axis in head["domain"]["axes"]}
    epsilon, spent, names, slices, shared = ticks_of(head["epsilon"]), 0, set(), 0, {}
    require(head["tables"] and head["tables"][0]["axes"] == list(axes), "the first table does not have all axes")
    for table in head["tables"]:
        try:
            columns = read_columns(folder, table, axes)
            check_derived(columns, table, axes, head["k"])
            spent += check_rows(columns, table, axes)
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
    return head


def main(arguments):
    accept = ACCEPT in arguments
    arguments = [name for name in arguments if name != ACCEPT]
    if not arguments or pa is None:
        missing = "pyarrow is missing: scripts/python-env makes .deps/venv with it"
        print(__doc__ if not arguments else missing, file=sys.stderr)
        return 2
    for name in arguments:
        if not (Path(name) / "release.json").is_file():
            print(f"there is no release at {name}", file=sys.stderr)
            return 3
        try:
            head = verify(Path(name))
            check_private(head, accept)
        except (Broken, KeyError, TypeError, AttributeError, ValueError) as problem:
            reason = problem if isinstance(problem, Broken) else f"release.json is malformed: {problem!r}"
            print(f"{name}: {reason}", file=sys.stderr)
            return 5
        rows = sum(table["rows"] for table in head["tables"])
        print(f"{name}: all rules hold ({rows} rows, epsilon {head['epsilon']}, content {head['content_sha256']})")
        if randomness_of(head) != "system":
            print("  Not private, and accepted as such: made with a key that can be repeated; it protects nobody.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
