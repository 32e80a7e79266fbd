"""A series: a folder of releases, one for each period, asked as one thing."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core, _html
from ._answers import Answer, Matrix, Ratio, Row, Share, Sides, Table, Tables, _Frame, _maybe, _place
from ._errors import UsageError
from ._html import figure
from ._progress import StopoverWarning
from ._regions import RegionLike
from ._release import Release, export_to, question_json


def _answer_columns(answers: Sequence[Answer], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {f"{before}{name}": np.array([getattr(a, name) for a in answers], dtype=float)
                             for name in ("estimate", "lower", "upper")}
    found[f"{before}noise_lower"] = np.array([a.noise[0] for a in answers], dtype=float)
    found[f"{before}noise_upper"] = np.array([a.noise[1] for a in answers], dtype=float)
    found[f"{before}claimed"] = np.array([a.claimed for a in answers], dtype=bool)
    return found


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    wide = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return "\n".join("  " + "  ".join(text.ljust(w) if i < left else text.rjust(w)
                                      for i, (text, w) in enumerate(zip(row, wide))).rstrip()
                     for row in (head, *rows))


class _Told(_Frame):
    """A table of periods: shown as text, in a notebook as a table."""

    notes: tuple[str, ...]

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        raise NotImplementedError

    def __repr__(self) -> str:
        title, head, rows, left = self._shown()
        return "\n".join(part for part in (title, _lines(head, rows, left)) if part) + "".join(
            f"\n  note: {note}" for note in self.notes)

    def _repr_html_(self) -> str:
        title, head, rows, left = self._shown()
        return _html.plain_table(title, head, rows, left, self.notes)


@dataclass(frozen=True, repr=False)
class Timeline(_Told, Sequence[Answer]):
    """A count for each period; by number, or by a period's name."""

    periods: tuple[str, ...]
    answers: tuple[Answer, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.periods)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, str):
            if at not in self.periods:
                raise KeyError(at)
            return self.answers[self.periods.index(at)]
        return self.answers[at]

    def columns(self) -> dict[str, Any]:
        found = {"period": list(self.periods), **_answer_columns(self.answers)}
        for side in ("above", "at_least", "at_most"):
            values = [None if a.sides is None else getattr(a.sides, side) for a in self.answers]
            if any(value is not None for value in values):
                found[side] = np.array([np.nan if v is None else v for v in values], dtype=float)
        return found

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        return "", ("period", "trips", "from", "to"), [
            (period, figure(a.estimate), figure(a.lower), figure(a.upper))
            for period, a in zip(self.periods, self.answers)], 1


@dataclass(frozen=True, repr=False)
class Shares(_Told, Sequence[Share]):
    """A share for each period."""

    periods: tuple[str, ...]
    shares: tuple[Share, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.periods)

    def __getitem__(self, at: Any) -> Any:
        return self.shares[self.periods.index(at) if isinstance(at, str) else at]

    def columns(self) -> dict[str, Any]:
        return {"period": list(self.periods), "share": np.array([float(s) for s in self.shares], dtype=float),
                "lower": np.array([s.lower for s in self.shares], dtype=float),
                "upper": np.array([s.upper for s in self.shares], dtype=float),
                "claimed": np.array([s.claimed for s in self.shares], dtype=bool),
                "part": np.array([s.part.estimate for s in self.shares], dtype=float),
                "whole": np.array([s.whole.estimate for s in self.shares], dtype=float)}

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        return "", ("period", "share", "from", "to"), [
            (period, f"{figure(100 * float(s))} %", f"{figure(100 * s.lower)} %", f"{figure(100 * s.upper)} %")
            for period, s in zip(self.periods, self.shares)], 1


@dataclass(frozen=True, repr=False)
class PeriodTables(_Told, Mapping[str, Any]):
    """A table, several, or a matrix for each period: a mapping from periods; `df()` has all, with a column `period`."""

    tables: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __getitem__(self, period: str) -> Any:
        return self.tables[period]

    def columns(self) -> dict[str, Any]:
        found: dict[str, list[Any]] = {}
        for period, of in self.tables.items():
            for table in of if isinstance(of, Tables) else (of,):
                columns = table.columns()
                rows = len(columns["estimate"])
                if isinstance(of, Tables):  # one stop each: below each other
                    stop = table.stops[0]
                    columns = {"stop": [stop] * rows, "place": columns.pop(stop), **columns}
                for name, values in {"period": [period] * rows, **columns}.items():
                    found.setdefault(name, []).extend(values)
        return {name: np.array(values) if isinstance(values[0], (float, np.floating, np.bool_)) else values
                for name, values in found.items() if values}

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        return "", ("period", "table"), [(period, repr(of).split("\n")[0]) for period, of in self.tables.items()], 2


@dataclass(frozen=True)
class Change:
    """How a period differs from another: `difference` is that of `period` less that of `against`."""

    against: str
    period: str
    first: Answer
    second: Answer
    difference: Answer
    ratio: Ratio
    sides: Sides | None = None

    def __float__(self) -> float:
        return float(self.difference.estimate)


@dataclass(frozen=True, repr=False)
class Changes(_Told, Sequence[Change]):
    """Changes from one period to another, in order."""

    steps: tuple[Change, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, at: Any) -> Any:
        return self.steps[at]

    def columns(self) -> dict[str, Any]:
        found: dict[str, Any] = {"against": [s.against for s in self.steps], "period": [s.period for s in self.steps]}
        for side in ("first", "second", "difference"):
            found.update(_answer_columns([getattr(s, side) for s in self.steps], f"{side}_"))
        found["ratio"] = np.array([float(s.ratio) for s in self.steps], dtype=float)
        found["ratio_lower"] = np.array([s.ratio.lower for s in self.steps], dtype=float)
        found["ratio_upper"] = np.array([s.ratio.upper for s in self.steps], dtype=float)
        return found

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        return "", ("against", "period", "before", "after", "change", "from", "to"), [
            (s.against, s.period, figure(s.first.estimate), figure(s.second.estimate), figure(s.difference.estimate),
             figure(s.difference.lower), figure(s.difference.upper)) for s in self.steps], 2


@dataclass(frozen=True, repr=False)
class Trend(_Told):
    """How many trips more with each period: the slope of a line through the counts, by least squares weighted by their
    intervals. Its interval is about the line through the true counts; it is no forecast."""

    slope: Answer
    per: str
    mean: float
    counts: Timeline
    fitted: tuple[float, ...]
    sides: Sides | None = None
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return float(self.slope.estimate)

    def columns(self) -> dict[str, Any]:
        return {**self.counts.columns(), "fitted": np.array(self.fitted, dtype=float)}

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        s = self.slope
        held = f"{100 * s.level:g} %" if s.claimed else f"meant for {100 * s.level:g} %, not claimed"
        title = f"{figure(s.estimate)} trips per {self.per}, {figure(s.lower)} to {figure(s.upper)} ({held})"
        return title, ("period", "trips", "from", "to", "line"), [
            (period, figure(a.estimate), figure(a.lower), figure(a.upper), figure(line))
            for period, a, line in zip(self.counts.periods, self.counts.answers, self.fitted)], 1


@dataclass(frozen=True)
class ChangedRow:
    """A flow that changed from `against` to `period`; `sure`: no change is not in its interval."""

    against: str
    period: str
    row: Row
    sure: bool


@dataclass(frozen=True, repr=False)
class ChangedTable(_Told, Sequence[ChangedRow]):
    """The flows that surely changed most, of `among` changes looked at; all intervals hold at once."""

    stops: tuple[str, ...]
    rows: tuple[ChangedRow, ...]
    among: int
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def columns(self) -> dict[str, Any]:
        found: dict[str, Any] = {"against": [r.against for r in self.rows], "period": [r.period for r in self.rows]}
        for i, stop in enumerate(self.stops):
            found[stop] = [r.row.places[i] for r in self.rows]
        for side, name in (("answer", "first"), ("second", "second"), ("difference", "difference")):
            found.update(_answer_columns([getattr(r.row, side) for r in self.rows], f"{name}_"))
        found["sure"] = np.array([r.sure for r in self.rows], dtype=bool)
        return found

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        head = (*self.stops, "against", "period", "before", "after", "change", "from", "to", "sure")
        return f"most changed, of {self.among:,} looked at", head, [
            (*r.row.names, r.against, r.period, *(figure(v) for v in r.row.figures()), "yes" if r.sure else "no")
            for r in self.rows], len(self.stops) + 2


@dataclass(frozen=True, repr=False)
class Sum(_Told):
    """All periods together. `one_release_noise`: the noise of one release of all of them at the same epsilon, against
    that of this sum."""

    sum: Answer
    counts: Timeline
    one_release_noise: float
    sides: Sides | None = None
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return float(self.sum.estimate)

    def columns(self) -> dict[str, Any]:
        return self.counts.columns()

    def _shown(self) -> tuple[str, Sequence[str], Sequence[Sequence[str]], int]:
        _, head, rows, left = self.counts._shown()
        s = self.sum
        return (f"{figure(s.estimate)}, {figure(s.lower)} to {figure(s.upper)} ({100 * s.level:g} %, {s.kind})", head,
                rows, left)


def _counts(rows: Sequence[Mapping[str, Any]], notes: tuple[str, ...] = ()) -> Timeline:
    return Timeline(tuple(row["period"] for row in rows), tuple(Answer.of(row) for row in rows), notes)


class Series:
    """A folder of releases, one for each period, as `publish(period=...)` makes it. Open one with
    `open_series("city")`. Nothing here costs budget. docs/guide/series.md is the tour."""

    __slots__ = ("_open", "_path", "_paths")

    def __init__(self, path: str | os.PathLike[str], *, threads: int = 0) -> None:
        self._path = os.fspath(path)
        self._open = _core.OpenSeries.open(self._path, threads)
        self._paths: dict[str, str] = dict(self._open.periods())
        for said in self._open.warnings():
            warnings.warn(said, StopoverWarning, stacklevel=3)

    @property
    def path(self) -> str:
        return self._path

    @property
    def periods(self) -> tuple[str, ...]:
        """Names of the periods, in order: "2019-01", ..."""
        return tuple(self._paths)

    @property
    def kind(self) -> str:
        """What the periods are: "day", "week", "month" or "quarter"."""
        return str(self._open.kind())

    @property
    def info(self) -> dict[str, Any]:
        """What `stopover info --json` prints of a series: `releases`, each with its `period`, `path` and `info`."""
        return json.loads(self._open.info())  # type: ignore[no-any-return]

    @property
    def card(self) -> str:
        """What `stopover info` prints: a line for each release, and what they promise."""
        return str(self._open.card())

    def __len__(self) -> int:
        return len(self._paths)

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __contains__(self, period: object) -> bool:
        return period in self._paths

    def __getitem__(self, period: str) -> Release:
        """The release of a period."""
        if period not in self._paths:
            raise UsageError(f"the series has no {period}\n  It has {', '.join(self._paths)}.")
        return Release(self._paths[period])

    def __repr__(self) -> str:
        return f"Series({self._path!r}: {len(self)} {self.kind}s, {self.periods[0]} to {self.periods[-1]})"

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """A question as docs/guide/series.md writes it, and its reply: the road below all the others."""
        return json.loads(self._open.ask(json.dumps(question)))  # type: ignore[no-any-return]

    def _ask(self, over: str, where: Mapping[str, RegionLike] | None, stops: Mapping[str, RegionLike],
             rest: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        above = rest.get("above")
        asked = question_json({**(where or {}), **stops}, {"series": over, **rest})
        if above is not None:  # 0 is a number of trips
            asked["above"] = above
        reply = self.ask(asked)
        return reply, tuple(reply["notes"])

    def count(self, where: Mapping[str, RegionLike] | None = None, /, *, period: str | None = None, zones: Any = None,
              zone_name: str | None = None, box: str | None = None, range: str | None = None,
              level: float | None = None, estimates: str | None = None, together: bool = False,
              any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
              in_order: RegionLike | None = None, above: float | None = None, at_least: bool = False,
              at_most: bool = False, **stops: RegionLike) -> Timeline:
        """How many trips in each period, as `Release.count` has it for one. `period`: "2019-01..2019-06" alone.
        `together=True`: the intervals of all periods hold at once."""
        reply, notes = self._ask("each", where, stops, dict(
            period=period, any_stop=any_stop, no_stop=no_stop, in_order=in_order, zones=zones, zone_name=zone_name,
            box=box, range=range, level=level, estimates=estimates, together=together, above=above, at_least=at_least,
            at_most=at_most))
        return _counts(reply["periods"], notes)

    def share(self, where: Mapping[str, RegionLike] | None = None, /, *, of: Mapping[str, RegionLike] | None = None,
              period: str | None = None, zones: Any = None, zone_name: str | None = None, level: float | None = None,
              any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
              in_order: RegionLike | None = None, **stops: RegionLike) -> Shares:
        """Which share of all trips, or of those in the regions of `of`, in each period."""
        whole = None if of is None else question_json(of, {})["where"]
        reply, notes = self._ask("each", where, stops, dict(
            ask="share", of=whole, period=period, any_stop=any_stop, no_stop=no_stop, in_order=in_order, zones=zones,
            zone_name=zone_name, level=level))
        rows = reply["periods"]
        return Shares(tuple(row["period"] for row in rows), tuple(
            Share(row["share"], row["share_lower"], row["share_upper"], row["level"], row["claimed"],
                  Answer.of(row["part"]), Answer.of(row["whole"])) for row in rows), notes)

    def top(self, k: int = 10, where: Mapping[str, RegionLike] | None = None, /, *, period: str | None = None,
            over: list[str] | None = None, zones: Any = None, zone_name: str | None = None, tiles: int | None = None,
            level: float | None = None, together: bool = False, overlaps: bool = False,
            any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
            in_order: RegionLike | None = None, **stops: RegionLike) -> PeriodTables:
        """The `k` largest combinations of zones or tiles in each period."""
        reply, notes = self._ask("each", where, stops, dict(
            ask="top", top=int(k), period=period, any_stop=any_stop, no_stop=no_stop, in_order=in_order, stops=over,
            zones=zones, zone_name=zone_name, tiles=tiles, level=level, together=together, overlaps=overlaps))
        return PeriodTables({row["period"]: Table.all_of(row)[0] for row in reply["periods"]}, notes)

    def totals(self, where: Mapping[str, RegionLike] | None = None, /, *, k: int | None = None,
               period: str | None = None, over: list[str] | None = None, zones: Any = None,
               zone_name: str | None = None, tiles: int | None = None, level: float | None = None,
               together: bool = False, overlaps: bool = False, any_stop: RegionLike | None = None,
               no_stop: RegionLike | None = None, in_order: RegionLike | None = None,
               **stops: RegionLike) -> PeriodTables:
        """Every stop by itself, by zones or tiles, in each period."""
        reply, notes = self._ask("each", where, stops, dict(
            ask="totals", top=k, period=period, any_stop=any_stop, no_stop=no_stop, in_order=in_order, stops=over,
            zones=zones, zone_name=zone_name, tiles=tiles, level=level, together=together, overlaps=overlaps))
        return PeriodTables({row["period"]: Tables(Table.all_of(row)) for row in reply["periods"]}, notes)

    def to_zones(self, zones: Any = None, where: Mapping[str, RegionLike] | None = None, /, *,
                 period: str | None = None, start: str | None = None, end: str | None = None,
                 zone_name: str | None = None, level: float | None = None, together: bool = False,
                 overlaps: bool = False, any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
                 in_order: RegionLike | None = None, **stops: RegionLike) -> PeriodTables:
        """From every zone to every zone, in each period."""
        reply, notes = self._ask("each", where, stops, {
            "ask": "matrix", "period": period, "any_stop": any_stop, "no_stop": no_stop, "in_order": in_order,
            "from": start, "to": end, "zones": zones, "zone_name": zone_name, "level": level, "together": together,
            "overlaps": overlaps})
        return PeriodTables({row["period"]: Matrix.of(row) for row in reply["periods"]}, notes)

    def change(self, where: Mapping[str, RegionLike] | None = None, /, *, period: str | None = None,
               against: str | None = None, zones: Any = None, zone_name: str | None = None, box: str | None = None,
               range: str | None = None, level: float | None = None, estimates: str | None = None,
               together: bool = False, any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
               in_order: RegionLike | None = None, above: float | None = None, at_least: bool = False,
               at_most: bool = False, **stops: RegionLike) -> Changes:
        """How the count of each period differs from the one before; or that of `period` from that of `against`."""
        reply, notes = self._ask("change", where, stops, dict(
            period=period, against=against, any_stop=any_stop, no_stop=no_stop, in_order=in_order, zones=zones,
            zone_name=zone_name, box=box, range=range, level=level, estimates=estimates, together=together, above=above,
            at_least=at_least, at_most=at_most))
        return Changes(tuple(
            Change(row["against"], row["period"], Answer.of(row["first"]), Answer.of(row["second"]),
                   Answer.of(row["difference"]), Ratio.of(row["ratio"]), Sides.of(row))
            for row in reply["changes"]), notes)

    def trend(self, where: Mapping[str, RegionLike] | None = None, /, *, period: str | None = None, zones: Any = None,
              zone_name: str | None = None, box: str | None = None, range: str | None = None,
              level: float | None = None, estimates: str | None = None, any_stop: RegionLike | None = None,
              no_stop: RegionLike | None = None, in_order: RegionLike | None = None, above: float | None = None,
              at_least: bool = False, at_most: bool = False, **stops: RegionLike) -> Trend:
        """How many trips more with each period. `above=0`: how sure one may be that it rises."""
        reply, notes = self._ask("trend", where, stops, dict(
            period=period, any_stop=any_stop, no_stop=no_stop, in_order=in_order, zones=zones, zone_name=zone_name,
            box=box, range=range, level=level, estimates=estimates, above=above, at_least=at_least, at_most=at_most))
        return Trend(Answer.of(reply["slope"]), reply["kind"], reply["mean"], _counts(reply["periods"]),
                     tuple(row["fitted"] for row in reply["periods"]), Sides.of(reply), notes)

    def changes(self, k: int = 10, where: Mapping[str, RegionLike] | None = None, /, *, period: str | None = None,
                against: str | None = None, over: list[str] | None = None, zones: Any = None,
                zone_name: str | None = None, tiles: int | None = None, level: float | None = None,
                overlaps: bool = False, any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
                in_order: RegionLike | None = None, **stops: RegionLike) -> ChangedTable:
        """The `k` combinations of zones or tiles that surely changed most: from each period to the next, or from
        `against` to `period`. The intervals hold for all that were looked at, at once."""
        reply, notes = self._ask("changes", where, stops, dict(
            ask="top", top=int(k), period=period, against=against, any_stop=any_stop, no_stop=no_stop,
            in_order=in_order, stops=over, zones=zones, zone_name=zone_name, tiles=tiles, level=level,
            overlaps=overlaps))
        stops_of = tuple(reply["stops"])
        return ChangedTable(stops_of, tuple(
            ChangedRow(row["against"], row["period"], Row(
                row["where"], tuple(_place(row["where"].get(stop, "anywhere")) for stop in stops_of), Answer.of(row),
                row.get("share"), None, _maybe(row["second"]), _maybe(row["difference"]),
                tuple(row["names"].get(stop, "anywhere") for stop in stops_of)), row["sure"])
            for row in reply["rows"]), reply["among"], notes)

    def sum(self, where: Mapping[str, RegionLike] | None = None, /, *, period: str | None = None, zones: Any = None,
            zone_name: str | None = None, box: str | None = None, range: str | None = None, level: float | None = None,
            estimates: str | None = None, any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
            in_order: RegionLike | None = None, above: float | None = None, at_least: bool = False,
            at_most: bool = False, **stops: RegionLike) -> Sum:
        """All periods together, and how much less noise one release of all of them would have."""
        reply, notes = self._ask("sum", where, stops, dict(
            period=period, any_stop=any_stop, no_stop=no_stop, in_order=in_order, zones=zones, zone_name=zone_name,
            box=box, range=range, level=level, estimates=estimates, above=above, at_least=at_least, at_most=at_most))
        return Sum(Answer.of(reply["sum"]), _counts(reply["periods"]), reply["one_release_noise"], Sides.of(reply),
                   notes)

    def export(self, kind: str, to: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
        """All periods in one file: a table ("csv", "parquet", "zones", "trips") with a column `period`, or "omx" with a
        matrix for each, named by it. The options are those of `Release.export`."""
        return export_to(self._path, kind, to, **options)


def open_series(path: str | os.PathLike[str], *, threads: int = 0) -> Series:
    """Opens a series: the folder of releases that `publish(period=...)` made, as "city"."""
    return Series(path, threads=threads)
