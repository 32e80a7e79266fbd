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

USE = """
import os, sys, json, subprocess
import numpy as np
import stopover as so
from pathlib import Path
home = Path(so.__file__).parent
assert home.parent == Path(sys.argv[1]), home
dice = np.random.default_rng(1)
with open("trips.csv", "w") as file:
    file.write("uid,tid,datetime,lat,lng\\n")
    for trip in range(3000):
        for stop in range(3):
            lat, lng = 40.72 + 0.05 * dice.standard_normal(), -74.05 + 0.05 * dice.standard_normal()
            file.write(f"u{trip % 900},{trip},2024-03-01T0{stop}:00:00Z,{lat:.5f},{lng:.5f}\\n")
dom = so.Domain(bbox=(-74.42, 40.40, -73.59, 41.03), grid=(1000, 1000), stops=["home", "work", "evening"])
rel = so.publish("trips.csv", dom, epsilon=1.0, unit="user", max_trips_per_user=4, ledger="trips.ledger", budget=1)
answer = rel.count(home=so.circle(40.73, -74.10, km=1), evening=so.bbox(-74.02, 40.70, -73.95, 40.78))
assert answer.lower <= answer.estimate <= answer.upper
assert rel.explore().html.lstrip().lower().startswith("<!doctype html>")
try:
    so._core.start_publish({"test_key": "x", "epsilon": 1.0, "input": "x.csv"}, None).wait(9)
except so.UsageError:
    pass
program = "from stopover._program import main; main()"
said = subprocess.run([sys.executable, "-c", program, "query", "trips.odr", "--json"],
                      capture_output=True, text=True)
assert json.loads(said.stdout)["estimate"] == rel.count().estimate, said.stderr
assert not (home / "_lab.abi3.so").exists() and not list(home.glob("_lab*"))
found = so.evaluate("m.csv", so.Domain(shape=(8, 8)), mechanisms="eug", epsilons=[1], workloads=["random"], queries=10,
                    reps=1, synthetic=True) \\
    if Path("m.csv").write_text("a0,a1\\n" + "1,2\\n3,4\\n" * 500) else None
assert len(found.rows) > 5
print(rel)
"""


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
        subprocess.run([sys.executable, "-c", USE, str(target)], check=True, env=environment, cwd=folder)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1])
