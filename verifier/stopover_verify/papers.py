"""Papers beside a release: who signed it, and whether it was superseded or withdrawn."""
import json
import re

from stopover_verify.broken import Broken, require
from stopover_verify.hashes import pretty
from stopover_verify.signatures import check_signed, name_of, read_signatures
from stopover_verify.upgrade import hashes_of

PAPER = re.compile(r"(old_)?signatures/statement\.txt|notes/superseded\.json"
                   r"|((old_)?signatures|notes)/[0-9A-F]{16}\.minisig")
NOTE_KEYS = {"kind", "release", "by", "why", "date"}


class Papers:
    def __init__(self):
        self.signed_by, self.note, self.note_signed_by = [], "", []


def read_note(text):
    try:
        note = json.loads(text)
    except (ValueError, RecursionError):
        note = None
    good = (isinstance(note, dict) and set(note) == NOTE_KEYS and all(isinstance(v, str) for v in note.values())
            and note["kind"] == ("superseded" if note["by"] else "withdrawn") and text == pretty(note))
    if not good:
        raise Broken("notes/superseded.json is not a note as stopover writes it")
    return note


def read_signed(folder, place, content, head):
    """The statement that the signatures in this place must be of, and those that there are."""
    statement = (f"stopover release statement 1\ncontent_sha256 {content}\nledger_head {head['ledger_head']}\n").encode()
    if not (folder / place).exists():
        return statement, []
    require((folder / place / "statement.txt").is_file(), f"its {place} have no statement.txt")
    require((folder / place / "statement.txt").read_bytes() == statement, "its statement is about another release")
    return statement, read_signatures(folder / place)


def check_papers(folder, head, keys):
    """Each key must have signed the release, now or before it was upgraded, and the note where there is one. Gives the
    Papers."""
    papers = Papers()
    require("upgraded_from" in head or not (folder / "old_signatures").exists(),
            "it has old signatures, but was not upgraded")
    statement, signatures = read_signed(folder, "signatures", head["content_sha256"], head)
    before, old = read_signed(folder, "old_signatures", head.get("upgraded_from", ""), head)
    note_signatures = []
    note = None
    if (folder / "notes").exists():
        require((folder / "notes/superseded.json").is_file(), "its notes have no superseded.json")
        note = (folder / "notes/superseded.json").read_bytes()
        said = read_note(note)
        require(said["release"] in hashes_of(head), "its note is about another release")
        note_signatures = read_signatures(folder / "notes")
        by = f" by release {said['by'][:12]}" if said["by"] else ""
        papers.note = f"{said['kind']} on {said['date']}{by}: {said['why']}"
    for key in keys:
        now = {signature.id for signature in signatures}
        if key[2:10] not in now and any(signature.id == key[2:10] for signature in old):
            check_signed(old, key, before, "content before the upgrade")
        else:
            check_signed(signatures, key, statement, "content")
        if note is not None:
            check_signed(note_signatures, key, note, "note")
    papers.signed_by = [name_of(signature.id) for signature in signatures + old]
    papers.note_signed_by = [name_of(signature.id) for signature in note_signatures]
    return papers
