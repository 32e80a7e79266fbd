"""The cells of a Spark DataFrame are DuckDB's cells of the same rows, and publish takes them.

    spark_test.py          PYTHONPATH has the package; skipped (77) without pyspark and pyarrow

Run by scripts/test-spark, not by make test: Spark takes half a minute to start.
"""

import os
import sys
import tempfile

try:
    import pyarrow.parquet as pq
    from pyspark.sql import SparkSession
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import datetime
import random

import stopover as so
import stopover.spark


def rows_of(trips, dice):
    for trip in range(trips):
        user = f"u{dice.randrange(trips // 4)}" if dice.random() < 0.97 else None
        begun = datetime.datetime(2024, 3, 1,
                                  tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=dice.randrange(5 * 86400))
        for stop in range(dice.choice([2, 3, 3, 3, 4])):
            lat = dice.gauss(37.75, 0.06)
            if dice.random() < 0.05:
                lat = dice.choice([None, float("nan"), 1e300, lat])
            when = begun + datetime.timedelta(hours=stop)
            yield user, trip, when, lat, dice.gauss(-122.45, 0.06), dice.choice(["home", "work", "x"])


def cells_of(made):
    return sorted(tuple(row.values()) for row in pq.read_table(made.path).to_pylist())


def main():
    folder = tempfile.mkdtemp(prefix="stopover-test-")
    os.chdir(folder)
    os.environ["XDG_STATE_HOME"] = folder
    rows = list(rows_of(4000, random.Random(3)))
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled",
                                                            "false").config("spark.log.level", "ERROR")
             .config("spark.sql.shuffle.partitions", "4").config("spark.sql.session.timeZone",
                                                                 "Asia/Tokyo").getOrCreate())
    df = spark.createDataFrame(rows, "uid string, tid long, datetime timestamp, lat double, lng double, purpose string")
    df = df.selectExpr("*", "array(tid) AS list").repartition(5)
    names = ("uid", "tid", "datetime", "lat", "lng", "purpose")
    import pyarrow

    table = pyarrow.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
    box = (-122.6, 37.6, -122.3, 37.9)
    cases = {
        "stops": (so.Domain(bbox=box, grid=(100, 100), stops=["home", "work", "evening"]), {}),
        "axes": (so.Domain(bbox=box, grid=(50, 50), axes=("time-of-day", "category:purpose=home,work,*"),
                           timezone="America/Los_Angeles"), {}),
        "parts": (so.Domain(bbox=box, grid=(20, 20), stops=(2, 3)), {}),
        "frames": (so.Domain(bbox=box, grid=(50, 50), stops={"am": "05:00-12:00", "pm": "13:00-22:00"}),
                   {"shape_of": "pings", "stay_minutes": 0}),
    }
    for name, (domain, options) in cases.items():
        options = {"unit": "user", "max_trips_per_user": 2, **options}
        by_spark = so.spark.cells(df, domain, f"{name}-spark.parquet", **options)
        by_duckdb = so.cells(table, domain, f"{name}-duckdb.parquet", quiet=True, progress=False, **options)
        ours, theirs = cells_of(by_spark), cells_of(by_duckdb)
        assert ours == theirs, f"{name}: {len(ours)} and {len(theirs)} cells, and they differ"
        assert len(ours) > 50, f"{name}: only {len(ours)} cells"
        print(f"{name}: {len(ours)} cells, the same")
    assert spark.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert not spark.catalog.tableExists("cells")
    rel = so.publish(so.Cells("stops-spark.parquet"), epsilon=1, to="x.odr", ledger="x.ledger", budget=1, quiet=True)
    assert rel.stops == ("home", "work", "evening") and rel.unit == "user" and float(rel.count()) > 1000
    try:
        so.spark.cells(df, cases["stops"][0], "y.parquet", unit="user", max_trips_per_user=2, user="nobody")
        raise AssertionError("a column that is not there was taken")
    except so.InputError as error:
        assert "nobody" in str(error)
    spark.stop()


if __name__ == "__main__":
    main()
