"""Which files of the repository become which pages of the site.

  place_of("docs/guide/zones.md")  ->  "guide/zones.html"
"""
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]

PROJECT = {
    "README.md": "index.html",
    "ARCHITECTURE.md": "project/architecture.html",
    "CONTRIBUTING.md": "project/contributing.html",
    "SECURITY.md": "project/security.html",
    "CHANGELOG.md": "project/changelog.html",
    "src/privacy/AUDIT.md": "project/audit.html",
    "examples/README.md": "project/examples.html",
    "include/stopover/stopover.h": "reference/c.html",
    "docs/guide/tutorial.ipynb": "guide/tutorial.html",
}
PICTURES = {".png", ".svg", ".webp"}

# The order in which people need them; what is not named comes after, by name.
GUIDE = ["publish", "ledger", "plan", "series", "answers", "explorer", "exports", "zones", "python", "tutorial", "cli",
         "glossary"]
MENU = [
    ("Start", [("index.html", "Overview"), ("demo.html", "The demo, live")]),
    ("Guide", []),
    ("Reference", [("reference/commands.html", "Commands"), ("guide/python_api.html", "Python"),
                   ("reference/c.html", "C"), ("reference/http.html", "HTTP and JSON")]),
    ("Internals", []),
    ("Project", [("project/architecture.html", "Architecture"), ("project/audit.html", "For the auditor"),
                 ("project/contributing.html", "Contributing"), ("project/security.html", "Security"),
                 ("project/examples.html", "Examples"), ("project/changelog.html", "Changelog")]),
]


def place_of(path):
    """Where a file of the repository stands in the site; sources have a page of their own each."""
    if path in PROJECT:
        return PROJECT[path]
    pure = PurePosixPath(path)
    if pure.suffix in PICTURES:
        return f"pictures/{pure.name}"
    if pure.suffix == ".md" and pure.parts[:2] in (("docs", "guide"), ("docs", "internals")):
        return f"{pure.parts[1]}/{pure.stem}.html"
    return f"source/{path}.html"


def pages():
    """The Markdown files of the site, as paths from the root."""
    found = [path for path in PROJECT if path.endswith(".md")]
    for folder in ("guide", "internals"):
        names = sorted((ROOT / "docs" / folder).glob("*.md"), key=lambda page: order_of(f"{folder}/{page.stem}"))
        found += [page.relative_to(ROOT).as_posix() for page in names]
    return found


def order_of(place):
    folder, stem = place.split("/")[0], Path(place).stem
    return GUIDE.index(stem) if folder == "guide" and stem in GUIDE else len(GUIDE), stem


def short(place):
    stem = Path(place).stem
    return "Command line" if stem == "cli" else stem.replace("_", " ").capitalize()


def menu(titles):
    """[(heading, [(place, title)])]; `titles` by place."""
    groups = []
    for heading, entries in MENU:
        folder = heading.lower() + "/"
        listed = {place for _, fixed in MENU for place, _ in fixed}
        rest = [place for place in titles if place.startswith(folder) and place not in listed]
        rest.sort(key=order_of)
        groups.append((heading, [*entries, *((place, short(place)) for place in rest)]))
    return groups
