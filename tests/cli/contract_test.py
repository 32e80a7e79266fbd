#!/usr/bin/env python3
"""The command line as promised: command lines, JSON keys, exit codes, what is left behind.

  contract_test.py STOPOVER STOPOVER_LAB [unittest arguments]
"""
import json
import shutil
import sys
import unittest

import bench_of_commands
from bench_of_commands import Bench

MECHANISMS = ["identity", "uniform", "eug", "ebp", "mkm", "daf-entropy", "daf-homogeneity"]


class CommandLines(Bench):
    """Every command line of the manual, on fewer trips."""

    def test_gaussian_from_matrix_to_answers(self):
        self.ok("generate", "gaussian", "--dims", 4, "--n", 20000, "--width", 32, "--sd", 6, "--seed", 7, "-o",
                "g4.parquet")
        told = self.json_of("publish", "--matrix", "g4.parquet", "--shape", "32x32x32x32", "--epsilon", "0.1",
                            "--mechanism",
                            "daf-entropy", "--ledger", "g4.ledger", "--budget", 1, "-o", "g4.odr")
        self.assertEqual((told["release"], told["epsilon"], told["spent"], told["left"]),
                         ("g4.odr", "0.1", "0.1", "0.9"))
        answer = self.json_of("query", "g4.odr", "--box", "a0=0:16,a2=4:20")
        self.assertEqual(list(answer), ["estimate", "noise_lower", "noise_upper", "level", "partitions_cut", "aligned",
                                        "bounds_lower", "bounds_upper", "lower", "upper", "calibrated", "believed", "claimed",
                                        "projected",
                                        "unprojected", "notes"])
        self.assertEqual(answer["level"], 0.95)
        self.assertLess(answer["noise_lower"], answer["noise_upper"])
        self.assertIs(type(answer["aligned"]), bool)
        whole = self.json_of("query", "g4.odr")
        self.assertTrue(whole["aligned"])
        self.assertAlmostEqual(whole["estimate"], 20000, delta=3000)

        self.write("boxes.csv", "a2_lo,a2_hi,a0_lo,a0_hi\n4,20,0,16\n0,32,0,32\n")
        self.ok("query", "g4.odr", "--batch", "boxes.csv", "-o", "answers.csv")
        rows = self.csv_rows("answers.csv")
        self.assertEqual(rows[0], ["a2_lo", "a2_hi", "a0_lo", "a0_hi", "estimate", "noise_lower", "noise_upper",
                                   "bounds_lower", "bounds_upper", "lower", "upper", "claimed"])
        self.assertEqual(rows[1][:4], ["4", "20", "0", "16"])
        for column, key in ((4, "estimate"), (5, "noise_lower"), (6, "noise_upper")):
            self.assertEqual(float(rows[1][column]), answer[key])
            self.assertEqual(float(rows[2][column]), whole[key])
        self.assertIn("verified", self.ok("verify", "g4.odr"))
        self.assertIn("epsilon 0.1", self.ok("info", "g4.odr"))

        info = self.json_of("info", "g4.odr")
        for key in ("format", "mechanism", "epsilon", "unit", "k", "shape", "partitions", "charges", "ledger_head",
                    "content_sha256"):
            self.assertIn(key, info)
        self.assertEqual((info["format"], info["mechanism"], info["epsilon"], info["unit"], info["k"], info["shape"]),
                         (2, "daf-entropy", 0.1, "trip", 1, [32, 32, 32, 32]))
        self.assertRegex(info["content_sha256"], "^[0-9a-f]{64}$")
        self.assertEqual(info["content_sha256"], told["content_sha256"])
        self.assertGreater(info["partitions"], 0)

        ledger = self.json_of("ledger", "g4.ledger")
        self.assertEqual(list(ledger), ["budget", "spent", "reserved", "left", "records"])
        self.assertEqual((ledger["budget"], ledger["spent"], ledger["reserved"], ledger["left"]),
                         ("1", "0.1", "0", "0.9"))
        kinds = [r["kind"] for r in ledger["records"]]
        self.assertEqual(kinds, ["GENESIS", "RESERVE", "COMMIT"])
        self.assertEqual(ledger["records"][2]["content_sha256"], info["content_sha256"])
        self.assertEqual(info["ledger_head"].split(":")[1:], ["2", ledger["records"][1]["hash"]])

    def test_zipf_and_city(self):
        self.ok("generate", "zipf", "--dims", 2, "--n", 5000, "--width", 1000, "--a", "1.5", "--seed", 7, "-o",
                "z2.parquet")
        self.ok("generate", "city", "--stops", 3, "--n", 3000, "--grid", 1000, "--seed", 7, "-o", "city3.csv")
        rows = self.csv_rows("city3.csv")
        self.assertEqual(rows[0], [f"a{i}" for i in range(6)])
        self.assertEqual(len(rows), 3001)
        self.assertTrue(all(0 <= int(cell) < 1000 for row in rows[1:] for cell in row))
        self.ok("publish", "--matrix", "city3.csv", "--shape", "x".join(["1000"] * 6), "--stops",
                "origin,stop,destination",
                "--bbox", "-122.6,37.6,-122.3,37.9", "--epsilon", "1", "--ledger", "c.ledger", "--budget", "1", "-o",
                "c.odr")
        a = self.json_of("query", "c.odr", "--range", "a0=-122.6:-122.45,a1=37.6:37.9")
        b = self.json_of("query", "c.odr", "--box", "a0=0:500")
        self.assertEqual(a, b)

    def test_every_mechanism_on_odd_shapes(self):
        self.write("empty.csv", "a0,a1,a2\n")
        self.write("one.csv", "a0,a1,a2\n0,2,0\n")
        for matrix in ("empty.csv", "one.csv"):
            for shape in ("4x3x1", "1x5x1"):
                for mechanism in MECHANISMS:
                    name = f"{matrix[:3]}-{shape}-{mechanism}.odr"
                    self.ok(*self.publish_words(name, matrix, shape, "0.1", mechanism, "100"), "--quiet")
                    self.json_of("query", name, "--box", "a1=0:2", "--estimates", "plain")

    def test_mechanisms(self):
        rows = self.json_of("mechanisms")
        names = [row["name"] for row in rows]
        self.assertLessEqual(set(MECHANISMS), set(names))
        for row in rows:
            for key in ("name", "summary", "reference", "params", "min_d", "max_d", "kind"):
                self.assertIn(key, row)
            for param in row["params"]:
                for key in ("name", "default", "min", "max"):
                    self.assertIn(key, param)
        text = self.ok("mechanisms")
        for name in names:
            self.assertIn(name, text)

    def test_audit(self):
        answer = self.json_of("audit", "--mechanism", "uniform", "--epsilon", "0.5")
        self.assertEqual(list(answer), ["mechanism", "epsilon", "lower_bound", "exact_worst", "confidence", "runs",
                                        "pairs", "pass"])
        self.assertEqual((answer["mechanism"], answer["epsilon"], answer["pass"]), ("uniform", 0.5, True))
        self.fails(2, "audit", "--mechanism", "unifrm", "--epsilon", "0.5", says="uniform")
        self.fails(2, "audit", "--mechanism", "uniform", "--epsilon", "0,5", says="0,5")

    def test_demo(self):
        out = self.ok("demo")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        for text in ("estimate", "Try next", "stopover query stopover-demo/city.odr", "stopover info stopover-demo/city.odr",
                     "flows.svg", "stopover-demo/city.html: open it in a browser"):
            self.assertIn(text, out)
        self.assertTrue((self.work / "stopover-demo/flows.svg").read_text().startswith("<svg"))
        # The three commands it ends with can be typed as they are.
        tail = out[out.index("Try next"):].replace("\\\n", " ").splitlines()[1:]
        self.assertEqual(len(tail), 3)
        for line in tail:
            words = line.split()
            self.assertEqual(words[0], "stopover")
            self.ok(*words[1:])
        self.fails(6, "demo", says=["stopover-demo/", "--overwrite"])
        self.write("stopover-demo/mine.txt", "keep")
        self.ok("demo", "-o", "stopover-demo", "--overwrite", "--quiet")
        self.assertEqual((self.work / "stopover-demo/mine.txt").read_text(), "keep")


class Conventions(Bench):
    def test_help_fits_80_columns_and_shows_examples_first(self):
        listed = self.ok("--help").split("Commands\n")[1].split("\n\n")[0]
        commands = [line.split()[0] for line in listed.splitlines() if line[2] != " "]
        self.assertLessEqual({"generate", "publish", "info", "query", "mechanisms", "ledger", "verify", "demo",
                              "audit"},
                             set(commands))
        for words in [[]] + [[c] for c in commands]:
            out = self.ok(*words, "--help")
            for line in out.splitlines():
                self.assertLessEqual(len(line), 80, f"{words}: {line}")
            if words:
                self.assertLess(out.index("Examples"), out.index("Flags"))
        self.assertRegex(self.ok("--version"), r"^stopover \d+\.\d+\.\d+")

    def test_version_as_json_says_what_it_was_built_from(self):
        facts = json.loads(self.ok("--version", "--json"))
        self.assertEqual(self.ok("--version").split(), [facts["name"], facts["version"]])
        self.assertRegex(facts["commit"], r"^([0-9a-f]{40}|unknown)$")
        self.assertRegex(facts["libraries"]["duckdb"], r"^v?1\.")
        self.assertEqual(set(facts["features"]), {"page", "portable"})
        self.assertLessEqual({"machine", "compiler", "standard_library", "release_format"}, set(facts))

    def test_info_and_ledger_fit_80_columns(self):
        self.matrix()
        self.ok(*self.publish_words())
        for words in (["info", "x.odr"], ["verify", "x.odr"], ["ledger", "m.ledger"], ["query", "x.odr"],
                      ["mechanisms"]):
            for line in self.ok(*words).splitlines():
                self.assertLessEqual(len(line), 80, f"{words}: {line}")

    def test_suggestions(self):
        self.fails(2, "pubish", says="Did you mean publish?")
        self.fails(2, "publish", "--epsilom", "1", says="Did you mean --epsilon?")
        self.fails(2, "mechanisms", "daf-entrpy", says="daf-entropy")
        self.fails(2, *self.publish_words(mechanism="daf-entrpy"), says="daf-entropy")
        self.fails(2, "query", "x.odr", "--estimates", "rough", says="rough")
        self.fails(2, "--color", "pink", "mechanisms", says="pink")

    def test_with_json_errors_are_json(self):
        self.matrix()
        for program, code, kind, words in (
                ("stopover", 2, "usage", ["pubish"]),
                ("stopover", 2, "usage", ["publish", "--epsilom", "1"]),
                ("stopover", 2, "usage", ["publish"]),
                ("stopover", 2, "usage", []),
                ("stopover", 2, "usage", ["mechanisms", "--color", "pink"]),
                ("stopover", 2, "usage", self.publish_words(epsilon="0,1")),
                ("stopover", 2, "usage", ["mechanisms", "--config", self.write("bad.toml", "[publish]\nlatt = 1\n")]),
                ("stopover", 3, "bad_input", ["mechanisms", "--config", "none.toml"]),
                ("stopover", 3, "bad_input", self.publish_words(matrix="none.csv")),
                ("stopover", 3, "bad_input", ["info", "none.odr"]),
                ("stopover", 4, "privacy", self.publish_words(shape="auto")),
                ("stopover", 6, "output_exists", ["generate", "city", "--stops", 1, "--n", 5, "--grid", 4, "--seed", 1,
                                                  "-o", "m.csv"]),
                ("stopover", 2, "usage", ["audit", "--mechanism", "unifrm", "--epsilon", "0.5"]),
                ("stopover-lab", 2, "usage", ["pubish"]),
                ("stopover-lab", 3, "bad_input", ["info", "none.odr"])):
            with self.subTest(words):
                got, out, err = self.run_it(*words, "--json", program=program)
                self.assertEqual((got, out), (code, ""), err)
                told = json.loads(err.splitlines()[-1])["error"]
                self.assertEqual(list(told)[:4], ["code", "kind", "message", "hint"])
                if "--epsilon" in words and code == 2 and program == "stopover" and words[0] == "publish":
                    self.assertEqual(told["field"], "epsilon")
                self.assertEqual((told["code"], told["kind"]), (code, kind))
                self.assertNotIn("\n", told["message"])
                # The same words as without it.
                _, _, plain = self.run_it(*words, program=program)
                if words:
                    self.assertIn("error: " + "\n  ".join([told["message"], *told["hint"].splitlines()]), plain)

    def test_the_default_mechanism_follows_the_declared_stops(self):
        for name, shape, chosen in (("one", "16x16", "multigrid"), ("two", "16x16x16x16", "anchor")):
            with self.subTest(name):
                matrix = self.matrix(f"{name}.csv", axes=shape.count("x") + 1)
                words = self.publish_words(f"{name}.odr", matrix, shape, ledger=f"{name}.ledger")
                at = words.index("--mechanism")
                code, _, err = self.run_it(*words[:at], *words[at + 2:])
                self.assertEqual(code, 0, err)
                self.assertIn(f"mechanism {chosen}: ", err)
                self.assertEqual(self.json_of("info", f"{name}.odr")["mechanism"], chosen)

    def test_units(self):
        self.matrix()
        _, _, err = self.run_it(*self.publish_words())
        self.assertIn("unit of privacy is one trip", err)
        self.fails(2, *self.publish_words("y.odr"), "--unit", "user", says="--max-trips-per-user")
        self.fails(2, *self.publish_words("y.odr"), "--max-trips-per-user", "3", says="--unit user")
        self.fails(2, *self.publish_words("y.odr"), "--unit", "household", says="household")
        self.ok(*self.publish_words("y.odr"), "--unit", "user", "--max-trips-per-user", "4")
        info = self.json_of("info", "y.odr")
        self.assertEqual((info["unit"], info["k"]), ("user", 4))

    def test_publishing_again_is_told_first(self):
        self.matrix()
        _, _, err = self.run_it(*self.publish_words())
        self.assertNotIn("costs again", err)
        code, _, err = self.run_it(*self.publish_words("y.odr", epsilon="0.25", budget=None))
        self.assertEqual(code, 0)
        self.assertIn("0.1 of 1 is spent in m.ledger", err)
        self.assertEqual(self.spent(), "0.35")

    def test_parameters_and_config(self):
        self.matrix()
        self.ok(*self.publish_words(), "--param", "stop=3", "--param", "axis_order=1,0")
        params = self.json_of("info", "x.odr")["params"]
        self.assertEqual((params["stop"], params["axis_order"]), ("3", "1,0"))
        for bad in ("stop", "stop=-1", "stop=x", "nothing=1", "axis_order=0,0", "=3"):
            self.fails(2, *self.publish_words("y.odr"), "--param", bad, says=bad.split("=")[0] or "=3")
        self.write("run.toml", '[publish]\nmatrix = "m.csv"\nshape = "16x16"\nepsilon = 0.2\nledger = "m.ledger"\n')
        self.ok("publish", "--config", "run.toml", "-o", "z.odr")
        self.assertEqual(self.json_of("info", "z.odr")["epsilon"], 0.2)
        self.fails(3, "publish", "--config", "none.toml", "-o", "y.odr", says="none.toml")

    def test_progress_and_quiet(self):
        self.matrix()
        _, _, err = self.run_it(*self.publish_words(), "--quiet")
        self.assertEqual(err, "")
        _, _, err = self.run_it(*self.publish_words("y.odr"), "--progress", "always")
        self.assertIn("building the release", err)
        _, _, err = self.run_it(*self.publish_words("z.odr"), "--progress", "json")
        phases = [json.loads(line)["phase"] for line in err.splitlines() if line.startswith("{")]
        self.assertIn("reserving the budget", phases)
        self.fails(2, "mechanisms", "--progress", "loud", says="loud")

    def test_completion(self):
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("publish", self.ok("completion", shell))
        self.fails(2, "completion", "tcsh", says="tcsh")

    def test_colours_only_where_asked(self):
        self.assertNotIn("\x1b", self.ok("mechanisms"))
        self.assertIn("\x1b", self.ok("mechanisms", "--color", "always"))

    def test_stdout_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            code, _, err = self.run_it("mechanisms", stdout=full)
        self.assertEqual(code, 8, err)
        self.assertIn("error:", err)

    def test_private_notes_are_shown_where_asked(self):
        """A log gets one line that is the same for any data; whoever asks gets the figures."""
        told = set()
        for rows in ("1,1,3", "1,1,3\n16,0,1\n-1,0,1"):
            self.write("m.csv", f"a0,a1,count\n{rows}\n")
            _, _, err = self.run_it(*self.publish_words("x.odr", ledger=f"{len(rows)}.ledger"))
            shutil.rmtree(self.work / "x.odr")
            self.assertNotIn("private:", err)
            told.add(err)
        self.assertEqual(len(told), 1, told)
        self.assertEqual(told.pop().count("--private-notes always"), 1)
        _, _, err = self.run_it(*self.publish_words("c.odr"), "--private-notes", "always")
        self.assertIn("private: dropped 2 rows (2 outside the shape)\n", err)
        self.assertNotIn("--private-notes", err)
        _, _, err = self.run_it(*self.publish_words("d.odr", budget=None), "--quiet")
        self.assertNotIn("private", err)
        self.fails(2, *self.publish_words("e.odr", budget=None), "--private-notes", "maybe", says="maybe")


class Lab(Bench):
    def test_the_published_program_takes_no_key(self):
        self.matrix()
        self.fails(2, *self.publish_words(), "--test-key", "a", says="stopover-lab")
        code, _, err = self.run_it(*self.publish_words(), "--test-key", "a", program="stopover-lab")
        self.assertEqual(code, 0)
        self.assertIn("warning:", err)
        _, _, err = self.run_it("info", "x.odr")
        self.assertIn("warning:", err)

    def test_a_release_with_a_repeatable_key_says_so_wherever_it_is_shown(self):
        self.matrix()
        told = json.loads(self.ok(*self.publish_words(budget="9"), "--test-key", "a", "--json", "-q",
                                  program="stopover-lab"))
        self.assertEqual(told["randomness"], "repeatable:a")
        document = json.loads((self.work / "x.odr/release.json").read_text())
        self.assertEqual((document["format"], document["randomness"]), (2, "repeatable:a"))
        self.assertNotIn("test_key", document["params"])
        self.assertTrue(document["guarantee"]["title"].startswith("No privacy"))
        info = self.json_of("info", "x.odr")
        self.assertEqual((info["private"], info["randomness"], info["format"]), (False, "repeatable:a", 2))
        self.assertIn("protects nobody", info["not_private"])
        text = self.ok("info", "x.odr")
        self.assertIn("No privacy: made with a repeatable key (a)", text)
        self.assertNotIn("ifferential privacy", text)
        self.assertIn("protects nobody", self.json_of("query", "x.odr")["not_private"])
        for words in (["info", "x.odr"], ["query", "x.odr"], ["export", "x.odr", "--as", "csv", "-o", "p.csv"]):
            self.assertIn("warning: x.odr was made with a key that can be repeated (a): it protects nobody",
                          self.run_it(*words)[2])
        self.fails(5, "verify", "x.odr", says=["can be repeated (a)", "--accept-test-key"])
        code, out, _ = self.run_it("verify", "x.odr", "--json")
        self.assertEqual((code, json.loads(out)["pass"]), (5, False))
        self.assertIn("Not private, and accepted as such", self.ok("verify", "x.odr", "--accept-test-key"))
        passed = self.json_of("verify", "x.odr", "--accept-test-key")
        self.assertEqual((passed["pass"], passed["private"], passed["randomness"]), (True, False, "repeatable:a"))

        self.ok(*self.publish_words("y.odr", budget=None), "-q")
        info = self.json_of("info", "y.odr")
        self.assertEqual((info["private"], info["randomness"]), (True, "system"))
        self.assertNotIn("not_private", info)
        self.assertNotIn("not_private", self.json_of("query", "y.odr"))
        self.assertIn("Pure differential privacy", self.ok("info", "y.odr"))
        self.assertNotIn("warning:", self.run_it("info", "y.odr")[2])
        for words in ([], ["--accept-test-key"]):
            self.assertEqual(self.json_of("verify", "y.odr", *words),
                             {"release": "y.odr", "pass": True, "private": True, "randomness": "system"})
        self.assertIn("the second release was made with a key",
                      self.json_of("query", "y.odr", "--compare", "x.odr")["not_private"])

    def test_the_page_says_so_without_its_script_too(self):
        self.matrix()
        self.ok(*self.publish_words(budget="9"), "--test-key", "<b>", "-q", program="stopover-lab")
        self.ok(*self.publish_words("y.odr", budget=None), "-q")
        code, _, err = self.run_it("html", "x.odr", "-o", "x.html")
        if code == 1 and "without the explorer's page" in err:
            self.skipTest("built without the page")
        self.assertEqual(code, 0, err)
        self.assertIn("protects nobody", err)
        page = (self.work / "x.html").read_text(encoding="utf-8")
        self.assertIn('<p class="noprivacy">No privacy: x.odr was made with a key that can be repeated (&lt;b&gt;): it protects nobody.</p>', page)
        self.ok("html", "y.odr", "-o", "y.html")
        self.assertNotIn("<p class=\"noprivacy\"", (self.work / "y.html").read_text(encoding="utf-8"))

    def lab_table(self, name, *more, matrix="m.csv"):
        self.ok(*self.publish_words(name, matrix=matrix, budget="100"), "--test-key", "same", "--quiet", *more,
                program="stopover-lab")
        return (self.work / name / "joint.parquet").read_bytes()

    def test_same_key_same_bytes_for_any_number_of_threads_and_order_of_rows(self):
        self.matrix(rows=5000)
        text = (self.work / "m.csv").read_text().splitlines()
        self.write("turned.csv", "\n".join([text[0]] + text[:0:-1]) + "\n")
        first = self.lab_table("a.odr", "--threads", "1")
        self.assertEqual(first, self.lab_table("b.odr", "--threads", "8"))
        self.assertEqual(first, self.lab_table("c.odr", matrix="turned.csv"))
        self.ok(*self.publish_words("d.odr", budget=None), "--quiet")
        self.assertNotEqual(first, (self.work / "d.odr/joint.parquet").read_bytes())

    def test_dropped_rows_leave_no_trace(self):
        self.write("m.csv", "a0,a1,count\n1,1,3\n2,2,1\n")
        self.write("dirty.csv", "a0,a1,count\n1,1,3\n16,0,1\n2,2,1\n-1,0,1\n0,0,-5\n")
        first = self.lab_table("a.odr")
        code, _, err = self.run_it(*self.publish_words("b.odr", matrix="dirty.csv", budget="100"), "--test-key", "same",
                                   "--private-notes", "always",
                                   program="stopover-lab")
        self.assertEqual(code, 0)
        self.assertIn("private: dropped 3 rows (2 outside the shape, 1 bad count)\n", err)
        self.assertEqual(first, (self.work / "b.odr/joint.parquet").read_bytes())
        self.assertNotIn("dropped", (self.work / "b.odr/release.json").read_text())


if __name__ == "__main__":
    bench_of_commands.use(sys.argv[1], sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
