"""Where a trip is at one stop. A region is a small immutable value; regions are joined with |, & and -."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from ._errors import InputError, UsageError
from ._renamed import renamed

Json = dict[str, Any]


@dataclass(frozen=True)
class Region:
    """A part of a stop, as `docs/guide/answers.md` lists them. Make one with `circle`, `bbox`, `polygon`, `zone`,
    `cells`, `box`, `time`, `category`, `between` or `anywhere`. `a & b` is where both hold, `a | b` where one of them
    does, `a - b` what of `a` is not in `b`."""

    parts: tuple[tuple[str, Any], ...]  # all hold; "any_of" and "but_not" have regions in their JSON

    def __and__(self, other: Region) -> Region:
        return Region(self.parts + other.parts) if isinstance(other, Region) else NotImplemented

    def __or__(self, other: Region) -> Region:
        return self._joined("any_of", other)

    def __sub__(self, other: Region) -> Region:
        return self._joined("but_not", other)

    def _joined(self, how: str, other: Region) -> Region:
        """`a | b | c` is one list of three, as `a - b - c` is."""
        if not isinstance(other, Region):
            return NotImplemented
        before = self.parts[0][1] if len(self.parts) == 1 and self.parts[0][0] == how else [self.json()]
        return Region(((how, [*before, other.json()]),))

    def json(self) -> Json:
        made = [{name: value} for name, value in self.parts]
        return {"all_of": made} if len(made) > 1 else made[0] if made else {}

    def __repr__(self) -> str:
        return _shown(self.json())


def _shown(region: Any) -> str:
    if not region:
        return "anywhere()"
    (name, value), = region.items()
    between = {"all_of": " & ", "any_of": " | ", "but_not": " - "}.get(name)
    if between is None:
        return f"{name}({'...' if name == 'polygon' else json.dumps(value)})"
    inner = (_shown(part) for part in value)
    return between.join(f"({text})" if " " in text and ("&" in text or "|" in text or " - " in text) else text
                        for text in inner)


RegionLike = Union[Region, str, Mapping[str, Any], Sequence[Any]]


@renamed(lon="lng")
def circle(lat: float, lng: float, *, km: float) -> Region:
    """All places within `km` kilometres of a point."""
    return Region((("circle", [float(lat), float(lng), float(km)]),))


def bbox(west: float, south: float, east: float, north: float) -> Region:
    """A box in degrees."""
    return Region((("bbox", [float(west), float(south), float(east), float(north)]),))


def polygon(area: Any) -> Region:
    """An area: GeoJSON (a mapping, a text or a file's name), a shapely geometry, or a GeoDataFrame (all of it
    joined)."""
    return Region((("polygon", geojson(area)),))


def zone(*names: str) -> Region:
    """An area of the question's `zones`, by name; or a label of the stop's axis. Several names: all of them together."""
    if not names:
        raise UsageError("zone() needs a name\n  As in zone(\"Mission\").")
    return Region((("zone", str(names[0]) if len(names) == 1 else [str(name) for name in names]),))


def box(*sides: tuple[int, int]) -> Region:
    """Half-open cells of the stop's axes, in their order: `box((0, 16), (4, 20))`."""
    return Region((("box", [[int(lo), int(hi)] for lo, hi in sides]),))


def cells(*places: tuple[int, int]) -> Region:
    """Single cells."""
    return Region((("cells", [[int(x), int(y)] for x, y in places]),))


def time(*windows: str) -> Region:
    """Hours of an axis of time: `time("06:00-09:30", "22:00-02:00")`."""
    return Region((("time", list(windows)),))


def category(*labels: str) -> Region:
    """Labels of an axis of categories."""
    return Region((("category", list(labels)),))


def between(lo: float, hi: float) -> Region:
    """Coordinates of the stop's one axis of numbers or time."""
    return Region((("range", [float(lo), float(hi)]),))


def anywhere() -> Region:
    """The whole stop."""
    return Region(())


def region_json(region: RegionLike) -> Any:
    if isinstance(region, Region):
        return region.json()
    if isinstance(region, str):
        return region
    if isinstance(region, Mapping):
        return dict(region)
    if hasattr(region, "__geo_interface__"):
        return region_json(polygon(region))
    if isinstance(region, Iterable):
        return [region_json(part) for part in region]
    raise UsageError(f"a region cannot be made of {type(region).__name__}\n  Use circle, bbox, polygon, zone, ...")


def geojson(area: Any) -> Any:
    """GeoJSON of whatever can be an area or zones."""
    if isinstance(area, Mapping):
        return dict(area)
    if hasattr(area, "to_crs") and getattr(area, "crs", None) is not None:
        area = area.to_crs(4326)
    if hasattr(area, "to_json") and hasattr(area, "geometry"):
        return json.loads(area.to_json())
    if hasattr(area, "__geo_interface__"):
        return json.loads(json.dumps(area.__geo_interface__))
    if isinstance(area, (str, os.PathLike)):
        text = os.fspath(area)
        if not text.lstrip().startswith("{"):
            try:
                with open(text, encoding="utf-8") as file:
                    text = file.read()
            except (OSError, UnicodeDecodeError):
                raise InputError(f"cannot read {os.fspath(area)}") from None
        try:
            return json.loads(text)
        except ValueError:
            raise InputError(f"{os.fspath(area)} is not valid JSON\n  It should be GeoJSON with an area.") from None
    raise UsageError(f"an area cannot be made of {type(area).__name__}\n  Give GeoJSON, a file's name, or a shapely geometry.")
