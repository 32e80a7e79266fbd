"""What a stranger does with an installed package: publish, ask, look at the page, start the program, evaluate.

    python use_package.py FOLDER      (of site packages, where stopover must have come from; works in this folder)
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import stopover as so

home = Path(so.__file__).parent
assert home.parent == Path(sys.argv[1]), home
dice = np.random.default_rng(1)
with open("trips.csv", "w") as file:
    file.write("uid,tid,datetime,lat,lng\n")
    for trip in range(3000):
        for stop in range(3):
            lat, lng = 40.72 + 0.05 * dice.standard_normal(), -74.05 + 0.05 * dice.standard_normal()
            file.write(f"u{trip % 900},{trip},2024-03-01T0{stop}:00:00Z,{lat:.5f},{lng:.5f}\n")
dom = so.Domain(bbox=(-74.42, 40.40, -73.59, 41.03), grid=(1000, 1000), stops=["home", "work", "evening"])
rel = so.publish("trips.csv", dom, epsilon=1.0, unit="user", max_trips_per_user=4, ledger="trips.ledger", budget=1)
answer = rel.count(home=so.circle(40.73, -74.10, km=1), evening=so.bbox(-74.02, 40.70, -73.95, 40.78))
assert answer.lower <= answer.estimate <= answer.upper
assert rel.explore().html.lstrip().lower().startswith("<!doctype html>")
task = so._core.start_publish({"test_key": "x", "epsilon": 1.0, "input": "x.csv"}, None)
task.wait(9)
try:
    task.result()
    raise AssertionError("an installed package takes a test key")
except so.UsageError as refused:
    assert "test_key" in str(refused), refused
program = "from stopover._program import main; main()"
said = subprocess.run([sys.executable, "-c", program, "query", "trips.odr", "--json"],
                      capture_output=True, text=True)
assert json.loads(said.stdout)["estimate"] == rel.count().estimate, said.stderr
assert not (home / "_lab.abi3.so").exists() and not list(home.glob("_lab*"))
Path("m.csv").write_text("a0,a1\n" + "1,2\n3,4\n" * 500)
found = so.evaluate("m.csv", so.Domain(shape=(8, 8)), mechanisms="eug", epsilons=[1], workloads=["random"], queries=10,
                    reps=1, synthetic=True)
assert len(found.rows) > 5
print(rel)
