#!/usr/bin/env python3
"""No floating point in the audited core: disassembles libraries and refuses vector and floating point registers and
instructions, of x86-64 and of aarch64.

  integers.py LIBRARY ...

OBJDUMP names the program that knows the library's machine, if it is not this one's (aarch64-linux-gnu-objdump).
"""
import os
import re
import subprocess
import sys
from pathlib import Path

from sources import report

FLOATING = {
    "elf64-x86-64":
        re.compile(r"%(?:[xyz]?mm\d+|st\b|k[0-7]\b)|^(?:f(?!s\b)\w+|ldmxcsr|stmxcsr|vldmxcsr|vstmxcsr|emms)\b"),
    # Registers b, h, s, d, q, v of the vector unit, z and p of the scalable one; instructions f..., and those that
    # convert.
    "elf64-littleaarch64":
        re.compile(r"(?<![\w<.+])(?:[bhsdqvz](?:[12]?\d|3[01])(?:\.\w+)?|p(?:1[0-5]|\d)(?:[./]\w+)?)(?![\w>])"
                   r"|^(?:f\w+|[su]cvtf)\b|\bfp[cs]r\b"),
}
ADDRESS = re.compile(r"\b[0-9a-f]+ <.*$")  # where a jump goes: b4 and d8 are addresses there, not registers
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
SHOWN = 10


def breaches_of(library):
    objdump = os.environ.get("OBJDUMP", "objdump")
    run = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", str(library)], capture_output=True, text=True)
    if run.returncode != 0:
        return [f"{library}: objdump failed: {run.stderr.strip()}"], 0
    member, function, instructions, found, floating = "?", "?", 0, [], None
    for line in run.stdout.splitlines():
        heading = FUNCTION.match(line)
        if heading:
            function = heading.group(1)
        elif ":     file format " in line:
            member = line.split(":")[0]
            floating = FLOATING.get(line.split()[-1])
            if floating is None:
                return [f"{library}: {line.split()[-1]} is not a format this check can read"], 0
        elif ":\t" in line:
            instructions += 1
            instruction = ADDRESS.sub("", line.split(":\t", 1)[1]).split("//")[0].strip()
            if floating.search(instruction):
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
