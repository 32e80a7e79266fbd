#!/usr/bin/env python3
"""A test that does more under STOPOVER_LONG_TESTS must be registered so that `make prove` runs it.

Every src/ROOM/x_test.cc that names the variable stands after LONG in its room's CMakeLists.txt, and the other way
round.

  long_tests.py ROOT
"""
import re
import sys
from pathlib import Path

from sources import cpp_files, is_test, report, without_comments

KEYWORDS = "DEPS|PRIVATE_DEPS|TEST_DEPS|OPTIONS|INTEGER_ONLY"


def main(root):
    root = Path(root)
    breaches, count = [], 0
    for lists in sorted((root / "src").glob("*/CMakeLists.txt")):
        folder = lists.parent
        listed = re.search(rf"\bLONG\s+((?:(?!\b(?:{KEYWORDS})\b)[\w\s])+)", lists.read_text(encoding="utf-8"))
        registered = set(listed.group(1).split()) if listed else set()
        longer = {p.stem for p in cpp_files(folder) if is_test(p) and
                  "STOPOVER_LONG_TESTS" in without_comments(p.read_text(encoding="utf-8"))}
        count += len(longer)
        where = lists.relative_to(root)
        breaches += [f"{where}: add {stem} after LONG, its long part never runs"
                     for stem in sorted(longer - registered)]
        breaches += [f"{where}: {stem} stands after LONG but has no long part" for stem in sorted(registered - longer)]
    return report(breaches, f"{count} tests have a long part, all registered")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
