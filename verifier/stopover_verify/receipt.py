"""What was spent: every path's charges, the receipt against the rows, and the sums."""
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from stopover_verify.broken import require
from stopover_verify.tiling import require_rows

TICKS = 10**9  # of one epsilon


def ticks_of(decimal):
    whole, _, part = decimal.partition(".")
    require((whole + part).isascii() and (whole + part).isdigit() and len(part) <= 9, f"{decimal} is not an epsilon")
    return int(whole) * TICKS + int((part or "0").ljust(9, "0"))


def check_paths(table):
    """Counts were paid for, and no path spends more than the table's slice. Gives the most that one trip pays."""
    unpaid = pc.and_(pc.equal(table.column("ticks"), 0), pc.not_equal(table.column("count"), 0))
    require_rows(pc.invert(unpaid), "row {}: a count that was not paid for")
    path, most = [], table.said["ticks"]
    for parent, ticks, side in zip(table.values("parent"), table.values("ticks"), table.values("side_ticks")):
        path.append((path[parent] if parent >= 0 else 0) + ticks + side)
    if path and max(path) > most:
        row = next(row for row, spent in enumerate(path) if spent > most)
        require(False, f"row {row}: its path spends more than the table's {most} ticks")
    return max(path)


def check_coarse(head, table):
    """Coarse counts cost a part of what their rows did, and what was counted at once, the rows of one parent, cost the same."""
    if "coarse_ticks" not in table.columns:
        return
    require(table.said["kind"] == "partition", "cells have no coarse counts")
    require(head["format"] > 1 and "upgraded_from" not in head, "format 1 has no coarse counts")
    price, count, ticks = table.column("coarse_ticks"), table.column("coarse_count"), table.column("ticks")
    refined, moved = pc.greater(price, 0), pc.not_equal(count, table.column("count"))
    require_rows(pc.less_equal(price, ticks), "row {}: its coarse count cost more than both")
    require_rows(pc.or_(refined, pc.equal(count, 0)), "row {}: a coarse count that was not paid for")
    require_rows(pc.invert(pc.and_(pc.and_(refined, pc.equal(price, ticks)), moved)), "row {}: it was refined for nothing")
    require(pc.any(refined).as_py(), "it has columns of coarse counts, but none")
    first = pa.table([table.column("parent"), pc.if_else(refined, price, ticks), refined], names=["parent", "first", "refined"])
    first = first.group_by("parent", use_threads=False).aggregate([("first", "min"), ("first", "max"), ("refined", "any")])
    odd = pc.and_(first["refined_any"], pc.not_equal(first["first_min"], first["first_max"]))
    rows = first.filter(odd)["parent"].to_pylist()
    require(not rows, f"the children of row {min(rows, default=0)}: their coarse counts did not cost the same")


def check_receipt(charges, table):
    """A table bought by itself: its lines are its measured rows by depth and ticks, and its side ticks by depth."""
    rows = pa.table([table.column(name) for name in ("depth", "ticks", "side_ticks")],
                    names=["depth", "ticks", "side_ticks"])
    kept = rows.group_by(["depth", "ticks"], use_threads=False).aggregate([("side_ticks", "sum"), ("side_ticks", "count")]).to_pylist()
    counts, others = Counter(), Counter()
    for group in kept:
        if group["ticks"]:
            counts[group["depth"], group["ticks"]] += group["side_ticks_count"]
        others[group["depth"]] += group["side_ticks_sum"]
    for line in charges:
        if line["view"] == table.name and line["purpose"] == "count":
            counts[line["depth"], line["ticks"]] -= line["times"]
        elif line["view"] == table.name:
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
    for table in tables:
        counts.subtract(ticks for ticks in table.values("ticks") if ticks)
    require(min(counts.values(), default=0) >= 0, f"view {view}: the receipt has fewer counts than the rows")
    together += sum(ticks * left for ticks, left in counts.items())
    for table in tables:
        require(sum(table.values("side_ticks")) == together, f"view {view}: the receipt does not say what the rows say")


def check_sums(head, tables, most):
    """The tables' slices, the stages that left no table, epsilon and spent. `most`: what one trip pays in the tables."""
    epsilon, said = ticks_of(head["epsilon"]), ticks_of(head["spent"])
    slices = sum(table.said["ticks"] for table in tables)
    require(slices <= epsilon, "the tables' slices sum to more than epsilon")
    names, shared = {table.name for table in tables}, {}
    for table in tables:
        if table.said["view"]:
            shared.setdefault(table.said["view"], []).append(table)
    for view, bought in shared.items():
        require(view not in names, f"view {view} has the name of a table")
        check_shared_receipt(head["charges"], view, bought)
    names |= set(shared)
    stages = {}
    for line in head["charges"]:
        if line["view"] not in names:
            stages.setdefault(line["view"], []).append(line)
    least = sum(max(line["ticks"] for line in lines) for lines in stages.values())
    exact = all(len(lines) == 1 and lines[0]["times"] == 1 for lines in stages.values())
    require(slices + least <= epsilon, "the tables and the stages without one take more than epsilon")
    spent = most + least
    fits = spent <= said <= epsilon and (not exact or spent == said)
    require(fits, f"it says it spent {said} ticks, its rows say {spent}")
