"""What forgers do to a release, whatever the forgery: rows, maps and release.json changed, everything that follows made
to follow.

A Forgery has a group, a name and a function of (folder, scene) that leaves the folder as the forger would publish it,
all hashes made right. `scene` has what a forger may hold: other releases of the same curator, the trips, a key of his
own.
"""
import shutil
import struct

import pyarrow as pa
import pyarrow.parquet as pq
from forged_release import change_head, change_rows, read_head, seal
from stopover_verify import card


class Forgery:
    def __init__(self, group, name, base, change, keeps_papers=False):
        self.group, self.name, self.base, self.change, self.keeps_papers = group, name, base, change, keeps_papers

    def commit(self, folder, scene):
        if not self.keeps_papers:  # stale papers would give it away
            for papers in ("signatures", "notes"):
                shutil.rmtree(folder / papers, ignore_errors=True)
        self.change(folder, scene)


def axes_of(columns):
    return [name[:-3] for name in columns if name.endswith("_lo")]


def leaves_of(columns):
    return [row for row, leaf in enumerate(columns["leaf"]) if leaf]


def measured(columns, leaf):
    return next(row for row, ticks in enumerate(columns["ticks"]) if ticks and columns["leaf"][row] == leaf)


def siblings(columns):
    """Two leaves with the same parent."""
    seen = {}
    for row in leaves_of(columns):
        parent = columns["parent"][row]
        if parent in seen:
            return seen[parent], row
        seen[parent] = row
    raise LookupError("no siblings")


def neighbours(columns):
    """(axis, a, b): leaves with one parent that share a whole face, a below b, with room to move it."""
    axes, leaves = axes_of(columns), leaves_of(columns)
    ends = {row: tuple((columns[axis + "_lo"][row], columns[axis + "_hi"][row]) for axis in axes) for row in leaves}
    for i, axis in enumerate(axes):
        at = {(columns["parent"][row], box[:i], box[i][0], box[i + 1:]): row for row, box in ends.items()}
        for row, box in ends.items():
            other = at.get((columns["parent"][row], box[:i], box[i][1], box[i + 1:]))
            if other is not None and other != row and ends[other][i][1] - ends[other][i][0] > 1:
                return axis, row, other
    raise LookupError("no neighbours")


def put_edges(columns, axes):
    """Coordinates that follow from the cells again. `axes`: of the domain, by name."""
    for name in axes_of(columns):
        axis = axes[name]
        if name + "_from" in columns:
            lower, upper = float(axis["lower"]), float(axis["upper"])
            for cell, edge in (("_lo", "_from"), ("_hi", "_to")):
                columns[name + edge] = [lower + (upper - lower) * c / axis["cells"] for c in columns[name + cell]]


def rows(number, change, follow=False):
    """A change of one table's columns; coordinates, leaves and scales follow. `follow`: maps follow too."""
    def forge(folder, scene):
        head = read_head(folder)
        axes = {axis["name"]: axis for axis in head["domain"]["axes"]}

        def all_of_it(columns):
            change(columns)
            put_edges(columns, axes)
            inner = set(columns["parent"])
            columns["leaf"] = [row not in inner for row in range(len(columns["parent"]))]
            columns["noise_scale"] = [1e9 * head["k"] / ticks if ticks else None for ticks in columns["ticks"]]
        change_rows(folder, all_of_it, number)
        if follow:
            draw_maps_again(folder)
    return forge


def raw_rows(number, change):
    return lambda folder, scene: change_rows(folder, change, number)


def map_of(columns, names, axes, stop):
    """The rows of a map as GeoParquet."""
    x, y = (next(name for name in names if axes[name]["kind"] == kind) for kind in ("longitude", "latitude"))
    made = {"stop": [], "row": leaves_of(columns), "cells": [], "estimate": [], "geometry": [], "bbox": []}
    for row in made["row"]:
        w, e, s, n = (columns[name][row] for name in (x + "_from", x + "_to", y + "_from", y + "_to"))
        sides = [columns[name + "_hi"][row] - columns[name + "_lo"][row] for name in (x, y)]
        made["stop"].append(stop)
        made["cells"].append(sides[0] * sides[1])
        made["estimate"].append(columns["estimate"][row])
        made["geometry"].append(struct.pack("<BIII10d", 1, 3, 1, 5, w, s, e, s, e, n, w, n, w, s))
        made["bbox"].append({"xmin": w, "ymin": s, "xmax": e, "ymax": n})
    return made


def draw_maps_again(folder):
    head = read_head(folder)
    axes = {axis["name"]: axis for axis in head["domain"]["axes"]}
    for said in head["tables"]:
        path = folder / "maps" / said["file"]
        if path.is_file():
            old = pq.read_table(path)
            stop, old = old["stop"][0].as_py(), old.schema
            made = map_of(pq.read_table(folder / said["file"]).to_pydict(), said["axes"], axes, stop)
            pq.write_table(pa.table([pa.array(made[field.name], field.type) for field in old], schema=old), path)
    seal(folder, head)


def head(change, with_card=True):
    """A change of release.json; the card follows."""
    def forge(folder, scene):
        def all_of_it(told):
            change(told)
            if with_card:
                told["guarantee"] = card.private_card(told) if told.get("randomness") == "system" else card.open_card(told)
        change_head(folder, all_of_it)
    return forge


def up_the_path(columns, row, by):
    while row >= 0:
        columns["estimate"][row] += by
        row = columns["parent"][row]


def put(column, pick, value):
    """columns[column][row] = value(old), row = pick(columns)."""
    def change(columns):
        row = pick(columns)
        columns[column][row] = value(columns[column][row])
    return change
