#!/usr/bin/env python3
"""A series as a person types it: a folder of releases, a ledger of periods, month 13, and kill -9 in the middle.

  series_test.py STOPOVER STOPOVER_LAB
"""
import json
import pathlib
import subprocess
import sys
import time
import unittest

import bench_of_commands
from bench_of_commands import Bench


class Series(Bench):
    def rows(self, months, trips=200):
        """Trips of users u0 to u9 on every day of these months, by name and number of trips."""
        lines = ["uid,tid,at,lat,lng"]
        for month in months:
            for i in range(trips):
                day, minute = i % 28 + 1, i % 50
                for end in range(2):
                    lines.append(f"u{i % 10},{i},{month}-{day:02}T0{end + 7}:{minute:02}:00,{i % 4}.5,{(i + end) % 4}.5")
        return self.write("rows.csv", "\n".join(lines) + "\n")

    def words(self, *more, epsilon="0.5", output="city", ledger="m.ledger", unit="trip"):
        words = ["publish", "rows.csv", "--user", "uid", "--trip", "tid", "--time", "at", "--bbox", "0,0,4,4", "--grid",
                 "8x8",
                 "--unit", unit, "--epsilon", epsilon, "--ledger", ledger, "-o", output, "--quiet"]
        if unit != "trip":
            words += ["--max-trips-per-user", "3"]
        return [*words, *more]

    def releases(self, folder="city"):
        return sorted(p.name for p in (self.work / folder).glob("*.odr"))

    def test_twelve_months_then_one_more_then_none(self):
        months = [f"2019-{m:02}" for m in range(1, 13)] + ["2020-01", "2020-02"]
        self.rows(months, trips=60)
        told = json.loads(self.ok(*self.words("--period", "month:2019-01..2019-12", "--budget-per-period", "0.5",
                                              "--budget-per-year", "6.2", "--json")))
        self.assertEqual([one["period"] for one in told["periods"]], months[:12])
        self.assertEqual(self.releases(), [f"{m}.odr" for m in months[:12]])
        for release in self.releases():
            self.ok("verify", f"city/{release}")
        self.ok(*self.words("--period", "month:2019-01..2020-01", "--append"))
        self.assertEqual(len(self.releases()), 13)
        self.fails(4, *self.words("--period", "month:2020-01", "--append"), says="is published already")
        self.fails(6, *self.words("--period", "month:2020-02"), says="--append")
        # Six and a fifth a year: what is left in January's year is 0.2 more than twelve halves.
        calendar = self.json_of("ledger", "m.ledger", "--calendar")
        by_name = {row["period"]: row for row in calendar["periods"]}
        self.assertEqual(by_name["2019-07"], {"period": "2019-07", "spent": "0.5", "may_spend": "0", "closed": True})
        self.assertEqual(by_name["2020-02"]["may_spend"], "0.5")
        whole = ("--period", "month:2019-01..2019-12", "--one-release")
        self.fails(4, *self.words(*whole, epsilon="0.1", output="year.odr"), says="2019-01 has 0 of 0.5 left")

    def test_one_release_says_what_it_is_for_a_person_in_all_of_it(self):
        self.rows(["2019-01", "2019-02", "2019-03"], trips=60)
        self.ok(*self.words("--period", "month:2019-01..2019-03", "--one-release", "--budget-per-period", "1",
                            "--budget-per-year", "12", unit="user-month", output="quarter.odr"))
        title = ("epsilon 0.5 for what one person does in one month, with at most 3 trips in it; epsilon 1.5 for a person in "
                 "all of its 3 months")
        covers = "covers 3 months, 2019-01..2019-03"
        for form in ([], ["--as", "markdown"], ["--as", "html"], ["--as", "dcat"]):
            text = " ".join(self.ok("info", "quarter.odr", *form).replace("\\", "").split())
            self.assertIn(title, text)
            self.assertIn(covers, text)
            self.assertIn("at most 9 trips in it you are protected at epsilon 1.5 by this release alone", text)
            self.assertIn("50 % sure that you are in the data becomes at most 82 % sure", text)
            self.assertNotIn("that you are in the data becomes at most 62 %", text)
            if form != ["--as", "dcat"]:
                self.assertRegex(text, r"pays at most 0\.5\d* of 0\.5 for one month, and 1\.5\d* of 1\.5 who is in all 3 months")
        for form in ("markdown", "registry"):
            text = " ".join(self.ok("info", "quarter.odr", "--as", form).split())
            for part in ("covers 3 months: somebody in all of them is 3 units, with at most 9 trips, and is protected at 3 times "
                         "epsilon, 1.5", "At most 3 trips of a person count in each month, 9 in the 3 months of this release",
                         "Of a person in all 3 months: Someone 50 % sure that you are in the data becomes at most 82 %"):
                self.assertIn(part, text)
        told = self.json_of("info", "quarter.odr")["person_in_all"]
        self.assertEqual((told["periods"], told["epsilon"], told["k"]), (3, 1.5, 9))
        self.ok("html", "quarter.odr", "-o", "quarter.html")
        page = (self.work / "quarter.html").read_text()
        self.assertIn('"most_epsilon":"1.5"', page)
        self.assertIn(f'"protects":"{title[16:]}', page)
        self.ok("verify", "quarter.odr")
        self.stranger("quarter.odr")

    def test_a_trip_in_a_month_and_in_the_quarter(self):
        self.rows(["2019-01", "2019-02"], trips=60)
        self.ok(*self.words("--period", "month:2019-01..2019-02", "--budget-per-period", "1"))
        self.ok(*self.words("--period", "month:2019-01..2019-02", "--one-release", output="both.odr"))
        for release, said in (("city/2019-01.odr", "A release over several periods that include this one tells more: their "
                                                   "epsilons add up"),
                              ("both.odr", "tell more about the same trip: their epsilons add up")):
            self.assertIn(said, " ".join(self.ok("info", release).split()))
            self.stranger(release)

    def stranger(self, release):
        """The verifier that shares no code makes the card again from its figures."""
        root = pathlib.Path(__file__).resolve().parents[2]
        with_packages = root / ".deps/venv/bin/python"  # it needs pyarrow
        if not with_packages.exists():
            return
        done = subprocess.run([str(with_packages), str(root / "scripts/verify_release.py"), str(self.work / release)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_day_types_are_series_at_one_price(self):
        self.rows(["2019-01", "2019-02"], trips=200)
        told = json.loads(self.ok(*self.words("--period", "month:2019-01..2019-02", "--day-type", "weekday,weekend",
                                              "--budget-per-period", "0.5", "--json")))
        self.assertEqual([p["parts"] for p in told["periods"]],
                         [[f"city/{m}/weekday.odr", f"city/{m}/weekend.odr"] for m in ("2019-01", "2019-02")])
        calendar = self.json_of("ledger", "m.ledger", "--calendar")
        self.assertEqual({row["period"]: row["spent"] for row in calendar["periods"]}["2019-01"], "0.5")
        for part in ("weekday", "weekend"):
            self.ok("verify", f"city/2019-02/{part}.odr")
            self.assertEqual([row["period"] for row in self.json_of("query", f"city/{part}")["periods"]],
                             ["2019-01", "2019-02"])
            self.assertIn(f"day type {part}", self.ok("info", f"city/2019-01/{part}.odr"))
        self.ok("html", "city/weekend", "-o", "weekend.html")
        self.ok("export", "city/weekday", "--as", "csv", "-o", "weekday.csv")
        self.fails(3, "query", "city", says=["city holds several releases for each period", "city/week"])
        self.fails(2, *self.words("--day-type", "weekday", output="x.odr"), says="goes with --period")

    def test_a_public_table_is_named_by_its_hash(self):
        self.rows(["2019-01"], trips=60)
        table = "o_lat,o_lng,d_lat,d_lng,weight\n1,1,2,2,5\n"
        self.write("od.csv", table)
        words = ["--period", "month:2019-01", "--budget-per-period", "0.5", "--prior", "od.csv"]
        self.fails(2, *self.words(*words, "--mechanism", "daf-entropy"), says="--prior")
        self.write("od.csv", table.replace("1,1,2,2", "80,80,80,80"))
        self.fails(3, *self.words(*words, "--mechanism", "anchor"), says="another city")
        self.assertFalse((self.work / "m.ledger").exists())

    def test_every_release_of_a_series_is_signed(self):
        self.rows(["2019-01", "2019-02"], trips=30)
        self.ok("key", "new", "-o", "mine")
        told = json.loads(self.ok(*self.words("--period", "month:2019-01..2019-02", "--budget-per-period", "0.5", "--sign",
                                              "mine.key", "--json")))
        for release in self.releases():
            self.ok("verify", f"city/{release}", "--signed-by", "mine.pub")
            self.assertEqual(self.json_of("info", f"city/{release}")["signed_by"], [told["signed_by"]])

    def test_a_year_that_is_used_up(self):
        self.rows(["2019-01", "2019-02", "2019-03"], trips=30)
        year = ("--budget-per-period", "0.5", "--budget-per-year", "1")
        self.fails(4, *self.words("--period", "month:2019-01..2019-03", *year),
                   says=["the year from", "would come to 1.5 of 1", "2019-01..2019-02 could be published"])
        self.ok(*self.words("--period", "month:2019-01..2019-02", *year))
        self.fails(4, *self.words("--period", "month:2019-03", "--append"), says="would come to 1.5 of 1")
        self.fails(4, *self.words(epsilon="0.1", output="x.odr"), says="a budget for each month")

    def test_units_and_other_ledgers(self):
        self.rows(["2019-01"], trips=30)
        week = ("--period", "week:2019-W01..2019-W02", "--budget-per-period", "1")
        self.fails(2, *self.words(*week, unit="user"), says="--unit user-week")
        told = json.loads(self.ok(*self.words(*week, "--json", unit="user-week")))
        self.assertEqual(told["unit"], "user-week")
        self.assertEqual(self.releases(), ["2019-W01.odr", "2019-W02.odr"])
        self.assertEqual(self.json_of("info", "city/2019-W01.odr")["unit"], "user-week")
        promise = " ".join(self.ok("info", "city/2019-W01.odr").split())
        self.assertIn("what one person does in one week, with at most 3 trips in it", promise)
        self.assertIn("If you travel every week the losses add: a year of 53 such releases is at most 26.5. "
                      "The ledger sets no other limit to a year.", promise)
        self.fails(4, *self.words("--period", "week:2019-W03", "--append"), says=["other terms", "--unit user-week"])
        self.matrix()
        self.ok(*self.publish_words("x.odr", ledger="old.ledger"), "--quiet")
        self.fails(4, *self.words("--period", "month:2019-01", "--budget-per-period", "1", output="other",
                                  ledger="old.ledger"),
                   says="one budget for all time")
        self.fails(2, *self.publish_words("y.odr"), "--period", "month:2019-01", says="--period goes with rows")
        self.fails(2, "ledger", "old.ledger", "--calendar", says="one budget for all time")

    def test_plan_of_a_series(self):
        words = ["plan", "--n", "2000", "--series", "12", "--period", "month", "--unit", "user-month",
                 "--max-trips-per-user", "2", "--mechanism", "auto", "--grid", "64x64"]
        told = self.json_of(*words, "--budget-per-year", "6")
        self.assertEqual([row["epsilon"] for row in told["rows"]], [0.5])
        self.assertEqual(told["series"]["per_year"], [{"epsilon": 0.5, "year": 6.0}])
        self.assertEqual(told["series"]["one_release"]["n"], 24000)
        each, whole = told["rows"][0], told["series"]["one_release"]["rows"][0]
        self.assertGreater(whole["simulated"]["partitions"], each["simulated"]["partitions"])
        self.fails(2, *words, "--budget-per-year", "6", "--epsilon", "1", says="--epsilon and --budget-per-year")
        self.fails(2, "plan", "--n", "2000", "--period", "month", says="--series")
        self.fails(2, "plan", "--n", "2000", "--series", "3", says="--period")

    def test_dry_run_spends_nothing(self):
        self.rows(["2019-01", "2019-02"], trips=30)
        words = self.words("--period", "month:2019-01..2019-02", "--budget-per-period", "1", "--dry-run", "--json")
        before = self.snapshot()
        told = json.loads(self.ok(*words))
        self.assertEqual([(p["period"], p["trips"]) for p in told["parts"]], [("2019-01", 30), ("2019-02", 30)])
        self.assertEqual(self.snapshot(), before)

    def test_kill9_leaves_each_period_whole_or_not_at_all(self):
        days = [f"2019-01-{d:02}" for d in range(1, 29)]
        self.rows(["2019-01"], trips=560)
        cut = 0
        for attempt, sign in enumerate(["*.odr", ".2019-01-03.odr.partial-*", ".2019-01-05.odr.partial-*/release.json",
                                        "2019-01-09.odr", ".2019-01-13.odr.partial-*"]):
            folder, ledger = f"city{attempt}", f"m{attempt}.ledger"
            words = self.words("--period", f"day:{days[0]}..{days[-1]}", output=folder, ledger=ledger)
            process = self.start(*words, "--budget-per-period", "0.5")
            while process.poll() is None and not any((self.work / folder).glob(sign)):
                time.sleep(0.0002)
            process.kill()
            process.communicate()
            told = self.json_of("ledger", ledger)
            there = [name.removesuffix(".odr") for name in self.releases(folder)]
            self.assertEqual(there, days[:len(there)], "periods come in order")
            ended = {r["of"] for r in told["records"] if r["kind"] == "CLOSE"}
            paid = [r["period"] for r in told["records"] if r["kind"] == "RESERVE"]
            closed = [r["period"] for r in told["records"] if r["kind"] == "RESERVE" and r["number"] in ended]
            self.assertEqual(len(set(paid)), len(paid), "no period is paid for twice")
            self.assertLessEqual(set(closed), set(there), "a closed period has a release")
            self.assertLessEqual(set(there), set(paid), "a release is paid for")
            self.assertLessEqual(len(paid) - len(closed), 1, "one at most was under way")
            for name in there:
                self.ok("verify", f"{folder}/{name}.odr")
            if process.returncode == 0:
                continue
            cut += 1
            # What was reserved for the period under way is spent, also where it was announced in the state folder and
            # no more: it is refused, and the others go on without it.
            code, _, err = self.run_it(*words, "--append")
            if set(paid) - set(there):
                self.assertEqual(code, 4, err)
            if code != 0:
                self.assertEqual(code, 4, err)
                self.assertIn(f"{days[len(there)]} has 0 of 0.5 left", err)
                words = self.words("--period", f"day:{days[len(there) + 1]}..{days[-1]}", output=folder, ledger=ledger)
                self.ok(*words, "--append")
            expected = [d for d in days if d in there or d >= words[words.index("--period") + 1][4:14]]
            self.assertEqual([n.removesuffix(".odr") for n in self.releases(folder)], expected)
            self.assertEqual(self.json_of("ledger", ledger)["spent"], f"{0.5 * len(days):g}")
        self.assertGreater(cut, 0, "no run was cut short")


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=sys.argv[:1])
