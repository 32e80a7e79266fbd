#!/usr/bin/env python3
"""evaluate, draw and attack as promised: the table, its marks, going on after an interrupt, pictures, bad values.

  evaluate_test.py STOPOVER STOPOVER_LAB [unittest arguments]
"""
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import bench_of_commands
from bench_of_commands import Bench

HEADER = ["data", "mechanism", "epsilon", "workload", "rep", "metric", "value"]
SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"
CLOCK = {"query_us", "publish_seconds", "peak_memory_mb"}


class Evaluate(Bench):
    def setUp(self):
        super().setUp()
        self.ok("generate", "gaussian", "--dims", 2, "--n", 20000, "--width", 64, "--sd", 10, "--seed", 7, "-o",
                "g2.parquet")

    def args(self, *more):
        """The command with its usual flags, those in `more` (names and values) instead or besides."""
        flags = {"--matrix": "g2.parquet", "--shape": "64x64", "--mechanisms": "ebp,daf-entropy:stop=2",
                 "--epsilons": "0.1,0.5",
                 "--workloads": "random,cov10,dcov5", "--queries": 30, "--reps": 2}
        flags.update(zip(more[::2], more[1::2]))
        return ["evaluate", *(word for flag in flags.items() for word in flag)]

    def synthetic(self, *more):
        return [*self.args(*more), "--synthetic"]

    def figures(self, name):
        rows = self.csv_rows(name)
        self.assertEqual(rows[0], HEADER)
        return sorted(row for row in rows[1:] if row[5] not in CLOCK)

    def test_table_of_the_manual(self):
        out = self.json_of(*self.synthetic("-o", "out.csv"))
        self.assertEqual((out["data"], out["private"], out["skipped"]), ("g2", False, []))
        rows = self.figures("out.csv")
        self.assertEqual({row[1] for row in rows}, {"ebp", "daf-entropy:stop=2"})
        self.assertEqual({row[2] for row in rows}, {"0.1", "0.5"})
        self.assertEqual({row[3] for row in rows}, {"random", "cov10", "dcov5", "-"})
        metrics = {row[5] for row in rows if row[3] == "random"}
        for metric in ("queries", "redrawn_share", "mre", "median_re", "bounded_re", "coverage", "interval_width",
                       "mre_plain"):
            self.assertIn(metric, metrics)
        for metric in ("partitions", "entropy_cells", "entropy_partition", "seed"):
            self.assertIn(metric, {row[5] for row in rows if row[3] == "-"})
        # The same again is no work, the same anew is the same, Parquet is as good as CSV.
        self.assertEqual(self.json_of(*self.synthetic("-o", "out.csv"))["new_rows"], 0)
        self.ok(*self.synthetic("-o", "again.csv"))
        self.assertEqual(self.figures("again.csv"), rows)
        self.assertEqual(self.json_of(*self.synthetic("-o", "out.parquet"))["rows"], out["rows"])
        # A longer list adds to the table.
        self.ok(*self.synthetic("--reps", 3, "-o", "out.csv"))
        self.assertTrue(set(map(tuple, rows)) < set(map(tuple, self.figures("out.csv"))))

    def test_what_was_left_half_done_is_finished(self):
        self.ok(*self.synthetic("-o", "whole.csv"))
        text = (self.work / "whole.csv").read_text()
        self.write("part.csv.partial", text[: len(text) * 2 // 3])
        self.ok(*self.synthetic("-o", "part.csv"))
        self.assertEqual(self.figures("part.csv"), self.figures("whole.csv"))
        self.assertFalse((self.work / "part.csv.partial").exists())

    def test_real_data_is_marked(self):
        code, out, err = self.run_it(*self.args("-o", "out.csv"), "--private-notes", "always")
        self.assertEqual(code, 0, err)
        self.assertIn("private: relative errors", err)
        self.assertNotIn("relative errors", out)
        self.assertEqual({row[0] for row in self.figures("out.csv")}, {"g2 (private)"})

    def test_saved_boxes_are_used_again(self):
        self.ok(*self.synthetic("--save-workloads", "boxes", "-o", "out.csv"))
        self.ok(*self.synthetic("--workloads", "", "--batch", "boxes/random.csv", "-o", "batch.csv"))
        own = [row for row in self.figures("out.csv") if row[3] == "random" and row[5] == "mre"]
        self.assertEqual([row for row in self.figures("batch.csv") if row[5] == "mre"], own)

    def test_a_file_of_flags_says_the_same(self):
        self.ok(*self.synthetic("-o", "flags.csv"))
        self.write("run.toml", """
            [evaluate]
            matrix = "g2.parquet"
            shape = "64x64"
            mechanisms = "ebp,daf-entropy:stop=2"
            epsilons = "0.1,0.5"
            workloads = "random,cov10,dcov5"
            queries = 30
            reps = 2
            synthetic = true
            output = "toml.csv"
        """)
        self.ok("evaluate", "--config", "run.toml")
        self.assertEqual(self.figures("toml.csv"), self.figures("flags.csv"))
        # Flags besides win over the file; what is not a flag is refused.
        self.ok("evaluate", "--config", "run.toml", "--epsilons", "1", "-o", "one.csv")
        self.assertEqual({row[2] for row in self.figures("one.csv")}, {"1"})
        self.fails(2, "evaluate", "--config", self.write("bad.toml", "[evaluate]\nepsilon = 1\n"), "-o", "bad.csv")

    def test_what_evaluate_alone_can_ask(self):
        self.ok(*self.synthetic("--mechanisms", "privlet,varywidth,sparse,laplace,laplace-threshold", "--epsilons", "1", "--reps", 1, "-o",
                                "peers.csv"))
        errors = {row[1]: float(row[6]) for row in self.figures("peers.csv") if row[3] == "random"
                  and row[5] == "median_re"}
        self.assertEqual(set(errors), {"privlet", "varywidth", "sparse", "laplace", "laplace-threshold"})
        self.assertLess(errors["privlet"], 25)
        self.assertLess(errors["laplace"], 25)
        self.fails(2, "publish", "--matrix", "g2.parquet", "--shape", "64x64", "--mechanism", "privlet", "--epsilon", 1,
                   "--ledger",
                   "l.ledger", "--budget", 1, "-o", "x.odr", says="for stopover evaluate alone")

    def test_needles_and_busy_pairs(self):
        self.ok("generate", "city", "--stops", 1, "--n", 5000, "--grid", 300, "--seed", 7, "-o", "c2.parquet")
        wanted = ("--matrix", "c2.parquet", "--shape", "300x300", "--mechanisms", "laplace,uniform", "--workloads",
                  "busy,needle,needle20,blob")
        out = self.ok(*self.synthetic(*wanted, "-o", "out.csv"))
        self.assertIn("ln(M/2)/epsilon", out)
        self.assertRegex(out, r"uniform +> 64 / 0.00 +> 64 / 0.00 +> 64 / 0.00")
        rows = self.figures("out.csv")
        self.assertEqual({row[3] for row in rows}, {"busy", "needle", "needle20", "blob", "-"})
        limits = {(row[2], row[5]): float(row[6]) for row in rows if row[1] == "laplace" and row[3] == "needle20"}
        self.assertAlmostEqual(limits["0.5", "limit"], 21.429, 3)  # ln(45000)/0.5
        self.assertLess(limits["0.5", "needle_limits"], 10)
        self.assertEqual(limits["0.5", "found_16"], 1)
        self.assertEqual(self.json_of(*self.synthetic(*wanted, "-o", "out.csv"))["new_rows"], 0)
        # The limit is in the figures.
        self.ok("chart", "--table", "out.csv", "-o", "figures", program="stopover-lab")
        for kind in ("needle-2d", "blob-2d"):
            drawn = (self.work / "figures" / f"{kind}.svg").read_text()
            xml.dom.minidom.parseString(drawn)
            self.assertIn(">limit</text>", drawn)
            self.assertIn(">not found</text>", drawn)
        self.assertIn(">one count</text>", (self.work / "figures" / "busy-2d.svg").read_text())
        # Of one size: the share found, at so many places a key.
        sizes = (*wanted[:-1], "needle@16,needle20@16", "--epsilons", "0.5", "--reps", 2, "--places", 4)
        out = self.ok(*self.synthetic(*sizes, "-o", "sizes.csv"))
        self.assertRegex(out, r"laplace +1.000 ± 0.000 / 8 +1.000 ± 0.000 / 40")
        self.assertRegex(out, r"uniform +0.000 ± 0.000 / 8 +0.000 ± 0.000 / 40")
        found = {(row[1], row[3], row[4], row[5]): float(row[6]) for row in self.figures("sizes.csv")}
        self.assertEqual(found["laplace", "needle@16", "1", "found"], 1)
        self.assertEqual(found["laplace", "needle20@16", "1", "places"], 20)
        self.fails(2, *self.synthetic(*sizes, "--places", 5, "-o", "sizes.csv"), says="places 4, not 5")
        # Boxes that are most of the domain would find anything.
        self.fails(2, *self.synthetic("--workloads", "needle", "-o", "short.csv"), says="needle needs a larger domain")

    def test_bad_values(self):
        self.write("other.csv", "a,b\n1,2\n")
        for code, flag, value in ((2, "--mechanisms", "ebb"), (2, "--epsilons", "0.1,0"), (2, "--workloads", "cov0"),
                                  (2, "--workloads", "needle0"), (2, "--workloads", "busyx"),
                                  (2, "--workloads", "needle@0"), (2, "--places", "0"),
                                  (2, "--reps", "0"),
                                  (2, "--level", "1"), (2, "-o", "out.txt"), (3, "--matrix", "nothing.csv"),
                                  (6, "-o", "other.csv")):
            self.fails(code, *self.synthetic("-o", "out.csv", flag, value))
        self.ok(*self.synthetic("-o", "out.csv"))
        self.fails(2, *self.synthetic("--seed", 2, "-o", "out.csv"), says="seed 1, not 2")


class LimitsPage(unittest.TestCase):
    """scripts/bench-limits: its tables, and the page that it fills."""

    def setUp(self):
        loader = SourceFileLoader("bench_limits", str(SCRIPTS / "bench-limits"))
        self.script = module_from_spec(spec_from_loader(loader.name, loader))
        loader.exec_module(self.script)

    def values(self):
        """What a run would leave: one mechanism that finds, one that never does."""
        rows = {}
        for name in ("city2", "city4"):
            for epsilon in self.script.EPSILONS:
                for mechanism, size, found in (("anchor", [9.0, 2.5, 3.5], [1, 1, 0]), ("uniform", [128.0] * 3, [0] * 3)):
                    key = (name, mechanism, epsilon)
                    rows |= {(*key, "needle", "needle_limits"): size, (*key, "needle", "found_16"): found,
                             (*key, "needle", "limit"): [54.0] * 3, (*key, "-", "total_error"): [4.0, 8.0],
                             (*key, "-", "floor_count"): [2.0] * 2, (*key, "-", "floor_ranges"): [10.0] * 2,
                             (*key, "random", "max_absolute"): [50.0, 20.0], (*key, "busy", "max_absolute"): [30.0, 40.0],
                             (*key, "busy", "mre"): [12.0, 14.0],
                             (*key, "places", "over_p99"): [200.0 if name == "city2" else 1.0], (*key, "busy", "mre_floor"): [1.5] * 2}
        return rows

    def test_tables_say_what_was_measured(self):
        made = self.script.tables(self.values(), ["city2", "city4"])
        # 3.5 limits are 189 trips: with one stop, empty places show half of that as well.
        self.assertIn("| `anchor` | 3.5! (67) | 3.5! (67) | 3.5 (67) | 3.5 (67) |", made["needles"])
        self.assertIn("| `uniform` | > 64 (0) |", made["needles"])
        self.assertLess(made["needles"].index("anchor"), made["needles"].index("uniform"))
        self.assertIn("| `anchor` | 3.0 |", made["count"])
        self.assertIn("| `anchor` | 4.5 |", made["ranges"])  # the worst box of each key: 50 and 40
        self.assertIn("| `anchor` | 13.0 |", made["busy"])
        self.assertIn("| synthetic city, 2 stops | `anchor` | 3.5 (67) |", made["kinds"])
        self.assertIn("| 2 stops | 0.5 | 54 | 2.00 | 10.0 | 1.50 |", made["floors"])

    def test_shares_found_of_one_size(self):
        rows = {("sf6", "anchor", "0.5", "blob@4", "found"): [0.5, 1.0], ("sf6", "anchor", "0.5", "blob@4", "places"): [6.0, 6.0],
                ("sf6", "anchor", "0.5", "blob@16", "found"): [1.0], ("sf6", "anchor", "0.5", "blob@16", "places"): [6.0]}
        made = self.script.by_size(rows, ["sf6"])
        self.assertIn("| San Francisco, 3 stops | `anchor` | 4 | - | - | - | - | - | 75 ± 25 (12) |", made)
        self.assertIn("| San Francisco, 3 stops | `anchor` | 16 | - | - | - | - | - | 100 ± 0 (6) |", made)

    def test_the_page_has_a_place_for_every_table(self):
        made = self.script.tables(self.values(), ["city2", "city4"])
        page = self.script.PAGE.read_text()
        filled = self.script.fill(page, made)
        for table in made.values():
            self.assertIn(table + "<!-- end -->", filled)
        self.assertEqual(self.script.fill(filled, made), filled)
        words = lambda text: re.sub(r"(?s)(<!-- table: .*? -->).*?<!-- end -->", r"\1", text)
        self.assertEqual(words(filled), words(page))
        self.assertIn("| `anchor` |", page)
        with self.assertRaises(SystemExit) as refused:
            self.script.fill("no marks", made)
        self.assertIn("no place for the table", str(refused.exception))

    def test_what_is_measured_anew_is_forgotten_everywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "city4_results.csv"
            left = Path(f"{table}.partial")
            for path in (table, left):
                path.write_text("data,mechanism,value\ncity4,anchor,1\ncity4,privtree,2\n")
            self.script.forget(table, {"anchor"})
            for path in (table, left):
                self.assertEqual(path.read_text(), "data,mechanism,value\ncity4,privtree,2\n")

    def test_what_is_not_there_is_told(self):
        done = subprocess.run([SCRIPTS / "bench-limits", "--only", "sf4", "--summary", "--data", "/nowhere", "--lab",
                               "/bin/false"], capture_output=True, text=True)
        self.assertIn("sf_taxi_2008.csv.gz is not in /nowhere: San Francisco is left out", done.stderr)
        done = subprocess.run([SCRIPTS / "bench-limits", "--only", "sf5"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sf5 is no data set here", done.stderr)


class Draw(Bench):
    def setUp(self):
        super().setUp()
        self.ok("generate", "city", "--stops", 2, "--n", 5000, "--grid", 100, "--seed", 7, "-o", "c.parquet")
        self.ok("publish", "--matrix", "c.parquet", "--shape", "100x100x100x100", "--stops", "origin,destination",
                "--epsilon", 1,
                "--mechanism", "anchor", "--no-calibration", "--ledger", "c.ledger", "--budget", 1, "-o", "c.odr")

    def test_the_joint_leaves_and_a_map(self):
        drawn = {}
        for name, flags in {"joint": [], "map2": ["--table", "map2"], "far": ["--axes", "a2,a3"]}.items():
            self.ok("draw", "c.odr", "--matrix", "c.parquet", *flags, "-o", f"{name}.svg", program="stopover-lab")
            drawn[name] = (self.work / f"{name}.svg").read_text()
            xml.dom.minidom.parseString(drawn[name])
        self.assertIn("anchor, table map2", drawn["map2"])
        self.assertIn("a2 and a3, epsilon 1", drawn["far"])
        self.assertGreater(drawn["map2"].count("h"),
                           drawn["far"].count("h"))  # a map has more places than the joint tree

    def test_bad_values(self):
        usual = {"--matrix": "c.parquet", "-o": "x.svg"}
        for code, flag, value, says in ((2, "--axes", "a0,b1", "b1"), (2, "--axes", "a0", "not an axis"),
                                        (2, "--table", "map9", "map9"),
                                        (3, "--matrix", "nothing.csv", "nothing.csv"), (6, "-o", "c.ledger", "exists")):
            words = [word for pair in {**usual, flag: value}.items() for word in pair]
            self.fails(code, "draw", "c.odr", *words, says=says, program="stopover-lab")
        self.fails(2, "draw", "c.odr", "--matrix", "c.parquet", "--table", "map2", "--axes", "a0,a1", "-o", "x.svg",
                   says="no axis a0",
                   program="stopover-lab")


class Coverage(Bench):
    def test_cells_in_several_files(self):
        for name in ("a", "b"):
            self.ok("generate", "city", "--stops", 1, "--n", 3000, "--grid", 50, "--seed", 3, "-o", f"{name}.parquet")
        self.ok("coverage", "--matrix", "[ab].parquet", "--shape", "50x50", "--stops", "place", "--synthetic", "--kinds",
                "boxes", "--epsilons", 1, "--reps", 1, "--queries", 20, "-o", "table.csv", program="stopover-lab")
        self.assertEqual({row[0] for row in self.csv_rows("table.csv")[1:]}, {"[ab]"})


class Attack(Bench):
    def setUp(self):
        super().setUp()
        self.ok("generate", "city", "--stops", 2, "--n", 3000, "--grid", 50, "--seed", 3, "-o", "c.parquet")
        self.ok("publish", "--matrix", "c.parquet", "--shape", "50x50x50x50", "--stops", "origin,destination", "--epsilon",
                1, "--no-calibration", "--ledger", "c.ledger", "--budget", 1, "-o", "c.odr")
        self.words = ["attack", "c.odr", "--matrix", "c.parquet", "--runs", 6, "--links", 100]

    def test_figures_and_page(self):
        told = self.json_of(*self.words, "-o", "attack.html", program="stopover-lab")
        self.assertAlmostEqual(told["bound"], 0.731059, 5)
        self.assertTrue(told["within"])
        self.assertEqual([p["who"] for p in told["people"]],
                         ["alone on their way", "where nobody goes", "anybody", "with the crowd"])
        for person in told["people"]:
            self.assertEqual(person["runs"], 6)
            self.assertLessEqual(person["surest"], told["bound"] + 1e-9)
        self.assertGreater(told["printed_selection"]["success"], 0.6)
        page = self.work / "attack.html"
        self.assertIn("What an attacker learns from c.odr", page.read_text())
        self.assertEqual(page.stat().st_mode & 0o777, 0o600)
        # The same key, the same figures.
        self.assertEqual(self.json_of(*self.words, program="stopover-lab"), told)

    def test_a_release_of_a_period(self):
        lines = ["tid,at,lat,lng"]
        lines += [f"{i},2019-01-{i % 28 + 1:02}T0{hour}:00:00,{i % 4}.5,{lng}" for i in range(200)
                  for hour, lng in ((7, 0.5 + i % 3), (8, 3.5))]
        self.write("rows.csv", "\n".join(lines) + "\n")
        rows = ["rows.csv", "--trip", "tid", "--time", "at", "--bbox", "0,0,4,4", "--grid", "4x4", "--unit", "trip"]
        self.ok("publish", *rows, "--period", "month:2019-01", "--epsilon", 1, "--ledger", "p.ledger",
                "--budget-per-period", 1, "-o", "months")
        self.ok("cells", *rows, "-o", "cells.parquet")
        told = self.json_of("attack", "months/2019-01.odr", "--matrix", "cells.parquet", "--runs", 2, "--links", 20,
                            program="stopover-lab")
        self.assertTrue(told["within"])

    def test_bad_values(self):
        self.fails(6, *self.words, "-o", "c.ledger", says="exists", program="stopover-lab")
        self.fails(2, *self.words[:-3], 1, says="--runs", program="stopover-lab")
        self.fails(3, "attack", "c.odr", "--matrix", "none.csv", says="none.csv", program="stopover-lab")


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
