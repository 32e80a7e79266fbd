"""A series from Python: the same digits as the command line, and frames with a column for the period."""

import json

import pytest
from conftest import BOX, ZONES, cli_json, run

import stopover as so

HERE = ("--stop", "origin=bbox:-122.6,37.6,-122.45,37.9")
WEST = dict(origin=so.bbox(-122.6, 37.6, -122.45, 37.9))


@pytest.fixture(scope="module")
def months(tmp_path_factory):
    folder = tmp_path_factory.mktemp("months")
    lines = ["began,o_lat,o_lng,d_lat,d_lng"]
    for month, trips in (("2019-01", 300), ("2019-02", 500), ("2019-03", 900)):
        for i in range(trips):
            lines.append(f"{month}-{i % 28 + 1:02},{37.61 + i % 29 / 100},{-122.59 + i % 13 / 100},"
                         f"{37.61 + i % 23 / 100},{-122.59 + i % 27 / 100}")
    (folder / "rides.csv").write_text("\n".join(lines) + "\n")
    so.publish(folder / "rides.csv", so.Domain(bbox=BOX, grid=(60, 60)), epsilon=2, unit="trip", shape_of="trips",
               time="began", period="month:2019-01..2019-03", budget_per_period=2, ledger=folder / "m.ledger",
               state=folder / "state", to=folder / "city", quiet=True)
    (folder / "zones.geojson").write_text(json.dumps(ZONES))
    return folder


@pytest.fixture()
def series(months):
    return so.open_series(months / "city")


def same(answer, told):
    assert so.Answer.of(told) == so.Answer(**{**answer.__dict__, "notes": tuple(told.get("notes", ()))})


def test_counts_by_period(series, months):
    assert series.periods == ("2019-01", "2019-02", "2019-03") and series.kind == "month" and len(series) == 3
    told = cli_json("query", months / "city", *HERE, "--above", "100")
    counts = series.count(**WEST, above=100)
    assert counts.periods == tuple(row["period"] for row in told["periods"])
    for answer, row in zip(counts, told["periods"]):
        same(answer, row)
        assert answer.sides.above == row["above"]["probability"]
    assert counts["2019-02"].estimate == counts[1].estimate == series["2019-02"].count(**WEST).estimate
    assert counts.notes == tuple(told["notes"])
    assert series.info == cli_json("info", months / "city") and "3 months" in series.card
    assert "2019-03" in repr(counts) and "<td" in counts._repr_html_()
    frame = pytest.importorskip("pandas") and counts.df()
    assert list(frame["period"]) == list(series.periods)
    assert list(frame["estimate"]) == [row["estimate"] for row in told["periods"]]
    assert len(series.count(**WEST, period="2019-02..2019-03")) == 2


def test_change_trend_sum(series, months):
    told = cli_json("query", months / "city", *HERE, "--change")["changes"]
    for step, row in zip(series.change(**WEST), told):
        assert (step.against, step.period) == (row["against"], row["period"])
        for side in ("first", "second", "difference"):
            same(getattr(step, side), row[side])
        assert step.ratio.value == row["ratio"]["value"]
    (pair,) = series.change(**WEST, period="2019-03", against="2019-01")
    alone = series["2019-01"].count(**WEST, compare=series["2019-03"])
    assert pair.difference.estimate == alone.difference.estimate and pair.ratio == alone.ratio
    trend, slope = series.trend(**WEST), cli_json("query", months / "city", *HERE, "--trend")
    same(trend.slope, slope["slope"])
    assert list(trend.fitted) == [row["fitted"] for row in slope["periods"]] and trend.per == "month"
    total, summed = series.sum(**WEST), cli_json("query", months / "city", *HERE, "--sum")
    same(total.sum, summed["sum"])
    assert total.one_release_noise == summed["one_release_noise"]
    assert float(total) == pytest.approx(sum(a.estimate for a in total.counts))
    for one in (trend, total, series.change(**WEST)):
        assert "2019-03" in repr(one) and "note:" in repr(one) and "<table" in one._repr_html_()


def test_flows_that_changed(series, months):
    told = cli_json("query", months / "city", "--changes", "--top", "4", "--tiles", "2")
    rows = series.changes(4, tiles=2)
    assert rows.among == told["among"] and len(rows) == 4
    for row, other in zip(rows, told["rows"]):
        assert (row.against, row.period, row.sure) == (other["against"], other["period"], other["sure"])
        same(row.row.difference, other["difference"])
    pandas = pytest.importorskip("pandas")
    frame = rows.df()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns[:4]) == ["against", "period", "origin", "destination"]
    assert list(frame["difference_lower"]) == [row["difference"]["lower"] for row in told["rows"]]


def test_tables_have_a_period(series, months):
    pytest.importorskip("pandas")
    top = series.top(3, tiles=2)
    assert list(top) == list(series.periods)
    assert top["2019-01"].rows[0].answer == series["2019-01"].top(3, tiles=2).rows[0].answer
    assert list(top.df()["period"]) == [p for p in series.periods for _ in range(3)]
    totals = series.totals(zones=ZONES).df()
    assert list(totals.columns[:3]) == ["period", "stop", "place"] and len(totals) == 3 * 2 * 2
    matrix = series.to_zones(ZONES)
    assert len(matrix.df()) == 3 * 4 and matrix["2019-02"].estimate.shape == (2, 2)
    shares = series.share(**WEST)
    assert shares[0].share == series["2019-01"].share(**WEST).share and len(shares.df()) == 3


def test_exports_have_a_period(series, months, tmp_path):
    pandas = pytest.importorskip("pandas")
    series.export("zones", tmp_path / "od.csv", zones=ZONES, quiet=True)
    run("stopover", "export", months / "city", "--as", "zones", "--zones", months / "zones.geojson", "-o",
        tmp_path / "cli.csv", "--quiet")
    assert (tmp_path / "od.csv").read_bytes() == (tmp_path / "cli.csv").read_bytes()
    frame = pandas.read_csv(tmp_path / "od.csv")
    assert list(frame.columns[:3]) == ["period", "origin", "destination"] and len(frame) == 12
    one = series["2019-02"].to_zones(ZONES)
    assert list(frame[frame.period == "2019-02"].estimate) == pytest.approx(list(one.estimate.ravel()))
    told = series.export("csv", tmp_path / "parts.csv", quiet=True)
    assert [row["period"] for row in told["periods"]] == list(series.periods)
    assert len(pandas.read_csv(tmp_path / "parts.csv")) == sum(row["rows"] for row in told["periods"])
    card = json.loads((tmp_path / "parts.csv.card.json").read_text())
    assert [r["period"] for r in card["releases"]] == list(series.periods) and "epsilon 2" in card["guarantee"]["title"]
    with pytest.raises(so.UsageError, match="is a series"):
        series.export("geojson", tmp_path / "x.geojson", quiet=True)


def test_an_open_matrix_file_has_a_core_for_each_period(series, tmp_path):
    h5py = pytest.importorskip("h5py")
    series.export("omx", tmp_path / "od.omx", zones=ZONES, quiet=True)
    one = series["2019-03"].to_zones(ZONES)
    with h5py.File(tmp_path / "od.omx") as file:
        assert sorted(file["data"]) == [f"{p}{end}" for p in series.periods for end in ("", "_lower", "_upper")]
        assert file["data/2019-03"][:].ravel().tolist() == pytest.approx(one.estimate.ravel().tolist())
        assert len(json.loads(file.attrs["stopover"])["releases"]) == 3


def test_what_cannot_be_asked(series, months):
    with pytest.raises(so.UsageError, match='no 2020-01'):
        series.count(period="2020-01")
    with pytest.raises(so.UsageError, match='against="2019-01" needs one period|against=2019-01 needs one period'):
        series.change(against="2019-01")
    with pytest.raises(so.UsageError, match="the series has no 2020-01"):
        series["2020-01"]
    with pytest.raises(so.InputError, match="without releases"):
        so.open_series(months / "state")


def test_history_a_public_table_and_day_types(months, tmp_path):
    def publish(name, **more):
        return so.publish(months / "rides.csv", so.Domain(bbox=BOX, grid=(60, 60)), epsilon=2, unit="trip",
                          shape_of="trips", time="began", period="month:2019-01..2019-02", budget_per_period=2,
                          ledger=tmp_path / f"{name}.ledger", state=tmp_path / "state", to=tmp_path / name, quiet=True,
                          calibrate=False, **more)

    assert "history" in so.open_series(months / "city")["2019-02"].info["params"]
    (tmp_path / "od.csv").write_text("o_lat,o_lng,d_lat,d_lng,weight\n37.7,-122.5,37.75,-122.4,3\n")
    made = publish("first", prior=tmp_path / "od.csv", independent=True)
    params = made["2019-02"].info["params"]
    assert params["prior"].startswith("public table:") and "history" not in params
    types = publish("types", day_type=["weekday", "weekend"])
    assert set(types["2019-01"]) == {"weekday", "weekend"}
    weekends = so.open_series(tmp_path / "types" / "weekend")
    assert weekends.periods == ("2019-01", "2019-02")
    assert weekends["2019-01"].info["params"]["day_type"] == "weekend"
    with pytest.raises(so.UsageError, match="day of another one"):
        publish("bad", day_type="weekday,monday")
    (tmp_path / "od.csv").write_text("o_lat,o_lng,d_lat,d_lng\n1,1,1,1\n")
    with pytest.raises(so.InputError, match="another city"):
        publish("bad", prior=tmp_path / "od.csv")
    assert not (tmp_path / "bad.ledger").exists()
