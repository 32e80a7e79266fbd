#!/usr/bin/env python3
"""What README.md and the pages of docs/guide show is what the programs print.

Blocks are indented; a line that begins with $ is typed. docs/guide/answers.md has releases of its own, made with a key
that can be repeated: it is compared digit by digit. The others show releases with fresh noise, so their numbers are not
compared, only the words; city.odr in them is README.md's first release. Of a page's commands those run first that make
its files: cat, generate, publish.

  guide_test.py STOPOVER STOPOVER_LAB [TEST ...]
  guide_test.py --rewrite STOPOVER STOPOVER_LAB     puts what the commands print into the pages
"""
import pathlib
import re
import shlex
import sys
import unittest

import bench_of_commands
from bench_of_commands import Bench

TOP = pathlib.Path(__file__).resolve().parents[2]
README = TOP / "README.md"
ANSWERS = TOP / "docs" / "guide" / "answers.md"
PAGES = [README, *sorted((TOP / "docs" / "guide").glob("*.md"))]
FIRST = {"cat": 0, "generate": 1, "publish": 2}


class Block:
    """A command, the lines it stands in, and what the page says that it prints."""

    def __init__(self, lines, at):
        self.begin = at
        self.end = at + 1
        while lines[self.end - 1].endswith("\\"):
            self.end += 1
        typed = " ".join(line.strip().removesuffix("\\") for line in lines[at:self.end])
        self.words = shlex.split(typed[2:], comments=True)
        self.last = self.end
        while self.goes_on(lines[self.last:self.last + 2]):
            self.last += 1
        self.told = [line[4:] for line in lines[self.end:self.last]]

    @staticmethod
    def goes_on(lines):
        if len(lines) == 2 and lines[0] == "":
            lines = lines[1:]
        return bool(lines) and lines[0].startswith("    ") and not lines[0].startswith("    $ ")

    def order(self):
        return FIRST.get("cat" if self.words[0] == "cat" else self.words[1], 3)


def blocks_of(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    return [Block(lines, at) for at, line in enumerate(lines) if line.startswith("    $ ")]


def words_of(lines):
    """Without numbers, and without how lines are broken and padded because of them; without the bars of a series."""
    lines = [re.sub(r"\s+[=|-]*o[|-]*$", "", line) for line in lines]
    text = re.sub(r"\b[0-9a-f]{12,}\b|[-+]?\d[\d,.]*(?:e[-+]?\d+)?", "0", " ".join(lines))
    return re.sub(r"\s+", " ", text).replace("partitions", "partition")


class Guide(Bench):
    def printed(self, page):
        """(block, what it prints), for every command of a page."""
        if page not in (README, ANSWERS):
            for block in sorted(blocks_of(README), key=Block.order):
                if block.order() < 3:
                    self.ok(*block.words[1:], "--quiet", program=block.words[0])
        for block in sorted(blocks_of(page), key=Block.order):
            if block.words[0] == "cat":
                self.write(block.words[1], "\n".join(block.told) + "\n")
                continue
            self.assertIn(block.words[0], ("stopover", "stopover-lab"))
            out = self.ok(*block.words[1:], "--quiet", program=block.words[0])
            yield block, out.rstrip("\n").splitlines()

    def same(self, page, told, out):
        return told == out if page == ANSWERS else words_of(told) == words_of(out)

    def check(self, page):
        commands = 0
        for block, out in self.printed(page):
            commands += 1
            if not self.same(page, block.told, out):
                self.assertEqual(block.told, out, f"{page.name}: {' '.join(block.words)}")
        return commands

    def test_answers(self):
        self.assertGreater(self.check(ANSWERS), 8)

    def test_the_others(self):
        typed = 0
        for page in PAGES:
            if page != ANSWERS and blocks_of(page):
                with self.subTest(page=page.name):
                    self.tearDown()
                    self.setUp()
                    typed += self.check(page)
        self.assertGreater(typed, 6)

    def test_members_are_described(self):
        text = ANSWERS.read_text(encoding="utf-8")
        self.ok("generate", "city", "--stops", 2, "--n", 100, "--grid", 10, "--seed", 1, "-o", "c.csv")
        self.ok("publish", "--matrix", "c.csv", "--shape", "10x10x10x10", "--stops", "origin,destination", "--epsilon",
                "1",
                "--mechanism", "uniform", "--ledger", "l", "--budget", "1", "-o", "c.odr")
        for words in ([], ["--top", "2"], ["--matrix", "origin,destination", "--tiles", "2"], ["--share"]):
            for key in self.json_of("query", "c.odr", *words):
                self.assertIn(f"`{key}`", text)

    def rewrite(self, page):
        lines = page.read_text(encoding="utf-8").splitlines()
        for block, out in sorted(self.printed(page), key=lambda shown: -shown[0].begin):
            if not self.same(page, block.told, out):
                lines[block.end:block.last] = ["    " + line if line else "" for line in out]
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--rewrite":
        bench_of_commands.use(*sys.argv[2:4])
        for page in PAGES:
            bench = Guide("rewrite")
            bench.setUp()
            bench.rewrite(page)
            bench.tearDown()
    else:
        bench_of_commands.use(*sys.argv[1:3])
        unittest.main(argv=sys.argv[:1] + sys.argv[3:])
