"""Cells from a Spark DataFrame: the plan that DuckDB runs, run by Spark where the rows are.

    cells = stopover.spark.cells(df, domain, to="cells.parquet", unit="user", max_trips_per_user=4) rel =
    stopover.publish(cells, epsilon=1.0, ledger="city.ledger", budget=2.0)
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _core
from ._answers import need
from ._domain import Domain, Fields, given
from ._errors import InputError, UsageError
from ._publish import Cells, _columns

# What the plan's SQL takes for granted (spark/cells.py sets the same).
_SETTINGS = {"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "false", "spark.sql.caseSensitive": "true"}


@contextmanager
def _settings(spark: Any) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in _SETTINGS}
    for name, value in _SETTINGS.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)


def _empty_table(df: Any) -> Any:
    """A table without rows that has the frame's columns, as Spark itself would hand them to Arrow; what has no
    counterpart is left out."""
    pyarrow, types = need("pyarrow", "spark.cells()"), need("pyspark.sql.types", "spark.cells()")
    known = {types.StringType: pyarrow.string(), types.DoubleType: pyarrow.float64(),
             types.FloatType: pyarrow.float32(),
             types.LongType: pyarrow.int64(), types.IntegerType: pyarrow.int32(), types.ShortType: pyarrow.int16(),
             types.ByteType: pyarrow.int8(), types.BooleanType: pyarrow.bool_(), types.DateType: pyarrow.date32(),
             types.TimestampType: pyarrow.timestamp("us", tz="UTC"), types.TimestampNTZType: pyarrow.timestamp("us")}
    fields = []
    for field in df.schema.fields:
        made = known.get(type(field.dataType))
        if isinstance(field.dataType, types.DecimalType):
            made = pyarrow.decimal128(field.dataType.precision, field.dataType.scale)
        if made is not None:
            fields.append(pyarrow.field(field.name, made))
    if not fields:
        raise InputError("the Spark frame has no column of a type that can be read")
    return pyarrow.schema(fields).empty_table()


@functools.lru_cache(maxsize=1)
def _zones_of(text: str) -> Any:
    """Of a worker, for all its tasks."""
    return _core.ZoneLookup(text)


def add_zone_lookup(spark: Any, zones: str) -> None:
    """Gives SQL the function zone_at(lng, lat): the number of the zone that a place lies in, else null. `zones` is the
    text of a plan's member of that name. Executors need this package, NumPy and pandas."""
    functions = need("pyspark.sql.functions", "Spark")
    series: Any = need("pandas", "zones by coordinates on Spark").Series
    sent = spark.sparkContext.broadcast(zones)

    def zone_at(batches: Any) -> Any:
        import numpy
        import pandas

        from stopover.spark import _zones_of

        lookup = _zones_of(sent.value)
        for lng, lat in batches:
            places = [numpy.ascontiguousarray(column, dtype=numpy.float64) for column in (lng, lat)]
            numbers = lookup.numbers(*places)
            yield pandas.Series(pandas.arrays.IntegerArray(numbers.astype("int32"), numbers < 0))

    # Spark reads from these that batches come one after the other.
    many: Any = Iterator
    pair: Any = tuple
    zone_at.__annotations__ = {"batches": many[pair[series, series]], "return": many[series]}
    spark.udf.register("zone_at", functions.pandas_udf(zone_at, "int"))


def cells(df: Any, domain: Domain, to: str | os.PathLike[str], *, unit: str | None = None,
          max_trips_per_user: int | None = None,
          shape_of: str | None = None, user: str | None = None, trip: str | None = None, seq: str | None = None,
          time: str | None = None, lat: str | None = None, lng: str | None = None, points: Sequence[Any] | None = None,
          time_unit: str | None = None, more_stops: str | None = None, stay_metres: float | None = None,
          stay_minutes: float | None = None, run_gap_hours: float | None = None, cut: str | None = None,
          cut_hours: float | None = None, bound_key: str | None = None, decimal_comma: bool = False,
          scratch: str | os.PathLike[str] | None = None,
          overwrite: bool = False) -> Cells:
    """The private cells of a Spark DataFrame, as `stopover.cells` makes them of a file: cell by cell the same. Spark
    counts; what it counted is gathered in the file `to` (.parquet) on the driver's machine. `scratch`: a folder that
    driver and executors both see, for the counts on their way (default: a temporary one)."""
    output = os.fspath(to)
    if not output.endswith(".parquet"):
        raise UsageError(f"cells are Parquet: name the output .parquet, not {output}")
    fields: Fields = domain.fields()
    fields.update(given(unit=unit, max_trips_per_user=max_trips_per_user, output=output, overwrite=overwrite))
    fields.update(_columns(dict(
        shape_of=shape_of, user=user, trip=trip, seq=seq, time=time, lat=lat, lng=lng, points=points,
        time_unit=time_unit,
        more_stops=more_stops, stay_metres=stay_metres, stay_minutes=stay_minutes, run_gap_hours=run_gap_hours, cut=cut,
        cut_hours=cut_hours, bound_key=bound_key, decimal_comma=decimal_comma)))
    empty = _empty_table(df)
    plan = json.loads(_core.spark_plan(fields, empty.__arrow_c_stream__()))
    spark = df.sparkSession
    private = _core.PrivateFolder(_core.temporary_place() if scratch is None else os.fspath(scratch), "stopover-spark-")
    folder = private.path()
    views = ["source", *(step["name"] for step in plan["steps"])]
    try:
        with _settings(spark):
            names = ["`" + column["name"].replace("`", "``") + "`" for column in plan["source"]["views"][0]["columns"]]
            df.select(*names).createOrReplaceTempView("source")
            if "zones" in plan:
                add_zone_lookup(spark, plan["zones"])
            for step in plan["steps"]:
                spark.sql(step["sql"]).createOrReplaceTempView(step["name"])
            spark.table("cells").write.mode("overwrite").parquet(os.path.join(folder, "cells"))
        _core.adopt_cells(fields, empty.__arrow_c_stream__(), os.path.join(folder, "cells"))
    finally:
        for view in views:
            spark.catalog.dropTempView(view)
        private.remove()
    return Cells(output)
