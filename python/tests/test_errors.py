"""One family of exceptions, the exit codes and texts of the command line, and nothing private in what is shown."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stopover as so
from conftest import BOX, run, same_words

DOMAIN = so.Domain(bbox=BOX, grid=(100, 100), stops=["home", "work", "evening"])
WORDS = ["--grid", "100x100", "--stops", "od+1", "--epsilon", "1", "--ledger", "x.ledger", "--budget", "1", "-o",
         "x.odr"]
BBOX = ["--bbox", ",".join(map(repr, BOX))]


def test_the_box_is_never_taken_from_the_data(table, tmp_path):
    with pytest.raises(so.RefusedError) as refused:
        so.publish(table, so.Domain(bbox="auto", grid=(10, 10)), epsilon=1, unit="trip", ledger="l")
    (tmp_path / "rows.csv").write_text("uid,tid,datetime,lat,lng\n")
    assert same_words(str(refused.value), run("stopover", "publish", "rows.csv", "--bbox", "auto", *WORDS, code=4))
    assert refused.value.code == 4 and isinstance(refused.value, so.Error)
    with pytest.raises(so.RefusedError, match="must be declared"):
        so.publish(table, so.Domain(grid=(10, 10)), epsilon=1, unit="trip", ledger="l")


@pytest.mark.parametrize("change, code, kind", [
    ({"epsilon": -1}, 2, so.UsageError),
    ({"unit": None}, 4, so.RefusedError),
    ({"mechanism": "daf-entropi"}, 2, so.UsageError),
    ({"user": "nobody"}, 3, so.InputError),
    ({"unit": "user"}, 2, so.UsageError),
])
def test_same_texts(table, tmp_path, change, code, kind):
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "rows.parquet")
    options = {"epsilon": 1, "unit": "trip", **change}
    words = [w for w in WORDS]
    if "epsilon" in change:
        words[words.index("--epsilon") + 1] = str(change["epsilon"])
    for name in ("unit", "mechanism", "user"):
        if options.get(name) is not None:
            words += [f"--{name}", options[name]]
    with pytest.raises(kind) as raised:
        so.publish("rows.parquet", so.Domain(bbox=BOX, grid=(100, 100), stops="od+1"), to="x.odr", ledger="x.ledger",
                   budget=1, **options)
    assert same_words(str(raised.value), run("stopover", "publish", "rows.parquet", *BBOX, *words, code=code))
    assert raised.value.code == code and raised.value.field in (None, *change)
    assert not (tmp_path / "x.ledger").exists() and not (tmp_path / "x.odr").exists()


def test_output_that_exists_and_files_that_do_not(table, tmp_path):
    (tmp_path / "there.odr").mkdir()
    with pytest.raises(so.OutputExistsError) as there:
        so.publish(table, DOMAIN, epsilon=1, unit="trip", to="there.odr", ledger="l")
    assert isinstance(there.value, FileExistsError) and not (tmp_path / "l").exists()
    with pytest.raises(so.InputError, match="nowhere.odr"):
        so.open_release("nowhere.odr")
    with pytest.raises(so.InputError, match="cannot read nowhere.csv"):
        so.publish("nowhere.csv", DOMAIN, epsilon=1, unit="trip", ledger="l")
    with pytest.raises(so.UsageError, match="rows cannot be read from int"):
        so.publish(7, DOMAIN, epsilon=1, unit="trip", ledger="l")


STOPS = ["--seq", "seq", "--unit", "trip", "--stops", "od"]


def stops_text(rows=40):
    return "uid,tid,seq,lat,lng,straße\n" + "".join(f"Zürich {i},{i},{seq},37.{7 + seq}5,-122.4{i % 10},x\n"
                                                    for i in range(rows) for seq in range(2))


@pytest.mark.parametrize("encoding, delimiter", [("latin1", ","), ("windows-1252", ";"), ("utf-16", "tab"),
                                                 (None, "|")])
def test_encodings_and_delimiters(tmp_path, encoding, delimiter):
    text, domain = stops_text(), so.Domain(bbox=BOX, grid=(20, 20))
    (tmp_path / "plain.csv").write_text(text, encoding="utf-8")
    changed = text.replace(",", "\t" if delimiter == "tab" else delimiter)
    (tmp_path / "other.csv").write_text(changed, encoding=encoding or "utf-8")
    for name, more in (("plain", {}), ("other", {"encoding": encoding, "delimiter": delimiter})):
        so.cells(f"{name}.csv", domain, f"{name}.parquet", unit="user", max_trips_per_user=1, seq="seq", quiet=True,
                 **more)
    assert (tmp_path / "plain.parquet").read_bytes() == (tmp_path / "other.parquet").read_bytes()
    with pytest.raises(so.InputError) as without:
        so.cells("other.csv", domain, "without.parquet", unit="trip", seq="seq", quiet=True)
    assert same_words(str(without.value), run("stopover", "cells", "other.csv", *BBOX, "--grid", "20x20", *STOPS, "-o",
                                              "without.parquet", code=3))


def test_decimal_commas_and_forms_of_other_sources(table, tmp_path):
    domain = so.Domain(bbox=BOX, grid=(20, 20))
    (tmp_path / "plain.csv").write_text(stops_text(), encoding="utf-8")
    (tmp_path / "comma.csv").write_text(stops_text().replace(",", ";").replace(".", ","), encoding="utf-8")
    so.cells("plain.csv", domain, "plain.parquet", unit="trip", seq="seq", quiet=True)
    so.cells("comma.csv", domain, "comma.parquet", unit="trip", seq="seq", quiet=True, delimiter=";",
             decimal_comma=True)
    assert (tmp_path / "plain.parquet").read_bytes() == (tmp_path / "comma.parquet").read_bytes()
    with pytest.raises(so.UsageError, match="a table in memory"):
        so.cells(table, DOMAIN, "x.parquet", unit="trip", encoding="latin1")
    with pytest.raises(so.UsageError, match="koi8-r"):
        so.cells("plain.csv", domain, "x.parquet", unit="trip", seq="seq", encoding="koi8-r")


def test_a_cut_file_is_noticed(tmp_path):
    import gzip

    packed = gzip.compress(stops_text(3000).encode())
    (tmp_path / "rows.csv.gz").write_bytes(packed[:-100])
    with pytest.raises(so.InputError) as cut:
        so.publish("rows.csv.gz", so.Domain(bbox=BOX, grid=(20, 20)), epsilon=1, unit="trip", seq="seq", to="x.odr",
                   ledger="x.ledger", budget=1)
    assert "damaged or cut: it ends inside its gzip data" in str(cut.value)
    assert not (tmp_path / "x.ledger").exists()


def test_questions_that_cannot_be_meant(city, rel):
    with pytest.raises(so.UsageError) as swapped:
        rel.count(home=so.circle(-122.45, 37.75, km=3))
    said = run("stopover", "query", city / "city.odr", "--stop", "home=circle:-122.45,37.75,3", code=2)
    assert str(swapped.value).splitlines()[-1] == said.splitlines()[-1]
    with pytest.raises(so.UsageError, match="did you mean|Did you mean|home"):
        rel.count(hom=so.circle(37.75, -122.45, km=3))
    with pytest.raises(so.UsageError):
        rel.count(home=3)
    with pytest.raises(so.InputError):
        rel.count(home=so.polygon({"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}))


def test_a_damaged_release_is_noticed(city, tmp_path):
    import shutil

    shutil.copytree(city / "city.odr", tmp_path / "bad.odr")
    file = next((tmp_path / "bad.odr").glob("*.parquet"))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(so.InputError, match=file.name):
        so.open_release(tmp_path / "bad.odr")
    with pytest.raises(so.CheckFailedError):
        so._core.verify(str(tmp_path / "bad.odr"))


def test_values_do_not_change_and_show_themselves(city, rel, tmp_path):
    answer = rel.count(home=so.circle(37.75, -122.45, km=3))
    with pytest.raises(Exception):
        answer.estimate = 3
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert "95 %" in repr(answer) and "likely" in repr(answer)
    assert repr(rel).startswith("Release(") and "home > work > evening" in repr(rel) and "NOT PRIVATE" in repr(rel)
    assert "West" in repr(rel.top(2, zones={"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "West"}, "geometry": {"type": "Polygon", "coordinates": [
            [[-122.6, 37.6], [-122.45, 37.6], [-122.45, 37.9], [-122.6, 37.9], [-122.6, 37.6]]]}}]}))
    assert DOMAIN == so.Domain(bbox=list(BOX), grid=[100, 100], stops=("home", "work", "evening")) and hash(DOMAIN)
    frames = so.Domain(bbox=BOX, grid=100, stops={"am": "05:00-10:00", "pm": "16:00-20:00"})
    assert hash(frames) and frames.fields()["frames"] == "am=05:00-10:00,pm=16:00-20:00"
    with pytest.raises(TypeError):
        frames.stops["am"] = "1"
    outside = rel.count(home=so.circle(40.7, -74.0, km=1))
    assert outside.estimate == 0 and "outside" in repr(outside)
    assert "polygon(...)" in repr(so.polygon({"type": "Polygon", "coordinates": []}))
    assert repr(so.circle(1, 2, km=3) & so.time("06:00-09:00")) == 'circle([1.0, 2.0, 3.0]) & time(["06:00-09:00"])'


def test_private_things_show_no_rows(table, tmp_path, capfd):
    made = so.cells(table, DOMAIN, tmp_path / "cells.parquet", unit="user", max_trips_per_user=2, seq="seq",
                    progress=False)
    assert repr(made) == f"Cells({str(tmp_path / 'cells.parquet')!r}: private)"
    said = capfd.readouterr()
    assert said.out == "" and all(line.startswith(("private: ", "note: ", "  ")) for line in said.err.splitlines())
    so.cells(table, DOMAIN, tmp_path / "again.parquet", unit="trip", seq="seq", quiet=True)
    assert capfd.readouterr().err == ""


def test_private_figures_only_where_nothing_keeps_them(table, tmp_path, capfd, monkeypatch):
    """pytest's stderr is not a terminal; a notebook's may say that it is one."""
    cells = lambda **more: so.cells(table, DOMAIN, tmp_path / "cells.parquet", unit="trip", seq="seq", progress=False,
                                    overwrite=True, **more)
    cells()
    hidden = capfd.readouterr().err
    assert "private:" not in hidden and hidden.count('private_notes="always"') == 1
    cells(private_notes="always")
    shown = capfd.readouterr().err
    assert "private: " in shown and "rows read" in shown and "private_notes" not in shown
    monkeypatch.setattr(so._progress, "_on_screen", lambda: True)
    cells()
    assert "private: " in capfd.readouterr().err
    cells(private_notes="never")
    assert "private:" not in capfd.readouterr().err
    monkeypatch.setattr(so._progress, "_in_notebook", lambda: True)
    cells()
    assert "private:" not in capfd.readouterr().err
    with pytest.raises(so.UsageError, match="maybe"):
        cells(private_notes="maybe")


def test_private_files_are_for_their_owner(table, tmp_path):
    before = os.umask(0)
    try:
        so.cells(table, DOMAIN, tmp_path / "cells.parquet", unit="trip", seq="seq", quiet=True)
    finally:
        os.umask(before)
    assert (tmp_path / "cells.parquet").stat().st_mode & 0o777 == 0o600


def test_the_process_is_protected_when_asked():
    code = "import resource, stopover; before = resource.getrlimit(resource.RLIMIT_CORE); stopover.protect_process(); print(resource.getrlimit(resource.RLIMIT_CORE))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "(0, 0)\n"


def test_a_matrix_of_cells(tmp_path):
    run("stopover", "generate", "gaussian", "--dims", "2", "--n", "5000", "--width", "32", "--sd", "6", "--seed", "1",
        "-o", "g.csv", cwd=tmp_path)
    rel = so.publish(so.Cells("g.csv"), so.Domain(shape=(32, 32)), epsilon=1, to="g.odr", mechanism="eug",
                     ledger="g.ledger", budget=1, quiet=True)
    assert rel.shape == (32, 32) and 4000 < float(rel.count()) < 6000
    assert so.ledger("g.ledger").left == 0
    with pytest.raises(so.RefusedError):
        so.publish(so.Cells("g.csv"), so.Domain(shape=(32, 32)), epsilon=1, to="again.odr", ledger="g.ledger",
                   quiet=True)
    found = so.evaluate("g.csv", so.Domain(shape=(32, 32)), mechanisms=["eug"], epsilons=[1], workloads=["random"],
                        queries=50, reps=1,
                        synthetic=True)
    assert {"mre", "median_re"} <= set(found.columns()["metric"]) and not found.private
    with pytest.raises(so.UsageError, match='^there is no mechanism "nothing"\n  Did you mean'):
        so.evaluate("g.csv", so.Domain(shape=(32, 32)), mechanisms="nothing", synthetic=True)


def test_arguments_that_are_called_otherwise_now(rel):
    with pytest.warns(DeprecationWarning, match="lon= is called lng= now"):
        assert so.circle(37.75, lon=-122.45, km=3) == so.circle(37.75, lng=-122.45, km=3)
    with pytest.warns(DeprecationWarning, match="parts= is called tiles= now") as told:
        assert rel.geojson("home", parts=3) == rel.geojson("home", tiles=3)
    assert [Path(warning.filename).name for warning in told] == [Path(__file__).name]
    with pytest.raises(TypeError, match="both"):
        rel.geojson("home", parts=3, tiles=4)
