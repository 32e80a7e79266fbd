"""Answers and tables as notebooks show them: plain HTML, no script, numbers with the digits that they deserve."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._answers import Answer, Comparison, Difference, Matrix, Ratio, Share, Table

_ROWS, _SIDE = 50, 24  # what is shown of a table, and of a matrix's sides
_CELL = "padding:.2em .8em;text-align:right;font-variant-numeric:tabular-nums"
_NAME = "padding:.2em .8em;text-align:left"
_SOFT = "color:#6b7280"


def figure(value: float) -> str:
    """1,494 rather than 1494.26; 0.0123 rather than 0.01229: as `stopover query` prints it."""
    if math.isnan(value):
        return "-"
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<div style="{_SOFT}">{html.escape(note)}</div>' for note in notes)


def _bar(answer: Answer, most: float) -> str:
    """The interval as a line, the estimate as a mark on it, on a scale from 0 to `most`."""
    def at(value: float) -> float:
        return 100 * min(max(value / most, 0.0), 1.0) if most > 0 else 0.0

    left, right, mid = at(answer.lower), at(answer.upper), at(answer.estimate)
    return ('<svg width="120" height="12" viewBox="0 0 100 12" preserveAspectRatio="none" role="img" aria-label="the interval">'
            f'<rect x="{left:.1f}" y="5" width="{max(right - left, 0.8):.1f}" height="2" fill="#8ebcb8"/>'
            f'<rect x="{max(mid - 0.8, 0):.1f}" y="1" width="1.6" height="10" fill="#22706f"/></svg>')


def _line(answer: Answer) -> str:
    return (f"<b>{figure(answer.estimate)}</b> trips, {figure(answer.lower)} to {figure(answer.upper)} "
            f'<span style="{_SOFT}">({100 * answer.level:g} %, {html.escape(answer.kind)})</span>')


def answer(a: Answer) -> str:
    return f"<div>{_line(a)} {_bar(a, max(a.upper, a.estimate))}</div>{_notes(a.notes)}"


def share(s: Share) -> str:
    if s.share is None:
        return "<div>a share of nothing</div>" + _notes(s.notes)
    claimed = "" if s.claimed else ", not claimed"
    return (f"<div><b>{figure(100 * s.share)} %</b>, {figure(100 * s.lower)} to {figure(100 * s.upper)} % "
            f'<span style="{_SOFT}">({100 * s.level:g} %{claimed})</span></div>'
            f"<div>of {_line(s.whole)}</div>{_notes(s.notes)}")


def _ratio(r: Ratio) -> str:
    most = "any number" if math.isinf(r.upper) else figure(r.upper)
    claimed = "" if r.claimed else ", not claimed"
    return (f"<b>{'unknown' if r.value is None else figure(r.value)}</b> times, {figure(r.lower)} to {most} "
            f'<span style="{_SOFT}">({100 * r.level:g} %{claimed})</span>')


def _pair(named: Sequence[tuple[str, Answer]], ratio: Ratio, notes: Iterable[str]) -> str:
    cells = [(name, _line(a)) for name, a in named] + [("ratio", _ratio(ratio))]
    rows = "".join(f'<tr><th style="{_NAME}">{name}</th><td style="{_NAME}">{line}</td></tr>' for name, line in cells)
    return f"<table>{rows}</table>{_notes(notes)}"


def comparison(c: Comparison) -> str:
    return _pair((("first", c.first), ("second", c.second), ("difference", c.difference)), c.ratio, c.notes)


def difference(d: Difference) -> str:
    return _pair((("count", d.count), ("minus", d.minus), ("difference", d.difference)), d.ratio, d.notes)


def _head(names: Sequence[str], numbers: Sequence[str]) -> str:
    return ("<thead><tr>" + "".join(f'<th style="{_NAME}">{html.escape(name)}</th>' for name in names)
            + "".join(f'<th style="{_CELL}">{name}</th>' for name in numbers) + "</tr></thead>")


def table(t: Table) -> str:
    most = max((row.answer.upper for row in t.rows[:_ROWS]), default=0.0)
    compared = bool(t.rows) and t.rows[0].difference is not None
    lines = []
    for row in t.rows[:_ROWS]:
        bar = "" if compared else f"<td>{_bar(row.answer, most)}</td>"
        lines.append("<tr>" + "".join(f'<td style="{_NAME}">{html.escape(place)}</td>' for place in row.names)
                     + "".join(f'<td style="{_CELL}">{figure(v)}</td>' for v in row.figures()) + bar + "</tr>")
    numbers = ("first", "second", "change", "from", "to") if compared else ("trips", "from", "to", "")
    title = f"<caption style='text-align:left'>{html.escape(t.title)}</caption>" if t.title else ""
    more = f'<div style="{_SOFT}">and {len(t.rows) - _ROWS:,} more</div>' if len(t.rows) > _ROWS else ""
    return f"<table>{title}{_head(t.stops, numbers)}<tbody>{''.join(lines)}</tbody></table>{more}{_notes(t.notes)}"


def plain_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], left: int, notes: Iterable[str]) -> str:
    """Rows of texts; the first `left` columns are names."""
    lines = ["<tr>" + "".join(f'<td style="{_NAME if i < left else _CELL}">{html.escape(text)}</td>'
                              for i, text in enumerate(row)) + "</tr>" for row in rows[:_ROWS]]
    caption = f"<caption style='text-align:left'>{html.escape(title)}</caption>" if title else ""
    more = f'<div style="{_SOFT}">and {len(rows) - _ROWS:,} more</div>' if len(rows) > _ROWS else ""
    body = f"{_head(head[:left], head[left:])}<tbody>{''.join(lines)}</tbody>"
    return f"<table>{caption}{body}</table>{more}{_notes(notes)}"


def _shade(value: float, most: float) -> str:
    return f"background:rgba(34,112,111,{0.7 * math.sqrt(max(value, 0.0) / most):.2f})" if most > 0 and value > 0 else ""


def matrix(m: Matrix) -> str:
    shown: Any = m.estimate[:_SIDE, :_SIDE]
    most = float(shown.max()) if shown.size else 0.0
    head = _head([f"{m.from_stop} \u2192 {m.to_stop}"], [html.escape(name) for name in m.destinations[:_SIDE]])
    lines = [f'<tr><th style="{_NAME}">{html.escape(name)}</th>'
             + "".join(f'<td style="{_CELL};{_shade(float(v), most)}">{figure(float(v))}</td>' for v in row) + "</tr>"
             for name, row in zip(m.origins[:_SIDE], shown)]
    whole = f"{len(m.origins)} x {len(m.destinations)} zones; all trips: {_line(m.total)}"
    cut = max(len(m.origins), len(m.destinations)) > _SIDE
    return (f"<table>{head}<tbody>{''.join(lines)}</tbody></table>"
            f"<div style=\"{_SOFT}\">{'The first of ' if cut else ''}{whole}</div>{_notes(m.notes)}")
