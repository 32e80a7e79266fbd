"""What a curator looks at before spending: dry runs, expected trips, inspect, bounds of trips per person."""

import os

import pytest

import stopover as so

DOMAIN = so.Domain(bbox=(-122.6, 37.6, -122.3, 37.9), grid=(50, 50), stops=["origin", "destination"])


def test_a_user_column_asks_for_the_unit(table):
    renamed = table.rename_columns(["Card ID" if name == "uid" else name for name in table.column_names])
    for data in (table, renamed):
        with pytest.raises(so.RefusedError, match='unit="trip"'):
            so.publish(data, DOMAIN, epsilon=1, to="x.odr", ledger="x.ledger", budget=1, seq="seq", quiet=True)
        with pytest.raises(so.RefusedError, match="max_trips_per_user="):
            so.cells(data, DOMAIN, "c.parquet", seq="seq", quiet=True)
    assert os.listdir() == []
    so.cells(renamed, DOMAIN, "c.parquet", seq="seq", unit="trip", quiet=True)


def test_publish_says_who_is_protected(table, capfd):
    rel = so.publish(table, DOMAIN, epsilon=1, unit="user", max_trips_per_user=2, to="x.odr", ledger="x.ledger",
                     budget=1, seq="seq", progress=False)
    assert "note: x.odr is published. Protected: one person with up to 2 trips (unit user, K = 2)" in capfd.readouterr().err
    assert "user with at most 2 trips" in repr(rel)


def test_a_dry_run_is_private_and_does_nothing(table):
    told = so.publish(table, DOMAIN, epsilon=0.5, unit="user", max_trips_per_user=2, to="x.odr", ledger="x.ledger",
                      budget=2, seq="seq", quiet=True,
                      dry_run=True)
    assert isinstance(told, so.DryRun) and told["private"] is True
    assert told.trips > 1000 and told.left_after == 1.5
    assert all(line.startswith("private:") for line in repr(told).splitlines())
    assert os.listdir() == []


def test_expected_trips(table):
    options = dict(epsilon=2, unit="user", max_trips_per_user=1, ledger="x.ledger", budget=10, seq="seq", quiet=True,
                   mechanism="eug")
    trips = so.publish(table, DOMAIN, to="no.odr", dry_run=True, **options).trips
    rel = so.publish(table, DOMAIN, to="x.odr", expect_trips=trips // 2, **options)
    assert rel.info["charges"][0]["view"] == "expected" and rel.info["spent"] == 2
    assert int(rel.info["params"]["expect_trips"]) == trips // 2
    with pytest.raises(so.RefusedError, match="0.02 is spent"):
        so.publish(table, DOMAIN, to="y.odr", expect_trips=10_000_000, **options)
    assert so.ledger("x.ledger").spent == 2.02 and not os.path.exists("y.odr")
    with pytest.raises(so.UsageError):
        so.publish(table, DOMAIN, to="y.odr", accept_total_only=True, **options)


def test_inspect(table):
    told = so.inspect(table)
    assert isinstance(told, so.Inspection) and told["private"] is True
    uid = next(column for column in told["columns"] if column["name"] == "uid")
    assert uid["like_a_user"] and set("".join(uid["shapes"])) == {"a", "9"}
    told = so.inspect(table, DOMAIN, seq="seq")
    assert told["kept_by_k"][-1]["trips"] == told["trips_per_user"]["trips"] > 1000
    assert all(line.startswith("private:") for line in repr(told).splitlines())
    assert os.listdir() == []


def test_bounds_from_public_numbers():
    plan = so.plan(people=10_000, trips_per_person=3, epsilon=1, formulas=True)
    best = [row["k"] for row in plan["bounds"] if row["recommended"]]
    assert len(best) == 1 and plan["rows"][0]["k"] == best[0]
    with pytest.raises(so.UsageError, match="people="):
        so.plan(people=10_000)
    with pytest.raises(so.UsageError, match="n="):
        so.plan()
