#!/usr/bin/env python3
"""DuckDB and Spark make the same cells of the same rows.

    python3 spark/cells_test.py STOPOVER [DATA_FOLDER]

Generated sets (trips in Parquet, stops in a CSV full of nonsense, pings as JSON lines) and, where the folder is there,
the real ones. One Spark session runs every plan; `stopover cells --engine spark` itself is run once.
"""

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import cells

BOX = ["--bbox", "0,0,100,50", "--grid", "1000x500"]


def stopover(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"stopover {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def point(dice):
    odd = ["", "nan", "inf", "-1", "1e400", "x", "1d", "0x10", "1_0", " 7.25 ", "+3.5", ".5", "5.", "1e1",
           "49.999999999999999"]
    return dice.choice(odd) if dice.random() < 0.02 else repr(dice.uniform(0, 50))


def moment(dice):
    seconds = 1_577_836_800 + dice.randrange(400 * 86400)
    day, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    date = f"2020-{dice.randrange(1, 13):02}-{dice.randrange(1, 32):02}"
    return dice.choice([str(seconds), f"{seconds}.75", f"{date}T{clock}Z", f"{date} {clock}",
                        f"{date}T{clock}.123456+05:30",
                        f"{date} {clock[:5]}-0800", date, f"{date} 25:00", "soon", "", f" {seconds} "])


def write_stops(path, dice):
    with open(path, "wb") as out:
        out.write(b"\xef\xbb\xbfuid,tid,seq,datetime,lat,lng,purpose\r\n")
        for trip in range(4000):
            user = dice.choice(["u%d" % dice.randrange(300), "\u00fc" * dice.randrange(1, 60), "", '"a,""b"""'])
            for seq in range(dice.randrange(1, 5)):
                row = f"{user},{trip // 2},{seq},{moment(dice)},{point(dice)},{point(dice)},"
                row += dice.choice(["home", "work", "x", ""])
                out.write(row.encode() + dice.choice([b"\n", b"\r\n"]))
            if trip % 40 == 0:
                out.write(dice.choice([b'"u1,1,0\n', b"u1,\0,0,1,1,1,1\n", b"\xff\xfe\n", b"\n", b" \t\r\n",
                                       b"1,2,3,4,5,6,7,8\n",
                                       b"x" * (1 << 20) + b"xx\n", b"u1,5\n", b'"u1"x,1\n']))


def write_other_form(path, stops):
    """The same rows in Windows-1252, with semicolons and decimal commas."""
    with open(stops, "rb") as file, open(path, "wb") as out:
        text = file.read()[3:].replace(b",", b";").replace(b".", b",")
        out.write(text.replace("\u00fc".encode(), b"\xfc\x80\x81\x9f"))


def write_pings(path, dice):
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(300):
            user, at = dice.randrange(40), 1_600_000_000 + dice.randrange(30 * 86400)
            lat, lng = dice.uniform(1, 49), dice.uniform(1, 99)
            for _ in range(dice.randrange(1, 40)):
                at += dice.randrange(1, 3600)
                if dice.random() < 0.3:
                    lat, lng = lat + dice.uniform(-0.003, 0.003), lng + dice.uniform(-0.003, 0.003)
                out.write(json.dumps({"uid": user, "datetime": at, "lat": lat, "lng": str(lng)}) + "\n")
            big = dice.choice(["100000000000000000001", "100000000000000000002", "-0", "0", "1.50", "1e400",
                               '"\\ud800"', '"\\u00e9"', "true"])
            for hour in range(3):
                out.write(f'{{"uid": {big}, "datetime": {1_600_000_000 + 9000 * hour}, "lat": {1 + hour}, "lng": 5, "uid2": [{{"uid": 7}}]}}\n')
            out.write(dice.choice(['{"uid":', "[]", "null", '{"uid":1,"datetime":NaN}', '{"uid":{"a":[1]},"lat":1}',
                                   "{" * 100]) + "\n")


def write_areas(path, dice):
    """Quadrangles that share their sides, with gaps and holes."""
    at = {(i, j): (8 * i + dice.uniform(-2, 2), 4 * j + dice.uniform(-1, 1)) for i in range(13) for j in range(13)}
    areas = []
    for i in range(12):
        for j in range(12):
            if dice.random() < 0.1:
                continue
            ring = [at[i, j], at[i + 1, j], at[i + 1, j + 1], at[i, j + 1], at[i, j]]
            x, y = 8 * i + 4, 4 * j + 2
            hole = [[(x, y), (x, y + 0.5), (x + 0.5, y + 0.5), (x + 0.5, y), (x, y)]] if dice.random() < 0.2 else []
            areas.append({"type": "Feature", "properties": {"name": f"{i}/{j}"},
                          "geometry": {"type": "Polygon", "coordinates": [ring, *hole]}})
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"type": "FeatureCollection", "features": areas}, out)


def main():
    program, data = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    rows, only = int(os.environ.get("STOPOVER_SPARK_ROWS", "200000")), os.environ.get("STOPOVER_SPARK_SETS", "")
    dice = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        write_stops(at("stops.csv"), dice)
        write_other_form(at("other.csv"), at("stops.csv"))
        write_pings(at("pings.jsonl"), dice)
        with open(at("zones.csv"), "w", encoding="utf-8") as zones:
            zones.write("id\nhome\nwork\n")
        write_areas(at("areas.geojson"), dice)
        spark = cells.start("local[2]", folder)
        trips = spark.range(rows).selectExpr(
            "id AS tid", f"pmod(xxhash64(id, 1), {rows // 40}) AS uid",
            "pmod(xxhash64(id, 2), 1000003) / 9900D AS o_lng",
            "pmod(xxhash64(id, 3), 1000003) / 19900D AS o_lat", "pmod(xxhash64(id, 4), 1000003) / 9900D AS d_lng",
            "pmod(xxhash64(id, 5), 1000003) / 19900D AS d_lat")
        trips.write.parquet(at("trips"))
        user = ["--unit", "user", "--max-trips-per-user", "4"]
        sets = {
            "trips": [at("trips"), "--shape-of", "trips", *BOX, *user],
            "stops": [at("stops.csv"), "--seq", "seq", "--more-stops", "spread", "--stops", "od+1", "--axis",
                      "time-of-day",
                      "--axis", "weekday", "--timezone", "America/New_York", *BOX, *user],
            "zones by id": [at("stops.csv"), "--seq", "seq", "--zones", at("zones.csv"), "--zone-column", "purpose",
                            "--trip-axis", "daytype", "--time", "datetime", *user],
            "zones by coordinates": [at("stops.csv"), "--seq", "seq", "--zones", at("areas.geojson"), "--zone-id", "name",
                                     *user],
            "zones of trips": [at("trips"), "--shape-of", "trips", "--zones", at("areas.geojson"), "--zone-id", "name", *user],
            "zones of pings": [at("pings.jsonl"), "--user", "uid", "--shape-of", "pings", "--zones", at("areas.geojson"),
                               "--zone-id", "name", *user],
            "stops, one trip": [at("stops.csv"), "--seq", "seq", "--stops", "od", "--axis",
                                "category:purpose=home,work,*", *BOX, "--unit", "trip"],
            "stops, 2 and 3": [at("stops.csv"), "--seq", "seq", "--stops", "2,3", *BOX, *user],
            "stops in Windows-1252": [at("other.csv"), "--seq", "seq", "--encoding", "windows-1252", "--delimiter", ";",
                                      "--decimal-comma", *BOX, *user],
            "pings by day": [at("pings.jsonl"), "--user", "uid", "--shape-of", "pings", "--timezone", "Europe/Berlin",
                             *BOX, *user],
            "pings in frames": [at("pings.jsonl"), "--user", "uid", "--shape-of", "pings", "--stay-minutes", "0",
                                "--stops", "frames",
                                "--frames", "day=06:00-18:00,night=18:00-30:00", "--timezone", "Asia/Kathmandu", *BOX,
                                *user],
        }
        real = ["--user", "user_id", "--time", "timestamp", "--lng", "lon", "--grid", "1000x1000"]
        if data and os.path.isdir(data):
            sets["Calgary"] = [f"{data}/calgary_checkins.csv.gz", "--shape-of", "pings", "--stay-minutes", "0", *real,
                               "--bbox",
                               "-114.6,50.7,-113.6,51.4", "--timezone", "America/Edmonton", *user]
            sets["New York"] = [f"{data}/nyc_checkins_weekly.csv.gz", "--trip", "trip_id", "--shape-of", "pings",
                                "--stay-minutes", "0",
                                "--stops", "first-mid-last", *real, "--bbox", "-74.42,40.4,-73.59,41.03", *user]
            sets["San Francisco"] = [f"{data}/sf_taxi_2008.csv.gz", "--trip", "trip_id", "--seq", "seq", *real,
                                     "--bbox",
                                     "-122.8177,37.4605,-122.0211,38.0893", *user]
        else:
            print("the real data sets are not here: skipped")
        if importlib.util.find_spec("stopover") is None:
            print("the Python package is not here, which looks places up in zones: skipped")
            sets = {name: flags for name, flags in sets.items() if at("areas.geojson") not in flags}
        failed = 0
        for name, flags in sets.items():
            if only and name not in only.split(","):
                continue
            file = at("duck.parquet")
            stopover(program, "cells", *flags, "-o", file, "--overwrite", "--quiet")
            plan = json.loads(stopover(program, "cells", *flags, "--engine", "spark", "--explain-sql", "--json"))
            since = time.monotonic()
            cells.cells_of(spark, plan).write.mode("overwrite").parquet(at("spark"))
            took = time.monotonic() - since
            duck, theirs = spark.read.parquet(file), spark.read.parquet(at("spark"))
            columns = [f"CAST(`{c}` AS BIGINT) AS `{c}`" for c in duck.columns]
            duck, theirs = duck.selectExpr(*columns), theirs.selectExpr(*columns)
            found, other = duck.count(), duck.exceptAll(theirs).count() + theirs.exceptAll(duck).count()
            spark.catalog.clearCache()
            same = other == 0 and found > 0
            failed += not same
            print(f"{'equal ' if same else 'DIFFER'} {name}: {found} cells, {other} in one only; Spark took {took:.1f} s", flush=True)
        spark.stop()
        os.environ["STOPOVER_PYTHON"] = sys.executable
        stopover(program, "cells", *sets["pings by day"], "-o", at("a.parquet"))
        stopover(program, "cells", *sets["pings by day"], "-o", at("b.parquet"), "--engine", "spark", "--spark-master",
                 "local[1]")
        with open(at("a.parquet"), "rb") as a, open(at("b.parquet"), "rb") as b:
            same = a.read() == b.read()
        failed += not same
        print(f"{'equal ' if same else 'DIFFER'} --engine spark: files byte by byte")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
