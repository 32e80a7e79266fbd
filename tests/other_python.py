"""Tests that need packages which this Python may lack."""
import os
import sys
from pathlib import Path

ENVIRONMENT = Path(__file__).resolve().parents[1] / ".deps/venv"


def run_again_with_packages(missing):
    """Starts the test again in the environment that scripts/python-env makes; where there is none, skips it (77)."""
    python = ENVIRONMENT / "bin/python"
    if python.exists() and Path(sys.prefix) != ENVIRONMENT:
        os.execv(python, [str(python), *sys.argv])
    print(f"{missing} is missing: scripts/python-env makes an environment with it")
    sys.exit(77)
