"""What the tests share. STOPOVER_PROGRAMS is the folder of stopover and stopover-lab; PYTHONPATH has the package with
_lab."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import stopover as so
from stopover import _lab, _publish

PROGRAMS = Path(os.environ["STOPOVER_PROGRAMS"])
BOX = (-122.6, 37.6, -122.3, 37.9)
ZONES = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": [
            [[w, 37.6], [e, 37.6], [e, 37.9], [w, 37.9], [w, 37.6]]]}}
        for name, w, e in (("West", -122.6, -122.45), ("East", -122.45, -122.3))
    ],
}


def run(program, *words, code=0, cwd=None):
    """stdout of the command line; with another code, what stands after `error:`."""
    done = subprocess.run([str(PROGRAMS / program), *map(str, words)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == code, f"{program} {words}: exit {done.returncode}\n{done.stderr}"
    return done.stdout if code == 0 else done.stderr.strip().rpartition("error: ")[2]


def cli_json(*words):
    return json.loads(run("stopover", *words, "--json"))


@pytest.fixture(autouse=True)
def _own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def city(tmp_path_factory):
    """A release of a synthetic city, three stops, calibrated, with a key that can be repeated; and the matrix it was
    made from."""
    folder = tmp_path_factory.mktemp("city")
    run("stopover", "generate", "city", "--stops", "3", "--n", "20000", "--grid", "100", "--seed", "7", "-o",
        folder / "city.parquet")
    run("stopover-lab", "publish", "--matrix", folder / "city.parquet", "--shape", "x".join(["100"] * 6), "--stops",
        "home,work,evening",
        "--bbox", ",".join(map(str, BOX)), "--epsilon", "1", "--test-key", "python", "--ledger", folder / "city.ledger",
        "--budget", "1",
        "-o", folder / "city.odr")
    return folder


@pytest.fixture()
def rel(city):
    with pytest.warns(so.StopoverWarning, match="can be repeated"):
        return so.open_release(city / "city.odr")


def stops_table(trips=4000, seed=5, stops=3):
    """Rows of stops as columns: uid, tid, seq, datetime (microseconds, UTC), lat, lng."""
    import numpy as np

    dice = np.random.default_rng(seed)
    tid = np.repeat(np.arange(trips), stops)
    rows = len(tid)
    start = np.datetime64("2024-03-01T06:00:00", "us") + dice.integers(0, 86400 * 10, trips).astype("timedelta64[s]")
    seq = np.tile(np.arange(stops), trips)
    return {
        "uid": np.array([f"u{u}" for u in dice.integers(0, trips // 3, trips)])[tid],
        "tid": tid,
        "seq": seq,
        "datetime": start[tid] + seq.astype("timedelta64[h]"),
        "lat": 37.75 + 0.06 * dice.standard_normal(rows),
        "lng": -122.45 + 0.06 * dice.standard_normal(rows),
    }


@pytest.fixture(scope="session")
def table():
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(stops_table())


def lab_publish(data, domain, to, ledger, **options):
    """publish with a key that can be repeated, through the same Python."""
    options = {"epsilon": 1.0, "unit": "user", "max_trips_per_user": 2, "budget": 1, "mechanism": "auto",
               "params": None,
               "calibrate": True, "witnesses": (), "threads": 0, "progress": False, "quiet": True,
               "columns": {"seq": "seq"}, **options}
    with pytest.warns(so.StopoverWarning, match="can be repeated"):
        return _publish.publish_with(_lab, {"test_key": "python"}, data, domain, to=to, ledger=ledger, **options)


def same_words(python, command_line):
    """Whether the two say the same, each in its own language: unit="user" and --unit user."""
    python = re.sub(r"\b([a-z_]+)=", r"\1 ", python).replace(", ", " ")
    command_line = re.sub(r"--([a-z-]+)", lambda flag: flag.group(1).replace("-", "_"),
                          command_line.replace("--param ", "--params ")).replace(", ", " ")
    plain = [" ".join(text.replace('"', "").replace("=", " ").replace("bbox_from", "bbox").split())
             for text in (python, command_line)]
    plain = [re.sub(r" ([).,;:])", r"\1", text) for text in plain]
    assert "--" not in python
    return plain[0] == plain[1]


@pytest.fixture()
def later(city):
    """Another release of the same matrix."""
    path = city / "later.odr"
    if not path.exists():
        run("stopover-lab", "publish", "--matrix", city / "city.parquet", "--shape", "x".join(["100"] * 6), "--stops",
            "home,work,evening", "--bbox", ",".join(map(str, BOX)), "--epsilon", "1", "--test-key", "later", "--ledger",
            city / "later.ledger", "--budget", "1", "-o", path)
    with pytest.warns(so.StopoverWarning, match="can be repeated"):
        return so.open_release(path)
