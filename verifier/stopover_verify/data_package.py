"""datapackage.json: made again from the rest, since no hash that is signed covers it."""
import json

import pyarrow.parquet as pq

from stopover_verify.broken import require
from stopover_verify.hashes import pretty, sha256

MEANINGS = {
    "parent": "row number, from 0, of the box that this one is a part of; -1 for a root",
    "depth": "0 for a root, else the parent's + 1",
    "leaf": "whether no row names this one as parent: answers come from leaves",
    "count": "true trips in the box + discrete Laplace noise; may be negative; 0 if not measured",
    "ticks": "what the count cost, in billionths of epsilon; 0: not measured",
    "side_ticks": "what else was spent on this box, in billionths of epsilon",
    "noise_scale": "scale of the noise in trips; missing if not measured",
    "estimate": "trips: post-processed, not negative, parts add up to their whole",
    "spread": "standard deviation of the true count given all noisy ones, as the mechanism believes",
    "coarse_count": "the count before it was refined: count + noise that does not depend on it; 0 if counted once",
    "coarse_ticks": "what the coarse count cost, a part of ticks; 0: counted once",
    "stop": "name of the stop",
    "row": "row number, from 0, in the table of the same name",
    "cells": "cells of the lattice in this rectangle",
    "id": "the zone's name on the axes of zones",
    "geometry": "well-known binary: longitude and latitude on WGS 84",
    "bbox": "xmin, ymin, xmax, ymax of the geometry in degrees"}
ENDS = {"_lo": "first cell of the box on this axis", "_hi": "one past its last cell",
        "_from": "coordinate of the box's lower edge on this axis", "_to": "coordinate of its upper edge"}
TYPES = {"bool": "boolean", "string": "string", "float": "number", "double": "number", "binary": "any"}


def meaning_of(column):
    ends = [words for end, words in ENDS.items() if column.endswith(end)]
    return MEANINGS.get(column) or (ends[0] if ends else "name of the group that the zone is in")


def type_of(kind):
    return "object" if kind.startswith("struct") else TYPES.get(kind, "integer")


def resource_of(folder, path, title):
    fields = [{"name": field.name, "type": type_of(str(field.type)), "description": meaning_of(field.name)}
              for field in pq.read_schema(folder / path)]
    return {"name": path.rpartition(".")[0].replace("/", "-"), "title": title, "path": path,
            "profile": "tabular-data-resource", "format": "parquet", "mediatype": "application/vnd.apache.parquet",
            "hash": "sha256:" + sha256((folder / path).read_bytes()), "schema": {"fields": fields}}


def package_of(folder, head, files):
    """`files`: {path: title}, in order."""
    said, words = head.get("description", {}), " ".join(head["guarantee"]["promise"])
    made = {"profile": "data-package", "name": "release-" + head["content_sha256"][:16],
            "id": "sha256:" + head["content_sha256"], "title": said.get("title", head["guarantee"]["title"]),
            "description": f"{said['about']} {words}" if "about" in said else words,
            "resources": [resource_of(folder, path, title) for path, title in files.items()]}
    if "licence" in said:
        made["licenses"] = [{"name": said["licence"], "title": said["licence"]}]
    if "credit" in said:
        made["contributors"] = [{"title": said["credit"], "role": "publisher"}]
    if head["date"]:
        made["created"] = head["date"] + "T00:00:00Z"
    return made


def check_package(folder, head, files):
    text = (folder / "datapackage.json").read_bytes()
    package, made = json.loads(text), package_of(folder, head, files)
    require(package.get("id") == made["id"], "datapackage.json is about another release")
    require(isinstance(package.get("resources"), list) and [resource["path"] for resource in package["resources"]] == list(files),
            "datapackage.json lists other files")
    for resource, right in zip(package["resources"], made["resources"]):
        path = right["path"]
        require(resource["hash"] == right["hash"], f"datapackage.json: {path} has another hash")
        names = [[field["name"] for field in r["schema"]["fields"]] for r in (resource, right)]
        require(names[0] == names[1], f"datapackage.json: {path} has other columns")
    require(text == pretty(made), "datapackage.json says something else than follows from the release")
