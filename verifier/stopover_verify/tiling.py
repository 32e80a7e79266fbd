"""Nesting and tiling: every row lies in its parent, and children tile it."""
import itertools
import math
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from stopover_verify.broken import require

MOST_CORNERS = 8_000_000   # of a table that is looked at in one piece
MOST_IN_FAMILY = 30_000_000  # work beyond which a family's tiling is checked by volume only


def require_rows(right, message):
    """`right`: one truth a row; NULL counts as false. `message`: of the first row that is wrong."""
    if not pc.all(right, skip_nulls=False, min_count=0).as_py():
        require(False, message.format(pc.index(pc.fill_null(right, False), False).as_py()))


def check_nesting(table):
    """Parents before children, boxes inside their parents' boxes, depths."""
    rows, parent = pa.array(range(table.rows), pa.int32()), table.column("parent")
    require_rows(pc.and_(pc.less_equal(-1, parent), pc.less(parent, rows)), "row {}: its parent does not come before it")
    is_root, at = pc.less(parent, 0), pc.max_element_wise(parent, 0)
    for axis in table.axes:
        lo, hi = table.ends(axis)
        low = pc.if_else(is_root, pa.scalar(0, pa.uint32()), lo.take(at))
        high = pc.if_else(is_root, pa.scalar(axis["cells"], pa.uint32()), hi.take(at))
        inside = pc.and_(pc.and_(pc.less_equal(low, lo), pc.less(lo, hi)), pc.less_equal(hi, high))
        require_rows(inside, "row {}: its box is empty or leaves its parent")
    depth = pc.cast(table.column("depth"), pa.int32())
    require_rows(pc.equal(depth, pc.if_else(is_root, 0, pc.add(depth.take(at), 1))), "row {}: wrong depth")


def check_tiling(boxes, whole, whose, notes):
    """Every cell of `whole` is in exactly one box. A box is the signed sum of the 2^d orthants at its corners,
    and different orthants are independent: so boxes tile if and only if all corners but those of the whole cancel."""
    volume = sum(math.prod(hi - lo for lo, hi in box) for box in boxes)
    require(volume == math.prod(hi - lo for lo, hi in whole), f"{whose} do not have the volume of the whole")
    sides = [sorted({box[i] for box in boxes}) for i in range(len(whole))]
    chains = all([side[0]] + [a[1] for a in row] == [b[0] for b in row] + [side[1]] for row, side in zip(sides, whole))
    if chains and math.prod(map(len, sides)) == len(boxes) == len(set(boxes)):
        return  # a full grid: every combination of touching intervals once
    active = [i for i, side in enumerate(whole) if any(box[i] != side for box in boxes)]
    if len(boxes) << len(active) > MOST_IN_FAMILY:
        notes.append(f"{len(boxes)} boxes on {len(active)} axes were checked by volume only")
        return
    corners = Counter()
    for box, weight in itertools.chain(((box, 1) for box in boxes), [(whole, -1)]):
        for ends in itertools.product((0, 1), repeat=len(active)):
            corner = tuple(box[i][end] for i, end in zip(active, ends))
            corners[corner] += -weight if sum(ends) % 2 else weight
    require(not any(corners.values()), f"{whose} overlap or leave a gap")


def families_that_do_not_cancel(table):
    """Parents (-1: the roots) whose children's corners do not cancel with their own; all families at once."""
    parent = table.column("parent")
    inner = pc.unique(parent)
    own = inner.filter(pc.greater_equal(inner, 0))
    family = pa.concat_arrays([parent, own, pa.array([-1], pa.int32())])
    ends = []
    for axis in table.axes:
        whole = (0, axis["cells"])
        ends.append([pa.concat_arrays([column, column.take(own), pa.array([at], pa.uint32())])
                     for column, at in zip(table.ends(axis), whole)])
    plus = pa.concat_arrays([pa.repeat(pa.scalar(1, pa.int32()), table.rows),
                             pa.repeat(pa.scalar(-1, pa.int32()), len(own) + 1)])
    minus, names, pieces = pc.negate(plus), [f"c{i}" for i in range(len(ends))], []
    for picked in itertools.product((0, 1), repeat=len(ends)):
        weight = minus if sum(picked) % 2 else plus
        pieces.append(pa.table([family, *(ends[i][end] for i, end in enumerate(picked)), weight],
                               names=["family", *names, "weight"]))
    sums = pa.concat_tables(pieces).group_by(["family", *names], use_threads=False).aggregate([("weight", "sum")])
    return pc.unique(sums.filter(pc.not_equal(sums["weight_sum"], 0))["family"]).to_pylist()


def check_partition(table, notes):
    children = None
    if (table.rows + 1) << (len(table.axes) + 1) <= MOST_CORNERS:
        wrong = families_that_do_not_cancel(table)
    else:
        wrong = None
    if wrong == []:
        return
    children = {}
    for row, parent in enumerate(table.values("parent")):
        children.setdefault(parent, []).append(row)
    boxes = list(zip(*(zip(lo.to_pylist(), hi.to_pylist()) for lo, hi in map(table.ends, table.axes))))
    for parent in children if wrong is None else sorted(wrong):
        outer, whose = (table.whole(), "the roots") if parent < 0 else (boxes[parent], f"the children of row {parent}")
        check_tiling([boxes[row] for row in children[parent]], outer, whose, notes)


def check_cells(table):
    """Rows of kind `cells`: one lattice, in order, once each."""
    require(set(table.values("parent")) == {-1}, "a cell has a parent")
    boxes = list(zip(*(zip(lo.to_pylist(), hi.to_pylist()) for lo, hi in map(table.ends, table.axes))))
    for sides in zip(*boxes):
        lattice = sorted(set(sides))
        require(all(a[1] <= b[0] for a, b in zip(lattice, lattice[1:])), "the boxes are not cells of one lattice")
    corners = [tuple(lo for lo, _ in box) for box in boxes]
    require(all(a < b for a, b in zip(corners, corners[1:])), "the cells are not in order, once each")


def check_estimates(table):
    """Finite, not negative, and a parent's is its children's sum."""
    for name in ("estimate", "spread"):
        if name in table.columns:
            column = table.column(name)
            good = pc.and_(pc.greater_equal(column, 0), pc.less(column, math.inf))
            require_rows(good, f"row {{}}: bad {name}")
    if table.said["kind"] != "partition":
        return
    sums = pa.table([table.column("parent"), table.column("estimate")], names=["parent", "estimate"])
    sums = sums.group_by("parent", use_threads=False).aggregate([("estimate", "sum")])
    sums = sums.filter(pc.greater_equal(sums["parent"], 0))
    mine = table.column("estimate").take(sums["parent"])
    near = pc.less_equal(pc.abs(pc.subtract(mine, sums["estimate_sum"])), pc.add(1e-6, pc.multiply(1e-6, mine)))
    if not pc.all(near, min_count=0).as_py():
        row = min(sums.filter(pc.invert(near))["parent"].to_pylist())
        require(False, f"row {row}: its estimate is not its children's sum")


def check_boxes(table, notes):
    said = table.said
    require(said["kind"] in ("partition", "cells"), f"kind {said['kind']} is not known")
    require(said["multiplicity"] == 1, f"multiplicity {said['multiplicity']} is not 1")
    check_nesting(table)
    if said["kind"] == "cells":
        check_cells(table)
    else:
        check_partition(table, notes)
    check_estimates(table)
