#!/usr/bin/env python3
"""Lines of code and comments fit in 120 columns, and a comment's lines are broken where they are full.

A line may be longer by what stands inside texts (an address, a message): those are not broken. A comment line that ends
early although its sentence goes on was broken by a machine, and reads as if something were missing.

  lines.py ROOT
"""
import re
import sys
from pathlib import Path

from sources import report, tracked_files

COLUMNS = 120
EARLY = 60  # a comment's line that ends before this column while its sentence goes on
MARKS = {".h": "//", ".cc": "//", ".ts": "//", ".tsx": "//", ".mjs": "//", ".py": "#", ".pyi": "#", ".sh": "#", ".cmake": "#"}
TEXTS = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|`(?:\\.|[^`\\])*`?|/(?:\\.|[^/\\\n])+/[a-z]*')


def mark_of(path):
    """What begins a comment in this file; None where the file is not code."""
    if path.suffix in MARKS:
        return MARKS[path.suffix]
    if path.suffix:
        return None
    with path.open("rb") as file:
        return "#" if file.read(2) == b"#!" else None


def breaches_of(name, text, mark):
    comment = re.compile(rf"^(\s*){mark} +(\S.*)$")
    found, above = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS and len(TEXTS.sub('""', line)) > COLUMNS:
            found.append(f"{name}:{number}: longer than {COLUMNS} columns")
        here = comment.match(line)
        if here and above and above.group(1) == here.group(1) and re.match(r"[a-z]+([ ,.]|$)", here.group(2)):
            first = here.group(2).split(" ")[0]
            goes_on = re.search(r"[a-z,]$", above.group(2)) and not re.search(r"  |[:=;({|]", above.group(2))
            if goes_on and len(above.group(0)) + 1 + len(first) < EARLY:
                found.append(f"{name}:{number - 1}: the comment's line ends early and goes on below")
        above = here
    return found


def main(root):
    root = Path(root)
    found, files = [], 0
    for path in tracked_files(root):
        mark = mark_of(path)
        if mark is None or "mutants" in path.parts:
            continue
        files += 1
        found += breaches_of(path.relative_to(root), path.read_text(encoding="utf-8", errors="replace"), mark)
    return report(found, f"{files} files, no line of code or comment over {COLUMNS} columns")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
