"""The ledger: its chain of hashes, what it adds up to, its published heads, and the reservation of a release in it."""
import hashlib
import re

from stopover_verify.broken import require
from stopover_verify.period import period_range, PERIODS_OF_A_YEAR
from stopover_verify.receipt import ticks_of
from stopover_verify.upgrade import hashes_of

LINE = re.compile(r"([1-9][0-9]*) (GENESIS|RESERVE|COMMIT|ABORT|REPAIR|CLOSE) ticks=(0|[1-9][0-9]*) "
                  r"ref=(0|[1-9][0-9]*) time=([!-~]+) note=([!-~]+)((?: [a-z_]+=[!-~]*)*) hash=([0-9a-f]{64})")
HEAD = re.compile(r"([0-9a-f]{32}):([1-9][0-9]*):([0-9a-f]{64})")
WORDS = {"RESERVE": {"at", "comment", "nonce", "release"}, "REPAIR": {"at"},
         "GENESIS": {"period", "per_period", "per_year", "timezone", "unit"}}
TORN = " TORN\n"


class Record:
    def __init__(self, fields):
        self.number, self.kind, self.ticks, self.ref = int(fields[0]), fields[1], int(fields[2]), int(fields[3])
        self.note, self.hash = fields[5], fields[7]
        self.words = dict(word.split("=", 1) for word in fields[6].split())
        self.names = [word.split("=", 1)[0] for word in fields[6].split()]


def record_of(line, previous):
    """The record, if this is one that follows the hash `previous`; else None."""
    found = LINE.fullmatch(line)
    body = line.rpartition(" hash=")[0]
    if not found or hashlib.sha256(f"{previous} {body}".encode("latin-1")).hexdigest() != found[8]:
        return None
    record = Record(found.groups())
    return record if record.names == sorted(set(record.names)) else None


class Ledger:
    """The records of a ledger's text, each checked against those before. Broken where one does not fit."""

    def __init__(self, text, name):
        self.name, self.records, self.open, self.ended, self.spent = name, [], {}, {}, 0
        self.of_periods, self.closed, self.torn = {}, set(), False
        text, at = text.decode("latin-1"), 0
        while at < len(text):
            end = text.find("\n", at)
            line = text[at:] if end < 0 else text[at:end]
            record = record_of(line, self.records[-1].hash if self.records else "0" * 64)
            if record is not None:
                self.add(record)
                at += len(line) + 1
            else:
                at = self.step_over(text, at)
        require(self.records, f"{name} is not a ledger")

    def wrong(self, why):
        require(False, f"the ledger {self.name} is corrupt after record {len(self.records)}: {why}")

    def step_over(self, text, start):
        """A torn end, or one that a REPAIR with the hash of its bytes follows."""
        if not self.records:
            self.wrong("its first line is not that of a ledger")
        at = start
        while (end := text.find("\n", at)) >= 0:
            if not text[start:end + 1].endswith(TORN):
                self.wrong("a line is not what was written there")
            at, torn = end + 1, text[start:end + 1 - len(TORN)]
            following = record_of(text[at:].partition("\n")[0], self.records[-1].hash)
            digest = hashlib.sha256(torn.encode("latin-1")).hexdigest()
            if following is not None and following.kind == "REPAIR" and following.note == digest:
                return at
        self.torn = True
        return len(text)

    def charge(self, record, repair):
        at = record.words.get("at")
        if not record.ticks:
            return
        if (at is not None) != (self.records[0].ref == 3):
            self.wrong(f"record {record.number} does not say which periods are charged")
        periods = period_range(at) if at is not None else [None]
        if not periods:
            self.wrong(f"record {record.number} charges {at}, which is no period")
        self.spent += record.ticks * len(periods)
        if not repair:
            self.open[record.number] = record
        if at is None:
            if self.spent > self.records[0].ticks:
                self.wrong(f"record {record.number} spends more than the budget")
            return
        for period in periods:
            self.of_periods[period] = self.of_periods.get(period, 0) + record.ticks
        if repair:
            return
        rule, budget = self.records[0].words, self.records[0].ticks
        if len(periods) == 1 and periods[0] in self.closed:
            self.wrong(f"record {record.number} charges {at}, which is closed")
        if budget and self.spent > budget:
            self.wrong(f"record {record.number} spends more than the budget")
        if any(self.of_periods[period] > int(rule["per_period"]) for period in periods):
            self.wrong(f"record {record.number} spends more than a period's budget")
        year, most = PERIODS_OF_A_YEAR.get(rule["period"], 0), int(rule.get("per_year", "0"))
        spent = {number: ticks for (_, number), ticks in self.of_periods.items()}
        starts = range(periods[0][1] - year + 1, periods[-1][1] + 1)
        if most and any(sum(spent.get(first + i, 0) for i in range(year)) > most for first in starts):
            self.wrong(f"record {record.number} spends more than a year's budget")

    def add(self, record):
        first = not self.records
        if record.number != len(self.records) + 1 or (record.kind == "GENESIS") != first:
            self.wrong(f"record {record.number} stands where it should not")
        if not set(record.words) <= WORDS.get(record.kind, set()):
            self.wrong(f"record {record.number} holds words that are not known here")
        if first:
            periods = {"period", "per_period", "timezone", "unit"} <= set(record.words)
            if record.ref not in (1, 2, 3) or (record.ref == 3) != periods or not re.fullmatch("[0-9a-f]{32}", record.note):
                self.wrong("its first record is not that of a ledger")
        if record.kind == "RESERVE":
            nonce = record.words.get("nonce")
            if not record.ticks or (nonce is None and self.records[0].ref != 1) or (
                    nonce is not None and not re.fullmatch("[0-9a-f]{32}", nonce)):
                self.wrong(f"record {record.number} is no reservation")
        if record.kind in ("RESERVE", "REPAIR"):
            self.charge(record, record.kind == "REPAIR")
        if record.kind in ("COMMIT", "CLOSE", "ABORT"):
            reserved = self.open.pop(record.ref, None)
            if reserved is None or record.ticks:
                self.wrong(f"record {record.number} ends a reservation that is not open")
            self.ended[record.ref] = record
            if record.kind == "CLOSE":
                self.closed.update(period_range(reserved.words.get("at", "")) or [])
        self.records.append(record)

    def head(self, number):
        return f"{self.records[0].note}:{number}:{self.records[number - 1].hash}"


def parse_head(text):
    found = HEAD.fullmatch(text)
    return (found[1], int(found[2]), found[3]) if found else None


def read_heads(text, name):
    """Published heads: one a line; empty lines and those that begin with # are for people. ValueError for others."""
    heads = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            head = parse_head(line)
            if head is None:
                raise ValueError(f'{name}: "{line[:100]}" is not the head of a ledger')
            heads.append(head)
    if not heads:
        raise ValueError(f"{name} holds no head of a ledger")
    return heads


def check_published(head, heads, name):
    """That the release's own head is among those published."""
    own = parse_head(head["ledger_head"])
    require(own, "it does not say which ledger paid for it")
    for published in heads:
        if published[:2] == own[:2]:
            require(published == own, f"the published record {own[1]} of its ledger is another: the ledger was forked or "
                                      "rolled back")
            return
    require(False, f"record {own[1]} of its ledger {own[0]} is not among the published heads in {name}")


def check_heads(ledger, heads, name):
    """That the ledger still has every head that was published."""
    for number_of in heads:
        there = number_of[1] <= len(ledger.records) and ledger.head(number_of[1]) == "{}:{}:{}".format(*number_of)
        require(there, f"record {number_of[1]} of ledger {number_of[0]} in {name} is not in {ledger.name}: it was rolled "
                       "back, forked, or is another one")


def check_paid(ledger, head):
    """That this ledger reserved what the release spent, and committed to its content."""
    own = parse_head(head["ledger_head"])
    require(own, "it does not say which ledger paid for it")
    require(own[0] == ledger.records[0].note, f"it was paid from ledger {own[0]}, not from {ledger.name}")
    there = own[1] <= len(ledger.records) and ledger.head(own[1]) == head["ledger_head"]
    require(there, f"record {own[1]} of {ledger.name} is not the one that it was paid by: the ledger was rolled back or forked")
    reserved = ledger.records[own[1] - 1]
    require(reserved.kind == "RESERVE" and reserved.number == head["number"], f"record {own[1]} of {ledger.name} reserved nothing")
    before = sum(line["ticks"] for line in head["charges"] if line["view"] == "expected")
    require(reserved.ticks >= ticks_of(head["epsilon"]) - before,
            f"{ledger.name} reserved {reserved.ticks} ticks for it, which is less than its epsilon")
    ended = ledger.ended.get(own[1])
    require(ended is not None and ended.kind != "ABORT", f"{ledger.name} does not say that it was published")
    require(ended.note in hashes_of(head), f"{ledger.name} has committed to other content: {ended.note[:12]}")
