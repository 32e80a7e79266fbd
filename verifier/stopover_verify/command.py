"""Checks releases of stopover without a line of stopover's code: hashes, tiling, receipt, ledger, signatures, noise.

Exit code 0: all rules hold; 2: a flag is wrong; 3: there is no release, key or ledger to read; 5: a rule is broken, or
the release was made with a key that can be repeated and protects nobody.
"""
import argparse
import os
import sys
from pathlib import Path

from stopover_verify.broken import Broken


def complain(text, code):
    print(text, file=sys.stderr)
    return code


def probability(text):
    value = float(text)
    if not 0 < value < 0.5:
        raise argparse.ArgumentTypeError(f"{text} is not a chance between 0 and 0.5, as in 1e-6")
    return value


def parser():
    made = argparse.ArgumentParser("stopover-verify", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("releases", nargs="+", metavar="RELEASE", help="a folder NAME.odr, or one file NAME.odrz")
    made.add_argument("--signed-by", action="append", default=[], metavar="NAME.pub",
                      help="a public key (a file, or its line) that must have signed it, and its note if it has one; "
                           "several: all of them")
    made.add_argument("--heads", metavar="FILE", help="published heads of the ledger: its own is there")
    made.add_argument("--ledger", metavar="FILE", help="the ledger itself: its chain holds and it paid for the release")
    made.add_argument("--accept-test-key", action="store_true",
                      help="accept a test release (made with a key that can be repeated), and say so")
    made.add_argument("--false-alarm", type=probability, default=1e-6, metavar="P",
                      help="chance that honest noise is called implausible, for a whole release (default: 1e-6)")
    made.add_argument("--json", action="store_true", help="one JSON object per release")
    return made


def main(arguments):
    words = parser().parse_args(arguments)
    try:
        from stopover_verify.ledger import Ledger, read_heads
        from stopover_verify.signatures import key_of
        from stopover_verify.verification import Wishes, verify
    except ImportError as problem:
        return complain(f"{problem.name} is missing: pip install {problem.name}", 2)
    wishes = Wishes(words.accept_test_key, [], None, None, words.false_alarm)
    for text in words.signed_by:
        try:
            wishes.keys.append(key_of(text))
        except (OSError, ValueError):
            return complain(f"{text} is not a public key\n  Give NAME.pub as `stopover key new` made it, or its second line.", 3)
    try:
        if words.heads:
            wishes.heads = read_heads(Path(words.heads).read_text(encoding="utf-8"), words.heads), words.heads
        if words.ledger:
            wishes.ledger = Ledger(Path(words.ledger).read_bytes(), words.ledger)
    except (OSError, ValueError) as problem:
        return complain(str(problem), 3)
    except Broken as problem:
        return complain(str(problem), 5)
    worst = 0
    for name in words.releases:
        report = verify(name, wishes)
        if words.json and report.code != 3:
            print(report.json())
        elif not report.code:
            print(report.text())
        if report.code:
            complain(report.complaint(), report.code)
            worst = worst or report.code
    return worst


def run():
    """Ends at once: what threads of libraries do while a process ends must not change its exit code."""
    try:
        code = main(sys.argv[1:])
    except SystemExit as end:
        code = end.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
