"""Pictures of a release, with Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._answers import need
from ._errors import UsageError

if TYPE_CHECKING:
    from ._release import Release


def _tiles(release: Release, stop: str, tiles: int) -> tuple[list[tuple[float, float, float, float]], list[float]]:
    boxes, density = [], []
    for feature in release.geojson(stop, tiles=tiles)["features"]:
        ring = feature["geometry"]["coordinates"][0]
        west, east = min(p[0] for p in ring), max(p[0] for p in ring)
        south, north = min(p[1] for p in ring), max(p[1] for p in ring)
        boxes.append((west, south, east, north))
        density.append(feature["properties"]["estimate"] / ((east - west) * (north - south)))
    return boxes, density


def plot(release: Release, stop: str | None, tiles: int, flows: int, ax: Any) -> Any:
    pyplot = need("matplotlib.pyplot", "plot()")
    patches, collections = need("matplotlib.patches", "plot()"), need("matplotlib.collections", "plot()")
    stops = list(release.stops) if stop is None else [stop]
    if ax is None:
        _, made = pyplot.subplots(1, len(stops), squeeze=False, figsize=(4.2 * len(stops), 4), layout="constrained")
        axes = list(made[0])
    else:
        axes = list(ax) if hasattr(ax, "__len__") else [ax]
    if len(axes) != len(stops):
        raise UsageError(f"{len(stops)} stops are to be drawn, but ax has {len(axes)}")
    for axis, name in zip(axes, stops):
        boxes, density = _tiles(release, name, tiles)
        # The square root shows the quiet places beside the busy ones.
        shades = [max(0.0, value) ** 0.5 for value in density]
        squares = [patches.Rectangle((w, s), e - w, n - s) for w, s, e, n in boxes]
        drawn = collections.PatchCollection(squares, cmap="viridis", edgecolor="none")
        drawn.set_array(shades)
        axis.add_collection(drawn)
        west, south = min(b[0] for b in boxes), min(b[1] for b in boxes)
        east, north = max(b[2] for b in boxes), max(b[3] for b in boxes)
        axis.set(title=name, xlim=(west, east), ylim=(south, north), xlabel="longitude", ylabel="latitude")
        axis.set_aspect(1 / max(0.1, _cosine((south + north) / 2)))
    if flows > 0 and len(release.stops) > 1 and stop is None:
        _arrows(release, axes[0], flows)
    return axes[0] if len(axes) == 1 else axes


def _cosine(degrees: float) -> float:
    from math import cos, radians

    return cos(radians(degrees))


def _arrows(release: Release, axis: Any, flows: int) -> None:
    first, last = release.stops[0], release.stops[-1]
    table = release.top(flows, over=[first, last], tiles=8)
    largest = max((row.answer.estimate for row in table), default=0.0)
    for row in table:
        places = []
        for name in (first, last):
            where = row.where[name]
            west, south, east, north = where["bbox"] if "bbox" in where else _bbox(row.places[table.stops.index(name)])
            places.append(((west + east) / 2, (south + north) / 2))
        if largest > 0 and places[0] != places[1]:
            axis.annotate("", places[1], places[0], arrowprops={
                "arrowstyle": "-|>", "color": "white", "alpha": 0.8, "lw": 0.5 + 3 * row.answer.estimate / largest})


def _bbox(text: str) -> tuple[float, float, float, float]:
    west, south, east, north = (float(part) for part in text.removeprefix("bbox:").split(","))
    return west, south, east, north
