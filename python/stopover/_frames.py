"""Rows in memory: whatever can be asked for Arrow's C stream, as a capsule that the library scans without a copy."""

from __future__ import annotations

import contextlib
import csv
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from ._errors import InputError, UsageError


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


@contextlib.contextmanager
def csv_of(data: Any, name: str) -> Iterator[Any]:
    """Names of files and numbers as they are; a frame, or a mapping from zones to factors, as a CSV file for a while."""
    if data is None or is_path(data) or isinstance(data, (int, float)):
        yield data
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".csv")
        if isinstance(data, Mapping):
            with open(path, "w", encoding="utf-8", newline="") as out:
                csv.writer(out).writerows([("zone", "factor"), *data.items()])
        elif hasattr(data, "write_csv"):
            data.write_csv(path)
        elif hasattr(data, "to_csv"):
            data.to_csv(path, index=False)
        else:
            raise UsageError(f"{name}= must be a file's name, a number or a DataFrame, not {type(data).__name__}")
        yield path


def _needs(package: str, why: str) -> UsageError:
    return UsageError(f"{why} needs {package}\n  Install it: pip install {package}")


def _not_handed_over(data: Any, error: Exception) -> InputError:
    why = f"{type(error).__name__}; its own words are above, and may quote rows"
    return InputError(f"the {type(data).__name__} cannot be handed over as an Arrow table\n  {why}.")


def _points(data: Any) -> Any:
    """A GeoDataFrame of points as a DataFrame with lat and lng."""
    kinds = set(data.geometry.geom_type.dropna().unique())
    if kinds - {"Point"}:
        raise InputError(f"the geometry holds {', '.join(sorted(kinds))}, not points alone\n  A row of stops or pings is one point.")
    places = data.geometry if data.crs is None else data.geometry.to_crs(4326)
    frame = data.drop(columns=data.geometry.name)
    for name in ("lat", "lng"):
        if name in frame.columns:
            raise InputError(f"there is a column {name} beside the geometry\n  Drop one of the two.")
    # Without crs the coordinates are taken as they are: degrees.
    return frame.assign(lat=places.y.to_numpy(), lng=places.x.to_numpy())


def stream(data: Any) -> Any:
    """A capsule of Arrow's C stream. Nothing of the coordinates is copied where the frame keeps them as plain
    columns."""
    if hasattr(data, "geometry") and hasattr(data, "to_crs"):
        data = _points(data)
    if hasattr(data, "collect") and not hasattr(data, "__arrow_c_stream__"):  # a lazy Polars frame
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__"):
        try:
            return data.__arrow_c_stream__()
        except ImportError:
            raise _needs("pyarrow", f"reading a {type(data).__name__}") from None
        except Exception as error:
            raise _not_handed_over(data, error) from error
    if type(data).__module__.split(".")[0] == "pandas":
        raise _needs("pandas>=2.2", "reading a DataFrame in memory")
    if isinstance(data, dict):
        try:
            import pyarrow
        except ImportError:
            raise _needs("pyarrow", "reading columns of a dict") from None
        try:
            return pyarrow.table(data).__arrow_c_stream__()
        except Exception as error:
            raise _not_handed_over(data, error) from error
    raise UsageError(
        f"rows cannot be read from {type(data).__name__}\n"
        "  Give a file's name, a pandas, Polars or GeoPandas frame, an Arrow table, or anything with __arrow_c_stream__."
    )
