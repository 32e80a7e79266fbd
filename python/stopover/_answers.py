"""What a release answers: small values that do not change and show themselves well."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _html
from ._errors import UsageError
from ._html import figure


def need(package: str, why: str) -> Any:
    """A library that is not a dependency."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise UsageError(f"{why} needs {package}\n  Install it: pip install {package}") from None


@dataclass(frozen=True)
class Sides:
    """One side of an answer: how sure one may be that there are more than so many (`above`, a probability; None where
    the bounds cannot tell), and what it is `at_least` and `at_most`, each end by itself at the level. `claimed`:
    whether all of it is."""

    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    claimed: bool = True

    @staticmethod
    def of(reply: Mapping[str, Any]) -> Sides | None:
        told = {name: reply[name] for name in ("above", "at_least", "at_most") if isinstance(reply.get(name), Mapping)}
        if not told:
            return None
        return Sides(told.get("above", {}).get("probability"), told.get("at_least", {}).get("value"),
                     told.get("at_most", {}).get("value"), all(bool(one["claimed"]) for one in told.values()))


@dataclass(frozen=True)
class Ratio:
    """How many times as many: `value` is None where the other is 0, `upper` is infinite where it may be."""

    value: float | None
    lower: float
    upper: float
    level: float
    claimed: bool

    @staticmethod
    def of(reply: Mapping[str, Any]) -> Ratio:
        upper = reply["upper"]
        return Ratio(reply["value"], reply["lower"], float("inf") if upper is None else upper, reply["level"],
                     reply["claimed"])

    def __float__(self) -> float:
        return float("nan") if self.value is None else float(self.value)


@dataclass(frozen=True)
class Certified:
    """What the probes of a release prove, whatever the data: of probed boxes like the one that was asked for, at least
    `share` hold in an interval such as lower..upper; that is certain to `sure` (docs/internals/intervals.md)."""

    lower: float
    upper: float
    share: float
    sure: float

    def __repr__(self) -> str:
        return (f"Certified({figure(self.lower)} to {figure(self.upper)}: of boxes like this {100 * self.share:.3g} % or "
                f"more hold, certain to {100 * self.sure:g} %)")


@dataclass(frozen=True)
class Answer:
    """How many trips, as the release can tell. docs/guide/answers.md says what each number means.

    estimate      the best single number
    lower, upper  the interval to act on: the likely one where the release has it, else the bounds
    noise         (lower, upper): what the privacy noise alone leaves open
    bounds        (lower, upper): hold the truth wherever in the cut partitions trips lie
    level         of the intervals
    claimed       whether lower..upper is claimed to hold the truth that often: bounds always are, a likely interval
                  where that was measured (docs/internals/intervals.md)
    aligned       whether no partition is cut, so that of one release's count `noise` is the whole story unless
                  `believed`; of a sum over releases it is not
    believed      whether lower..upper weighs counts by what the other counts say, as releases of zones do
    median        of counts over zones: the best guess of this one number, a whole one; estimates are what adds up. None
                  elsewhere
    notes         what a reader should know: clipped at the box's edge, ...
    sides         what was asked of one side: `above` (a probability, or None where the bounds cannot tell), `at_least`,
                  `at_most`; else nothing
    certified     what the probes prove of boxes like this one (`Certified`); None where they prove nothing
    """

    estimate: float
    lower: float
    upper: float
    noise: tuple[float, float]
    bounds: tuple[float, float]
    level: float
    calibrated: bool
    claimed: bool
    aligned: bool
    partitions_cut: int
    unprojected: float
    projected: bool
    believed: bool = False
    notes: tuple[str, ...] = ()
    sides: Sides | None = None
    certified: Certified | None = None
    median: float | None = None

    @staticmethod
    def of(reply: Mapping[str, Any]) -> Answer:
        return Answer(
            estimate=reply["estimate"], lower=reply["lower"], upper=reply["upper"],
            noise=(reply["noise_lower"], reply["noise_upper"]), bounds=(reply["bounds_lower"], reply["bounds_upper"]),
            level=reply["level"], calibrated=reply["calibrated"], claimed=reply["claimed"], aligned=reply["aligned"],
            partitions_cut=reply["partitions_cut"], unprojected=reply["unprojected"], projected=reply["projected"],
            believed=reply["believed"], notes=tuple(reply.get("notes", ())), sides=Sides.of(reply),
            certified=Certified(**reply["certified"]) if "certified" in reply else None, median=reply.get("median"))

    @property
    def interval(self) -> tuple[float, float]:
        return (self.lower, self.upper)

    def __float__(self) -> float:
        return float(self.estimate)

    @property
    def kind(self) -> str:
        """What `interval` is: bounds, or likely, which may not be claimed; or of listed cells alone."""
        if not self.calibrated and not self.claimed:
            return "listed cells alone"
        return "bounds" if not self.calibrated else "likely" if self.claimed else "likely, not claimed"

    def __repr__(self) -> str:
        text = f"Answer({figure(self.estimate)}, {figure(self.lower)} to {figure(self.upper)} ({100 * self.level:g} %, {self.kind}))"
        text += "" if self.sides is None else f"\n  {self.sides}"
        return text + "".join(f"\n  note: {note}" for note in self.notes)

    def _repr_html_(self) -> str:
        return _html.answer(self)


@dataclass(frozen=True)
class Share:
    """A share of trips: `share` of `whole` is `part`. None where the whole is 0."""

    share: float | None
    lower: float
    upper: float
    level: float
    claimed: bool
    part: Answer
    whole: Answer
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return float("nan") if self.share is None else float(self.share)

    def __repr__(self) -> str:
        if self.share is None:
            return "Share(of nothing)"
        return f"Share({figure(100 * self.share)} %, {figure(100 * self.lower)} to {figure(100 * self.upper)} % ({100 * self.level:g} %{'' if self.claimed else ', not claimed'}))"

    def _repr_html_(self) -> str:
        return _html.share(self)


@dataclass(frozen=True)
class Comparison:
    """The same question to two releases; `difference` is second less first, `ratio` second by first."""

    first: Answer
    second: Answer
    difference: Answer
    ratio: Ratio
    notes: tuple[str, ...] = ()
    sides: Sides | None = None

    def _repr_html_(self) -> str:
        return _html.comparison(self)


@dataclass(frozen=True)
class Difference:
    """Two questions to one release; `difference` is count less minus, `ratio` count by minus."""

    count: Answer
    minus: Answer
    difference: Answer
    ratio: Ratio
    notes: tuple[str, ...] = ()
    sides: Sides | None = None

    def __float__(self) -> float:
        return float(self.difference.estimate)

    def _repr_html_(self) -> str:
        return _html.difference(self)


class _Frame:
    """What every table of results can become."""

    def columns(self) -> dict[str, Any]:
        raise NotImplementedError

    def df(self) -> Any:
        """As a pandas DataFrame."""
        return need("pandas", "df()").DataFrame(self.columns())

    def pl(self) -> Any:
        """As a Polars DataFrame."""
        return need("polars", "pl()").DataFrame(self.columns())

    def arrow(self) -> Any:
        """As a pyarrow Table."""
        return need("pyarrow", "arrow()").table(self.columns())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.arrow().__arrow_c_stream__(requested_schema)


def _maybe(reply: Mapping[str, Any] | None) -> Answer | None:
    return None if reply is None else Answer.of(reply)


def _place(region: Any) -> str:
    """A region of a reply's `where`, as it would be typed."""
    if isinstance(region, str):
        return region
    if isinstance(region, Mapping) and len(region) == 1:
        (name, value), = region.items()
        if name == "zone":
            return str(value)
        if isinstance(value, Sequence) and not isinstance(value,
                                                          str) and all(isinstance(v, (int, float)) for v in value):
            return f"{name}:" + ",".join(f"{v:.12g}" for v in value)
        if isinstance(value, (str, int, float)):
            return f"{name}:{value}"
        if name == "category":
            return ",".join(str(label) for label in value)
    return str(region)


@dataclass(frozen=True)
class Row:
    """One row of a table: where, how many, and which share of the table's total (`rate`: of those at that place). Where
    releases are compared, `second` and `difference` (second less first). `names` are short: a zone's, or a tile's such
    as B3."""

    where: Mapping[str, Any] = field(repr=False)
    places: tuple[str, ...]
    answer: Answer
    share: float | None
    rate: float | None = None
    second: Answer | None = None
    difference: Answer | None = None
    names: tuple[str, ...] = ()


    def figures(self) -> tuple[float, ...]:
        """What is shown of it: trips and their interval; of two releases both, and the difference with its interval."""
        shown = self.answer if self.difference is None else self.difference
        before = () if self.second is None else (self.answer.estimate, self.second.estimate)
        return (*before, shown.estimate, shown.lower, shown.upper)


@dataclass(frozen=True)
class Table(_Frame, Sequence[Row]):
    """Rows of places with answers, the largest first."""

    title: str
    stops: tuple[str, ...]
    rows: tuple[Row, ...]
    total: Answer
    notes: tuple[str, ...] = ()

    @staticmethod
    def all_of(reply: Mapping[str, Any]) -> tuple[Table, ...]:
        made = []
        total = Answer.of(reply["total"])
        for table in reply["tables"]:
            stops = tuple(table["stops"])
            rows = tuple(
                Row(row["where"], tuple(_place(row["where"].get(stop, "anywhere")) for stop in stops), Answer.of(row),
                    row.get("share"), row.get("rate"), _maybe(row.get("second")), _maybe(row.get("difference")),
                    tuple(row["names"].get(stop, "anywhere") for stop in stops))
                for row in table["rows"])
            made.append(Table(table.get("title", ""), stops, rows, total, tuple(reply.get("notes", ()))))
        return tuple(made)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def columns(self) -> dict[str, Any]:
        found: dict[str, Any] = {stop: [row.places[i] for row in self.rows] for i, stop in enumerate(self.stops)}
        for name in ("estimate", "lower", "upper"):
            found[name] = np.array([getattr(row.answer, name) for row in self.rows], dtype=float)
        found["noise_lower"] = np.array([row.answer.noise[0] for row in self.rows], dtype=float)
        found["noise_upper"] = np.array([row.answer.noise[1] for row in self.rows], dtype=float)
        found["claimed"] = np.array([row.answer.claimed for row in self.rows], dtype=bool)
        found["share"] = np.array([np.nan if row.share is None else row.share for row in self.rows], dtype=float)
        if any(row.rate is not None for row in self.rows):
            found["rate"] = np.array([np.nan if row.rate is None else row.rate for row in self.rows], dtype=float)
        for side in ("second", "difference"):
            answers = [getattr(row, side) for row in self.rows]
            if answers and answers[0] is not None:
                for name in ("estimate", "lower", "upper"):
                    found[f"{side}_{name}"] = np.array([getattr(a, name) for a in answers], dtype=float)
                found[f"{side}_claimed"] = np.array([a.claimed for a in answers], dtype=bool)
        return found

    def __repr__(self) -> str:
        lines = [self.title or "Table"]
        wide = [max([len(stop), *(len(row.names[i]) for row in self.rows[:20])]) for i, stop in enumerate(self.stops)]
        compared = bool(self.rows) and self.rows[0].difference is not None
        head = "  ".join(stop.ljust(w) for stop, w in zip(self.stops, wide))
        numbers = ("first", "second", "change", "from", "to") if compared else ("trips", "from", "to")
        lines.append(f"  {head}  " + "  ".join(f"{name:>9}" for name in numbers))
        for row in self.rows[:20]:
            places = "  ".join(place.ljust(w) for place, w in zip(row.names, wide))
            lines.append(f"  {places}  " + "  ".join(f"{figure(v):>9}" for v in row.figures()))
        if len(self.rows) > 20:
            lines.append(f"  ... {len(self.rows) - 20} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html.table(self)


@dataclass(frozen=True)
class Tables(Sequence[Table]):
    """One table a stop; by number or by the stop's name."""

    tables: tuple[Table, ...]

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, str):
            for table in self.tables:
                if at in table.stops:
                    return table
            raise KeyError(at)
        return self.tables[at]

    def __repr__(self) -> str:
        return "\n".join(repr(table) for table in self.tables)

    def _repr_html_(self) -> str:
        return "".join(_html.table(table) for table in self.tables)


@dataclass(frozen=True, eq=False)
class Matrix(_Frame):
    """From zones to zones. Arrays have a row for each zone of `from_stop`, a column for each of `to_stop`; `transition`
    is the share of a row's trips (NaN where it has none), `median` what answers over zones have, None elsewhere."""

    from_stop: str
    to_stop: str
    origins: tuple[str, ...]
    destinations: tuple[str, ...]
    estimate: np.ndarray[Any, Any]
    transition: np.ndarray[Any, Any]
    noise_lower: np.ndarray[Any, Any]
    noise_upper: np.ndarray[Any, Any]
    bounds_lower: np.ndarray[Any, Any]
    bounds_upper: np.ndarray[Any, Any]
    lower: np.ndarray[Any, Any]
    upper: np.ndarray[Any, Any]
    total: Answer
    notes: tuple[str, ...] = ()
    compared: Mapping[str, Mapping[str, np.ndarray[Any, Any]]] | None = None
    """Of two releases: arrays by "second" and "difference" (second less first), then "estimate", "lower", ..."""
    median: np.ndarray[Any, Any] | None = None

    @staticmethod
    def of(reply: Mapping[str, Any]) -> Matrix:
        def array(values: Any) -> np.ndarray[Any, Any]:
            made = np.array([[np.nan if v is None else v for v in row] for row in values], dtype=float)
            made.setflags(write=False)
            return made

        names = ("estimate", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper", "lower", "upper")
        compared = {side: {n: array(reply[side][n]) for n in names}
                    for side in ("second", "difference") if side in reply}
        return Matrix(reply["from"], reply["to"], tuple(reply["rows"]), tuple(reply["columns"]),
                      **{n: array(reply[n]) for n in (*names, "transition")},
                      total=Answer.of(reply["total"]), notes=tuple(reply.get("notes", ())), compared=compared or None,
                      median=array(reply["median"]) if "median" in reply else None)

    def columns(self) -> dict[str, Any]:
        """Long: a row for each pair of zones."""
        found: dict[str, Any] = {
            self.from_stop: [o for o in self.origins for _ in self.destinations],
            self.to_stop: [d for _ in self.origins for d in self.destinations],
        }
        for name in ("estimate", "lower", "upper", "noise_lower", "noise_upper", "transition"):
            found[name] = getattr(self, name).ravel()
        if self.median is not None:
            found["median"] = self.median.ravel()
        for side, arrays in (self.compared or {}).items():
            for name in ("estimate", "lower", "upper"):
                found[f"{side}_{name}"] = arrays[name].ravel()
        return found

    def wide(self, values: str = "estimate") -> Any:
        """As a pandas DataFrame with zones as rows and columns."""
        pandas = need("pandas", "wide()")
        return pandas.DataFrame(getattr(self, values), index=pandas.Index(self.origins, name=self.from_stop),
                                columns=pandas.Index(self.destinations, name=self.to_stop))

    def __repr__(self) -> str:
        shape = f"{len(self.origins)} x {len(self.destinations)}"
        return f"Matrix({self.from_stop} to {self.to_stop}, {shape} zones, {figure(self.total.estimate)} trips in the release)"

    def _repr_html_(self) -> str:
        return _html.matrix(self)


@dataclass(frozen=True, eq=False)
class Batch(_Frame):
    """Answers to many boxes: one entry a box in each array."""

    estimate: np.ndarray[Any, Any]
    noise_lower: np.ndarray[Any, Any] | None = None
    noise_upper: np.ndarray[Any, Any] | None = None
    bounds_lower: np.ndarray[Any, Any] | None = None
    bounds_upper: np.ndarray[Any, Any] | None = None
    lower: np.ndarray[Any, Any] | None = None
    upper: np.ndarray[Any, Any] | None = None

    def columns(self) -> dict[str, Any]:
        names = ("estimate", "lower", "upper", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def __len__(self) -> int:
        return len(self.estimate)

    def __iter__(self) -> Iterator[float]:
        return iter(self.estimate)

    def __repr__(self) -> str:
        return f"Batch({len(self):,} answers)"
