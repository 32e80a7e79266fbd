"""From rows to a release."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core
from ._domain import Domain, Fields, given
from ._errors import UsageError
from ._frames import is_path, stream
from ._progress import Progress, finish
from ._release import Release
from ._told import Told

@dataclass(frozen=True)
class Cells:
    """A private file: true counts of cells, made by `cells`, by Spark or by `stopover cells`; or a bare matrix of cell
    indices (columns a0, a1, ... and, if a row stands for several trips, count). `publish` takes it. Never shows what is
    in it."""

    path: str

    def __repr__(self) -> str:
        return f"Cells({self.path!r}: private)"


class DryRun(Told):
    """What `publish(..., dry_run=True)` found: true figures, for the curator alone (what --dry-run --json prints). Its
    text is marked private, line by line."""

    @property
    def trips(self) -> int:
        """Private: how many trips would be counted."""
        return int(self["trips"])

    @property
    def left_after(self) -> float:
        """What the ledger would have left."""
        return float(self["left_after"])


class Inspection(Told):
    """What `inspect` found: true figures, for the curator alone (what `stopover inspect --json` prints). Its text is
    marked private, line by line."""


def _columns(named: Mapping[str, Any]) -> Fields:
    """The fields of rows. A point may be a list of names."""
    fields = given(**named)
    if "points" in fields:
        fields["points"] = [point if isinstance(point, str) else ",".join(part or "" for part in point)
                            for point in named["points"]]
    return fields


def _rows(data: Any, fields: Fields) -> Any:
    """Names the source in the fields, or gives the capsule of a table in memory."""
    if is_path(data):
        fields["input"] = os.fspath(data)
        return None
    return stream(data)


def _stem(data: Any) -> str:
    if isinstance(data, Cells):
        data = data.path
    if not is_path(data):
        return "stopover"
    name = Path(os.fspath(data)).name
    stem = re.sub(r"(\.(csv|jsonl|ndjson|parquet))?(\.(gz|zst))?$", "", name)
    return re.sub(r"[^\w.-]+", "_", stem).strip("_") or "stopover"


def cells(data: Any, domain: Domain, to: str | os.PathLike[str], *, unit: str | None = None,
          max_trips_per_user: int | None = None,
          shape_of: str | None = None, user: str | None = None, trip: str | None = None, seq: str | None = None,
          time: str | None = None, lat: str | None = None, lng: str | None = None, points: Sequence[Any] | None = None,
          zone_columns: Sequence[str] | None = None,
          zone_column: str | None = None, overlaps: bool = False,
          time_unit: str | None = None, more_stops: str | None = None, stay_metres: float | None = None,
          stay_minutes: float | None = None, run_gap_hours: float | None = None, cut: str | None = None,
          cut_hours: float | None = None, bound_key: str | None = None, memory_limit: str | None = None,
          since: str | None = None, until: str | None = None, where: str | None = None,
          encoding: str | None = None, delimiter: str | None = None, decimal_comma: bool = False,
          overwrite: bool = False, threads: int = 0, progress: Progress = None, quiet: bool = False,
          private_notes: str = "auto") -> Cells:
    """Rows to bounded, counted cells, in the private file `to` (.parquet), which its owner alone can read. Options as
    of `publish`."""
    fields: Fields = domain.fields()
    fields.update(given(unit=unit, max_trips_per_user=max_trips_per_user))
    fields.update(_columns(dict(
        shape_of=shape_of, user=user, trip=trip, seq=seq, time=time, lat=lat, lng=lng, points=points,
        zone_columns=zone_columns, zone_column=zone_column, overlaps=overlaps,
        time_unit=time_unit,
        more_stops=more_stops, stay_metres=stay_metres, stay_minutes=stay_minutes, run_gap_hours=run_gap_hours, cut=cut,
        cut_hours=cut_hours, bound_key=bound_key, memory_limit=memory_limit, encoding=encoding, delimiter=delimiter,
        decimal_comma=decimal_comma, since=since, until=until, where=where)))
    fields.update(given(output=to, overwrite=overwrite))
    rows = _rows(data, fields)
    finish(_core.start_cells(fields, rows, threads), progress, quiet, private_notes)
    return Cells(os.fspath(to))


def inspect(data: Any, domain: Domain | None = None, *, max_trips_per_user: int | None = None,
            shape_of: str | None = None, user: str | None = None, trip: str | None = None, seq: str | None = None,
            time: str | None = None, lat: str | None = None, lng: str | None = None,
            points: Sequence[Any] | None = None, zone_columns: Sequence[str] | None = None,
            zone_column: str | None = None, overlaps: bool = False,
            time_unit: str | None = None, more_stops: str | None = None, stay_metres: float | None = None,
            stay_minutes: float | None = None, run_gap_hours: float | None = None, cut: str | None = None,
            cut_hours: float | None = None, memory_limit: str | None = None,
            since: str | None = None, until: str | None = None, where: str | None = None,
            threads: int = 0, progress: Progress = None, quiet: bool = False) -> Inspection:
    """What is in these rows? For the curator's eyes: true figures, private. Spends and writes nothing.

    Without a domain: the columns, their types and the patterns of their first values. With one: rows that cannot be
    used and why, trips per user, what a bound of K would keep, trips by number of stops, stays. Options as of
    `publish`.
    """
    fields: Fields = domain.fields() if domain is not None else {}
    fields.update(given(unit=None if max_trips_per_user is None else "user", max_trips_per_user=max_trips_per_user))
    fields.update(_columns(dict(
        shape_of=shape_of, user=user, trip=trip, seq=seq, time=time, lat=lat, lng=lng, points=points,
        zone_columns=zone_columns, zone_column=zone_column, overlaps=overlaps,
        time_unit=time_unit,
        more_stops=more_stops, stay_metres=stay_metres, stay_minutes=stay_minutes, run_gap_hours=run_gap_hours, cut=cut,
        cut_hours=cut_hours, memory_limit=memory_limit, since=since, until=until, where=where)))
    rows = _rows(data, fields)
    told = json.loads(finish(_core.start_inspect(fields, rows, threads), progress, quiet))
    return Inspection(told["json"], told["text"])


def publish(data: Any, domain: Domain | None = None, *, epsilon: float | str, unit: str | None = None,
            max_trips_per_user: int | None = None, to: str | os.PathLike[str] | None = None,
            ledger: str | os.PathLike[str] | None = None, budget: float | str | None = None,
            period: str | None = None, append: bool = False, one_release: bool = False,
            independent: bool = False, day_type: str | Sequence[str] | None = None,
            budget_per_period: float | str | None = None, budget_per_year: float | str | None = None,
            since: str | None = None, until: str | None = None, where: str | None = None, mechanism: str = "auto",
            params: Mapping[str, Any] | None = None, calibrate: bool = True, probe_share: float | None = None,
            borders: str | os.PathLike[str] | None = None, prior: str | os.PathLike[str] | None = None,
            witnesses: Sequence[str | os.PathLike[str]] = (),
            note: str | None = None, description: Mapping[str, str] | None = None,
            sign: str | os.PathLike[str] | None = None, wait: float | None = None,
            state: str | os.PathLike[str] | None = None,
            dry_run: bool = False, expect_trips: int | None = None, accept_total_only: bool = False,
            shape_of: str | None = None, user: str | None = None, trip: str | None = None, seq: str | None = None,
            time: str | None = None, lat: str | None = None, lng: str | None = None,
            points: Sequence[Any] | None = None, zone_columns: Sequence[str] | None = None,
            zone_column: str | None = None, overlaps: bool = False,
            time_unit: str | None = None, more_stops: str | None = None, stay_metres: float | None = None,
            stay_minutes: float | None = None, run_gap_hours: float | None = None, cut: str | None = None,
            cut_hours: float | None = None, bound_key: str | None = None, memory_limit: str | None = None,
            counts_from: str | None = None, temp_folder: str | os.PathLike[str] | None = None,
            engine: str | None = None, spark_master: str | None = None,
            encoding: str | None = None, delimiter: str | None = None, decimal_comma: bool = False,
            threads: int = 0, progress: Progress = None, quiet: bool = False, private_notes: str = "auto") -> Any:
    """Spends budget and writes a release; gives it opened (a dict of them, by name, for several counts of stops or
    periods).

    data      a file, folder or pattern; a pandas, Polars or GeoPandas frame; an Arrow table or anything with
              __arrow_c_stream__ (scanned where it lies); or `Cells`
    domain    the declared lattice; not for cells that carry their own
    epsilon   what this release may cost
    unit      "user" (with max_trips_per_user) or "trip": who is protected. In a series "user-month" and the like
    to        the release to make. Default: NAME.odr in this folder, after the file's name ("stopover.odr" for a frame)
    ledger    the file where these people's budget is kept; must be named, and always the same one for the same people
    budget    all that may ever be spent; required for a new ledger, and only there
    period    a series, a release for each: "month:2019-01..2019-12" (or day, week, quarter), by the column `time`. `to` is
              then a folder, and the ledger one of periods: a new one needs budget_per_period, and may have
              budget_per_year (for any year) and budget (for all time). append: go on with the series that is there.
              one_release: one release of them all, charged to each. independent: each by itself; else a release of
              a grid leans on those of earlier periods, which costs nothing. day_type: "weekday,weekend", of each
              period a release for each, at one price
    since, until    the first and the last day whose rows count ("2019-01-31"), by the column `time`
    where     counts rows of which this is true: DuckDB's SQL over the columns of one row ("kind = 'bike'")
    note      one line to keep in the ledger with this release
    description    what the release says it is, public: {"title": ..., "about": ..., "covers": ..., "credit": ...,
              "licence": ..., "contact": ...}, each a line or left out
    sign      a secret key (a file NAME.key of `new_key`) to sign the release with
    wait      how many seconds to wait while another process holds the ledger; then LockedError. Default: 0
    state     the folder of the ledger's memory, where a ledger that was put back or copied is noticed. Default:
              $XDG_STATE_HOME/stopover, else ~/.local/state/stopover; "none" does without, and says so
    mechanism, params, calibrate, witnesses    as the command line's --mechanism, --param, --no-calibration, --witness
    probe_share    the part of epsilon that buys evidence for intervals, where there are two stops or more (0.05);
                   without `calibrate` there is none
    borders   a public file of areas (GeoJSON, GeoParquet) whose edges the release's cuts follow: better answers between
              them; costs nothing
    prior     a public table of flows (a CSV or Parquet file: o_lat, o_lng, d_lat, d_lng, weight) that a release of a
              grid may lean on, as it may on earlier ones of a series; costs nothing
    dry_run   reads, tells you alone what would be counted and spent (a `DryRun`, private), and does nothing
    expect_trips    how many trips there should be, as you know without the data: a noisy total is asked for first, for
    epsilon/100,
              and the rest is spent only if it is not clearly less. accept_total_only: also where that leaves one
              partition
    zone_columns, zone_column    with Domain(zones=...): the columns of zone ids, of trips one per stop; else rows lie
              in zones by their coordinates. overlaps: zones may overlap
    memory_limit, counts_from, temp_folder    for more trips than memory: "4GB"; "auto" (default), "memory", "stream",
              where cells stay in Parquet files and are passed over, or "spark", where its executors count; the folder
              for what does not fit. Same release
    engine, spark_master    who makes cells of rows: "duckdb" (default) or "spark", which counts them too; its URL
    shape_of  a row is: "stops" (default), "trips" or "pings"; the columns and rules are those of docs/guide/publish.md
    encoding  of a CSV file: "utf-8" (default), "latin1", "windows-1252" or "utf-16"; delimiter: "," (default), ";", "|"
    or "tab" decimal_comma    numbers in texts may be written 37,77

    Everything that can be refused is refused before the budget is touched; from then on epsilon is spent, even if the
    release fails. Ctrl-C stops at the next safe place and leaves no half-written release. What is private is told on
    stderr after `private:`, where stderr is a terminal and not a log or a notebook, which would keep it;
    `private_notes="always"` tells it there too, "never" nowhere. `quiet=True` tells nothing.
    """
    return publish_with(_core, {}, data, domain, epsilon=epsilon, unit=unit, max_trips_per_user=max_trips_per_user,
                        to=to,
                        ledger=ledger, budget=budget, mechanism=mechanism, params=params, calibrate=calibrate,
                        series=dict(period=period, append=append, one_release=one_release, independent=independent,
                                    day_type=day_type if day_type is None or isinstance(day_type, str)
                                    else ",".join(day_type),
                                    budget_per_period=budget_per_period, budget_per_year=budget_per_year),
                        probe_share=probe_share, borders=borders, prior=prior, witnesses=witnesses, dry_run=dry_run,
                        expect_trips=expect_trips,
                        accept_total_only=accept_total_only,
                        note=note, description=description, sign=sign, wait=wait, state=state, threads=threads,
                        progress=progress, quiet=quiet,
                        private_notes=private_notes,
                        columns=dict(shape_of=shape_of, user=user, trip=trip, seq=seq, time=time, lat=lat, lng=lng,
                                     points=points,
                                     zone_columns=zone_columns, zone_column=zone_column, overlaps=overlaps,
                                     time_unit=time_unit, more_stops=more_stops, stay_metres=stay_metres,
                                     stay_minutes=stay_minutes, run_gap_hours=run_gap_hours, cut=cut,
                                     cut_hours=cut_hours,
                                     bound_key=bound_key, memory_limit=memory_limit, counts_from=counts_from,
                                     temp_folder=temp_folder, engine=engine, spark_master=spark_master,
                                     encoding=encoding,
                                     delimiter=delimiter,
                                     decimal_comma=decimal_comma, since=since, until=until, where=where))


def publish_with(core: Any, more: Fields, data: Any, domain: Domain | None, *, epsilon: float | str, unit: str | None,
                 max_trips_per_user: int | None, to: Any, ledger: Any, budget: float | str | None, mechanism: str,
                 params: Mapping[str, Any] | None, calibrate: bool, witnesses: Sequence[Any], threads: int,
                 progress: Progress, quiet: bool, columns: Mapping[str, Any], note: str | None = None,
                 description: Mapping[str, str] | None = None, wait: float | None = None, sign: Any = None,
                 state: Any = None, private_notes: str = "auto",
                 dry_run: bool = False, expect_trips: int | None = None, accept_total_only: bool = False,
                 borders: Any = None, prior: Any = None, probe_share: float | None = None,
                 series: Mapping[str, Any] | None = None) -> Any:
    """publish by one of the two extension modules; tests use the other one."""
    fields: Fields = domain.fields() if domain is not None else {}
    fields.update(given(unit=unit, max_trips_per_user=max_trips_per_user))
    fields.update(_columns(columns))
    stops = fields.get("stops")
    several = domain is not None and domain.shape is None and isinstance(stops, list) and len(stops) > 1
    fields.update(given(**(series or {})))
    several = several or ("period" in fields and "one_release" not in fields)
    output = os.fspath(to) if to is not None else _stem(data) + ("" if several else ".odr")
    if ledger is None:
        raise UsageError("ledger is required: the file where these people's budget is kept\n  One for all that is ever published about "
                         'them, whatever the folder: ledger="/srv/city/city.ledger". A new one needs its total, once: budget=2.')
    fields.update(given(epsilon=epsilon, mechanism=mechanism, output=output, ledger=ledger, budget=budget, note=note,
                        sign=sign, wait=wait, borders=borders, prior=prior, probe_share=probe_share,
                         state=state, witnesses=list(witnesses) or None, expect_trips=expect_trips,
                         accept_total_only=accept_total_only,
                         params=[f"{name}={value}" for name, value in params.items()] if params else None))
    if not calibrate:
        fields["calibrate"] = False
    for name, text in (description or {}).items():
        if name not in ("title", "about", "covers", "credit", "licence", "contact"):
            raise UsageError(f"a description has no \"{name}\"\n  It has title, about, covers, credit, licence and contact.")
        fields[name] = text
    fields.update(more)
    rows = None
    if isinstance(data, Cells):
        fields["matrix"] = data.path
        if domain is not None and domain.shape is None:
            for name in ("timezone", "axes", "trip_axes"):
                fields.pop(name, None)
    else:
        rows = _rows(data, fields)
    told = json.loads(finish(core.start_publish(fields, rows, dry_run, threads), progress, quiet, private_notes))
    if dry_run:
        return DryRun(told["json"], told["text"])
    if not quiet:
        print(f"note: {told['release']} is published. Protected: {told['who']}", file=sys.stderr)
    return _opened(told, threads)


def _opened(told: Mapping[str, Any], threads: int) -> Any:
    if "periods" in told:
        return {one["period"]: _opened(one, threads) for one in told["periods"]}
    if "parts" in told:
        return {Path(path).stem: Release(path, threads=threads) for path in told["parts"]}
    return Release(told["release"], threads=threads)
