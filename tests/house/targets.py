#!/usr/bin/env python3
"""`make help` shows at most 14 everyday targets, `make help-all` every one, and both say what a target does.

  targets.py ROOT
"""
import re
import subprocess
import sys
from pathlib import Path

from sources import report

EVERYDAY = 14


def shown(root, target):
    run = subprocess.run(["make", "-s", "--no-print-directory", "-C", str(root), target],
                         capture_output=True, text=True)
    if run.returncode != 0:
        return None
    return set(re.findall(r"^  make (\S+) +\S", run.stdout, re.M))


def main(root):
    makefile = (Path(root) / "Makefile").read_text(encoding="utf-8")
    phony = set(" ".join(re.findall(r"^\.PHONY: *(.*)$", makefile, re.M)).split())
    everyday, all_of_them = shown(root, "help"), shown(root, "help-all")
    if not phony or everyday is None or all_of_them is None:
        return report(["Makefile: make help, make help-all and a line .PHONY: are needed"], "")
    breaches = []
    if len(everyday) > EVERYDAY:
        breaches.append(f"make help: {len(everyday)} targets, at most {EVERYDAY} are allowed")
    breaches += [f"make help: {name} is not shown by make help-all" for name in sorted(everyday - all_of_them)]
    breaches += [f"make help-all: does not say what {name} does" for name in sorted(phony - all_of_them)]
    breaches += [f"make help-all: {name} is not after .PHONY:" for name in sorted(all_of_them - phony)]
    return report(breaches, f"{len(everyday)} everyday targets of {len(all_of_them)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
