#!/usr/bin/env python3
"""Runs the independent verifier (verifier/, the program stopover-verify) from the source tree; `--help` tells the rest."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "verifier"))
from stopover_verify.command import run  # noqa: E402

if __name__ == "__main__":
    run()
