"""publish as a user types it: the ten lines, progress, parts, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import stopover as so
from conftest import run, stops_table

FORMAT_1 = Path(__file__).resolve().parents[2] / "tests/release/format_1/private.odr"


def test_the_ten_lines(tmp_path):
    """The lines of README.md, in a city of the test's own."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = stops_table()
    rows["lng"] = rows["lng"] + 48.4
    rows["lat"] = rows["lat"] + 2.97
    pq.write_table(pa.table(rows), "trips.parquet")
    dom = so.Domain(bbox=(-74.42, 40.40, -73.59, 41.03), grid=(1000, 1000), stops=["home", "work", "evening"])
    # A file's name, a DataFrame or an Arrow stream.
    rel = so.publish("trips.parquet", dom, epsilon=1.0, unit="user", max_trips_per_user=4,
                     ledger="city.ledger", budget=2.0)
    answer = rel.count(home=so.circle(40.73, -74.10, km=1), evening=so.bbox(-74.02, 40.70, -73.95, 40.78))
    assert answer.lower <= answer.estimate <= answer.upper
    assert len(rel.df()) and rel.explore()
    if pytest.importorskip("geopandas"):
        assert len(rel.gdf(stop=0))
    assert rel.path == "trips.odr" and so.ledger("city.ledger").left == 1 and rel.unit == "user"
    assert 3000 < float(rel.count()) < 5000


def test_progress_and_parts(table, tmp_path):
    seen = []
    domain = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50), stops=(2, 3))
    made = so.publish(table, domain, epsilon="0.5", unit="trip", to="parts", ledger="parts.ledger", budget=1,
                      mechanism="eug", quiet=True,
                      seq="seq", progress=lambda phase, number, total: seen.append((phase, number, total)))
    assert set(made) == {"2-stops", "3-stops"} and made["3-stops"].stops == ("origin", "via1", "destination")
    assert seen and all(0 < number <= total for _, number, total in seen)
    assert so.ledger("parts.ledger").spent == 0.5

    def fails(*_):
        raise RuntimeError("my own mistake")

    with pytest.raises(RuntimeError, match="my own mistake"):
        so.publish(table, domain, epsilon="0.1", unit="trip", to="more", ledger="parts.ledger", quiet=True, seq="seq",
                   progress=fails)


def test_the_ledger_is_named_and_never_a_default(table, tmp_path):
    """A chdir must not be a fresh budget."""
    domain = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50))
    options = dict(unit="trip", mechanism="eug", quiet=True, seq="seq", calibrate=False)
    with pytest.raises(so.UsageError, match="ledger is required.*\n.*ledger=") as missing:
        so.publish(table, domain, epsilon=1, to="a.odr", **options)
    assert missing.value.code == 2
    with pytest.raises(so.UsageError, match="budget= is required"):
        so.publish(table, domain, epsilon=1, to="a.odr", ledger="city.ledger", **options)
    assert not list(tmp_path.glob("*.ledger")) and not list(tmp_path.glob("*.odr"))
    ledger = tmp_path / "city.ledger"
    so.publish(table, domain, epsilon=1, to="a.odr", ledger=ledger, budget=1, note="first, for Zürich",
               description={"title": "Zürich"}, **options)
    (tmp_path / "elsewhere").mkdir()
    os.chdir(tmp_path / "elsewhere")
    with pytest.raises(so.RefusedError, match="left: 0 of 1"):
        so.publish(table, domain, epsilon=1, to="a.odr", ledger=ledger, **options)
    reserve = so.ledger(ledger).records[1]
    assert (reserve["release"], reserve["note"], reserve["kind"]) == ("a.odr", "first, for Zürich", "RESERVE")
    assert "first, for Zürich" in repr(so.ledger(ledger))


def test_a_held_ledger_is_waited_for(table, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    domain = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50))
    options = dict(epsilon=1, unit="trip", mechanism="eug", quiet=True, seq="seq", calibrate=False, ledger="l",
                   progress=False)
    so.publish(table, domain, to="a.odr", budget=9, **options)
    with open("l") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(so.LockedError, match="locked by another process") as locked:
            so.publish(table, domain, to="b.odr", wait=0.2, **options)
        assert locked.value.code == 7
        let_go = threading.Timer(0.5, lambda: fcntl.flock(held, fcntl.LOCK_UN))
        let_go.start()
        so.publish(table, domain, to="b.odr", wait=60, **options)
        let_go.join()
    assert so.ledger("l").spent == 2


def test_without_a_home_the_memory_is_named_or_waived(table, tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    domain = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50))
    options = dict(epsilon=1, unit="trip", mechanism="eug", quiet=True, seq="seq", calibrate=False, ledger="l",
                   budget=9)
    with pytest.raises(so.RefusedError, match='state="none"'):
        so.publish(table, domain, to="a.odr", **options)
    assert not (tmp_path / "l").exists()
    so.publish(table, domain, to="a.odr", state="memory", **options)
    assert len(list((tmp_path / "memory" / "heads").glob("*.lock"))) == 1
    with pytest.raises(so.RefusedError, match="HOME"):
        so.ledger("l")
    assert so.ledger("l", state="memory").spent == so.ledger("l", state="none").spent == 1
    with pytest.warns(so.StopoverWarning, match="memory is waived"):
        so.publish(table, domain, to="b.odr", state="none", **options)


SCRIPT = """
    import sys, threading, os, signal
    import numpy as np, pyarrow as pa
    import stopover as so
    n = int(sys.argv[2])
    dice = np.random.default_rng(1)
    columns = {f"{p}_{c}": 0.5 + 0.2 * dice.standard_normal(n).clip(-2, 2)
               for p in ("o", "v1", "d") for c in ("lat", "lng")}
    where = sys.argv[1]

    def progress(phase, number, total):
        print(phase, flush=True)
        if phase == where:
            os.kill(os.getpid(), signal.SIGINT)

    try:
        so.publish(pa.table(columns), so.Domain(bbox=(0, 0, 1, 1), grid=(1000, 1000), stops="od+1"), epsilon=1,
                   unit="trip", shape_of="trips", to="x.odr", ledger="x.ledger", budget=3, quiet=True, calibrate=False,
                   progress=progress)
    except KeyboardInterrupt as stopped:
        print("stopped:", type(stopped).__name__, stopped)
"""


def child(phase, rows):
    return [sys.executable, "-c", textwrap.dedent(SCRIPT), phase, str(rows)]


@pytest.mark.parametrize("phase, rows, spent", [("counting cells", 300_000, None), ("building the release", 50_000, 1)])
def test_ctrl_c_leaves_no_half_written_release(phase, rows, spent, tmp_path):
    pytest.importorskip("pyarrow")
    done = subprocess.run(child(phase, rows), capture_output=True, text=True, timeout=3000)
    assert "stopped: Interrupted" in done.stdout, done.stdout + done.stderr
    assert [name for name in os.listdir(tmp_path) if "odr" in name] == []
    if spent is None:
        assert not (tmp_path / "x.ledger").exists()
        return
    book = so.ledger("x.ledger")
    assert book.spent == spent == book.reserved and book["records"][-1]["kind"].upper() == "ABORT"
    assert "spent" in done.stdout
    # The same command may be given again.
    again = subprocess.run(child("nowhere", 1000), capture_output=True, text=True, timeout=3000)
    assert "stopped" not in again.stdout and os.path.isdir("x.odr"), again.stderr
    assert so.ledger("x.ledger").spent == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_end_of_the_process_leaves_nothing(number, tmp_path, monkeypatch):
    """While counting rows, which is when files with user ids are in TMPDIR."""
    pytest.importorskip("pyarrow")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    running = subprocess.Popen(child("nowhere", 300_000), stdout=subprocess.PIPE, text=True)
    for line in running.stdout:
        if line.strip() == "counting cells":
            running.send_signal(number)
            break
    rest, _ = running.communicate(timeout=3000)
    assert running.returncode == -number and "stopped" not in rest
    assert os.listdir(tmp_path / "tmp") == [] and [name for name in os.listdir(tmp_path) if "odr" in name] == []


def test_a_signal_from_outside(tmp_path):
    """Ctrl-C as a terminal sends it: to a process that waits in the library."""
    pytest.importorskip("pyarrow")
    running = subprocess.Popen(child("nowhere", 50_000), stdout=subprocess.PIPE, text=True)
    for line in running.stdout:
        if line.strip() == "building the release":
            running.send_signal(signal.SIGINT)
            break
    rest, _ = running.communicate(timeout=3000)
    assert "stopped: Interrupted" in rest
    assert [name for name in os.listdir(tmp_path) if "odr" in name] == []


def test_borders(table, tmp_path):
    """The areas stand in the release; what is not an area is refused in Python's words, and costs nothing."""
    areas = tmp_path / "areas.geojson"
    ring = [[-122.6, 37.6], [-122.41, 37.6], [-122.41, 37.9], [-122.6, 37.9], [-122.6, 37.6]]
    areas.write_text('{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"west"},"geometry":'
                     f'{{"type":"Polygon","coordinates":[{ring}]}}}}]}}')
    domain = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50))
    options = dict(unit="trip", quiet=True, seq="seq", calibrate=False, ledger="b.ledger")
    made = so.publish(table, domain, epsilon="0.5", budget=1, to="b.odr", borders=areas, **options)
    marks = json.loads((tmp_path / made.path / "release.json").read_text())["params"]
    assert marks["borders"].startswith("1 area, sha256 ")
    with pytest.raises(so.UsageError, match="borders.*anchor"):
        so.publish(table, domain, epsilon="0.5", to="c.odr", borders=areas, mechanism="eug", **options)
    assert so.ledger("b.ledger").spent == 0.5


def test_a_series(tmp_path):
    """A release for each month, a ledger of months, and one month more."""
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"uid": [f"u{i % 9}" for i in range(900)], "at": [f"2019-0{i % 3 + 1}-{i % 28 + 1:02}" for i in range(900)],
                         "kind": ["bike" if i % 2 else "bus" for i in range(900)],
                         "o_lat": [i % 4 + 0.5 for i in range(900)], "o_lng": [i % 3 + 0.5 for i in range(900)]})
    domain = so.Domain(bbox=(0, 0, 4, 4), grid=(4, 4), stops="first", timezone="Europe/Berlin")
    options = dict(epsilon=100, unit="user-month", max_trips_per_user=5, user="uid", time="at", shape_of="trips",
                   ledger="months.ledger", to="city", mechanism="identity", quiet=True)
    series = so.publish(rows, domain, period="month:2019-01..2019-02", budget_per_period=100, budget_per_year=250, **options)
    assert list(series) == ["2019-01", "2019-02"]
    # Three users' trips lie in each month, five of each are kept.
    assert [round(float(release.count())) for release in series.values()] == [15, 15]
    with pytest.raises(so.RefusedError, match="would come to 300 of 250"):
        so.publish(rows, domain, period="month:2019-03", append=True, **options)
    with pytest.raises(so.UsageError, match='unit="user-month"'):
        so.publish(rows, domain, period="month:2019-03", append=True, **{**options, "unit": "user"})
    book = so.ledger("months.ledger")
    assert book.spent == 200 and book.budget == float("inf") and book["unit"] == "user-month"
    assert book.calendar[0] == {"period": "2019-01", "spent": 100.0, "may_spend": 0.0, "closed": True}
    assert book.calendar[2]["may_spend"] == 50
    few = so.publish(rows, domain, period="month:2019-03", append=True, where="kind = 'bike'", since="2019-03-05",
                     **{**options, "epsilon": 50})
    assert list(few) == ["2019-03"] and 0 < round(float(few["2019-03"].count())) <= 15


def test_signed_packed_superseded(table, tmp_path):
    """A key signs, a pack opens, a note is shown: as the command line has them."""
    key, other = so.new_key(tmp_path / "mine"), so.new_key(tmp_path / "yours")
    assert os.stat(key.secret).st_mode & 0o777 == 0o600
    with pytest.raises(so.OutputExistsError):
        so.new_key(tmp_path / "mine")
    domain = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50))

    def publish(name):
        return so.publish(table, domain, epsilon=0.5, unit="trip", to=tmp_path / name, sign=key.secret,
                          ledger="signed.ledger", budget=1, mechanism="eug", seq="seq", quiet=True)

    first, second = publish("first.odr"), publish("second.odr")
    assert first.signed_by == (key.name,) and first.superseded is None
    first.verify(signed_by=key.public)
    with pytest.raises(so.CheckFailedError, match="not signed by key"):
        first.verify(signed_by=[key.line, other.line])
    assert first.sign(other.secret) == other.name
    first.verify(signed_by=[key.line, other.line])
    packed = so.open_release(first.pack(tmp_path / "first.odrz"))
    assert packed.info == first.info
    packed.verify(signed_by=other.public)
    first.supersede(second, "the wrong year", key=key.secret)
    assert first.superseded["by"] == second.info["content_sha256"] and first.superseded["signed_by"] == [key.name]
    with pytest.warns(so.StopoverWarning, match="superseded by release .*the wrong year"):
        so.open_release(first.path)
    assert "the wrong year" in first.html()


def test_info_in_other_forms(table, tmp_path):
    """Page, portal and registry: the texts of the command line, and a warning for what nobody declared."""
    domain = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50))
    said = {"title": "Trips", "about": "Made up.", "covers": "Nowhere", "credit": "Nobody", "licence": "CC0-1.0",
            "contact": "a@example.org"}
    rel = so.publish(table, domain, epsilon=0.5, unit="trip", to=tmp_path / "x.odr", ledger="forms.ledger", budget=1,
                     mechanism="eug", seq="seq", description=said, quiet=True)
    url = "https://data.example.org/x.odrz"
    for form, more in (("markdown", {}), ("html", {}), ("dcat", {"url": url})):
        words = ["info", rel.path, "--as", form] + (["--url", url] if more else [])
        assert rel.info_as(form, **more) == run("stopover", *words)
    with pytest.warns(so.StopoverWarning, match="missing: address where it can be had"):
        rel.info_as("dcat")
    with pytest.raises(so.UsageError, match="there is no such form"):
        rel.info_as("pdf")
    for kind, name in (("sumo", "m.od"), ("matsim", "plans.xml")):
        told = rel.export(kind, tmp_path / name, hours="7-9", **({"zones": "h3:6"} if kind == "sumo" else {"n": 10}))
        assert (tmp_path / name).exists() and told["as"] == kind


def test_upgrade(tmp_path):
    old = so.open_release(FORMAT_1)
    assert old.upgraded_from is None
    new = old.upgrade(tmp_path / "new.odr")
    assert new.info["format"] == 2 and new.upgraded_from == old.info["content_sha256"]
    assert float(new.count()) == float(old.count())
    new.verify()
    with pytest.raises(so.UsageError, match="format 2 already"):
        new.upgrade(tmp_path / "again.odr")
    with pytest.raises(so.OutputExistsError):
        old.upgrade(tmp_path / "new.odr")
