"""Rows from every kind of frame give the same cells; results go back to every kind of frame."""

import io

import numpy as np
import pytest

import stopover as so
from conftest import BOX, ZONES, stops_table

DOMAIN = so.Domain(bbox=BOX, grid=(100, 100), stops=["home", "work", "evening"])


def cells_of(data, tmp_path, name, **options):
    """The cells as a sorted list of rows: the tests may look, publish may not."""
    pq = pytest.importorskip("pyarrow.parquet")
    made = so.cells(data, DOMAIN, tmp_path / f"{name}.parquet", unit="user", max_trips_per_user=2, quiet=True,
                    progress=False,
                    **{"seq": "seq", **options})
    return sorted(tuple(row.values()) for row in pq.read_table(made.path).to_pylist())


@pytest.fixture()
def expected(table, tmp_path):
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "rows.parquet")
    rows = cells_of(str(tmp_path / "rows.parquet"), tmp_path, "expected")
    assert len(rows) > 1000
    return rows


def test_arrow(table, expected, tmp_path):
    pa = pytest.importorskip("pyarrow")
    assert cells_of(table, tmp_path, "table") == expected
    batches = table.to_batches(max_chunksize=777)
    assert cells_of(pa.Table.from_batches(batches).slice(0), tmp_path, "chunked") == expected
    padded = pa.concat_tables([table.slice(5, 100), table])
    assert cells_of(padded.slice(100), tmp_path, "sliced") == expected
    reader = pa.RecordBatchReader.from_batches(table.schema, iter(batches))
    assert cells_of(reader, tmp_path, "reader") == expected
    wider = table.append_column("tags", pa.array([["a"]] * len(table))).append_column(
        "big", pa.array([None] * len(table), type=pa.decimal256(50, 2)))
    assert cells_of(wider, tmp_path, "wider") == expected
    encoded = table.set_column(0, "uid", table["uid"].dictionary_encode())
    assert cells_of(encoded, tmp_path, "dictionary") == expected
    assert cells_of(table.slice(0, 0), tmp_path, "empty") == []
    assert cells_of(dict(stops_table()), tmp_path, "dict") == expected


def test_pandas(table, expected, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert cells_of(frame, tmp_path, "pandas") == expected
    assert cells_of(frame.assign(uid=frame.uid.astype("category")), tmp_path, "category") == expected
    shuffled = frame.sample(frac=1, random_state=1)
    assert cells_of(shuffled, tmp_path, "shuffled") == expected
    assert cells_of(frame.drop(columns="seq"), tmp_path, "by_time", seq=None, time="datetime") == expected
    aware = frame.assign(datetime=frame.datetime.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")).drop(columns="seq")
    assert cells_of(aware, tmp_path, "zoned", seq=None, time="datetime") == expected
    odd = frame.copy()
    odd.loc[odd.index[::3], "lat"] = np.nan
    assert len(cells_of(odd, tmp_path, "missing")) < len(expected)
    mixed = pd.DataFrame({"uid": ["a", 1, b"x"], "lat": [1.0] * 3, "lng": [1.0] * 3})
    for data in (mixed, {name: list(mixed[name]) for name in mixed}):
        with pytest.raises(so.InputError, match="cannot be handed over") as refused:
            cells_of(data, tmp_path, "mixed")
        assert "b'x'" not in str(refused.value)


def test_polars(table, expected, tmp_path):
    pl = pytest.importorskip("polars")
    frame = pl.from_arrow(table)
    assert cells_of(frame, tmp_path, "polars") == expected
    assert cells_of(frame.lazy(), tmp_path, "lazy") == expected


def test_duckdb(table, expected, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("rows", table)
    assert cells_of(connection.sql("SELECT * FROM rows"), tmp_path, "relation") == expected


def test_geopandas(table, expected, tmp_path):
    gpd = pytest.importorskip("geopandas")
    frame = table.to_pandas()
    points = gpd.GeoDataFrame(frame.drop(columns=["lat", "lng"]), geometry=gpd.points_from_xy(frame.lng, frame.lat),
                              crs=4326)
    assert cells_of(points, tmp_path, "points") == expected
    mercator = cells_of(points.to_crs(3857), tmp_path, "mercator")
    assert len(set(mercator) ^ set(expected)) < 20  # a few points on an edge may move to the next cell
    with pytest.raises(so.InputError, match="Polygon"):
        so.cells(points.set_geometry(points.to_crs(3857).buffer(1)), DOMAIN, tmp_path / "x.parquet", unit="trip")


def test_times_of_which_one_could_end_the_run(table, tmp_path):
    pa = pytest.importorskip("pyarrow")
    coarse = table.set_column(3, "datetime", table["datetime"].cast(pa.timestamp("s", tz="UTC"),
                                                                    safe=False)).drop_columns(["seq"])
    with pytest.raises(so.InputError, match="microseconds"):
        cells_of(coarse, tmp_path, "coarse", seq=None)


def test_release_to_frames(rel):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    file = pd.read_parquet(f"{rel.path}/{rel.tables[0]}.parquet")
    frame = rel.df(leaves=False)
    assert list(frame.columns) == list(file.columns)
    for name in frame.columns:
        np.testing.assert_array_equal(frame[name].to_numpy(), file[name].to_numpy(), err_msg=name)
    leaves = rel.df()
    assert len(leaves) == rel.info["partitions"] == rel.pl().height == rel.arrow().num_rows == pa.table(rel).num_rows
    assert pl.from_arrow(pa.table(rel)).equals(rel.pl())
    assert leaves.estimate.sum() == pytest.approx(rel.count().estimate)
    assert set(rel.tables) == {p.stem for p in __import__("pathlib").Path(rel.path).glob("*.parquet")}
    stop = rel.df(rel.tables[1])
    assert "a0_lo" in stop.columns and "a2_lo" not in stop.columns
    with pytest.raises(so.UsageError, match="there is no table"):
        rel.df("nothing")
    duckdb = pytest.importorskip("duckdb")
    leaves = rel.arrow()  # noqa: F841 (DuckDB finds it by its name)
    assert duckdb.sql("SELECT sum(estimate) FROM leaves").fetchall()[0][0] == pytest.approx(rel.count().estimate)


def test_results_to_frames(rel):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    top = rel.top(5, tiles=4)
    assert top.df().estimate.tolist() == [row.answer.estimate for row in top] == top.pl()["estimate"].to_list()
    assert pa.table(top).num_rows == 5
    again = rel.ask({"where": dict(top[0].where)})
    assert again["estimate"] == top[0].answer.estimate
    matrix = rel.to_zones(ZONES)
    assert matrix.df().estimate.sum() == pytest.approx(rel.count().estimate)
    transition = rel.transition(ZONES)
    assert isinstance(transition, pd.DataFrame) and transition.sum(axis=1).to_numpy() == pytest.approx([1, 1])
    assert matrix.wide().loc["West", "East"] == matrix.estimate[0, 1]
    assert isinstance(rel.count_boxes(np.array([[0, 50, 0, 100] * 3])).pl(), pl.DataFrame)


def test_maps_and_pages(rel, tmp_path):
    gpd = pytest.importorskip("geopandas")
    home = rel.gdf(stop=0)
    assert isinstance(home, gpd.GeoDataFrame) and home.crs == 4326 and set(home.stop) == {"home"}
    assert home.estimate.sum() == pytest.approx(rel.count().estimate, rel=1e-6)
    zones = gpd.GeoDataFrame.from_features(ZONES["features"], crs=4326)
    by_frame = rel.to_zones(zones, zone_name="name")
    assert by_frame.estimate.tolist() == rel.to_zones(ZONES, zone_name="name").estimate.tolist()
    area = zones.geometry.iloc[0]
    assert rel.count(home=so.polygon(area)) == rel.count(home=so.zone("West"), zones=ZONES)
    page = rel.explore()
    assert "<iframe" in page._repr_html_() and page.html.lstrip().lower().startswith("<!doctype html>")
    assert rel.explore(to=tmp_path / "page.html") == str(tmp_path / "page.html")
    assert "epsilon" in rel._repr_html_()


def test_plot(rel):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = rel.plot(flows=5)
    assert [axis.get_title() for axis in axes] == ["home", "work", "evening"]
    picture = io.BytesIO()
    axes[0].figure.savefig(picture, format="png")
    assert len(picture.getvalue()) > 5000
    assert rel.plot("work").get_title() == "work"
    # One logarithmic scale with its bar, the explorer's colours, and no more of the map than holds the trips.
    (drawn,) = axes[0].collections[:1]
    assert isinstance(drawn.norm, matplotlib.colors.LogNorm) and drawn.norm is axes[2].collections[0].norm
    assert matplotlib.colors.to_hex(drawn.cmap(1.0)) == "#0c5457"
    assert any(axis.get_ylabel() == "trips per km\u00b2" for axis in axes[0].figure.axes)
    west, east = axes[0].get_xlim()
    trips = rel.count({stop: so.bbox(west, axes[0].get_ylim()[0], east, axes[0].get_ylim()[1]) for stop in ("home",)})
    assert BOX[0] <= west < east <= BOX[2] and trips.estimate > 0.95 * rel.count().estimate
