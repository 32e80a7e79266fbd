"""The programs that came with the package: `stopover` on the command line is this one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ._errors import Error


def _find(name: str) -> str:
    path = Path(__file__).parent / "bin" / name
    if not path.is_file():
        raise Error(f"the program {name} did not come with this package\n  It was looked for at {path}.")
    return str(path)


def lab() -> str:
    return _find("stopover-lab")


def main() -> None:
    program = _find("stopover")
    job = Path(__file__).parent / "share" / "stopover" / "spark" / "cells.py"
    os.environ.setdefault("STOPOVER_SPARK_JOB", str(job))
    os.environ.setdefault("STOPOVER_PYTHON", sys.executable)
    os.execv(program, [program, *sys.argv[1:]])
