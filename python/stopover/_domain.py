"""The declared lattice."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from ._errors import UsageError

Stops = Union[str, int, Sequence[Union[str, int]], Mapping[str, str]]


# What the fields of a job may be: the compiled half reads them.
Field = Union[bool, int, float, str, list[float], list[str]]
Fields = dict[str, Field]


def given(**values: Any) -> Fields:
    """The fields that were given: paths as texts, numbers and lists as they are."""
    fields: Fields = {}
    for name, value in values.items():
        if value is None or value is False:
            continue
        if isinstance(value, (list, tuple)):
            fields[name] = [os.fspath(part) if isinstance(part, os.PathLike) else part for part in value]
        else:
            fields[name] = os.fspath(value) if isinstance(value, os.PathLike) else value
    return fields


@dataclass(frozen=True)
class Domain:
    """Where trips are counted: declared by the curator, never taken from the data.

    bbox   (west, south, east, north) in degrees, or the name of a public GeoJSON file of zones whose box it is
    grid   (columns, rows) of every stop's map
    stops  which stops of a trip count, and how they are called:
             "od" (default), "od+1", "first-mid-last", "first", "last"   as the command line's --stops
             ["home", "work", "evening"]                                 trips with so many stops, in order, by these
             names {"morning": "05:00-10:00", "night": "22:00-28:00"}          where someone was in windows of the day
             (2, 3)                                                      counts of stops; each becomes a release
    axes   more axes of every stop: "time-of-day", "time-of-day:48", "weekday", "category:purpose=home,work,*"
    trip_axes  axes of the trip: "hour:start=0-6,6-9,9-16,16-19,19-24", "daytype:start", "category:member=casual,member"
    zones  instead of bbox and grid, a public file of zones: areas (GeoJSON, GeoParquet), stations (CSV of id, lat,
           lng), H3 cells or names; zone_id: the property or column of their ids; levels: properties or columns that
           group them, the smallest first
    timezone  of days, windows and hours

    For a bare matrix of cell indices: `Domain(shape=(32, 32, 32, 32))`, with `stops` naming groups of axes and `bbox`
    if they are a map's.
    """

    bbox: tuple[float, float, float, float] | str | None = None
    grid: tuple[int, int] | None = None
    stops: Stops = "od"
    axes: tuple[str, ...] = ()
    timezone: str = "UTC"
    shape: tuple[int, ...] | None = None
    zones: str | os.PathLike[str] | None = None
    zone_id: str | None = None
    levels: tuple[str, ...] = ()
    trip_axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        def fix(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        if self.bbox is not None and not isinstance(self.bbox, str):
            fix("bbox", tuple(self.bbox))
            if len(self.bbox or ()) != 4:
                raise UsageError(f"bbox must be (west, south, east, north) in degrees, not {self.bbox!r}")
        if self.grid is not None:
            fix("grid", (self.grid, self.grid) if isinstance(self.grid, int) else tuple(self.grid))
        for name in ("axes", "trip_axes", "levels"):
            value = getattr(self, name)
            fix(name, (value,) if isinstance(value, str) else tuple(value))
        if self.shape is not None:
            fix("shape", tuple(int(cells) for cells in self.shape))
        if isinstance(self.stops, Mapping):
            fix("stops", _Frames(self.stops))
        elif not isinstance(self.stops, (str, int)):
            fix("stops", tuple(self.stops))

    def fields(self) -> Fields:
        """As the fields of a job."""
        found: Fields = {}
        if isinstance(self.bbox, str):
            found["bbox" if self.bbox == "auto" else "bbox_from"] = self.bbox
        elif self.bbox is not None:
            found["bbox"] = [float(edge) for edge in self.bbox]
        if self.shape is not None:
            found["shape"] = [float(cells) for cells in self.shape]
            if isinstance(self.stops, tuple):
                found["stops"] = [str(name) for name in self.stops]
            elif self.stops != "od":
                raise UsageError("stops of a bare matrix are a list of names\n  As in stops=['origin', 'destination'].")
            return found
        if self.grid is not None:
            found["grid"] = [float(cells) for cells in self.grid]
        found.update(given(zones=self.zones, zone_id=self.zone_id, levels=list(self.levels) or None,
                           axes=list(self.axes) or None, trip_axes=list(self.trip_axes) or None))
        found["timezone"] = self.timezone
        if isinstance(self.stops, _Frames):
            found["stops"] = "frames"
            found["frames"] = ",".join(f"{name}={window}" for name, window in self.stops.items())
        elif isinstance(self.stops, (str, int)):
            found["stops"] = str(self.stops)
        elif all(isinstance(stop, int) for stop in self.stops):
            found["stops"] = [str(count) for count in self.stops]
        else:
            names = [str(stop) for stop in self.stops]
            found["stops"] = "first" if len(names) == 1 else "od" if len(names) == 2 else f"od+{len(names) - 2}"
            found["stop_names"] = names
        return found


class _Frames(dict[str, str]):
    """A mapping that stays as it is, so that a Domain can be a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def __setitem__(self, *_: object) -> None:
        raise TypeError("a Domain does not change")
