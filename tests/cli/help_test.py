#!/usr/bin/env python3
"""`stopover help`, `help COMMAND`, -V, the man page and what shells complete: all made from the table of commands.

  help_test.py STOPOVER STOPOVER_LAB [TEST ...]
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import bench_of_commands
from bench_of_commands import Bench

BOTH = ("stopover", "stopover-lab")
GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide"


class Help(Bench):
    def commands(self, program="stopover"):
        listed = self.ok("--help", program=program).split("Commands\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines() if line[2] != " "]

    def test_help_is_what_the_flag_shows(self):
        for program in BOTH:
            self.assertEqual(self.ok("help", program=program), self.ok("--help", program=program))
            commands = self.commands(program)
            self.assertIn("help", commands)
            self.assertIn("publish", commands)
            for command in commands:
                shown = self.ok("help", command, program=program)
                self.assertEqual(shown, self.ok(command, "--help", program=program), command)
                self.assertIn(f" {command}: ", shown.splitlines()[0])

    def test_help_of_the_other_programs_commands(self):
        """audit is stopover-lab's: its flags are shown, not that there is another program."""
        self.assertIn("--epsilon", self.ok("help", "audit"))
        self.assertIn("--epsilon", self.ok("--color", "never", "--private-notes", "never", "help", "audit"))

    def test_help_of_what_there_is_not(self):
        for program in BOTH:
            self.fails(2, "help", "pubish", program=program,
                       says=["there is no command pubish", "Did you mean publish?"])
            self.fails(2, "help", "publish", "query", program=program, says="query")
        self.fails(2, "help", "--man", "publish", says="--man")

    def test_an_example_of_two_lines_has_one_backslash(self):
        for command in self.commands():
            for line in self.ok("help", command).splitlines():
                self.assertNotRegex(line, r"\\ \\$", command)

    def test_version(self):
        for program in BOTH:
            self.assertRegex(self.ok("-V", program=program), rf"^{program} \d+\.\d+\.\d+\n$")
            self.assertEqual(self.ok("-V", program=program), self.ok("--version", program=program))
            self.assertIn("-V, --version", self.ok("help", program=program))


class Topics(Bench):
    """Pages of the guide, inside the program."""

    def topics(self, program="stopover"):
        listed = self.ok("help", program=program).split("help TOPIC\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines() if line[2] != " "]

    def test_every_page_is_shown_in_80_columns(self):
        for program in BOTH:
            self.assertEqual([name.removesuffix(".md") for name in self.topics(program)],
                             sorted(page.stem for page in GUIDE.glob("*.md")))
        for name in self.topics():
            shown = self.ok("help", name)
            page = (GUIDE / name.removesuffix(".md")).with_suffix(".md").read_text(encoding="utf-8")
            self.assertEqual(shown.splitlines()[0], page.splitlines()[0].removeprefix("# "))
            for line in shown.splitlines():
                self.assertLessEqual(len(line), 80, f"{name}: {line}")
                self.assertNotIn("\x1b", line)
            words = re.findall(r"\w+", re.sub(r"!\[[^\]]*\]|\]\([^)]*\)", "", page))
            missing = set(words) - set(re.findall(r"\w+", shown.replace("\n        ", "")))
            missing -= set(re.findall(r"\w+", shown))
            self.assertLessEqual(len(missing), len(set(words)) // 50, f"{name}: {missing}")

    def test_a_command_comes_before_a_page_of_its_name(self):
        self.assertIn("--epsilon", self.ok("help", "publish"))
        self.assertIn("stopover help publish.md", self.ok("help", "publish"))
        self.assertTrue(self.ok("help", "publish.md").startswith("Publish\n======="))
        self.assertNotIn("help query.md", self.ok("help", "query"))

    def test_words_of_the_glossary(self):
        self.assertTrue(self.ok("help", "epsilon").startswith("epsilon: how much one release may tell"))
        self.assertTrue(self.ok("help", "Likely-Interval").startswith("likely interval: "))
        self.assertEqual(self.json_of("help", "k")["topic"], "K")

    def test_tones_where_there_are_colours(self):
        self.assertIn("\x1b[1mGlossary\x1b[0m", self.ok("help", "glossary", "--color", "always"))

    def test_what_there_is_not(self):
        self.fails(2, "help", "glosary", says=["no topic", "Did you mean glossary?"])
        self.fails(2, "help", "answers", "--man", says="--man")


class ManPage(Bench):
    def page(self, program="stopover"):
        text = self.ok("help", "--man", program=program)
        (self.work / f"{program}.1").write_text(text, encoding="utf-8")
        return text

    def test_it_holds_every_command_and_flag(self):
        for program in BOTH:
            page = self.page(program)
            self.assertTrue(page.startswith(f".TH {program.upper().replace('-', chr(92) + '-')} 1 "), page[:60])
            plain = page.replace("\\-", "-")
            for section in ("NAME", "SYNOPSIS", "COMMANDS", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertRegex(page, rf'(?m)^\.SH "?{section}"?$')
            for command in Help.commands(self, program):
                self.assertIn(f"\n.SS {command}\n", plain)
                shown = self.ok("help", command, program=program)
                if program == "stopover" and "stopover-lab" in shown.splitlines()[0]:
                    continue  # on the other page
                for name in re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.M):
                    self.assertIn(name, plain, f"{program} {command}")
            for code in range(9):
                self.assertRegex(page, rf"(?m)^\.B {code}$")

    def test_no_line_is_taken_for_a_request(self):
        known = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".EX", ".EE", ".BR"}
        for program in BOTH:
            page = self.page(program)
            self.assertLessEqual({line.split()[0] for line in page.splitlines() if line[:1] in (".", "'")}, known)
            self.assertNotIn("\n\n", page)

    def test_readers_find_nothing_wrong(self):
        readers = [["mandoc", "-Tlint", "-Wstyle"], ["man", "--warnings", "-E", "UTF-8", "-l"]]
        found = [reader for reader in readers if shutil.which(reader[0])]
        if not found:
            self.skipTest("neither mandoc nor man is here")
        for program in BOTH:
            self.page(program)
            for reader in found:
                done = subprocess.run([*reader, f"{program}.1"], cwd=self.work, capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, env={**self.environment, "MANWIDTH": "80",
                                                                     "MANROFFSEQ": ""})
                self.assertEqual(done.stderr, "", f"{reader} {program}.1")
                self.assertEqual(done.stdout if reader[0] == "mandoc" else "", "", f"{reader} {program}.1")
                self.assertEqual(done.returncode, 0)


class Completion(Bench):
    def completed(self, *words):
        script = self.ok("completion", "bash")
        typed = " ".join(f"'{word}'" for word in words)
        ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _stopover; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], cwd=self.work, capture_output=True, text=True,
                              check=True)
        return set(done.stdout.split())

    def test_bash_knows_help_and_what_may_follow(self):
        self.assertIn("help", self.completed("stopover", "he"))
        self.assertEqual(self.completed("stopover", "help", "pub"), {"publish", "publish.md"})
        self.assertEqual(self.completed("stopover", "help", "glo"), {"glossary"})
        self.assertIn("--man", self.completed("stopover", "help", "--"))
        self.write("published.txt", "")
        self.assertEqual(self.completed("stopover", "info", "pub"), {"published.txt"})

    def test_zsh_takes_it_from_a_folder(self):
        script = self.ok("completion", "zsh")
        self.assertTrue(script.startswith("#compdef stopover\n"))
        self.assertIn(self.ok("completion", "bash"), script)
        if not shutil.which("zsh"):
            self.skipTest("zsh is not here")
        ask = ("compdef() {}\n" + script + "setopt ksharrays shwordsplit\nCOMP_WORDS=(stopover help glo)\n"
               "COMP_CWORD=2\n_stopover\nprint -l ${COMPREPLY[@]}")
        done = subprocess.run(["zsh", "-f", "-c", ask], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertIn("glossary", done.stdout.splitlines())  # zsh itself leaves out what does not begin so

    def test_fish_knows_help_and_what_may_follow(self):
        script = self.ok("completion", "fish")
        self.assertIn("-a help ", script)
        self.assertRegex(script, r"(?m)^complete .* '__fish_seen_subcommand_from help' -f -a '.*\bpublish\b.*'$")


if __name__ == "__main__":
    bench_of_commands.use(*sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
