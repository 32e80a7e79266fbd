"""The package is typed: mypy, strictly; and the stub of _core names what _core has.

    types_test.py ROOT
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

try:
    import mypy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from stopover import _core


def names_of_stub(path):
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{member.name}" for member in node.body
                          if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")}
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
    return found


def names_of_module():
    found = set()
    for name in dir(_core):
        if name.startswith("_"):
            continue
        found.add(name)
        value = getattr(_core, name)
        if isinstance(value, type):
            found |= {f"{name}.{member}" for member in dir(value) if not member.startswith("_")}
    return found


def main(root):
    root = Path(root)
    stub, module = names_of_stub(root / "python/stopover/_core.pyi"), names_of_module()
    assert stub == module, f"_core.pyi and _core differ in {sorted(stub ^ module)}"
    cache = Path(os.environ["STOPOVER_PROGRAMS"], "mypy-cache")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [sys.executable, "-m", "mypy", "--cache-dir", cache, "--config-file", "pyproject.toml"]
    return subprocess.run(words, cwd=root, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
