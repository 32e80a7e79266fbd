#!/usr/bin/env python3
"""The published program holds no entropy that can be repeated, and nothing of the laboratory: reads its symbols with
nm.

Refuses names of seeded or replayed randomness, and every symbol that a library to be kept apart defines (testing,
peers). A program without symbols is refused too (it cannot be judged). With --lab, the sibling that does have them must
show them: this proves that the search would have found them. With --header, a shared library must export the functions
that the C header declares and nothing else.

  symbols.py PROGRAM [--apart LIBRARY]... [--lab PROGRAM] [--header HEADER]
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from sources import report, without_comments

SEEDED = re.compile(r"test_?key|seeded|replay", re.IGNORECASE)


def symbols_of(path, *flags):
    run = subprocess.run(["nm", "-C", *flags, path], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{path}: nm failed: {run.stderr.strip()}")
    names = set()
    for line in run.stdout.splitlines():
        parts = line.split(maxsplit=2)
        if len(parts) == 3 and re.fullmatch(r"[0-9a-f]+", parts[0]):
            names.add((parts[1], parts[2]))
        elif len(parts) >= 2 and re.fullmatch(r"[A-Za-z]", parts[0]):
            names.add((parts[0], line.split(maxsplit=1)[1]))
    return names


def breaches_of(program, apart=(), lab=None):
    present = {name for _, name in symbols_of(program)}
    if not any(name.startswith("stopover::") for name in present):
        return [f"{program}: shows no symbol of stopover, so nothing can be said about it (stripped?)"]
    found = [f"{program}: {name}" for name in sorted(present) if SEEDED.search(name)]
    for library in apart:
        own = {name for kind, name in symbols_of(library, "--defined-only") if kind in "TDBR" and "stopover::" in name}
        if not own:
            found.append(f"{library}: defines no symbol of stopover")
        found += [f"{program}: {name} comes from {library}" for name in sorted(own & present)]
        if lab and not own & {name for _, name in symbols_of(lab)}:
            found.append(f"{lab}: shows nothing of {library}; the check would be blind")
    return found


def export_breaches(library, header):
    declared = set(re.findall(r"\b(stopover_\w+)\(", without_comments(Path(header).read_text(encoding="utf-8"))))
    exported = {name for _, name in symbols_of(library, "-D", "--defined-only")}
    return ([f"{library}: exports {name}, which {header} does not declare" for name in sorted(exported - declared)]
            + [f"{library}: does not export {name} of {header}" for name in sorted(declared - exported)])


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--apart", action="append", default=[])
    parser.add_argument("--lab")
    parser.add_argument("--header")
    options = parser.parse_args(arguments)
    breaches = breaches_of(options.program, options.apart, options.lab)
    if options.header:
        breaches += export_breaches(options.program, options.header)
    return report(breaches,
                  f"{options.program}: no seeded or replayed entropy, nothing of the laboratory")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
