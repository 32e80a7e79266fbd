#!/usr/bin/env python3
"""Where one program holds the tests of a room (STOPOVER_UNITY), its links run each test of it exactly once, and none is
empty.

  joined.py BUILD_FOLDER
"""
import subprocess
import sys
from collections import Counter
from pathlib import Path

from sources import report


def tests_of(program):
    """The full names of what the program would run, called by this name."""
    run = subprocess.run([str(program), "--gtest_list_tests"], capture_output=True, text=True)
    if run.returncode != 0:
        return None
    names, suite = [], ""
    for line in run.stdout.splitlines():
        if line.startswith("  "):
            names.append(suite + line.split()[0])
        elif line.split() and line.split()[0].endswith("."):
            suite = line.split()[0]
    return names


def breaches_of(programs):
    """`programs`: pairs of a program and the links to it."""
    found = []
    for program, links in programs:
        everything, by_link = Counter(tests_of(program)), Counter()
        for link in links:
            names = tests_of(link)
            if not names:
                found.append(f"{link}: runs no test")
            by_link.update(names or [])
        for name in sorted((everything | by_link).keys()):
            if by_link[name] != everything[name]:
                found.append(f"{program}: {name} is run {by_link[name]} times by its links")
    return found


def main(build):
    programs = []
    for program in sorted(Path(build, "src").glob("*/*_tests")):
        if program.is_file():
            links = [p for p in program.parent.iterdir() if p.is_symlink() and p.resolve() == program.resolve()]
            programs.append((program, sorted(links)))
    if not programs:
        print("every file of tests has a program of its own here")
        return 77
    return report(breaches_of(programs),
                  f"{len(programs)} programs, {sum(len(links) for _, links in programs)} files of tests")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
