"""Periods of a ledger: 2019-01-31, 2019-W05, 2019-01, 2019-Q1, or two of a kind with .. between."""
import datetime
import re

PERIODS_OF_A_YEAR = {"day": 366, "week": 53, "month": 12, "quarter": 4}
MOST = 4000


def period(text):
    """(kind, number), numbers of a kind following each other; None for what is no period."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return "day", datetime.date.fromisoformat(text).toordinal()
        if re.fullmatch(r"\d{4}-W\d\d", text):
            return "week", datetime.date.fromisocalendar(int(text[:4]), int(text[6:]), 1).toordinal() // 7
        if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", text):
            return "month", int(text[:4]) * 12 + int(text[5:])
        if re.fullmatch(r"\d{4}-Q[1-4]", text):
            return "quarter", int(text[:4]) * 4 + int(text[6:])
    except ValueError:
        pass
    return None


def kind_and_size(text):
    """("month", 12) of "2019-01..2019-12"; (None, 0) for what is no range."""
    first, dots, last = text.partition("..")
    ends = period(first), period(last if dots else first)
    if None in ends or ends[0][0] != ends[1][0] or ends[0][1] > ends[1][1] or dots and ends[0] == ends[1]:
        return None, 0
    return ends[0][0], ends[1][1] - ends[0][1] + 1


def period_range(text):
    """All periods of "first..last" or "one"; [] for anything else."""
    first, dots, last = text.partition("..")
    ends = period(first), period(last if dots else first)
    if None in ends or ends[0][0] != ends[1][0] or not 0 <= ends[1][1] - ends[0][1] < MOST:
        return []
    return [(ends[0][0], number) for number in range(ends[0][1], ends[1][1] + 1)]
