#!/usr/bin/env python3
"""Who may include whom: compares every #include of the folders in ARCHITECTURE.md's table with that table.

The table's first column names a folder, its last what the folder's files may include besides their own room: rooms
(`base`), single headers (`privacy/kernel.h`), and after the word "but" what is taken away again; `-` is nothing. Tests
(x_test.cc) may include any room. The rooms that are also compiled to WebAssembly have rules of their own: see PORTABLE
below.

  includes.py ROOT
"""
import re
import sys
from pathlib import Path

from sources import cpp_files, is_test, report, without_comments

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
BESIDE = ("include", "cli", "lab", "python")  # folders beside src
ROW = re.compile(r"^\|\s*`(src/\w+|include|cli|lab|python)/?`\s*\|.*\|([^|]*)\|\s*$")

# These run in a web page too: no files, no threads, no exceptions, no library, and no
# function of libm whose last bit differs between machines.
PORTABLE = {"base", "domain", "geo", "release", "query", "question", "explore"}
UNPORTABLE_HEADERS = re.compile(
    r"^(thread|mutex|shared_mutex|condition_variable|future|filesystem|fstream|iostream|unistd\.h|duckdb\.h"
    r"|(fmt|nlohmann|tbb|oneapi|openssl|boost|toml\+\+|CLI)/.*)$")
UNPORTABLE_CODE = re.compile(
    r"\b(throw|try|catch)\b"
    r"|(?:\bstd::|(?<![\w:.>]))(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh"
    r"|cbrt|hypot|lgamma|tgamma|erf|erfc)\(")
# geo and question have these libraries of headers.
PORTABLE_LIBRARIES = {"geo": re.compile(r"^(nlohmann|boost)/"), "question": re.compile(r"^nlohmann/")}
DUCKDB_ROOM = "duck"
# What faces a network has no way to data, to a budget or to the desk, whatever the table says.
CLOSED = {"serve": {"matrix", "duck", "ingest", "privacy", "ledger", "publish", "job", "desk", "eval", "testing"}}


def read_table(text):
    """{folder: (allowed rooms and headers, excepted headers)}; a folder is a room's name or one of BESIDE."""
    table = {}
    for line in text.splitlines():
        row = ROW.match(line)
        if not row:
            continue
        given, _, taken = row.group(2).replace("`", "").partition(" but ")
        table[row.group(1).removeprefix("src/")] = tuple(
            {name.strip() for name in entries.split(",")} - {"", "-"} for entries in (given, taken))
    return table


def breaches_of(root, table):
    rooms = {folder for folder in table if folder not in BESIDE}
    for name, (allowed, excepted) in sorted(table.items()):
        for entry in sorted(allowed | excepted):
            if entry.split("/")[0] not in table:
                yield f"ARCHITECTURE.md: the row of {name} names {entry}, which is not in a folder of the table"
    for name, closed in CLOSED.items():
        for entry in sorted(table.get(name, (set(), set()))[0]):
            if entry.split("/")[0] in closed:
                yield f"ARCHITECTURE.md: the row of {name} may not name {entry}: no way to data leads from there"
    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        if folder.name not in rooms:
            yield f"src/{folder.name}: no row in the table of ARCHITECTURE.md"
    for folder in sorted(table):
        base = root / "src" / folder if folder in rooms else root / folder
        for path in cpp_files(base):
            yield from file_breaches(root, path, folder, table, rooms)


def file_breaches(root, path, folder, table, rooms):
    allowed, excepted = table[folder]
    code = without_comments(path.read_text(encoding="utf-8"))
    for number, line in enumerate(code.splitlines(), 1):
        where = f"{path.relative_to(root)}:{number}"
        include = INCLUDE.match(line)
        if include:
            quoted, target = include.group(1) == '"', include.group(2)
            room = target.split("/")[0]
            if "/" in target and room in table:
                permitted = room == folder or target in allowed or (room in allowed and target not in excepted)
                if not permitted and not is_test(path):
                    yield f"{where}: {folder} may not include {target}"
                elif room in rooms and folder in rooms and not (root / "src" / target).is_file():
                    yield f"{where}: there is no src/{target}"
            elif quoted and folder in rooms:
                yield f'{where}: write "{target}" with its room, as in "base/result.h"'
            elif quoted and ".." in target.split("/"):
                yield f"{where}: {target} climbs out of its folder"
            elif target == "duckdb.h" and folder != DUCKDB_ROOM and not is_test(path):
                yield f"{where}: only {DUCKDB_ROOM} may include duckdb.h"
            elif folder in PORTABLE_LIBRARIES and PORTABLE_LIBRARIES[folder].match(target):
                pass
            elif folder in PORTABLE and not is_test(path) and UNPORTABLE_HEADERS.match(target):
                yield f"{where}: {folder} also runs in a web page, where <{target}> has no place"
        elif folder in PORTABLE and not is_test(path):
            call = UNPORTABLE_CODE.search(re.sub(r'"(?:\\.|[^"\\])*"', '""', line))
            if call:
                yield f"{where}: {folder} also runs in a web page: no {call.group(0).strip('(')} (base/portable_math.h)"


def main(root):
    root = Path(root).resolve()
    table = read_table((root / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    if len(table) < 2:
        print("ARCHITECTURE.md: the table of rooms was not found")
        return 1
    return report(list(breaches_of(root, table)), f"the includes of {len(table)} folders keep to ARCHITECTURE.md")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
