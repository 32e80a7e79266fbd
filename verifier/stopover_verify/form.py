"""The form of release.json and zones.geojson, down to the last key: what stands in a release is a fixed list, so that
nothing can be told beside it."""
import math
import re

from stopover_verify.broken import require

MOST = 2**53 - 1


def text(pattern="", least=0):
    """A string that fits the pattern, if there is one."""
    rule = re.compile(pattern)

    def check(value, where):
        good = isinstance(value, str) and len(value) >= least and (not pattern or rule.fullmatch(value))
        require(good, f"release.json: {where} is {value!r}")
    return check


def whole(least=0, most=MOST):
    def check(value, where):
        require(type(value) is int and least <= value <= most, f"release.json: {where} is {value!r}")
    return check


def flag(value, where):
    require(type(value) is bool, f"release.json: {where} is {value!r}")


def decimal(value, where):
    """A number as text, not longer than it need be."""
    NUMBER(value, where)
    require(len(value) <= len(repr(float(value)).removesuffix(".0")), f"release.json: {where} is {value!r}, which is longer "
            "than it need be")


def many(item, least=0, most=None, once=False):
    def check(value, where):
        require(isinstance(value, list) and least <= len(value) <= (most or len(value)), f"release.json: {where} is no list of these")
        for i, each in enumerate(value):
            item(each, f"{where}[{i}]")
        require(not once or len(set(value)) == len(value), f"release.json: {where} has something twice")
    return check


def record(needed, perhaps=None, file="release.json"):
    known = {**needed, **(perhaps or {})}

    def check(value, where):
        require(isinstance(value, dict), f"{file}: {where} is no object")
        odd = sorted((set(value) - set(known)) | (set(needed) - set(value)))
        require(not odd, f"{file}: {where} has other keys than it should: {', '.join(odd)}")
        for key, each in value.items():
            known[key](each, f"{where}.{key}" if where else key)
    return check


def params(value, where):
    require(isinstance(value, dict), f"release.json: {where} is no object")
    for key, each in value.items():
        WORD(key, f"a name in {where}")
        text()(each, f"{where}.{key}")


def anything(value, where):
    """Checked elsewhere."""


NUMBER = text(r"-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?")
WORD, SHA256 = text(r"[a-z][a-z0-9_-]{0,63}"), text(r"[0-9a-f]{64}")
EPSILON = text(r"(0|[1-9][0-9]{0,3})(\.[0-9]{0,8}[1-9])?")
TICKS, SIZE = (0, 10**12), (1, 2**32 - 1)
DECIMALS, NAMES = many(decimal, 1, 64), many(text(), 1, once=True)
AXIS = record({"name": text(least=1), "cells": whole(1, 2**31), "kind": text("longitude|latitude|time|category|number|zone"),
               "lower": decimal, "upper": decimal, "labels": many(text(), once=True)})
TABLE = record({"name": WORD, "kind": text("partition|cells"), "axes": NAMES, "ticks": whole(*TICKS), "multiplicity": whole(1, 1),
                "view": text("[a-z0-9_-]{0,64}"), "smooth": flag, "rows": whole(1, 2**31 - 1),
                "file": text(r"[a-z][a-z0-9_]{0,63}\.parquet"), "content_sha256": SHA256, "file_sha256": SHA256})
CHARGE = record({"view": WORD, "depth": whole(0, 65535), "purpose": WORD, "ticks": whole(1, TICKS[1]), "times": whole(1)})
CALIBRATION = record({"draws": whole(*SIZE), "questions": whole(*SIZE), "weights": many(decimal, 7, 7), "tails": DECIMALS,
                      "signals": DECIMALS, "below": many(DECIMALS, 1, 64), "above": many(DECIMALS, 1, 64)})
CELLS, DISTANCES = many(decimal, 14, 14), many(decimal, 14, 896)
PROBES = record({"ticks": whole(1, TICKS[1]), "lattices": whole(*SIZE), "counts": many(whole(-(2**63), 2**63 - 1), 168, 168),
                 "scales": CELLS, "squares": CELLS, "signals": CELLS, "whole": many(decimal, 70, 70), "tails": DECIMALS,
                 "below": DISTANCES, "above": DISTANCES},
                {"scale": whole(*SIZE), "missed_above": many(decimal, 84, 84), "missed_below": many(decimal, 70, 70)})
COMPANION = record({"file": text(r"maps/[a-z0-9_]+\.parquet|zones\.parquet|datapackage\.json"), "sha256": SHA256})
RELEASE = record(
    {"format": whole(1, 2), "domain": record({"axes": many(AXIS, 1, 12), "stops": many(record({"name": text(least=1), "axes": NAMES}), 1)},
                                             {"zones": record({"file": text(r"zones\.geojson"), "sha256": SHA256})}),
     "guarantee": record({"title": text(), "promise": many(text()), "not_covered": many(text())}), "mechanism": WORD, "params": params,
     "epsilon": EPSILON, "spent": EPSILON, "unit": text("trip|user"), "k": whole(*SIZE), "answer_model": text("uniform|maps"),
     "tables": many(TABLE, 1), "charges": many(CHARGE), "number": whole(), "ledger_head": text(r".{0,256}"),
     "date": text(r"([0-9]{4}-[0-9]{2}-[0-9]{2})?"), "content_sha256": SHA256, "json_sha256": SHA256,
     "writer": record({"name": text(), "version": text(), "duckdb": text()})},
    {"randomness": anything, "calibration": CALIBRATION, "probes": PROBES, "companions": many(COMPANION, 1), "description": anything,
     "upgraded_from": SHA256})


def check_form(head):
    RELEASE(head, "")
    check_domain(head["domain"])
    check_charge_order(head["charges"])
    check_maps(head)


def check_domain(domain):
    """Axes and stops as one can count on: every axis is one stop's, in order."""
    names = [axis["name"] for axis in domain["axes"]]
    require(len(set(names)) == len(names), "two axes have one name")
    for axis in domain["axes"]:
        name, labels = axis["name"], len(axis["labels"])
        require(labels == (axis["cells"] if axis["kind"] in ("category", "zone") else 0), f"axis {name} has {labels} labels")
        require(-math.inf < float(axis["lower"]) < float(axis["upper"]) < math.inf, f"axis {name}: its bounds do not increase")
    stops = [stop["name"] for stop in domain["stops"]]
    require(len(set(stops)) == len(stops), "two stops have one name")
    used = [name for stop in domain["stops"] for name in stop["axes"]]
    require(sorted(used) == sorted(names), "an axis is no stop's, or two stops'")
    for stop in domain["stops"]:
        places = [names.index(name) for name in stop["axes"]]
        require(places == sorted(places), f"stop {stop['name']}: its axes are out of order")


def check_charge_order(charges):
    seen, last = set(), None
    for charge in charges:
        key = charge["depth"], charge["purpose"], charge["ticks"]
        if last and last[0] == charge["view"]:
            require(last[1] < key, f"a charge of view {charge['view']} stands twice or out of order")
        else:
            require(charge["view"] not in seen, f"charges of view {charge['view']} do not stand together")
        seen.add(charge["view"])
        last = charge["view"], key


def check_maps(head):
    """Where answers use maps, every axis is on one map; a release with one table is its own."""
    if head["answer_model"] != "maps":
        return
    maps = head["tables"][1:]
    if not maps:
        require(len(head["domain"]["axes"]) <= 2, "a table that is its own map has one or two axes")
        return
    require(all(table["kind"] == "partition" and len(table["axes"]) <= 2 for table in maps), "a map is a partition of one or two axes")
    require(sorted(name for table in maps for name in table["axes"]) == sorted(axis["name"] for axis in head["domain"]["axes"]),
            "an axis has no map, or two")


def check_zones_form(zones):
    """zones.geojson has nothing but its zones."""
    file = "zones.geojson"
    record(dict.fromkeys(("type", "form", "levels", "features"), anything), file=file)(zones, "the file")
    feature = record({"type": anything, "place": anything, "geometry": anything,
                      "properties": record(dict.fromkeys(["id", *zones["levels"]], anything), file=file)}, file=file)
    shape = record(dict.fromkeys(("type", "coordinates"), anything), file=file)
    for i, each in enumerate(zones["features"]):
        feature(each, f"features[{i}]")
        if each["geometry"] is not None:
            shape(each["geometry"], f"features[{i}].geometry")
        require(all(isinstance(value, str) for value in each["properties"].values()), f"{file}: a property is no text")
