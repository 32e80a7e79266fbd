#!/usr/bin/env python3
"""What the pages name is there, and there are not too many of them.

A file or folder that is named in a page (*.md), in a comment or docstring, or anywhere as docs/..., exists: a path from
the root or from src/, one beside the file, or a bare name such as kernel.h that some tracked file has. Links between
pages lead to a page and to a heading of it. docs/ holds two folders; docs/guide at most 14 pages, each of which begins
with what one types; README.md at most 120 lines; the glossary at most 40 entries.

  pages.py ROOT
"""
import ast
import io
import re
import sys
import tokenize
from pathlib import Path

from sources import report, tracked_files, without_comments

GUIDE_PAGES = 14  # the desk has one of its own: its readers look at no other
README_LINES = 120
GLOSSARY_ENTRIES = 40
FOLDERS = {"guide", "internals"}

CPP = {".h", ".cc", ".ts", ".tsx", ".mjs"}
HASH = {".cmake", ".sh", ".txt", ".toml", ".yml", ""}
FOREIGN = {"duckdb.h", "stdio.h"}  # of other software
# ROOM/x_test.cc stands for many files; share/ is a folder of what is installed.
STANDS_FOR_MANY = re.compile(r"(?:^|/)(?:[A-Z]+(?=/|$)|x_\w+\.|_test\.)|^share/")
# One path from a root folder, or one that ends as our files do.
TOP = r"docs|src|cli|lab|scripts|tests|python|web|cmake|bench|fuzz|spark|examples|include|site|qgis|\.ci|\.github"
OURS = r"h|cc|md|ts|tsx|mjs|py|cmake|ipynb"
PATH = re.compile(rf"(?<![\w/.$~{{>*-])(?:(?:{TOP})/[\w./*-]*[\w*]|[\w./*-]*\w\.(?:{OURS}))(?![\w/])")
DOCS = re.compile(r"(?<![\w/.])docs/[\w./*-]*\w")
ADDRESS = re.compile(r"\bhttps?://\S+")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.M)


def comments_of_python(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            first = node.body[0].lineno
            for k, line in enumerate(text.splitlines()[first - 1:node.body[0].end_lineno]):
                yield first + k, line


def lines_of(path, text):
    """(number, text) of what a reader is told: whole pages, else comments and docstrings."""
    lines = text.splitlines()
    if path.suffix == ".md":
        yield from enumerate(lines, 1)
    elif path.suffix in CPP:
        bare = without_comments(text).splitlines()
        for number, (line, code) in enumerate(zip(lines, bare), 1):
            if line != code:
                yield number, "".join(c if k >= len(code) or code[k] != c else " " for k, c in enumerate(line))
    elif path.suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        yield from comments_of_python(text)
    elif path.suffix in HASH:
        for number, line in enumerate(lines, 1):
            found = re.search(r"(?:^|\s)#(?!!)(.*)", line)
            if found:
                yield number, found.group(1)


def anchors_of(text):
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in HEADING.findall(text)}


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = tracked_files(root)
        self.names = {path.name for path in self.files}

    def has(self, named, beside):
        if STANDS_FOR_MANY.search(named) or named.split("/")[-1] in FOREIGN:
            return True
        if "/" not in named:
            return any(Path(name).match(named) for name in self.names) if "*" in named else named in self.names
        for base in (self.root, self.root / "src", self.root / "include", self.root / "web", beside):
            if any(base.glob(named)) if "*" in named else (base / named).exists():
                return True
        return False


def names_missing(tree):
    for path in tree.files:
        if "corpus" in path.parts or path.suffix in (".mutant", ".json", ".svg", ".lua"):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        where = path.relative_to(tree.root)
        found = set()
        for number, line in lines_of(path, text):
            found |= {(number, match.group(0)) for match in PATH.finditer(ADDRESS.sub(" ", line))}
        if path.name != "house_test.py":
            for number, line in enumerate(text.splitlines(), 1):
                found |= {(number, match.group(0)) for match in DOCS.finditer(ADDRESS.sub(" ", line))}
        for number, named in sorted(found):
            if not tree.has(named, path.parent):
                yield f"{where}:{number}: there is no {named}"


def links_missing(tree):
    for path in tree.files:
        if path.suffix != ".md":
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            for target in LINK.findall(line):
                if "://" in target or target.startswith("mailto:"):
                    continue
                page, _, anchor = target.partition("#")
                file = (path.parent / page).resolve() if page else path
                if not file.exists():
                    yield f"{path.relative_to(tree.root)}:{number}: there is no {page}"
                elif anchor and anchor not in anchors_of(file.read_text(encoding="utf-8")):
                    yield f"{path.relative_to(tree.root)}:{number}: {page or 'this page'} has no heading #{anchor}"


def too_much(tree):
    named = [path.relative_to(tree.root).parts for path in tree.files]
    for name in sorted({parts[1] for parts in named if parts[0] == "docs"} - FOLDERS):
        yield f"docs/{name}: a page belongs into docs/guide (users) or docs/internals (developers)"
    folder = tree.root / "docs" / "guide"
    guide = [path for path in tree.files if path.parent == folder and path.suffix in (".md", ".ipynb")]
    if len(guide) > GUIDE_PAGES:
        yield f"docs/guide: {len(guide)} pages, at most {GUIDE_PAGES} are allowed"
    for page in guide:
        lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.strip()]
        if page.suffix == ".md" and not (len(lines) > 1 and lines[0].startswith("# ") and lines[1].startswith("    ")):
            yield f"docs/guide/{page.name}: must begin with a title and then, indented, with what one types"
    readme = tree.root / "README.md"
    if readme.exists() and (count := len(readme.read_text(encoding="utf-8").splitlines())) > README_LINES:
        yield f"README.md: {count} lines, at most {README_LINES} are allowed"
    glossary = folder / "glossary.md"
    entries = len(re.findall(r"^\* \*\*", glossary.read_text(encoding="utf-8"), re.M)) if glossary.exists() else 0
    if entries > GLOSSARY_ENTRIES:
        yield f"docs/guide/glossary.md: {entries} entries, at most {GLOSSARY_ENTRIES} are allowed"


def main(root):
    tree = Tree(Path(root).resolve())
    pages = sum(path.suffix in (".md", ".ipynb") for path in tree.files)
    breaches = [*names_missing(tree), *links_missing(tree), *too_much(tree)]
    return report(breaches, f"{pages} pages: what they name is there")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
