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
    assert abs(float(rel.count(origin="zone:A", destination="zone:B")) - true) < 80
    south = float(rel.count(origin="zone:south"))
    assert south == pytest.approx(sum(float(rel.count(origin=f"zone:{name}")) for name in "ABC"))
    assert float(rel.count(origin=so.circle(50.0, 10.0, km=1))) == pytest.approx(float(rel.count(origin="zone:A")))
    assert abs(float(rel.count(hour="category:0-12")) - 2000) < 200
    rel.export("zones", "od.csv")
    with open("od.csv", encoding="utf-8") as table:
        assert len(table.readlines()) == 37
    with open("city.odr/zones.geojson", encoding="utf-8") as zones:
        assert len(json.load(zones)["features"]) == 6


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
