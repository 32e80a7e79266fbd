#!/usr/bin/env python3
"""What no tracked file may hold: paths of somebody's machine, hosts of package registries, unfinished business, bulk.

  wording.py ROOT
"""
import re
import sys
from pathlib import Path

from sources import report, tracked_files

# Written so that this file does not match itself.
RULES = [
    ("a path of one machine", re.compile(r"(?<![\w./~)$}*-])/(?:work|root|home|tmp|mnt|Users|workspace)\b(?!\s*=)")),
    ("the host of a package registry", re.compile(
        r"npm[j]s\.(?:org|com)|py[p]i\.org|python[h]osted\.org|deb\.debia[n]\.org|nodesourc[e]\.com|crate[s]\.io"
        r"|artifactor[y]|ghc[r]\.io|docke[r]\.io|registr[y]\.[a-z]+\.[a-z]+", re.IGNORECASE)),
    ("unfinished business", re.compile(r"\b(?:TO[D]O|FIXM[E]|XX[X]|HAC[K])\b")),
    ("another project's package: on the Python index the name is not ours, so name the wheel's file",
     re.compile(r"\bpip[3]? install (?:-\S+ )*stopover(?![\w.-])")),
]
BYTES = 1_500_000


def breaches_of(root, paths):
    for path in paths:
        name = path.relative_to(root)
        data = path.read_bytes()
        if len(data) > BYTES:
            yield f"{name}: {len(data)} bytes, at most {BYTES} are allowed"
        if b"\0" in data[:8192]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            for what, rule in RULES:
                found = rule.search(line)
                if found:
                    yield f"{name}:{number}: {what}: {found.group(0)}"


def main(root):
    root = Path(root).resolve()
    paths = tracked_files(root)
    if not paths:
        print(f"{root}: no tracked file")
        return 1
    return report(list(breaches_of(root, paths)), f"{len(paths)} tracked files are clean and small")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
