#!/usr/bin/env python3
"""No flag of the command line stands in a text of src/: messages name fields between back quotes (base/field_words.h),
and each face says them in its own language. What is not a message is listed below, with a reason.

  fields.py ROOT
"""
import re
import sys
from pathlib import Path

from sources import cpp_files, is_test, report, without_comments

FLAG = re.compile(r'(?<![\w-])--[a-z][a-z-]*')
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
EXCEPT = {
    "src/base/field_words.cc",   # where fields get their flags
    "src/job/spark_job.cc",      # the flags of another program
    "src/job/spark_source.cc",   # the same
    "src/eval/line_plot.cc",     # colours of a style sheet
    "src/page/flow_svg.cc",      # the same
}


def breaches_of(root):
    for path in cpp_files(root / "src"):
        name = path.relative_to(root).as_posix()
        if is_test(path) or name in EXCEPT:
            continue
        for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).splitlines(), 1):
            for text in TEXT.findall(line):
                found = FLAG.search(text)
                if found:
                    yield f"{name}:{number}: {found.group(0)} is a flag: name the field between back quotes"


def main(root):
    root = Path(root).resolve()
    return report(list(breaches_of(root)), "no text of src/ names a flag")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
