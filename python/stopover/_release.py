"""A release: public, on disk, to be asked for ever."""

from __future__ import annotations

import html
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._answers import Answer, Batch, Comparison, Difference, Matrix, Ratio, Share, Sides, Table, Tables, need
from ._domain import given
from ._errors import UsageError
from ._frames import csv_of, is_path
from ._progress import Progress, StopoverWarning, finish
from ._regions import RegionLike, geojson, region_json
from ._renamed import renamed


def question_json(where: Mapping[str, RegionLike], rest: Mapping[str, Any]) -> dict[str, Any]:
    """A question as it is asked: members that are None or False are left out, regions are written as JSON."""
    question: dict[str, Any] = {name: value for name, value in rest.items() if value is not None
                                and value is not False}
    if where:
        question["where"] = {stop: region_json(region) for stop, region in where.items()}
    for name in ("any_stop", "no_stop", "in_order"):
        if name in question:
            question[name] = region_json(question[name])
    if "minus" in question:
        question["minus"] = {stop: region_json(region) for stop, region in question["minus"].items()}
    if "zones" in question:
        question["zones"] = geojson(question["zones"])
    return question


def export_to(path: str, kind: str, to: str | os.PathLike[str], *, overwrite: bool = False, layer: str | None = None,
              top: int | None = None, tiles: int | None = None, zones: Any = None, zone_name: str | None = None,
              overlaps: bool = False, summary: bool = False, at_least: float | None = None, start: str | None = None,
              end: str | None = None, draws: int | None = None, n: int | None = None, seed: int | None = None,
              where: Mapping[str, RegionLike] | None = None, estimates: str | None = None, integers: bool = False,
              fix_totals: Any = None, expand: Any = None, hours: str | None = None, mode: str | None = None,
              sparse: bool = False, threads: int = 0, progress: Progress = None, quiet: bool = False) -> dict[str, Any]:
    """An export of the release or the series at `path`."""
    named = zones if zones is None or is_path(zones) else geojson(zones)
    fields = given(release=path, output=to, overwrite=overwrite, layer=layer, top=top, tiles=tiles,
                   zones=named if named is None or isinstance(named, (str, os.PathLike)) else json.dumps(named),
                   zone_name=zone_name, overlaps=overlaps, summary=summary, at_least=at_least, to=end, draws=draws,
                   n=n, seed=seed, estimates=estimates, integers=integers, hours=hours, mode=mode, sparse=sparse,
                   stop=[f"{stop}={region if isinstance(region, str) else json.dumps(region_json(region))}"
                          for stop, region in where.items()] if where else None)
    fields["as"] = kind
    if start is not None:
        fields["from"] = start
    with csv_of(fix_totals, "fix_totals") as totals, csv_of(expand, "expand") as factors:
        fields.update(given(fix_totals=totals, expand=factors))
        told: dict[str, Any] = json.loads(finish(_core.start_export(fields, threads), progress, quiet))
    return told


class Release:
    """A published release. Open one with `open_release("city.odr")`; `publish` gives one too. Nothing here costs
    budget."""

    __slots__ = ("_info", "_open", "_path", "_domain")

    def __init__(self, path: str | os.PathLike[str], *, threads: int = 0) -> None:
        self._path = os.fspath(path)
        self._open = _core.OpenRelease.open(self._path, threads)
        self._info: dict[str, Any] = json.loads(self._open.info())
        self._domain: dict[str, Any] = json.loads(self._open.domain())
        if self.superseded:
            by = f"superseded by release {self.superseded['by'][:12]}" if self.superseded["by"] else "withdrawn"
            warnings.warn(f"{self._path} was {by}: {self.superseded['why']}", StopoverWarning, stacklevel=3)
        if not self.is_private:
            warnings.warn(f"{self._path} is not private: {self._info['not_private']}", StopoverWarning, stacklevel=3)

    # What it is.

    @property
    def path(self) -> str:
        return self._path

    @property
    def info(self) -> dict[str, Any]:
        """What `stopover info --json` prints."""
        return json.loads(self._open.info())  # type: ignore[no-any-return]

    @property
    def card(self) -> str:
        """What `stopover info` prints: what it promises, what not, what is in it."""
        return str(self._open.card())

    def info_as(self, form: str, *, url: str | None = None) -> str:
        """The release told in another form, as `stopover info --as` does: "markdown" or "html" (the guarantee card with
        answers to NIST SP 800-226's points), "dcat" (JSON-LD for data portals), "registry" (YAML for the Differential
        Privacy Deployments Registry). `url`: where the release can be had. Warns of what nobody declared and the form
        asks for."""
        text, missing = self._open.info_as(form, url or "")
        for what in missing:
            warnings.warn(f"missing: {what}", StopoverWarning, stacklevel=2)
        return text

    @property
    def is_private(self) -> bool:
        """Whether the guarantee holds: False for a release made with a key that can be repeated, which protects
        nobody."""
        return bool(self._info["private"])

    @property
    def randomness(self) -> str:
        """Where its noise came from: "system", "repeatable:NAME" or "not told"."""
        return str(self._info["randomness"])

    @property
    def epsilon(self) -> float:
        return float(self._info["epsilon"])

    @property
    def mechanism(self) -> str:
        return str(self._info["mechanism"])

    @property
    def unit(self) -> str:
        return str(self._info["unit"])

    @property
    def stops(self) -> tuple[str, ...]:
        return tuple(stop["name"] for stop in self._domain["stops"])

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._info["shape"])

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(axis["name"] for axis in self._domain["axes"])

    @property
    def domain(self) -> dict[str, Any]:
        """The declared lattice: axes and stops."""
        return json.loads(self._open.domain())  # type: ignore[no-any-return]

    def verify(self, *, accept_test_key: bool = False,
               signed_by: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
               heads: str | os.PathLike[str] = "") -> None:
        """Checks everything again; raises `CheckFailedError` with the reason. A release made with a key that can be
        repeated passes only with `accept_test_key`. `signed_by`: public keys (files NAME.pub, or their second line),
        each of which must have signed it. `heads`: a file of published heads of the ledger, one of which must be its."""
        keys = [signed_by] if isinstance(signed_by, (str, os.PathLike)) else list(signed_by)
        _core.verify(self._path, accept_test_key, [os.fspath(key) for key in keys], os.fspath(heads))

    @property
    def signed_by(self) -> tuple[str, ...]:
        """Names of the keys that signed it; `verify(signed_by=...)` checks whether they did."""
        return tuple(self._info["signed_by"])

    @property
    def superseded(self) -> dict[str, Any] | None:
        """`by` (content hash of the release that replaces it, "" where it was withdrawn), `why`, `date`, `signed_by`;
        None where it stands."""
        return self._info.get("superseded")

    def sign(self, key: str | os.PathLike[str]) -> str:
        """Adds a signature with a secret key (a file NAME.key of `new_key`); the key's name."""
        name = _core.sign(self._path, os.fspath(key))
        self._reread()
        return name

    def supersede(self, by: Release | str | os.PathLike[str] | None, why: str, *,
                  key: str | os.PathLike[str] | None = None) -> None:
        """Leaves a note that another release replaces this one, or, with None, that it is withdrawn; `why`: one line.
        With `key` the note is signed."""
        other = by._path if isinstance(by, Release) else "" if by is None else os.fspath(by)
        _core.supersede(self._path, other, why, "" if key is None else os.fspath(key))
        self._reread()

    def _reread(self) -> None:
        self._open = _core.OpenRelease.open(self._path, 0)
        self._info = json.loads(self._open.info())

    def pack(self, to: str | os.PathLike[str], *, overwrite: bool = False) -> str:
        """Writes the release as one file, by custom NAME.odrz, which opens wherever the folder does; its path."""
        path = os.fspath(to)
        _core.pack(self._path, path, overwrite)
        return path

    @property
    def upgraded_from(self) -> str | None:
        """The content hash that it had in format 1, for one that `upgrade` rewrote; else None."""
        return self._info.get("upgraded_from")

    def upgrade(self, to: str | os.PathLike[str]) -> Release:
        """Rewrites a release of format 1 as a folder of format 2, which keeps the old content hash and signatures;
        gives it opened. This one stays as it is."""
        path = os.fspath(to)
        _core.upgrade(self._path, path)
        return Release(path)

    def __repr__(self) -> str:
        who = "trip" if self.unit == "trip" else f"user with at most {self._info['k']} trips"
        promise = f"epsilon {self.epsilon:g} per {who}" if self.is_private else f"NOT PRIVATE: {self._info['not_private']}"
        return (f"Release({self._path!r}: {' > '.join(self.stops)}, {'x'.join(str(n) for n in self.shape)} cells, "
                f"{self._info['partitions']:,} partitions, {self.mechanism}, {promise})")

    # Questions.

    def ask(self, question: Mapping[str, Any], *, compare: Release | None = None) -> dict[str, Any]:
        """A question as docs/guide/answers.md writes it, and its reply: the road below all the others."""
        reply = self._open.ask(json.dumps(question), None if compare is None else compare._open)
        return json.loads(reply)  # type: ignore[no-any-return]

    def _question(self, where: Mapping[str, RegionLike], rest: Mapping[str, Any]) -> dict[str, Any]:
        return question_json(where, rest)

    def count(self, where: Mapping[str, RegionLike] | None = None, /, *, zones: Any = None,
              zone_name: str | None = None,
              box: str | None = None, range: str | None = None, level: float | None = None,
              estimates: str | None = None,
              compare: Release | None = None, any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
              in_order: RegionLike | None = None, minus: Mapping[str, RegionLike] | None = None,
              above: float | None = None, at_least: bool = False, at_most: bool = False, **stops: RegionLike) -> Any:
        """How many trips: `rel.count(home=circle(40.73, -74.1, km=1), evening=bbox(...))`. Stops that are not named may
        be anywhere. Stops whose name is not a Python word, or one of the options', go into a mapping:
        `rel.count({"via-1": ...})`.
        Over stops, here and in the tables below: `any_stop=` in the region at one stop at least, `no_stop=` at none (a
        list: each of them), `in_order=[a, b]` in `a` and at a later stop in `b`.
        With `compare=` another release: a `Comparison`. With `minus={"origin": ...}`, other regions: a `Difference`, how
        many more and how many times as many. `above=100`: how sure one may be that it is more; `at_least=True`,
        `at_most=True`: one end by itself; all three are in `sides` of what comes back, of a difference about that."""
        asked = self._question({**(where or {}), **stops}, dict(
            any_stop=any_stop, no_stop=no_stop, in_order=in_order, zones=zones, zone_name=zone_name,
            box=box, range=range, level=level, estimates=estimates, minus=minus, at_least=at_least, at_most=at_most))
        if above is not None:  # 0 is a number of trips
            asked["above"] = above
        reply = self.ask(asked, compare=compare)
        if compare is None and minus is None:
            return Answer.of(reply)
        difference, ratio, sides = Answer.of(reply["difference"]), Ratio.of(reply["ratio"]), Sides.of(reply)
        notes = tuple(reply.get("notes", ()))
        if minus is None:
            return Comparison(Answer.of(reply["first"]), Answer.of(reply["second"]), difference, ratio, notes, sides)
        return Difference(Answer.of(reply["count"]), Answer.of(reply["minus"]), difference, ratio, notes, sides)

    def share(self, where: Mapping[str, RegionLike] | None = None, /, *, of: Mapping[str, RegionLike] | None = None,
              zones: Any = None,
              zone_name: str | None = None, level: float | None = None, any_stop: RegionLike | None = None,
              no_stop: RegionLike | None = None, in_order: RegionLike | None = None, **stops: RegionLike) -> Share:
        """Which share of all trips, or of those in the regions of `of`: those of them that are in the regions, so that
        no share is above 1."""
        asked = self._question({**(where or {}), **stops}, dict(ask="share", any_stop=any_stop, no_stop=no_stop,
                                                                in_order=in_order, zones=zones, zone_name=zone_name,
                                                                level=level))
        if of is not None:
            asked["of"] = {stop: region_json(region) for stop, region in of.items()}
        reply = self.ask(asked)
        return Share(reply["share"], reply["share_lower"], reply["share_upper"], reply["level"], reply["claimed"],
                     Answer.of(reply["part"]),
                     Answer.of(reply["whole"]), tuple(reply.get("notes", ())))

    def top(self, k: int = 10, where: Mapping[str, RegionLike] | None = None, /, *, over: list[str] | None = None,
            zones: Any = None,
            zone_name: str | None = None, tiles: int | None = None, level: float | None = None, together: bool = False,
            overlaps: bool = False, any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
            in_order: RegionLike | None = None, compare: Release | None = None, **stops: RegionLike) -> Table:
        """The `k` largest combinations of zones (or tiles of the map) over the stops `over`; with `compare=` another
        release, those that differ most."""
        asked = self._question({**(where or {}), **stops}, dict(
            ask="top", any_stop=any_stop, no_stop=no_stop, in_order=in_order, top=int(k),
            stops=over, zones=zones, zone_name=zone_name, tiles=tiles, level=level,
            together=together,
            overlaps=overlaps))
        return Table.all_of(self.ask(asked, compare=compare))[0]

    def given(self, stop: str, where: Mapping[str, RegionLike] | None = None, /, *, k: int | None = None,
              over: list[str] | None = None,
              zones: Any = None, zone_name: str | None = None, tiles: int | None = None, level: float | None = None,
              together: bool = False, overlaps: bool = False, any_stop: RegionLike | None = None,
              no_stop: RegionLike | None = None, in_order: RegionLike | None = None, **stops: RegionLike) -> Tables:
        """The other stops of those who are in a region at `stop`: `rel.given("home", home=circle(...))`; or, with
        regions at other stops, where those come from: `rel.given("home", work=circle(...))`."""
        asked = self._question({**(where or {}), **stops}, dict(
            ask="given", any_stop=any_stop, no_stop=no_stop, in_order=in_order, given=stop,
            top=k, stops=over, zones=zones, zone_name=zone_name, tiles=tiles, level=level,
            together=together,
            overlaps=overlaps))
        return Tables(Table.all_of(self.ask(asked)))

    def totals(self, where: Mapping[str, RegionLike] | None = None, /, *, k: int | None = None,
               over: list[str] | None = None, zones: Any = None, zone_name: str | None = None, tiles: int | None = None,
               level: float | None = None, together: bool = False, overlaps: bool = False,
               any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
               in_order: RegionLike | None = None, compare: Release | None = None, **stops: RegionLike) -> Tables:
        """Every stop by itself, by zones or tiles; `k`: the largest alone. With `compare=` another release: rows of
        both, and how they differ."""
        asked = self._question({**(where or {}), **stops}, dict(
            ask="totals", any_stop=any_stop, no_stop=no_stop, in_order=in_order, top=k, stops=over, zones=zones,
            zone_name=zone_name, tiles=tiles, level=level, together=together, overlaps=overlaps))
        return Tables(Table.all_of(self.ask(asked, compare=compare)))

    def to_zones(self, zones: Any = None, where: Mapping[str, RegionLike] | None = None, /, *, start: str | None = None,
                 end: str | None = None,
                 zone_name: str | None = None, level: float | None = None, together: bool = False,
                 overlaps: bool = False, any_stop: RegionLike | None = None, no_stop: RegionLike | None = None,
                 in_order: RegionLike | None = None, compare: Release | None = None, **stops: RegionLike) -> Matrix:
        """From every zone to every zone, from stop `start` (the first) to stop `end` (the last). Zones: GeoJSON (a
        mapping, a text, a file's name) or a GeoDataFrame; without, the release's own, or tiles. With `compare=` another
        release: `compared` has its numbers and the differences."""
        asked = self._question({**(where or {}), **stops}, {
            "ask": "matrix", "any_stop": any_stop, "no_stop": no_stop, "in_order": in_order, "from": start, "to": end, "zones": zones, "zone_name": zone_name, "level": level,
            "together": together,
            "overlaps": overlaps})
        return Matrix.of(self.ask(asked, compare=compare))

    def transition(self, zones: Any, where: Mapping[str, RegionLike] | None = None, /, *, start: str | None = None,
                   end: str | None = None,
                   **options: Any) -> Any:
        """Of those at a zone of `start`, the share that goes to each zone of `end`: a pandas DataFrame whose rows sum
        to at most 1."""
        return self.to_zones(zones, where, start=start, end=end, **options).wide("transition")

    def count_boxes(self, boxes: Any, *, estimates: str = "consistent", level: float = 0.95,
                    intervals: bool = True) -> Batch:
        """Many boxes at once. `boxes`: whole numbers, a row per box, with lo and hi of each axis in half-open cells (n
        x 2d); or a mapping (or frame) of columns `AXIS_lo`, `AXIS_hi`, where an axis without columns is taken whole."""
        return Batch(**self._open.answer_boxes(self._boxes(boxes), estimates, level, intervals))

    def _boxes(self, boxes: Any) -> np.ndarray[Any, Any]:
        if hasattr(boxes, "columns") or isinstance(boxes, Mapping):
            names = [str(name) for name in (boxes.keys() if isinstance(boxes, Mapping) else boxes.columns)]
            known = [f"{axis}_{end}" for axis in self.axes for end in ("lo", "hi")]
            for name in names:
                if name not in known:
                    raise UsageError(f"batch column \"{name}\" is none of {', '.join(known)}")
            columns = {name: np.asarray(boxes[name]) for name in names}
            rows = len(next(iter(columns.values()))) if columns else 0
            made = np.empty((rows, len(known)), dtype=np.int64)
            for at, name in enumerate(known):
                axis, end = divmod(at, 2)
                other = known[at ^ 1]
                if (name in columns) != (other in columns):
                    missing = other if name in columns else name
                    raise UsageError(f"batch column \"{missing}\" is missing beside \"{name if name in columns else other}\"")
                made[:, at] = _whole(columns[name], name) if name in columns else self.shape[axis] * end
            return made
        array = np.asarray(boxes)
        if array.ndim != 2:
            raise UsageError(f"boxes must be a table of n rows and {2 * len(self.shape)} columns, not of shape {array.shape}")
        return np.ascontiguousarray(_whole(array, "boxes"))

    # As tables, maps, pages.

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(self._open.tables())

    def columns(self, table: str | int = 0) -> dict[str, np.ndarray[Any, Any]]:
        """A table of the release as NumPy arrays, named as in its Parquet file (docs/internals/release_format.md)."""
        names = self.tables
        if isinstance(table, str):
            if table not in names:
                raise UsageError(f"there is no table {table}\n  The release has {', '.join(names)}.")
            table = names.index(table)
        if not 0 <= table < len(names):
            raise UsageError(f"there is no table {table}\n  The release has {len(names)}.")
        found = dict(self._open.columns(table))
        found["leaf"] = found["leaf"].view(np.bool_)
        return found

    def _rows(self, table: str | int, leaves: bool) -> dict[str, np.ndarray[Any, Any]]:
        columns = self.columns(table)
        return {name: values[columns["leaf"]] for name, values in columns.items()} if leaves else columns

    def df(self, table: str | int = 0, *, leaves: bool = True) -> Any:
        """The boxes of a table as a pandas DataFrame: the leaves, or all measurements."""
        return need("pandas", "df()").DataFrame(self._rows(table, leaves))

    def pl(self, table: str | int = 0, *, leaves: bool = True) -> Any:
        """The same as a Polars DataFrame."""
        return need("polars", "pl()").DataFrame(self._rows(table, leaves))

    def arrow(self, table: str | int = 0, *, leaves: bool = True) -> Any:
        """The same as a pyarrow Table."""
        return need("pyarrow", "arrow()").table(self._rows(table, leaves))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def _stop(self, stop: int | str) -> str:
        names = self.stops
        if isinstance(stop, int) and -len(names) <= stop < len(names):
            return names[stop]
        if stop in names:
            return str(stop)
        raise UsageError(f"there is no stop {stop}\n  The release has {', '.join(names)}.")

    @renamed(parts="tiles")
    def geojson(self, stop: int | str = 0, *, tiles: int = 32) -> dict[str, Any]:
        """The map of a stop that tiles it, with what the release answers for each tile; `tiles`: so many per side where
        the release has no map of its own."""
        layer = json.loads(self._open.stops(tiles))
        name = self._stop(stop)
        layer["features"] = [f for f in layer["features"] if f["properties"]["stop"] == name]
        return layer  # type: ignore[no-any-return]

    @renamed(parts="tiles")
    def gdf(self, stop: int | str = 0, *, tiles: int = 32) -> Any:
        """The same as a GeoDataFrame."""
        geopandas = need("geopandas", "gdf()")
        return geopandas.GeoDataFrame.from_features(self.geojson(stop, tiles=tiles)["features"], crs=4326)

    @renamed(parts="tiles")
    def plot(self, stop: int | str | None = None, *, tiles: int = 32, flows: int = 0, ax: Any = None) -> Any:
        """Trips per square kilometre at each stop, or at one, with Matplotlib, where 99 % of the trips are; `flows`: so
        many of the largest, as arrows between stops. Gives the axes."""
        from ._plot import plot

        return plot(self, None if stop is None else self._stop(stop), tiles, flows, ax)

    def export(self, kind: str, to: str | os.PathLike[str], *, overwrite: bool = False, layer: str | None = None,
               top: int | None = None, tiles: int | None = None, zones: Any = None, zone_name: str | None = None,
               overlaps: bool = False, summary: bool = False, at_least: float | None = None, start: str | None = None,
               end: str | None = None, draws: int | None = None, n: int | None = None, seed: int | None = None,
               where: Mapping[str, RegionLike] | None = None, estimates: str | None = None, integers: bool = False,
               fix_totals: Any = None, expand: Any = None, hours: str | None = None,
               mode: str | None = None, sparse: bool = False,
               threads: int = 0, progress: Progress = None, quiet: bool = False) -> dict[str, Any]:
        """Turns the release into something else, in the file or folder `to`: one of the kinds in
        docs/guide/exports.md, as "csv". Costs nothing. Gives what was written: `output`, `files`, and figures.

        `zones` may be a file's name, GeoJSON, a GeoDataFrame or "h3:8" (cells of H3); `where` are regions at stops, as in `count`;
        `start` and `end` name two stops. `fix_totals` is a CSV
        file's name or a DataFrame (zone, origins, destinations), `expand` a number, a mapping from zones to factors, or
        a file's name or DataFrame (zone, factor). The rest are the command line's flags. Every export carries
        the guarantee card, inside the file or beside it (FILE.card.json).
        """
        return export_to(self._path, kind, to, overwrite=overwrite, layer=layer, top=top, tiles=tiles, zones=zones,
                         zone_name=zone_name, overlaps=overlaps, summary=summary, at_least=at_least, start=start,
                         end=end, draws=draws, n=n, seed=seed, where=where, estimates=estimates, integers=integers,
                         fix_totals=fix_totals, expand=expand, hours=hours, mode=mode, sparse=sparse, threads=threads,
                         progress=progress, quiet=quiet)

    def html(self) -> str:
        """The explorer's page: one text that works offline (docs/guide/explorer.md)."""
        return str(self._open.page())

    def explore(self, *, height: int = 640, to: str | os.PathLike[str] | None = None) -> Any:
        """The explorer inline in a notebook. `to`: write the page to a file instead."""
        page = self.html()
        if to is not None:
            with open(to, "x", encoding="utf-8") as file:
                file.write(page)
            return os.fspath(to)
        return Page(page, height, self._path)

    def _repr_html_(self) -> str:
        warning = "" if self.is_private else _banner(self._info["not_private"])
        return f"{warning}<pre>{html.escape(self.card)}</pre>"


def _banner(words: str) -> str:
    style = "border-left:4px solid #b3261e;background:#fbe9e7;color:#5f1410;padding:.5em .8em;font-weight:600"
    return f'<p style="{style}">No privacy: {html.escape(words)}</p>'


class Page:
    """The explorer's page, shown by notebooks in a frame of its own."""

    def __init__(self, page: str, height: int, name: str) -> None:
        self._page, self._height, self._name = page, height, name

    @property
    def html(self) -> str:
        return self._page

    def _repr_html_(self) -> str:
        page = html.escape(self._page, quote=True)
        return (f'<iframe title="{html.escape(self._name, quote=True)}" srcdoc="{page}" sandbox="allow-scripts allow-downloads" '
                f'style="width:100%;height:{int(self._height)}px;border:0"></iframe>')

    def __repr__(self) -> str:
        return f"Page({self._name!r}, {len(self._page):,} characters; shown in a notebook)"


def _whole(values: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    if values.dtype.kind == "f" and np.array_equal(values, np.floor(values)):
        return values.astype(np.int64)
    raise UsageError(f"{what} must be whole numbers, half-open cells, not {values.dtype}")


@dataclass(frozen=True)
class NewKey:
    """A key to sign with: its files, its name, and the public key in one line."""

    secret: str
    public: str
    name: str
    line: str


def new_key(name: str | os.PathLike[str]) -> NewKey:
    """Makes a key to sign releases with: the files NAME.key, which nobody else may have, and NAME.pub, which everybody
    should."""
    return NewKey(*_core.new_key(os.fspath(name)))


def open_release(path: str | os.PathLike[str], *, threads: int = 0) -> Release:
    """Opens a release (a folder `NAME.odr`, or one file `NAME.odrz`) and makes sure that it is whole."""
    return Release(path, threads=threads)
