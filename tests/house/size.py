#!/usr/bin/env python3
"""The audited core stays small enough to be read: counts lines of code without comments, blanks and tests.

Also: no line of code is longer than 120 columns, so that the count means something.

  size.py ROOT
"""
import sys
from pathlib import Path

from sources import cpp_files, is_test, report, without_comments

LIMITS = [(("src/privacy", "src/matrix"), 2450), (("src/ledger",), 830)]
COLUMNS = 120


def lines_of_code(text):
    return sum(1 for line in without_comments(text).splitlines() if line.strip())


def main(root, limits=LIMITS):
    root = Path(root)
    breaches, summary = [], []
    for folders, limit in limits:
        total = 0
        for folder in folders:
            for path in cpp_files(root / folder):
                if is_test(path):
                    continue
                text = path.read_text(encoding="utf-8")
                count = lines_of_code(text)
                total += count
                print(f"{count:6}  {path.relative_to(root)}")
                breaches += [f"{path.relative_to(root)}:{k}: longer than {COLUMNS} columns"
                             for k, line in enumerate(without_comments(text).splitlines(), 1)
                             if len(line.rstrip()) > COLUMNS]
        name = " + ".join(folders)
        print(f"{total:6}  {name}, at most {limit}")
        summary.append(f"{name}: {total} of {limit} lines")
        if total > limit:
            breaches.append(f"{name}: {total} lines of code, at most {limit} are allowed")
    return report(breaches, "; ".join(summary))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
