#!/usr/bin/env python3
"""Rows on the command line: sources, zones, config files, axes, frames, several stop counts, limits; from rows to
answers.

  ingest_test.py STOPOVER STOPOVER_LAB [unittest arguments]
"""
import gzip
import json
import shutil
import stat
import subprocess
import sys
import time
import unittest

import bench_of_commands
from bench_of_commands import Bench

ZONES = {"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"coordinates": [[900, 900]]},
     "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 6], [0, 6], [0, 0]]]}},
    {"type": "Feature", "properties": {}, "geometry": {"type": "MultiPolygon",
                                                       "coordinates": [[[[9, 5], [20, 5], [20, 10], [9, 5]]]]}}]}
USER = ["--unit", "user", "--max-trips-per-user", "3"]
BOX = ["--bbox", "0,0,20,10", "--grid", "20x10"]
STOPS = ["--seq", "seq", *BOX, *USER]


class Rows(Bench):
    def stops(self, name="stops.csv", users=30, header="uid,tid,seq,datetime,lat,lng,purpose"):
        """Every user has trips of 2, 3 and 4 stops."""
        lines = [header]
        for user in range(users):
            for n in (2, 3, 4):
                for seq in range(n):
                    lines.append(f"u{user},{n},{seq},2024-02-{1 + user % 28:02}T{8 + 3 * seq:02}:30:00,"
                                 f"{(user + seq) % 10}.5,{(3 * user + seq) % 20}.5,{('home', 'work', 'shop')[seq % 3]}")
        return self.write(name, "\n".join(lines) + "\n")

    def cells(self, *words, output="cells.parquet"):
        told = self.json_of("cells", *words, "-o", output, "--overwrite", "--quiet")
        self.assertTrue(told["private"])
        return (self.work / output).read_bytes()

    def publish(self, *words, output="x.odr", epsilon="1", **more):
        return self.json_of("publish", *words, "--epsilon", epsilon, "--ledger", "r.ledger", "--budget", "100", "-o",
                            output, **more)

    def trips_in(self, release, *box):
        return self.json_of("query", release, *box)["estimate"]


class Sources(Rows):
    def test_packed_files_and_folders_give_the_same_cells(self):
        plain = self.cells(self.stops(), *STOPS)
        text = (self.work / "stops.csv").read_bytes()
        (self.work / "stops.csv.gz").write_bytes(gzip.compress(text))
        self.assertEqual(self.cells("stops.csv.gz", *STOPS), plain)
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "stops.csv"], cwd=self.work, check=True)
            self.assertEqual(self.cells("stops.csv.zst", *STOPS), plain)
        (self.work / "parts").mkdir()
        header, *rows = text.splitlines(keepends=True)
        for part in range(3):
            (self.work / f"parts/{part}.csv").write_bytes(header + b"".join(rows[part::3]))
        self.assertEqual(self.cells("parts", *STOPS), plain)
        self.assertEqual(self.cells("parts/*.csv", *STOPS), plain)
        objects = [dict(zip(header.decode().strip().split(","), row.decode().strip().split(","))) for row in rows]
        self.write("stops.jsonl", "".join(json.dumps(row) + "\n" for row in objects))
        self.assertEqual(self.cells("stops.jsonl", *STOPS), plain)
        self.assertEqual(self.cells("--sql", "SELECT * FROM read_csv('stops.csv', all_varchar = true)", *STOPS), plain)

    def test_faults_are_told_before_anything_is_spent(self):
        self.stops()
        for code, words, says in (
                (3, ["none.csv", *STOPS], "none.csv"),
                (3, [self.write("empty.csv", ""), *STOPS], "is empty"),
                (3, [self.write("few.csv", "uid,tid,seq,lat\n"), *STOPS], ["no column lng", "--lng"]),
                (3, ["stops.csv", *STOPS, "--lat", "latitude"], ["no column latitude", "uid, tid"]),
                (3, ["--sql", "SELECT 'u' uid, 't' tid, 1 seq, DATE '2020-01-01' lat, 1.0 lng", *STOPS], "holds DATE"),
                (3, ["--sql", "SELEC", *STOPS], "--sql"),
                (2, ["--sql", "SELECT 1", "--extension", "nosuch", *STOPS], ["nosuch", "INSTALL"]),
                (2, ["stops.csv", *STOPS, "--timezone", "Mars/Olympus"], "Mars/Olympus"),
                (2, ["stops.csv", *BOX, *USER, "--stops", "frames", "--frames", "a=05:00-08:00,b=07:00-09:00"],
                 "overlap"),
                (2, ["stops.csv", *STOPS, "--stops", "3,2"], "3,2"),
                (2, ["stops.csv", *STOPS, "--stops", "1,2"], "1,2"),
                (2, ["stops.csv", *STOPS, "--memory-limit", "lots"], "lots"),
                (2, ["stops.csv", *STOPS, "--memory-limit", "64MB"], ["64MB", "128MB"]),
                (4, ["stops.csv", "--seq", "seq", *BOX], "--unit"),
                (4, ["stops.csv", "--seq", "seq", "--bbox", "auto", "--grid", "20x10", *USER], "outermost"),
                (4, ["stops.csv", "--seq", "seq", "--grid", "20x10", *USER], "outermost"),
                (4, ["stops.csv", "--seq", "seq", "--bbox", "0,0,20,10", *USER], "grid")):
            self.fails(code, "publish", *words, "--epsilon", "1", "--ledger", "r.ledger", "--budget", "2", "-o",
                       "x.odr", says=says)

    def test_no_user_changes_exit_code_or_stdout(self):
        self.stops()
        with open(self.work / "stops.csv", "rb") as file:
            text = file.read()
        nonsense = b'\x00\xff"z,1\n' + b"z,9,0,soon,nan,inf,x\n" + b"\xef\xbb\xbfz,1,0,2024-01-01,1.5,1.5,home\n" + b"z," + b"y" * (2 << 20) + b"\n\r\r\n"
        told = []
        for more in (b"", nonsense):
            (self.work / "in.csv").write_bytes(text + more)
            code, out, err = self.run_it("cells", "in.csv", *STOPS, "-o", "c.parquet", "--overwrite", "--private-notes",
                                         "always", "--progress", "never")  # a slow machine would tell it
            self.assertEqual(code, 0, err)
            told.append((out, (self.work / "c.parquet").read_bytes()))
            for line in err.splitlines():
                self.assertRegex(line, "^private: ")
        self.assertEqual(told[0], told[1])

    def test_a_damaged_or_misnamed_file_is_told_before_anything_is_spent(self):
        self.stops(users=400)
        text = (self.work / "stops.csv").read_bytes()
        self.ok("cells", "stops.csv", *STOPS, "-o", "c.parquet")
        packed, parquet = gzip.compress(text), (self.work / "c.parquet").read_bytes()
        publish = ["--epsilon", "1", "--ledger", "r.ledger", "--budget", "2", "-o", "x.odr"]
        for name, data, says in (
                ("cut.csv.gz", packed[:-200], "damaged or cut: it ends inside its gzip data"),
                ("half.csv.gz", packed[:len(packed) // 2], "damaged or cut: it ends inside its gzip data"),
                ("more.csv.gz", packed + b"garbage",
                 "damaged or cut: after its gzip data come bytes that are not gzip"),
                ("gzip.csv", packed, ["It is gzip", "Rename it gzip.csv.gz"]),
                ("plain.csv.gz", text, ["It is not gzip", "rename it plain.csv"]),
                ("cut.parquet", parquet[:-50], "damaged or cut"),
                ("wide.csv", text.decode().encode("utf-16"), "try --encoding utf-16")):
            (self.work / name).write_bytes(data)
            with self.subTest(name):
                for line in self.fails(3, "publish", name, *STOPS, *publish, says=says).splitlines():
                    self.assertLessEqual(len(line), 120)
        (self.work / "matrix.csv.gz").write_bytes(gzip.compress(b"a0,a1,a2,a3\n" + b"1,2,3,4\n" * 5000)[:-20])
        for name in ("cut.parquet", "matrix.csv.gz"):
            self.fails(3, "publish", "--matrix", name, "--shape", "20x10x20x10", *publish, says="damaged or cut")

    def test_encodings_and_delimiters(self):
        plain = self.cells(self.stops(), *STOPS)
        text = (self.work / "stops.csv").read_text().replace("u1,", "Zürich,").replace("u2,",
                                                                                       "Köln – West,").replace("home", "Büro")
        self.write("utf8.csv", text)
        same = self.cells("utf8.csv", *STOPS)
        self.assertNotEqual(plain, b"")
        for name, encoding, flag in (("latin.csv", "latin-1", "latin1"), ("windows.csv", "cp1252", "windows-1252"),
                                     ("wide.csv", "utf-16", "UTF-16")):
            (self.work / name).write_bytes(text.replace("–", "-").encode(encoding) if flag == "latin1"
                                           else text.encode(encoding))
            cells = self.cells(name, *STOPS, "--encoding", flag)
            if flag != "latin1":
                self.assertEqual(cells, same, flag)
        for name, typed in ((";", ";"), ("|", "|"), ("\t", "tab")):
            self.write("other.csv", text.replace(",", name))
            self.assertEqual(self.cells("other.csv", *STOPS, "--delimiter", typed), same, typed)
        self.write("comma.csv", text.replace(",", ";").replace(".", ","))
        self.assertEqual(self.cells("comma.csv", *STOPS, "--delimiter", ";", "--decimal-comma"), same)
        self.publish("windows.csv", *STOPS, "--encoding", "cp1252")
        for code, words, says in (
                (3, ["other.csv"], ["no column seq", "--delimiter tab"]),
                (3, ["comma.csv"], ["no column seq", "--delimiter ';'"]),
                (2, ["stops.csv", "--encoding", "koi8-r"], ["koi8-r", "iconv"]),
                (2, ["stops.csv", "--delimiter", "x"], '"x"'),
                (2, ["--sql", "SELECT 1", "--delimiter", ";"], "--delimiter"),
                (2, [self.write("a.jsonl", ""), "--encoding", "latin1"], "CSV")):
            self.fails(code, "cells", *words, *STOPS, "-o", "y.parquet", says=says)
        self.matrix()
        self.write("m2.csv", (self.work / "m.csv").read_text().replace(",", ";"))
        words = self.publish_words("m.odr", "m2.csv")
        self.fails(3, *words, says=["no column", "--delimiter ';'"])
        self.ok(*words, "--delimiter", ";")

    def test_lines_in_another_encoding_are_told(self):
        self.stops()
        text = (self.work / "stops.csv").read_text()
        for city, encoding, says in (("Zürich", "latin1",
                                      "3 of them are not UTF-8; they look like latin1: try --encoding latin1"),
                                     ("Köln – West", "windows-1252",
                                      "3 of them are not UTF-8; they look like windows-1252: try --encoding windows-1252")):
            (self.work / "in.csv").write_bytes(text.encode() + f"{city},1,0,2024-01-01,1.5,1.5,home\n".encode(encoding) *
                                               3)
            for words in (["inspect", "in.csv"], ["cells", "in.csv", "-o", "c.parquet", "--overwrite"]):
                code, out, err = self.run_it(*words, *STOPS, "--private-notes", "always")
                self.assertEqual(code, 0, err)
                told = out.replace("\nprivate:   ", " ") if words[0] == "inspect" else err
                self.assertIn("private: 3 lines that are not rows\n", told)
                self.assertIn(f"private: {says}\n", told)
        self.assertNotIn("UTF-8", self.ok("inspect", "stops.csv", *STOPS))

    def test_json_lines_say_what_is_missing(self):
        self.write("in.jsonl", '{"uid":1,"tid":1,"seq":0,"latitude":1.5,"lng":1.5}\n')
        code, out, err = self.run_it("inspect", "in.jsonl", *STOPS)
        self.assertEqual(code, 0, err)
        self.assertIn("1 rows without a position: all of them; is the column named right?", out)


class Domains(Rows):
    def test_a_box_from_zones(self):
        self.write("zones.geojson", json.dumps(ZONES))
        told = self.json_of("domain", "suggest", "zones.geojson", "--cell-metres", "10000")
        self.assertEqual((told["bbox"], told["grid"]), ("0.00,0.00,20.00,10.00", "222x112"))
        words = self.ok("domain", "suggest", "zones.geojson").split()
        self.assertEqual(words[0], "--bbox")
        self.stops()
        self.ok("cells", "stops.csv", "--seq", "seq", *words, *USER, "-o", "suggested.parquet")
        self.assertEqual(self.cells("stops.csv", "--seq", "seq", "--bbox-from", "zones.geojson", "--grid", "20x10",
                                    *USER),
                         self.cells("stops.csv", *STOPS))
        self.fails(2, "cells", "stops.csv", *STOPS, "--bbox-from", "zones.geojson", "-o", "y.parquet",
                   says="--bbox-from")

    def test_zones_must_be_areas_in_degrees(self):
        points = {"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]}
        metres = {"type": "Polygon", "coordinates": [[[500000, 4e6], [500100, 4e6], [500100, 4000100], [500000, 4e6]]]}
        for name, text, says in (("points", json.dumps(points), "areas"), ("metres", json.dumps(metres), "globe"),
                                 ("text", "no", "areas")):
            self.write(f"{name}.geojson", text)
            self.fails(3, "domain", "suggest", f"{name}.geojson", says=[f"{name}.geojson", says])
        self.fails(3, "domain", "suggest", "none.geojson", says="none.geojson")
        self.fails(2, "domain", "guess", "none.geojson", says="suggest")

    def test_a_config_file(self):
        self.stops(header="user,trip,nr,when,y,x,why")
        self.write("city.toml", "\n".join((
            "[publish]", 'user = "user"', 'trip = "trip"', 'seq = "nr"', 'time = "when"', 'lat = "y"', 'lng = "x"',
            'bbox = "0,0,20,10"', 'grid = "2x1"', 'unit = "user"', "max-trips-per-user = 3", 'stops = "od"',
            'axis = ["weekday", "category:why=home,work,*"]', 'timezone = "America/New_York"',
            'mechanism = "identity"')) + "\n")
        told = self.json_of("publish", "stops.csv", "--config", "city.toml", "--epsilon", "0.5", "--ledger", "r.ledger",
                            "--budget", 2, "-o", "x.odr")
        self.assertEqual((told["unit"], told["k"], told["mechanism"]), ("user", 3, "identity"))
        self.assertEqual(self.json_of("info", "x.odr")["shape"], [2, 1, 7, 3, 2, 1, 7, 3])
        self.fails(2, "publish", "stops.csv", "--config", self.write("bad.toml", "[publish]\nlatt = 'y'\n"),
                   "--epsilon", "1", "--ledger", "l",
                   "-o", "z.odr", says="latt")


    def test_a_fault_in_a_config_file_names_file_line_and_what_was_meant(self):
        self.stops()
        words = ["stops.csv", *STOPS, "--epsilon", "1", "--ledger", "r.ledger", "--budget", "2", "-o", "x.odr"]
        for code, text, says in (
                (2, "[publish]\n\nlatt = 'y'\n", ["bad.toml:3: publish has no flag latt", "Did you mean lat?"]),
                (2, "# city\n[pubish]\nlat = 'y'\n", ["bad.toml:2: there is no command pubish",
                                                      "Did you mean [publish]?"]),
                (2, "thread = 2\n", ["bad.toml:1: there is no flag thread", "Did you mean threads?"]),
                (2, "grid = '2x1'\n", ["bad.toml:1: grid is a flag of publish", "[publish]"]),
                (2, "[publish]\nmax_trips_per_user = 3\n", ["bad.toml:2", "Did you mean max-trips-per-user?"]),
                (2, "[publish]\ngrid = ['2x1', '3x3']\n", "bad.toml:2: grid takes one value, not a list"),
                (2, "[publish]\nno-calibration = 'yes'\n", "bad.toml:2: no-calibration must be true or false"),
                (2, "[publish]\nlat = true\n", "bad.toml:2: lat needs a value"),
                (2, "[publish]\nlat = 2024-01-01\n", ["bad.toml:2: lat must be a text", "in quotes"]),
                (2, "[publish.more]\nlat = 'y'\n", ["bad.toml:1: more must be"]),
                (2, "[publish]\ntimezone = 'UTC'\ncut = 'hour'\n",
                 ['--cut must be day or gap, not "hour"', "It is set in bad.toml:3"]),
                (2, "threads = -1\n", ["--threads must be", "It is set in bad.toml:1"]),
                (3, "[publish]\nlat = 'y'\nlat = 'z'\n", ["bad.toml:3: this is not valid TOML", "3 | lat = 'z'"]),
                (3, "[publish]\nlat 'y'\n", ["bad.toml:2: this is not valid TOML", "2 | lat 'y'"]),
                (3, "[publish\nlat = 'y'\n", "bad.toml:1: this is not valid TOML"),
                (3, "[publish]\nlat = 'y\n", "bad.toml:2: this is not valid TOML")):
            with self.subTest(text):
                self.fails(code, "publish", *words, "--config", self.write("bad.toml", text), says=says)
        self.fails(3, "publish", *words, "--config", "none.toml", says="none.toml")
        self.fails(3, "publish", *words, "--config", ".", says="cannot read .")
        # What is typed comes before what is in the file; sections of other commands, and of the other program's, do no
        # harm.
        self.write("good.toml", "[publish]\nepsilon = 0.10\nparam = ['stop=3']\nmechanism = 'daf-entropy'\nno-calibration = true\ncut = 'hour'\n"
                                "[cells]\nlat = 'y'\n[evaluate]\nqueries = 10\n")
        told = self.json_of("publish", "stops.csv", *STOPS, "--ledger", "r.ledger", "--budget", "2", "-o", "x.odr",
                            "--config", "good.toml", "--cut", "day")
        self.assertEqual((told["epsilon"], told["mechanism"]), ("0.1", "daf-entropy"))
        self.assertEqual(self.json_of("info", "x.odr")["params"]["stop"], "3")


class Answers(Rows):
    """From rows to an answer, through every kind of stop and axis."""

    def test_axes(self):
        self.stops(users=200)
        self.publish("stops.csv", "--seq", "seq", "--time", "datetime", "--bbox", "0,0,20,10", "--grid", "1x1",
                     "--unit", "trip", "--stops", "first",
                     "--axis", "time-of-day", "--axis", "weekday", "--axis", "category:purpose=home,work,*",
                     "--mechanism", "identity", epsilon="5")
        info = self.json_of("info", "x.odr")
        self.assertEqual(info["shape"], [1, 1, 24, 7, 3])
        self.assertAlmostEqual(self.trips_in("x.odr", "--box", "a2=8:9"), 600, delta=30)
        self.assertAlmostEqual(self.trips_in("x.odr", "--box", "a2=8:9,a4=0:1"), 600, delta=30)
        self.assertAlmostEqual(self.trips_in("x.odr", "--box", "a2=9:24"), 0, delta=40)
        days = [self.trips_in("x.odr", "--box", f"a3={day}:{day + 1}") for day in range(7)]
        self.assertAlmostEqual(sum(days), 600, delta=60)
        self.assertGreater(min(days), 40)

    def test_frames(self):
        lines = ["uid,datetime,lat,lng"]
        for user in range(200):
            lines += [f"u{user},2024-03-05T07:15:00,1.5,1.5", f"u{user},2024-03-05T12:00:00,5.5,10.5",
                      f"u{user},2024-03-06T01:30:00,8.5,19.5"]
        self.write("day.csv", "\n".join(lines) + "\n")
        self.publish("day.csv", "--shape-of", "pings", "--stay-minutes", "0", "--stops", "frames", "--frames",
                     "morning=05:00-10:00,noon=11:00-14:00,night=22:00-28:00", "--bbox", "0,0,20,10", "--grid", "2x2",
                     *USER, "--mechanism", "identity",
                     epsilon="5")
        self.assertEqual(self.json_of("info", "x.odr")["shape"], [2, 2] * 3)
        self.assertAlmostEqual(self.trips_in("x.odr", "--box", "a0=0:1,a1=0:1,a2=1:2,a3=1:2,a4=1:2,a5=1:2"), 200,
                               delta=30)
        self.assertAlmostEqual(self.trips_in("x.odr", "--box", "a0=1:2"), 0, delta=120)

    def test_a_person_may_be_in_every_file_of_cells(self):
        (self.work / "both").mkdir()
        for seq, name in enumerate(("a", "b")):
            self.write(f"{name}.csv", "uid,tid,seq,lat,lng\n" +
                       f"u,{name},1,1.5,{seq}.5\nu,{name},2,1.5,{seq}.5\n")
            self.ok("cells", f"{name}.csv", "--seq", "seq", *BOX, "--unit", "user", "--max-trips-per-user", "1",
                    "-o", f"both/{name}.parquet")
        cost = ["--epsilon", "5", "--mechanism", "identity", "--ledger", "r.ledger", "--budget", "5", "-o", "x.odr"]
        for more in ([], ["--max-trips-per-user", "1"], ["--unit", "user", "--max-trips-per-user", "1"]):
            self.fails(4, "publish", "--matrix", "both/*.parquet", *more, *cost,
                       says=["2 files of both/*.parquet", "up to 2", "--max-trips-per-user 2"])
        self.ok("publish", "--matrix", "both/*.parquet", "--max-trips-per-user", "2", *cost)
        self.assertEqual(self.json_of("info", "x.odr")["k"], 2)

    def test_one_trip_is_no_unit_where_trips_are_made_of_moments(self):
        # One ping less may change three days' trips, one long stay lies in every day's frames.
        lines = ["uid,datetime,lat,lng"] + [f"u,2024-03-{day:02}T{hour:02}:00:00,1.5,1.5" for day in (5, 6)
                                            for hour in (7, 12)]
        self.write("day.csv", "\n".join(lines) + "\n")
        frames = ["--stops", "frames", "--frames", "am=05:00-10:00,pm=11:00-14:00"]
        cost = ["--epsilon", "1", "--ledger", "r.ledger", "--budget", "1", "-o", "x.odr"]
        for words in (["--shape-of", "pings"], frames, ["--shape-of", "pings", *frames]):
            said = "pings" if "pings" in words else "frames"
            for unit, says in ((["--unit", "trip"], [f"--unit trip does not go with {said}", "--unit user"]),
                               ([], ["--unit user", "--max-trips-per-user K"])):
                self.fails(4, "publish", "day.csv", *words, *unit, *BOX, *cost, says=says)
                self.fails(4, "cells", "day.csv", *words, *unit, *BOX, "-o", "x.parquet", says=says)
            self.ok("inspect", "day.csv", *words, "--unit", "trip", *BOX)
        self.fails(4, "publish", "day.csv", "--shape-of", "pings", *BOX, "--unit", "trip", "--period",
                   "month:2024-03", "--epsilon", "1", "--ledger", "r.ledger", "--budget-per-period", "1", "-o", "x",
                   says=["pings"])

    def test_several_stop_counts_in_one_budget(self):
        self.stops(users=100)
        words = ["stops.csv", "--seq", "seq", "--bbox", "0,0,20,10", "--grid", "2x1", "--unit", "user",
                 "--max-trips-per-user", "2", "--stops", "2,3"]
        self.fails(2, "publish", *words, "--epsilon", "5", "--ledger", "r.ledger", "--budget", 100, "-o", "x.odr",
                   says=["folder", ".odr"])
        told = self.publish(*words, "--mechanism", "identity", output="all", epsilon="5")
        self.assertEqual((told["parts"], told["spent"]), (["all/2-stops.odr", "all/3-stops.odr"], "5"))
        totals = []
        for part, stops in (("all/2-stops.odr", "2"), ("all/3-stops.odr", "3")):
            self.ok("verify", part)
            info = self.json_of("info", part)
            self.assertEqual(info["shape"], [2, 1] * int(stops))
            self.assertEqual((info["params"]["trips_with_stops"], info["params"]["one_epsilon_for_stops"]),
                             (stops, "2,3"))
            self.assertEqual(info["ledger_head"], told["ledger_head"])
            totals.append(self.trips_in(part))
        self.assertAlmostEqual(sum(totals), 200, delta=40)
        ledger = self.json_of("ledger", "r.ledger")
        self.assertEqual((ledger["spent"], [r["kind"] for r in ledger["records"]]),
                         ("5", ["GENESIS", "RESERVE", "COMMIT"]))
        self.fails(6, "publish", *words, "--epsilon", "1", "--ledger", "r.ledger", "-o", "all", says="all")
        # The same from a cells file, which holds both parts, and to which flags may not say otherwise.
        self.ok("cells", *words, "-o", "parts.parquet")
        again = self.json_of("publish", "--matrix", "parts.parquet", "--epsilon", "5", "--mechanism", "identity",
                             "--ledger", "r.ledger", "-o", "again",
                             "--witness", "all/2-stops.odr", "--witness", "all/3-stops.odr")
        self.assertEqual((again["parts"], again["k"]), (["again/2-stops.odr", "again/3-stops.odr"], 2))
        self.assertAlmostEqual(sum(self.trips_in(p) for p in again["parts"]), 200, delta=40)
        for flags, says in ((["--unit", "trip"], "unit is user"), (["--max-trips-per-user", "3"], "at most 2"),
                            (["--stops", "2,3"], "its own domain"),
                            (["--shape", "2x1x2x1"], "2x1x2x1x2x1")):
            self.fails(4, "publish", "--matrix", "parts.parquet", "--epsilon", "1", "--ledger", "r.ledger", "-o", "no",
                       *flags, says=says)


class Curator(Rows):
    def private_page(self, *words):
        """stdout of a command that shows true figures: every line marked, and none too long."""
        # Whoever is slow is told what is being done, which is not what is looked at here.
        code, out, err = self.run_it(*words, "--progress", "never")
        self.assertEqual(code, 0, err)
        for line in err.splitlines():
            self.assertRegex(line, "^note: mechanism ")
        for line in out.splitlines():
            self.assertLessEqual(len(line), 80, line)
            self.assertRegex(line, "^private:( |$)")
        return out

    def test_inspect_with_a_box(self):
        self.stops(header="uid,tid,seq,datetime,lat,lng,a_column_with_a_rather_long_name")
        out = self.private_page("inspect", "stops.csv", *STOPS)
        for text in ("270 rows read", "30 users with a usable trip", "90 usable trips", "trips per user: 30 users",
                     "a9  a99",
                     "docs/guide/plan.md",
                     "4            90   100.0 %", "3            30    33.3 %", "uid looks like a user id"):
            self.assertIn(text, out)
        # Unit and grid need not be said.
        self.assertIn("1            30    33.3 %", self.private_page("inspect", "stops.csv", "--seq", "seq", "--bbox",
                                                                     "0,0,20,10"))
        out = self.private_page("inspect", "stops.csv", "--seq", "seq", "--lat", "lng", "--lng", "lat", "--bbox",
                                "0,0,20,10")
        self.assertIn("exchanged", out)
        told = self.json_of("inspect", "stops.csv", *STOPS)
        self.assertIs(told["private"], True)
        self.assertEqual(told["trips_per_user"]["quantiles"]["0.5"], 3)
        self.assertEqual(told["kept_by_k"], [{"k": 1, "trips": 30}, {"k": 2, "trips": 60}, {"k": 4, "trips": 90}])
        self.assertEqual(told["trips_by_stops"], [{"stops": n, "trips": 30} for n in (2, 3, 4)])
        self.assertEqual((told["rows"]["rows_read"], told["stays"]), (270, None))

    def test_inspect_without_a_box_shows_no_value(self):
        self.stops(users=2)
        out = self.private_page("inspect", "stops.csv")
        self.assertIn("9999-99-99A99:99:99", out)
        for value in ("u0", "u1", "2024", "home"):
            self.assertNotIn(value, out)
        told = self.json_of("inspect", "stops.csv")
        self.assertEqual(told["columns"][0], {"name": "uid", "type": "VARCHAR", "shapes": ["a9"], "like_a_user": True})
        self.assertEqual(self.snapshot().keys(), {"stops.csv"})
        self.fails(3, "inspect", "none.csv", says="none.csv")

    def test_a_user_column_asks_for_the_unit(self):
        self.stops(header="Rider ID,tid,seq,datetime,lat,lng,purpose")
        spend = ["--epsilon", "1", "--ledger", "r.ledger", "--budget", "2", "-o", "x.odr"]
        for command, more in (("publish", spend), ("cells", ["-o", "c.parquet"])):
            err = self.fails(4, command, "stops.csv", "--seq", "seq", *BOX, *more,
                             says=["column Rider ID", "--unit trip"])
            self.assertIn("--unit user --user Rider ID --max-trips-per-user K", err)
            self.fails(4, command, self.write("in.jsonl", ""), "--seq", "seq", *BOX, *more,
                       says=["JSON lines", "--unit trip"])
        # By names alone: a file without a row is refused alike, and so is a query.
        self.write("empty.csv", "Rider ID,tid,seq,lat,lng\n")
        self.fails(4, "publish", "empty.csv", "--seq", "seq", *BOX, *spend, says="Rider ID")
        self.fails(4, "publish", "--sql", "SELECT 1 AS device_id, 1 AS tid, 1 AS seq, 1.5 AS lat, 1.5 AS lng", "--seq",
                   "seq", *BOX, *spend, says="device_id")
        self.ok("publish", "stops.csv", "--seq", "seq", *BOX, *spend, "--unit", "trip")

    def test_the_first_line_says_who_is_protected(self):
        self.stops()
        spend = ["--epsilon", "1", "--ledger", "s.ledger", "--budget", "9", "-o"]
        lines = self.ok("publish", "stops.csv", *STOPS, *spend, "x.odr").splitlines()
        self.assertEqual(lines[0], "Published. Protected: one person with up to 3 trips (unit user, K = 3)")
        trip = self.ok("publish", "stops.csv", "--seq", "seq", *BOX, "--unit", "trip", *spend, "y.odr").splitlines()
        self.assertEqual(trip[0], "Published. Protected: one trip, not a person (unit trip, K = 1)")
        for line in lines + trip:
            self.assertLessEqual(len(line), 80, line)
        told = self.publish("stops.csv", *STOPS, "--stops", "2,3", output="z")
        self.assertEqual((told["unit"], told["k"], told["who"]),
                         ("user", 3, "one person with up to 3 trips (unit user, K = 3)"))

    def test_a_dry_run_tells_and_does_nothing(self):
        self.stops()
        words = ["publish", "stops.csv", *STOPS, "--epsilon", "0.5", "--ledger", "r.ledger", "--budget", "2", "-o",
                 "x.odr"]
        out = self.private_page(*words, "--dry-run")
        for text in ("270 rows read", "90 trips would be counted", "unit user, K = 3", "epsilon 0.5 would be spent",
                     "1.5 of 2 left", "a new ledger"):
            self.assertIn(text, out)
        self.assertEqual((self.snapshot().keys(), self.state.exists()), ({"stops.csv"}, False))
        told = self.json_of(*words, "--dry-run", "--expect-trips", "100")
        self.assertEqual((told["private"], told["trips"], told["left_after"], told["first_share"]),
                         (True, 90, "1.5", "0.005"))
        self.ok(*words)
        before = self.snapshot()
        told = self.json_of(*words[:-1], "y.odr", "--dry-run")
        self.assertEqual((told["spent"], told["left_after"], told["new_ledger"]), ("0.5", "1", False))
        self.assertEqual(self.snapshot(), before)
        self.fails(6, *words, "--dry-run", says="x.odr")
        words[words.index("0.5")] = "1.6"
        self.fails(4, *words[:-1], "y.odr", "--dry-run", says="1.5 of 2")
        # What the check is for: coordinates exchanged.
        swapped = [*words[:-1], "y.odr", "--dry-run", "--lat", "lng", "--lng", "lat"]
        swapped[swapped.index("1.6")] = "0.5"
        self.assertIn("outside the box", self.private_page(*swapped))
        self.ok("cells", "stops.csv", *STOPS, "-o", "cells.parquet")
        out = self.private_page("publish", "--matrix", "cells.parquet", "--epsilon", "0.5", "--ledger", "r.ledger",
                                "-o", "z.odr", "--dry-run")
        self.assertIn("90 trips would be counted", out)

    def test_expected_trips(self):
        self.stops(users=800)
        words = ["publish", "stops.csv", "--seq", "seq", *BOX, "--unit", "user", "--max-trips-per-user", "1",
                 "--epsilon", "4", "--ledger", "r.ledger",
                 "--budget", "100", "-o"]
        told = self.json_of(*words, "x.odr", "--expect-trips", "700")
        self.assertEqual((told["expect_trips"], told["epsilon"], told["spent"]), (700, "4", "4"))
        self.assertAlmostEqual(told["expect_total"], 800, delta=400)
        info = self.json_of("info", "x.odr")
        self.assertEqual(info["charges"][0], {"view": "expected", "depth": 0, "purpose": "count", "epsilon": 0.04,
                                              "times": 1})
        self.assertEqual((info["epsilon"], info["spent"], info["params"]["expect_trips"]), (4, 4, "700"))
        self.ok("verify", "x.odr")
        self.assertIn("expected", self.ok("info", "x.odr"))
        records = self.json_of("ledger", "r.ledger")["records"]
        self.assertEqual([(r["kind"], r.get("mechanism"), r.get("epsilon")) for r in records[1:3]],
                         [("RESERVE", "expect", "0.04"), ("RESERVE", "anchor", "3.96")])
        self.assertEqual([r["kind"] for r in records[3:]], ["COMMIT", "COMMIT"])
        # A wrong box: exit 4, and a hundredth is gone.
        wrong = [*words, "y.odr", "--expect-trips", "50000"]
        wrong[wrong.index("0,0,20,10")] = "100,20,120,30"
        code, _, err = self.run_it(*wrong)
        self.assertEqual(code, 4, err)
        for text in ("50000 trips were expected", "--dry-run", "epsilon 0.04 is spent: 95.96 of 100 is left"):
            self.assertIn(text, err)
        self.assertFalse((self.work / "y.odr").exists())
        self.assertEqual(self.json_of("ledger", "r.ledger")["spent"], "4.04")
        # Too little for more than the total; parts; and what does not go together.
        few = [*words, "z.odr", "--expect-trips", "1"]
        few[few.index("4")] = "0.004"
        code, _, err = self.run_it(*few)
        if code == 4:  # by the noise of the total: two times in three
            self.assertIn("--accept-total-only", err)
        self.assertIn("within the noise", err)
        few[few.index("z.odr")] = "z2.odr"
        self.ok(*few, "--accept-total-only")
        parts = self.json_of(*words, "parts", "--stops", "2,3", "--expect-trips", "300")
        for part in parts["parts"]:
            self.ok("verify", part)
            self.assertEqual(self.json_of("info", part)["charges"][0]["view"], "expected")
        self.fails(2, *words, "no.odr", "--accept-total-only", says="--expect-trips")
        self.fails(2, *words, "no.odr", "--expect-trips", "many", says="many")
        left = [*words, "no.odr", "--expect-trips", "1"]
        left[left.index("4")] = "99"
        self.fails(4, *left, says="has left")

    def test_phases_are_counted(self):
        self.stops()
        _, _, err = self.run_it("publish", "stops.csv", *STOPS, "--epsilon", "1", "--ledger", "r.ledger", "--budget", 3,
                                "-o", "x.odr", "--progress", "always")
        steps = [line for line in err.splitlines() if line.startswith("[")]
        self.assertEqual([line.split("]")[0] for line in steps], [f"[{i}/9" for i in range(1, 10)], err)
        self.assertEqual([line.split("] ")[1] for line in steps][:2], ["reading rows...", "counting cells..."])
        _, _, err = self.run_it("publish", "stops.csv", *STOPS, "--stops", "2,3", "--epsilon", "1", "--ledger",
                                "r.ledger", "-o", "y", "--progress", "always")
        self.assertIn("[13/13] verifying the release...", err)

    def test_a_memory_limit_spills_into_a_private_folder(self):
        rows = "SELECT range AS tid, CAST(hash(range, 1) % 800000 AS BIGINT) AS uid, " + ", ".join(
            f"hash(range, {i}) % {most} / 1e4 AS {name}" for i, (name, most) in enumerate(
                (("o_lng", 200000), ("o_lat", 100000), ("d_lng", 200000), ("d_lat", 100000)),
                2)) + " FROM range(3000000)"
        words = ["cells", "--sql", rows, "--shape-of", "trips", "--bbox", "0,0,20,10", "--grid", "1000x1000", *USER,
                 "--quiet", "--threads", 2]
        process = self.start(*words, "--memory-limit", "128MB", "-o", "small.parquet")
        modes = set()
        while process.poll() is None:
            for folder in (self.folder / "tmp").iterdir():
                try:
                    if any(folder.iterdir()):
                        modes.add(stat.S_IMODE(folder.stat().st_mode))
                except OSError:
                    pass
            time.sleep(0.01)
        self.assertEqual(process.returncode, 0, process.communicate()[1])
        process.communicate()
        self.assertEqual(modes, {0o700}, "it spilled, and only this user may look")
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        self.ok(*words, "-o", "large.parquet")
        self.assertEqual((self.work / "small.parquet").read_bytes(), (self.work / "large.parquet").read_bytes())


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
