#!/usr/bin/env python3
"""What users would take instead, side by side: counts from zone to zone of San Francisco's taxi trips, with the same
epsilon and the same unit (one trip), each peer by its own published API, each in a process of its own.

    scripts/python-env && make build bench/peers/compare.py [--data ../shared/data] [--epsilon 0.1,1] [--zones 10,25]
    [--reps 3] [--package build/release/python]

The zones are squares of a declared box, known beforehand, as a fixed tessellation is. Peers are installed from PyPI
into .deps/peers-*; what cannot be installed or fails is told, not hidden. The trips are real: the table that is printed
is made from true counts of public data.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import zone_peers

ROOT = Path(__file__).resolve().parent.parent.parent
BOX = (-122.8, 37.4, -122.0, 38.0)
GRID = 1000
PEERS = {
    "stopover": None,
    "opendp": ["opendp==0.16.0", "numpy==2.4.6"],
    # Later versions of what it stands on, which pip picks by itself, break its import.
    "dp_mobility_report": ["dp-mobility-report==0.2.11", "pandas==2.2.3", "numpy==2.2.6", "scikit-learn==1.5.2"],
    "inftda": zone_peers.PACKAGES["inftda"],
}


def trips_of(data):
    """Origins and destinations of the trips wholly inside the box: n x 4, lng lat lng lat."""
    import numpy as np
    import pandas as pd

    rows = pd.read_csv(Path(data, "sf_taxi_2008.csv.gz"), usecols=["trip_id", "seq", "lat", "lon"])
    west, south, east, north = BOX
    good = rows.lon.between(west, east) & rows.lat.between(south, north)
    rows = rows[rows.trip_id.map(good.groupby(rows.trip_id).all())]
    ends = rows.sort_values(["trip_id", "seq"]).groupby("trip_id")
    first, last = ends.first(), ends.last()
    return np.column_stack([first.lon, first.lat, last.lon, last.lat])


def pairs_of(trips, zones):
    """The number of the pair of zones of each trip. By cells of the grid, as stopover counts."""
    import numpy as np

    west, south, east, north = BOX
    lower, size = np.array([west, south] * 2), np.array([east - west, north - south] * 2)
    cells = np.clip(((trips - lower) / size * GRID).astype(int), 0, GRID - 1) // (GRID // zones)
    return ((cells[:, 1] * zones + cells[:, 0]) * zones + cells[:, 3]) * zones + cells[:, 2]


# The peers. Each gives its estimates for all pairs of zones, an array of zones^4 numbers.


def with_stopover(trips, zones, epsilon):
    import numpy as np
    import pyarrow as pa
    import stopover as so

    table = pa.table({name: trips[:, i] for i, name in enumerate(("o_lng", "o_lat", "d_lng", "d_lat"))})
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        rel = so.publish(table, so.Domain(bbox=BOX, grid=(GRID, GRID)), shape_of="trips", epsilon=epsilon, unit="trip",
                         quiet=True,
                         progress=False, to=f"{folder}/sf.odr", ledger=f"{folder}/sf.ledger", budget=epsilon)
        side = GRID // zones
        oy, ox, dy, dx = np.unravel_index(np.arange(zones**4), [zones] * 4)
        low = np.column_stack([ox, oy, dx, dy]) * side
        boxes = np.stack([low, low + side], axis=2).reshape(len(low), 8)
        return rel.count_boxes(boxes, intervals=False).estimate


def with_opendp(trips, zones, epsilon):
    import numpy as np
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.symmetric_distance()
    count = space >> dp.t.then_count_by_categories(categories=list(range(zones**4)), null_category=False, TOA="i32")
    noisy = dp.binary_search_chain(lambda scale: count >> dp.m.then_laplace(scale), d_in=1, d_out=float(epsilon))
    return np.array(noisy(pairs_of(trips, zones).astype("int32").tolist()), dtype=float)


def with_dp_mobility_report(trips, zones, epsilon):
    import geopandas as gpd
    import numpy as np
    import pandas as pd
    from dp_mobility_report import DpMobilityReport
    from shapely.geometry import box

    west, south, east, north = BOX
    xs, ys = np.linspace(west, east, zones + 1), np.linspace(south, north, zones + 1)
    tiles = [(f"{y * zones + x}", box(xs[x], ys[y], xs[x + 1], ys[y + 1])) for y in range(zones) for x in range(zones)]
    tessellation = gpd.GeoDataFrame({"tile_id": [t for t, _ in tiles], "tile_name": [t for t, _ in tiles]},
                                    geometry=[g for _, g in tiles], crs=4326)
    n = len(trips)
    frame = pd.DataFrame({
        "uid": np.repeat(np.arange(n), 2), "tid": np.repeat(np.arange(n), 2),
        "datetime": np.tile(pd.to_datetime(["2008-05-17 08:00:00", "2008-05-17 09:00:00"]), n),
        "lat": trips[:, [1, 3]].ravel(), "lng": trips[:, [0, 2]].ravel()})
    report = DpMobilityReport(frame, tessellation, privacy_budget=float(epsilon), user_privacy=False,
                              max_trips_per_user=1,
                              analysis_selection=["od_flows"], disable_progress_bar=True, seed_sampling=1)
    flows = report.report["od_flows"].data
    found = np.zeros(zones**4)
    at = flows["origin"].astype(int).to_numpy() * zones**2 + flows["destination"].astype(int).to_numpy()
    found[at] = flows["flow"].to_numpy()
    return found


def with_inftda(trips, zones, epsilon):
    """Pairs alone, without levels above them: the best of the settings tried (zone_peers.py)."""
    import numpy as np

    table = np.bincount(pairs_of(trips, zones), minlength=zones**4).reshape(zones**2, zones**2)
    return zone_peers.inftda(table, epsilon).ravel()


def run_one(peer, trips_file, zones, epsilon, output):
    import numpy as np

    trips = np.load(trips_file)
    begun = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    estimates = globals()[f"with_{peer}"](trips, zones, epsilon)
    seconds = time.monotonic() - begun
    np.save(output, np.asarray(estimates, dtype=float))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "peak_mb": peak / 1024, "before_mb": before / 1024}))


def python_of(peer, packages):
    """The interpreter of a peer's own environment, or the reason why there is none."""
    venv = ROOT / ".deps" / f"peers-{peer}"
    stamp = venv / "stopover-packages"
    if not stamp.is_file() or stamp.read_text() != " ".join(packages):
        subprocess.run(["rm", "-rf", str(venv)], check=True)
        made = subprocess.run([sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True)
        done = subprocess.run([str(venv / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check",
                               *packages],
                              capture_output=True, text=True) if made.returncode == 0 else made
        if done.returncode != 0:
            return None, (done.stderr.strip().splitlines() or ["?"])[-1]
        stamp.write_text(" ".join(packages))
    return str(venv / "bin/python"), ""


def figures(truth, found):
    """Errors of one run: estimates below 0 are taken as 0, for everybody (it costs nothing and helps everybody)."""
    import numpy as np

    found = np.maximum(found, 0)
    off = np.abs(found - truth)
    large = truth >= 50
    return {
        "mean_absolute": off.mean(),
        "relative_large": 100 * (off[large] / truth[large]).mean(),
        "common_part": 100 * 2 * np.minimum(found, truth).sum() / (found.sum() + truth.sum()),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data"),
                        help="the folder with sf_taxi_2008.csv.gz")
    parser.add_argument("--epsilon", default="0.1,1")
    parser.add_argument("--zones", default="10,25", help="zones per side, divisors of 1000")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--package", default=str(ROOT / "build" / "release" / "python"),
                        help="where the built stopover package is")
    parser.add_argument("--run", nargs=5, metavar=("PEER", "TRIPS", "ZONES", "EPSILON", "OUTPUT"),
                        help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        peer, trips, zones, epsilon, output = options.run
        return run_one(peer, trips, int(zones), float(epsilon), output)

    here = ROOT / ".deps" / "python-venv" / "bin" / "python"
    if Path(sys.prefix) != here.parent.parent and here.exists():
        os.execv(here, [str(here), *sys.argv])
    import numpy as np

    trips = trips_of(options.data)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/trips.npy", trips)
        print(f"{len(trips):,} trips\n")
        print("| zones | epsilon | | mean error, trips a pair | mean relative error of pairs with 50 trips or more | common part of trips | seconds | peak MB |")
        print("|---|---|---|---:|---:|---:|---:|---:|")
        failed = {}
        for zones in map(int, options.zones.split(",")):
            truth = np.bincount(pairs_of(trips, zones), minlength=zones**4).astype(float)
            for epsilon in options.epsilon.split(","):
                for peer in options.peers.split(","):
                    python, why = (sys.executable, "") if PEERS[peer] is None else python_of(peer, PEERS[peer])
                    if python is None:
                        failed[peer] = why
                        continue
                    runs = []
                    for rep in range(options.reps):
                        words = [python, __file__, "--run", peer, f"{folder}/trips.npy", str(zones), epsilon,
                                 f"{folder}/out.npy"]
                        environment = {**os.environ, "PYTHONPATH": options.package if peer == "stopover" else ""}
                        done = subprocess.run(words, capture_output=True, text=True, env=environment)
                        if done.returncode != 0:
                            failed[peer] = (done.stderr.strip().splitlines() or ["?"])[-1]
                            break
                        runs.append({**json.loads(done.stdout.splitlines()[-1]),
                                     **figures(truth, np.load(f"{folder}/out.npy"))})
                    if runs:
                        m = {name: sum(run[name] for run in runs) / len(runs) for name in runs[0]}
                        print(f"| {zones} x {zones} | {epsilon} | {peer} | {m['mean_absolute']:.3g} | {m['relative_large']:.3g} % | "
                              f"{m['common_part']:.1f} % | {m['seconds']:.1f} | {m['peak_mb']:.0f} |", flush=True)
        for peer, why in failed.items():
            print(f"\n{peer}: {why}")


if __name__ == "__main__":
    main()
