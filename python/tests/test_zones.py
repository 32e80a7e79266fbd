"""Zones from Python: from a CSV of stations to a table, as on the command line."""

import csv
import json
import random

import pytest

import stopover as so


@pytest.fixture
def city():
    dice = random.Random(3)
    with open("stations.csv", "w", encoding="utf-8") as out:
        out.write("id,lat,lng,district\n")
        for i, name in enumerate("ABCDEF"):
            out.write(f"{name},{50 + i / 100},{10 + i / 50},{'north' if i > 2 else 'south'}\n")
    rows = [(i, *("AB" if dice.random() < 0.6 else dice.choices("ABCDE", k=2)), f"2024-03-01 {i % 24:02}:30")
            for i in range(4000)]
    with open("trips.csv", "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("trip_id", "o", "d", "start"), *rows])
    return rows


def test_the_ten_lines_with_zones(city):
    domain = so.Domain(zones="stations.csv", levels="district", trip_axes="hour:start=0-12,12-24")
    rel = so.publish("trips.csv", domain, shape_of="trips", trip="trip_id", zone_columns=["o", "d"], unit="trip",
                     epsilon=1, ledger="city.ledger", budget=5, to="city.odr", quiet=True)
    true = sum(row[1:3] == ("A", "B") for row in city)
    pair = rel.count(origin="zone:A", destination="zone:B")
    assert abs(float(pair) - true) < 80
    # Nothing is cut, and yet there is a likely interval; with an hour, a third axis, it is not claimed.
    assert pair.aligned and pair.believed and pair.kind == "likely, not claimed"
    assert pair.median is not None and pair.lower <= pair.median <= pair.upper and pair.median % 1 == 0
    south = float(rel.count(origin="zone:south"))
    assert south == pytest.approx(sum(float(rel.count(origin=f"zone:{name}")) for name in "ABC"))
    assert float(rel.count(origin=so.circle(50.0, 10.0, km=1))) == pytest.approx(float(rel.count(origin="zone:A")))
    assert abs(float(rel.count(hour="category:0-12")) - 2000) < 200
    assert rel.to_zones(start="origin", end="destination").estimate.shape == (6, 6)  # its own zones
    rel.export("zones", "od.csv")
    with open("od.csv", encoding="utf-8") as table:
        assert len(table.readlines()) == 37
    with open("city.odr/zones.geojson", encoding="utf-8") as zones:
        assert len(json.load(zones)["features"]) == 6


def test_tables_that_meet_totals_in_whole_numbers(city):
    rel = so.publish("trips.csv", so.Domain(zones="stations.csv", levels="district"), shape_of="trips", trip="trip_id",
                     zone_columns=["o", "d"], unit="trip", epsilon=1, ledger="city.ledger", budget=5, to="city.odr",
                     quiet=True)
    with open("totals.csv", "w", encoding="utf-8") as out:
        out.write("zone,origins,destinations\nA,5400,\nsouth,,6000\n")
    told = rel.export("zones", "od.csv", integers=True, fix_totals="totals.csv", expand=2.5, quiet=True)
    assert told["expand"] == 2.5
    assert told["fixed_totals"]["origins"] == 1
    with open("od.csv", encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    assert sum(int(row["whole"]) for row in rows if row["origin"] == "A") == 5400
    assert sum(int(row["whole"]) for row in rows if row["destination"] in "ABC") == 6000
    assert sum(int(row["whole"]) for row in rows) == told["whole_sum"]
    assert sum(float(row["estimate"]) for row in rows if row["origin"] == "A") == pytest.approx(5400)
    by_zone = rel.export("zones", "by.csv", expand={"south": 2, "*": 3.5}, quiet=True)
    assert by_zone["sum"] == pytest.approx(2 * float(rel.count(origin="zone:south"))
                                           + 3.5 * float(rel.count(origin="zone:north")))
    with pytest.raises(so.UsageError, match="fix_totals= must be"):
        rel.export("zones", "x.csv", fix_totals=object())
    with pytest.raises(so.UsageError, match="expand=") as wrong:
        rel.export("zones", "x.csv", expand=-1)
    assert wrong.value.field == "expand"
    with pytest.raises(so.InputError, match="fix_totals=.*none.csv"):
        rel.export("zones", "x.csv", fix_totals="none.csv")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"zone": ["A"], "origins": [1000]})
    assert rel.export("zones", "frame.csv", fix_totals=frame, quiet=True)["fixed_totals"]["origins"] == 1


def test_a_grid_says_what_a_release_of_the_zones_would_be_good_for():
    dice = random.Random(5)
    with open("rows.csv", "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("o_lng", "o_lat", "d_lng", "d_lat"),
                                   *([dice.random() ** 2 for _ in range(4)] for _ in range(5000))])
    rel = so.publish("rows.csv", so.Domain(bbox=(0, 0, 1, 1), grid=(100, 100)), shape_of="trips", unit="trip",
                     epsilon=1, ledger="grid.ledger", budget=1, to="grid.odr", quiet=True)
    squares = [(f"{x}{y}", x / 3, y / 3) for x in range(3) for y in range(3)]
    zones = {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": [
            [[w, s], [w + 1 / 3, s], [w + 1 / 3, s + 1 / 3], [w, s + 1 / 3], [w, s]]]}} for name, w, s in squares]}
    said = [note for note in rel.to_zones(zones).notes if "a release of these zones" in note]
    assert len(said) == 1 and "within about 4.3 trips" in said[0]
    assert said == rel.export("zones", "grid-od.csv", zones=zones, quiet=True)["notes"]
    told = rel.export("zones", "busy-od.csv", zones=zones, at_least=50, quiet=True)
    with open("busy-od.csv", encoding="utf-8") as table:
        assert len(table.readlines()) == 1 + told["rows"] == 1 + 81 - told["left_out"]["pairs"] < 82


def test_errors_are_in_pythons_words(city):
    with pytest.raises(so.UsageError, match="zone_columns") as told:
        so.publish("trips.csv", so.Domain(zones="stations.csv"), shape_of="trips", unit="trip", epsilon=1, ledger="l",
                   budget=1, quiet=True)
    assert "--" not in str(told.value)
    with pytest.raises(so.UsageError, match="grid"):
        so.publish("trips.csv", so.Domain(zones="stations.csv", grid=(9, 9)), shape_of="trips", zone_columns=["o", "d"],
                   unit="trip", epsilon=1, ledger="l", budget=1, quiet=True)
