"""stopover: origin-destination matrices with intermediate stops, published under differential privacy.

    import stopover as so dom = so.Domain(bbox=(-74.42, 40.40, -73.59, 41.03), grid=(1000, 1000), stops=["home", "work",
    "evening"]) rel = so.publish("trips.parquet", dom, epsilon=1.0, unit="user", max_trips_per_user=4,
    ledger="city.ledger", budget=2.0) rel.count(home=so.circle(40.73, -74.10, km=1), evening=so.bbox(-74.02, 40.70,
    -73.95, 40.78)) rel.df(); rel.gdf(stop=0); rel.explore()

The same library as the command line, with the same names, texts and digits. docs/guide/python.md is the tour.
"""

from ._answers import Answer, Batch, Certified, Comparison, Difference, Matrix, Ratio, Row, Share, Sides, Table, Tables
from ._core import version as __version__
from ._curator import Evaluation, Ledger, Mechanism, Plan, evaluate, ledger, mechanisms, plan, protect_process
from ._domain import Domain
from ._errors import (CheckFailedError, DiskFullError, Error, InputError, Interrupted, LockedError, OutputExistsError,
                      RefusedError,
                      UsageError)
from ._progress import StopoverWarning
from ._publish import Cells, DryRun, Inspection, cells, inspect, publish
from ._regions import Region, anywhere, bbox, between, box, category, circle, polygon, time, zone
from ._regions import cells as single_cells
from ._release import NewKey, Page, Release, new_key, open_release
from ._series import (Change, ChangedRow, ChangedTable, Changes, PeriodTables, Series, Shares, Sum, Timeline, Trend,
                      open_series)

__all__ = [
    "Answer", "Batch", "Cells", "Certified", "Change", "ChangedRow", "ChangedTable", "Changes", "CheckFailedError", "Comparison", "Difference", "DiskFullError", "Domain", "DryRun", "Error",
    "Evaluation", "InputError",
    "Inspection", "Interrupted", "Ledger", "LockedError", "Matrix", "Mechanism", "NewKey", "OutputExistsError", "Page", "PeriodTables", "Plan",
    "Ratio", "RefusedError", "Region", "Release", "Row", "Series", "Share", "Shares", "Sides",
    "StopoverWarning", "Sum", "Table", "Tables", "Timeline", "Trend", "UsageError", "anywhere", "bbox", "between", "box", "category", "cells",
    "circle",
    "evaluate", "inspect", "ledger", "mechanisms", "new_key", "open_release", "open_series", "plan", "polygon", "protect_process", "publish",
    "single_cells", "time", "zone", "__version__",
]
