"""`pip install .` as a user types it, into a folder of its own: nothing but the wheel and numpy is then needed.

    wheel_test.py ROOT

Builds with the environment's own scikit-build-core and nanobind (no network) in build/pip-*, so that a second run is
quick.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

try:
    import scikit_build_core  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

USE = Path(__file__).resolve().parents[2] / "tests" / "packaging" / "use_package.py"


def main(root):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "STOPOVER_PROGRAMS")}
    environment.setdefault("CXX", "c++")  # as the rest of the build, so that ccache knows the objects
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]
        subprocess.run([*pip, "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", folder, root], check=True,
                       env=environment)
        wheel, = Path(folder).glob("*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        assert any(name.startswith("stopover/_core.") and name.endswith(".so") for name in names), names
        for name in ("stopover/py.typed", "stopover/_core.pyi", "stopover/lib/libduckdb.so", "stopover/bin/stopover",
                     "stopover/bin/stopover-lab"):
            assert name in names, f"{name} is not in the wheel"
        assert not any("_lab" in name or name.endswith(".a") for name in names), names
        target = Path(folder, "installed")
        subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", "--target", target, wheel], check=True,
                       env=environment)
        environment.update(PYTHONPATH=str(target), XDG_STATE_HOME=folder, XDG_CACHE_HOME=folder)
        subprocess.run([sys.executable, USE, str(target)], check=True, env=environment, cwd=folder)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1])
