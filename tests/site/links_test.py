#!/usr/bin/env python3
"""The site is made from this tree, every page is in its menu and in its index, and a broken link ends the build.

  links_test.py REPOSITORY        exit code 77: there is no Python with markdown-it-py (scripts/python-env)
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "site"))
from links import broken  # noqa: E402


def python():
    named = os.environ.get("STOPOVER_SITE_PYTHON")
    return Path(named) if named else ROOT / ".deps/site-venv/bin/python"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="stopover-site-")
        cls.out = Path(cls.folder.name) / "site"
        made = subprocess.run([python(), ROOT / "site/build.py", cls.out], capture_output=True, text=True)
        assert made.returncode == 0, made.stdout + made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_page_is_there_and_in_the_menu(self):
        home = (self.out / "index.html").read_text(encoding="utf-8")
        for folder in ("guide", "internals"):
            for page in (ROOT / "docs" / folder).glob("*.md"):
                place = f"{folder}/{page.stem}.html"
                self.assertTrue((self.out / place).is_file(), place)
                self.assertIn(f'href="{place}"', home)

    def test_every_section_can_be_found(self):
        text = (self.out / "search_index.js").read_text(encoding="utf-8")
        sections = json.loads(text.removeprefix("globalThis.stopoverSections = ").rstrip(";\n"))
        self.assertIn("guide/glossary.html#word-likely-interval", [place for place, *_ in sections])
        for place, title, heading, _ in sections:
            self.assertTrue(title and heading, place)
            self.assertNotRegex(heading, r"<|&\w+;")

    def test_commands_stand_out(self):
        answers = (self.out / "guide/answers.html").read_text(encoding="utf-8")
        typed = re.findall(r'class="typed">\$ (stopover[^ ]*)', answers)
        self.assertGreater(len(typed), 8)

    def test_pages_ask_nobody(self):
        """Nothing is fetched from elsewhere: links lead out, but no script, style or picture does."""
        for file in self.out.rglob("*.html"):
            self.assertNotRegex(file.read_text(encoding="utf-8"), r'(?:src|<link[^>]*href)="(?:https?:)?//', file.name)

    def test_a_broken_link_is_told(self):
        page = self.out / "guide/zones.html"
        good = page.read_text(encoding="utf-8")
        page.write_text(good + '<a href="nowhere.html">x</a> <a href="cli.html#none">y</a>', encoding="utf-8")
        self.assertEqual(broken(self.out, without_demo=True),
                         ["guide/zones.html: there is no nowhere.html", "guide/zones.html: cli.html has no #none"])
        page.write_text(good, encoding="utf-8")

    def test_pictures_are_small(self):
        for picture in (self.out / "pictures").iterdir():
            self.assertLess(picture.stat().st_size, 200_000, picture.name)


if __name__ == "__main__":
    if not python().exists():
        print(f"there is no {python()} with markdown-it-py: scripts/python-env makes it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
