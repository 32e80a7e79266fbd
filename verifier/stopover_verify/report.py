"""The report on a release: which checks were made and what they said; text of 80 columns for people, JSON for programs."""
import contextlib
import json
import textwrap

from stopover_verify.broken import Broken

GOOD, BAD_RELEASE, NO_RELEASE = 0, 5, 3  # exit codes, as of `stopover verify`


class Report:
    def __init__(self, release):
        self.release, self.code, self.reason, self.broken_by = release, GOOD, "", ""
        self.checks = {}  # name: what was found
        self.notes, self.facts = [], {}
        self.randomness, self.superseded, self.signed_by, self.keys = "", "", [], 0

    @contextlib.contextmanager
    def check(self, name, found):
        """A check by this name. What goes wrong in it ends the verification (Broken)."""
        try:
            yield
        except Broken as problem:
            self.fail(name, str(problem))
            raise
        except Exception as problem:  # whatever a forger wrote there, it is no release
            self.fail(name, f"it is malformed: {problem!r}")
            raise Broken(self.reason) from None
        self.checks[name] = found

    def fail(self, name, reason, code=BAD_RELEASE):
        self.code, self.reason, self.broken_by = code, reason, name

    def json(self):
        answer = {"release": self.release, "pass": self.code == GOOD}
        if self.code == GOOD:
            answer.update(private=self.randomness == "system", randomness=self.randomness)
            if self.signed_by:
                answer["signed_by"] = self.signed_by
            if self.keys:
                answer["signatures_checked"] = self.keys
            if self.superseded:
                answer["superseded"] = self.superseded
        else:
            answer.update(reason=self.reason, broken=self.broken_by)
        answer.update(self.facts)
        answer["checks"] = self.checks
        if self.notes:
            answer["notes"] = self.notes
        return json.dumps(answer, indent=2, ensure_ascii=False)

    def text(self):
        """Where all is well."""
        rows = f"{self.facts['rows']:,} rows, epsilon {self.facts['epsilon']}"
        lines = [f"{self.release}: all rules hold", f"  {rows}", f"  content {self.facts['content_sha256']}"]
        lines += [wrapped(f"{name:<11} {found}", 14) for name, found in self.checks.items()]
        lines += [wrapped(note, 2) for note in self.notes]
        if self.keys:
            lines.append(wrapped("Signed by the owner of every key given.", 2))
        elif self.signed_by:
            lines.append(wrapped(f"It has signatures of key {', '.join(self.signed_by)}: whether they are good only the public "
                                 "key tells (--signed-by NAME.pub).", 2))
        if self.superseded:
            lines.append(wrapped(f"It was {self.superseded}.", 2))
        if self.randomness != "system":
            lines.append(wrapped("Not private, and accepted as such: made with a key that can be repeated; it protects "
                                 "nobody.", 2))
        return "\n".join(lines)

    def complaint(self):
        return wrapped(f"{self.release}: {self.reason}", 2).lstrip()


def wrapped(text, indent):
    return textwrap.fill(text, 80, initial_indent="  ", subsequent_indent=" " * indent, break_long_words=False,
                         break_on_hyphens=False)
