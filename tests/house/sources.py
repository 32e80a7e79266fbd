"""What the house checks share: which files there are, and a C++ text without its comments."""
import re
import subprocess
from pathlib import Path

_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<fence>[^()\\\s"]{0,16})\(.*?\)(?P=fence)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z])'(?:\\(?:x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|.)|[^'\\\n])'",
    re.DOTALL)


def without_comments(text):
    """The text with every comment replaced by blanks; line numbers stay."""
    def blank(match):
        token = match.group(0)
        return re.sub(r"[^\n]", " ", token) if token.startswith(("//", "/*")) else token
    return _TOKEN.sub(blank, text)


def cpp_files(folder):
    return sorted(p for p in Path(folder).rglob("*") if p.suffix in (".h", ".cc"))


def is_test(path):
    return path.name.endswith("_test.cc")


def tracked_files(root):
    """Paths below root that git tracks; in a tree without git, all files that are not built or fetched."""
    root = Path(root)
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"],
                                check=True, capture_output=True).stdout.decode()
        return [root / name for name in listed.split("\0") if name and (root / name).is_file()]
    skipped = {"build", "out", ".deps", "__pycache__", "node_modules"}
    return sorted(p for p in root.rglob("*") if p.is_file() and not skipped & set(p.relative_to(root).parts))


def report(breaches, fine):
    """Prints the breaches and gives the exit code; with none, prints what was found fine."""
    for breach in breaches:
        print(breach)
    if breaches:
        print(f"{len(breaches)} breach{'es' if len(breaches) > 1 else ''}")
        return 1
    print(fine)
    return 0
