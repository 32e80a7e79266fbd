#!/usr/bin/env python3
"""The site: docs/guide, docs/internals and what belongs to them as static HTML that also works from a disk.

  build.py OUT PROGRAM     OUT is replaced; PROGRAM is stopover, which prints its commands and makes the demo
  build.py OUT             without commands, demo and HTTP reference: a quick look, and what the tests check links with

Links between files become links between pages; one that leads nowhere ends the build with exit code 1. Pages need no
network and no server: the index that is searched is a script.
"""
import json
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

import other_pages
from links import broken
from markdown_page import Page
from tree import ROOT, menu, pages, place_of

HERE = Path(__file__).resolve().parent
VERSION = re.search(r"project\(stopover VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def from_place(place, target):
    return posixpath.relpath(target, posixpath.dirname(place) or ".")


def navigation(page, groups):
    parts = []
    for heading, entries in groups:
        parts.append(f"<h2>{heading}</h2>\n<ul>")
        for place, title in entries:
            here = ' aria-current="page"' if place == page.place else ""
            parts.append(f'<li><a href="{from_place(page.place, place)}"{here}>{other_pages.escaped(title)}</a></li>')
        parts.append("</ul>")
    return "\n".join(parts)


def contents(page):
    entries = [heading for heading in page.headings if heading[0] == 2]
    if len(entries) < 3:
        return ""
    rows = "\n".join(f'<li><a href="#{anchor}">{other_pages.escaped(text)}</a></li>' for _, anchor, text in entries)
    return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2>\n<ul>\n{rows}\n</ul></nav>'


def whole(page, groups, template):
    filled = {
        "title": other_pages.escaped(page.title), "description": other_pages.escaped(page.description[:200]),
        "body": page.body, "menu": navigation(page, groups), "contents": contents(page), "version": VERSION,
        "root": from_place(page.place, "."),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda name: filled[name.group(1)], template)


def plain(text):
    text = re.sub(r"<[^>]+>", " ", text)
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return re.sub(r"\s+", " ", text).strip()


def searched(page):
    """[place, title, heading, text] for each section of a page."""
    found = []
    pieces = re.split(r'<h[1-3] id="([^"]*)">', page.body)
    for anchor, text in zip(pieces[1::2], pieces[2::2]):
        heading, _, rest = re.sub(r'<a class="anchor".*?</a>', "", text).partition("</h")
        place = page.place if not found else f"{page.place}#{anchor}"
        found.append([place, page.title, plain(heading), plain(rest[3:])])
    for anchor, word, text in re.findall(r'<li id="(word-[^"]*)"><strong>([^<]*)</strong>:(.*?)</li>', page.body, re.S):
        found.append([f"{page.place}#{anchor}", page.title, plain(word), plain(text)])
    return found


def everything(program, out, pictures):
    made = [Page(path, (ROOT / path).read_text(encoding="utf-8")) for path in pages()]
    made.append(other_pages.notebook("docs/guide/tutorial.ipynb", pictures))
    made.append(other_pages.header("include/stopover/stopover.h"))
    if program:
        made.append(other_pages.commands(program))
        subprocess.run([program, "demo", "-o", str(out / "demo"), "--quiet"], check=True, stdout=subprocess.DEVNULL)
        description = other_pages.description_of(program, str(out / "demo" / "city.odr"))
        (out / "reference").mkdir()
        (out / "reference" / "openapi.json").write_text(json.dumps(description, indent=2), encoding="utf-8")
        made += [other_pages.http(description), other_pages.demo()]
        made[0].body = re.sub(r'(<img [^>]*explorer_light[^>]*>)', r'<a href="demo.html">\1</a>', made[0].body)
        for name in ("city.parquet", "city.ledger", "city.odr"):
            path = out / "demo" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    known = {page.path for page in made}
    sources = sorted({path for page in made for path in page.linked} - known)
    return made + [other_pages.source(path) for path in sources if (ROOT / path).is_file()]


def main(out, program):
    out = Path(out)
    if out.exists():
        shutil.rmtree(out)
    (out / "pictures").mkdir(parents=True)
    pictures = {}
    made = everything(program, out, pictures)
    titles = {page.place: page.title for page in made}
    groups = [(heading, [entry for entry in entries if entry[0] in titles]) for heading, entries in menu(titles)]
    template = (HERE / "template.html").read_text(encoding="utf-8")
    for page in made:
        file = out / page.place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(whole(page, groups, template), encoding="utf-8")
        for picture in page.pictures:
            data = pictures.get(picture) or (ROOT / picture).read_bytes()
            (out / place_of(picture)).write_bytes(data)
    sections = [section for page in made if not page.place.startswith("source/") for section in searched(page)]
    index = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    (out / "search_index.js").write_text(f"globalThis.stopoverSections = {index};\n", encoding="utf-8")
    for name in ("style.css", "site.js"):
        shutil.copy(HERE / name, out / name)
    wrong = broken(out, without_demo=not program)
    print("\n".join(wrong) or f"{len(made)} pages in {out}; every link leads somewhere. Open {out}/index.html")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None))
