"""Pictures of a release, with Matplotlib."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ._answers import need
from ._errors import UsageError

if TYPE_CHECKING:
    from ._release import Release


# The explorer's colours (web/src/style.css, --d0 to --d5), so that a figure and the page look alike.
_RAMP = ["#e6ede8", "#cfe2de", "#a3cac5", "#6daaa8", "#388483", "#0c5457"]
_INK, _FLOW, _SEA, _LAND = "#44606b", "#d9822b", "#e3eaec", "#f1eee7"
_KM = 111.195  # of a degree of latitude


def _tiles(release: Release, stop: str, tiles: int) -> tuple[list[tuple[float, float, float, float]], list[float]]:
    """Boxes in degrees, and trips per square kilometre."""
    boxes, density = [], []
    for feature in release.geojson(stop, tiles=tiles)["features"]:
        ring = feature["geometry"]["coordinates"][0]
        west, east = min(p[0] for p in ring), max(p[0] for p in ring)
        south, north = min(p[1] for p in ring), max(p[1] for p in ring)
        boxes.append((west, south, east, north))
        area = _KM * _KM * (east - west) * (north - south) * max(0.01, _cosine((south + north) / 2))
        density.append(feature["properties"]["estimate"] / area)
    return boxes, density


def _view(maps: list[tuple[list[tuple[float, float, float, float]], list[float]]]) -> tuple[float, float, float, float]:
    """The box that holds 99 % of the trips along each axis, over all stops, with a margin; at most the release's."""
    weighed = [(box, value * (box[2] - box[0]) * (box[3] - box[1])) for boxes, density in maps
               for box, value in zip(boxes, density) if value > 0]
    every = [box for boxes, _ in maps for box in boxes]
    whole = (min(b[0] for b in every), min(b[1] for b in every), max(b[2] for b in every), max(b[3] for b in every))
    total = sum(trips for _, trips in weighed)
    if total <= 0:
        return whole

    def reach(side: int, sign: int) -> float:
        passed = 0.0
        for edge, trips in sorted(((sign * box[side], trips) for box, trips in weighed)):
            passed += trips
            if passed >= 0.005 * total:
                return sign * edge
        return whole[side]

    west, south, east, north = reach(0, 1), reach(1, 1), reach(2, -1), reach(3, -1)
    margin = 0.1 * max(east - west, north - south)
    return (max(whole[0], west - margin), max(whole[1], south - margin), min(whole[2], east + margin),
            min(whole[3], north + margin))


def _line(steps: list[int]) -> tuple[list[float], list[float]]:
    """A line of the ground: the first point as it is, then steps."""
    return ([x / 1e4 for x in accumulate(steps[::2])], [y / 1e4 for y in accumulate(steps[1::2])])


def _draw_ground(axis: Any, ground: Any) -> None:
    """Sea and land under the boxes, coast, borders and the largest towns over them."""
    if ground is None:
        return
    path, patches = need("matplotlib.path", "plot()"), need("matplotlib.patches", "plot()")
    axis.set_facecolor(_SEA)
    corners, codes = [], []
    for x, y in map(_line, ground["land"]):
        corners += [*zip(x, y), (x[0], y[0])]
        codes += [path.Path.MOVETO, *[path.Path.LINETO] * (len(x) - 1), path.Path.CLOSEPOLY]
        axis.plot(x, y, color=_INK, lw=0.7, zorder=3)
    if corners:
        axis.add_patch(patches.PathPatch(path.Path(corners, codes), fc=_LAND, ec="none", zorder=0))
    for x, y in map(_line, ground["borders"]):
        axis.plot(x, y, color=_INK, lw=0.5, ls=(0, (3, 3)), zorder=3)
    west, east = axis.get_xlim()
    south, north = axis.get_ylim()
    inside = [p for p in ground["places"] if west < p[1] < east and south < p[2] < north]
    for name, lon, lat in inside[:3]:
        axis.annotate(name, (lon, lat), ha="center", va="center", fontsize=8, color="#1b2b30", zorder=5,
                      bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.7})


def plot(release: Release, stop: str | None, tiles: int, flows: int, ax: Any) -> Any:
    pyplot, colors = need("matplotlib.pyplot", "plot()"), need("matplotlib.colors", "plot()")
    patches, collections = need("matplotlib.patches", "plot()"), need("matplotlib.collections", "plot()")
    stops = list(release.stops) if stop is None else [stop]
    if ax is None:
        figure, made = pyplot.subplots(1, len(stops), squeeze=False, figsize=(4.2 * len(stops) + 0.6, 4),
                                       layout="constrained")
        axes = list(made[0])
    else:
        axes = list(ax) if hasattr(ax, "__len__") else [ax]
        figure = axes[0].figure
    if len(axes) != len(stops):
        raise UsageError(f"{len(stops)} stops are to be drawn, but ax has {len(axes)}")
    maps = [_tiles(release, name, tiles) for name in stops]
    # One scale for all stops, over three powers of ten below the fullest box: what is emptier is see-through.
    most = max((value for _, density in maps for value in density), default=0.0)
    scale = colors.LogNorm(vmin=most / 1000, vmax=most) if most > 0 else colors.LogNorm(vmin=1, vmax=10)
    ramp = colors.LinearSegmentedColormap.from_list("stopover", _RAMP)
    west, south, east, north = _view(maps)
    ground = json.loads(release._open.ground())
    for axis, name, (boxes, density) in zip(axes, stops, maps):
        shown = [(box, value) for box, value in zip(boxes, density) if value > scale.vmin]
        squares = [patches.Rectangle((w, s), e - w, n - s) for (w, s, e, n), _ in shown]
        drawn = collections.PatchCollection(squares, cmap=ramp, norm=scale, edgecolor="none", alpha=0.9, zorder=2)
        drawn.set_array([value for _, value in shown])
        axis.add_collection(drawn)
        axis.set(title=name, xlim=(west, east), ylim=(south, north), xlabel="longitude", ylabel="latitude")
        axis.locator_params(axis="x", nbins=3)
        axis.set_aspect(1 / max(0.1, _cosine((south + north) / 2)))
        _draw_ground(axis, ground)
        axis.set(xlim=(west, east), ylim=(south, north))
        if axis is axes[-1]:
            figure.colorbar(drawn, ax=axes, label="trips per km\u00b2", shrink=0.8)
    if flows > 0 and len(release.stops) > 1 and stop is None:
        _arrows(release, axes[0], flows)
    return axes[0] if len(axes) == 1 else axes


def _cosine(degrees: float) -> float:
    from math import cos, radians

    return cos(radians(degrees))


def _arrows(release: Release, axis: Any, flows: int) -> None:
    first, last = release.stops[0], release.stops[-1]
    table = release.top(flows, over=[first, last], tiles=32)
    largest = max((row.answer.estimate for row in table), default=0.0)
    for row in table:
        places = []
        for name in (first, last):
            where = row.where[name]
            west, south, east, north = where["bbox"] if "bbox" in where else _bbox(row.places[table.stops.index(name)])
            places.append(((west + east) / 2, (south + north) / 2))
        if largest > 0 and places[0] != places[1]:
            axis.annotate("", places[1], places[0], arrowprops={
                "arrowstyle": "-|>", "color": _FLOW, "alpha": 0.9, "lw": 0.5 + 3 * row.answer.estimate / largest})


def _bbox(text: str) -> tuple[float, float, float, float]:
    west, south, east, north = (float(part) for part in text.removeprefix("bbox:").split(","))
    return west, south, east, north
