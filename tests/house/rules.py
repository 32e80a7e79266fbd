#!/usr/bin/env python3
"""Rank rules keep nothing: looks at every class that derives from RankRule (privacy/kernel.h).

The kernel asks a rule for boxes that hold trips and for no others, so a rule sees which boxes do. It must not be able
to remember or tell. For every such class outside of tests this reads its file and the .h or .cc beside it, and refuses
what could: state that a const function can change (mutable, static, globals, pointers and references to what is not
const), casts, output, other code that is handed in (std::function), and the kernel itself. A word more or less is no
proof; so AUDIT.md must name the class's file as well, and the auditor reads it.

  rules.py ROOT
"""
import re
import sys
from pathlib import Path

from sources import cpp_files, is_test, report, without_comments

FOLDERS = ("src", "include", "cli", "lab", "python")
RULE = re.compile(r"\b(?:class|struct)\s+(\w+)\s*(?:final\s*)?:[^{;]*\bRankRule\b[^{;]*\{")
WORDS = [
    (re.compile(r"\b(mutable|thread_local|volatile|const_cast|reinterpret_cast|extern|asm)\b"), "{}"),
    (re.compile(r"\b(static)\s+(?!constexpr\b)[^(;={]*[;={]"), "a {} variable"),
    (re.compile(r"\bstd::(atomic\w*|\w*mutex|once_flag|any|\w*function)\b"), "{}"),
    (re.compile(r"\b(\w*printf|\w*puts|putchar|fwrite|fopen|ofstream|fstream|cout|cerr|clog|syslog|getenv|setenv)\b"
                r"|\b((?:fmt|std)::print\w*|FILE)\b|\b(write|system)\("), "what leads outside: {}"),
    (re.compile(r"\b(throw|abort|exit|_exit|quick_exit|terminate)\b"), "an end that tells of a box: {}"),
    (re.compile(r"\b(Kernel)\b"), "the kernel"),
]
# A member's name ends with _. What it points at must be const.
MEMBER = re.compile(r"^\s*(?!.*\bconst\b[^;]*[&*]\s*\w+_\s*[;={])[\w:<>,\s]+[&*]\s*\w+_\s*[;={]")
HOLDER = re.compile(r"\b(?:(?:unique|shared|weak)_ptr|span|reference_wrapper)\s*<\s*(?!const\b)")
# Code of a namespace begins its lines; a variable there has no parenthesis before its value.
GLOBAL = re.compile(r"^(?!const\b|constexpr\b|inline constexpr\b|using\b|namespace\b|class\b|struct\b|enum\b|template\b"
                    r"|typedef\b|return\b|public\b|private\b|#|\})[A-Za-z_][\w:<>,&*\s]*\s[&*]?\w+\s*(?:=[^=].*|\{.*\})?;\s*$")


def body_of(code, start):
    """The text from `start`, just after a brace, to the brace that closes it."""
    depth = 1
    for at in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return code[start:at]
    return code[start:]


def breaches_of_file(path, name, root):
    code = without_comments(path.read_text(encoding="utf-8"))
    for number, line in enumerate(code.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        found = [text.format(next(filter(None, match.groups())))
                 for pattern, text in WORDS for match in [pattern.search(line)] if match]
        if GLOBAL.match(line):
            found.append("a variable of the namespace")
        yield from (f"{path.relative_to(root)}:{number}: beside the rank rule {name} may not stand {what}"
                    for what in found)


def breaches_of(root):
    page = root / "src" / "privacy" / "AUDIT.md"
    audit = page.read_text(encoding="utf-8") if page.is_file() else ""
    for folder in FOLDERS:
        for path in cpp_files(root / folder):
            if is_test(path):
                continue
            code = without_comments(path.read_text(encoding="utf-8"))
            for match in RULE.finditer(code):
                name, first = match.group(1), code.count("\n", 0, match.end()) + 1
                if not match.group(0).rstrip("{ \n").endswith("RankRule") or "," in match.group(0):
                    yield f"{path.relative_to(root)}:{first}: the rank rule {name} derives from something else as well"
                for number, line in enumerate(body_of(code, match.end()).splitlines(), first):
                    if MEMBER.match(line) or HOLDER.search(line) and re.search(r"\w+_\s*[;={]", line):
                        yield f"{path.relative_to(root)}:{number}: {name} holds something that it could change"
                stem = str(path.relative_to(root).with_suffix("")).removeprefix("src/")
                if f"`{stem}.h`" not in audit and f"`{stem}.cc`" not in audit:
                    yield f"src/privacy/AUDIT.md does not name `{stem}{path.suffix}`, which has the rank rule {name}"
                for part in (path.with_suffix(".h"), path.with_suffix(".cc")):
                    if part.is_file():
                        yield from breaches_of_file(part, name, root)


def main(root):
    root = Path(root)
    breaches = list(breaches_of(root))
    return report(breaches, "rank rules keep nothing and are named in AUDIT.md")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
