#!/usr/bin/env python3
"""No floating point in the audited core: disassembles libraries and refuses vector and x87 registers and instructions.

  integers.py LIBRARY ...
"""
import re
import subprocess
import sys
from pathlib import Path

from sources import report

FLOATING = re.compile(r"%(?:[xyz]?mm\d+|st\b|k[0-7]\b)|^(?:f(?!s\b)\w+|ldmxcsr|stmxcsr|vldmxcsr|vstmxcsr|emms)\b")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
SHOWN = 10


def breaches_of(library):
    run = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", str(library)], capture_output=True, text=True)
    if run.returncode != 0:
        return [f"{library}: objdump failed: {run.stderr.strip()}"], 0
    member, function, instructions, found = "?", "?", 0, []
    for line in run.stdout.splitlines():
        heading = FUNCTION.match(line)
        if heading:
            function = heading.group(1)
        elif ":     file format " in line:
            member = line.split(":")[0]
            if "elf64-x86-64" not in line:
                return [f"{library}: {line.split()[-1]} is not a format this check can read"], 0
        elif ":\t" in line:
            instructions += 1
            instruction = line.split(":\t", 1)[1].strip()
            if FLOATING.search(instruction):
                found.append(f"{Path(library).name}({member}): {function}: {instruction}")
    if not instructions:
        found.append(f"{library}: holds no instruction at all")
    if len(found) > SHOWN:
        found[SHOWN:] = [f"{Path(library).name}: and {len(found) - SHOWN} more"]
    return found, instructions


def main(libraries):
    breaches, total = [], 0
    for library in libraries:
        found, instructions = breaches_of(library)
        breaches += found
        total += instructions
    if not libraries:
        breaches.append("no library was named")
    return report(breaches, f"{total} instructions in {len(libraries)} libraries, none of floating point")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
