"""What a curator looks at before and after: forecasts, ledger, mechanisms, evaluation."""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core, _program
from ._answers import _Frame
from ._domain import Domain, given
from ._errors import Error, UsageError, of_code
from ._progress import Progress, finish
from ._publish import Cells
from ._told import Told


class Ledger(Told):
    """What was spent and what is left: `ledger("city.ledger")`."""

    def __init__(self, path: str | os.PathLike[str], state: str | os.PathLike[str] | None = None) -> None:
        data, text = _core.ledger(os.fspath(path), "" if state is None else os.fspath(state))
        super().__init__(json.loads(data), text)

    @property
    def records(self) -> list[dict[str, Any]]:
        """Its records, oldest first: `number`, `kind`, and where there is one `epsilon`, `time`, `mechanism`,
        `release`, `note`."""
        return list(self["records"])

    @property
    def calendar(self) -> list[dict[str, Any]]:
        """Of a ledger of periods, what was `spent` on each `period`, whether it is `closed`, and what it `may_spend`, for
        a year to come; empty for others."""
        return [{**row, "spent": float(row["spent"]), "may_spend": float(row["may_spend"])}
                for row in self.get("periods", [])]

    @property
    def budget(self) -> float:
        """For all time; infinite where a ledger of periods has no such limit."""
        return _limit(self["budget"])

    @property
    def spent(self) -> float:
        return float(self["spent"])

    @property
    def reserved(self) -> float:
        """The part of `spent` that did not end in a release."""
        return float(self["reserved"])

    @property
    def left(self) -> float:
        return _limit(self["left"])


def _limit(text: str) -> float:
    return math.inf if text == "no limit" else float(text)


def protect_process() -> None:
    """From now on this process leaves no core dump, and other processes of the same user can neither trace it nor read
    its memory, where true counts and keys are (RLIMIT_CORE 0 and PR_SET_DUMPABLE 0). The command line does this by
    itself; here the process is yours, so nothing of it is changed unasked. A debugger or profiler then needs root."""
    _core.protect_process()


def ledger(path: str | os.PathLike[str], *, state: str | os.PathLike[str] | None = None) -> Ledger:
    """Reads a ledger: a report of what was spent, and what is left. `state` as of `publish`."""
    return Ledger(path, state)


class Plan(Told):
    """What a release would be good for: `plan(...)`."""


def plan(n: int | None = None, domain: Domain | None = None, *, people: int | None = None,
         trips_per_person: float | None = None, epsilon: float | Sequence[float] | None = None, unit: str | None = None,
         max_trips_per_user: int | None = None, stops: int | None = None, grid: tuple[int, int] | None = None,
         extent_km: float | tuple[float, float] | None = None, mechanism: str | Sequence[str] | None = None,
         query_side: float | Sequence[float] | None = None, formulas: bool = False, refresh: bool = False,
         seed: int | None = None, series: int | None = None, period: str | None = None,
         budget_per_year: float | str | None = None,
         threads: int = 0, progress: Progress = None) -> Plan:
    """What would a release of about `n` trips be good for? Reads no data and spends nothing: `n` is a public guess.

    `people` and `trips_per_person` (on average) instead of `n`: then bounds K of trips per person are compared
    (`["bounds"]`), and the forecast is made with the best of each epsilon, or with max_trips_per_user.
    `series` and `period` (12, "month"): a release for each period, of which `n` is one's; `budget_per_year` instead of
    epsilon is shared by the periods of a year. `["series"]` has what one release of all of them would be good for.
    """
    def several(value: Any) -> Any:
        return value if value is None or isinstance(value, (str, int, float)) else list(value)

    fields = given(n=n, people=people, trips_per_person=trips_per_person, epsilon=several(epsilon),
                   mechanism=several(mechanism),
                    query_side=several(query_side), max_trips_per_user=max_trips_per_user, seed=seed, unit=unit,
                    extent_km=several(extent_km), formulas=formulas, refresh=refresh, series=series, period=period,
                    budget_per_year=budget_per_year)
    if domain is not None:
        declared = domain.fields()
        fields.update({name: declared[name] for name in ("bbox", "grid") if name in declared})
        fields["stops"] = _number_of_stops(domain)
    fields.update(given(stops=stops, grid=several(grid)))
    told = json.loads(finish(_core.start_plan(fields, threads), progress))
    return Plan(told["json"], told["text"])


def _number_of_stops(domain: Domain) -> int:
    fields = domain.fields()
    stops = fields.get("stops", "od")
    if "frames" in fields:
        return str(fields["frames"]).count(",") + 1
    known = {"od": 2, "first": 1, "last": 1, "first-mid-last": 3}
    text = str(stops)
    if text in known:
        return known[text]
    if text.startswith("od+"):
        return 2 + int(text[3:])
    raise UsageError(f"a forecast is for one number of stops, not {text}\n  Say stops=2, for example.")


@dataclass(frozen=True)
class Mechanism:
    """A way to make a release: a row of `mechanisms()`."""

    name: str
    summary: str
    reference: str
    params: tuple[Mapping[str, Any], ...]
    kind: str
    text: str

    def __repr__(self) -> str:
        return self.text.rstrip()


class Mechanisms(dict[str, Mechanism]):
    """All of them, by name."""

    def __repr__(self) -> str:
        return "\n\n".join(repr(m) for m in self.values())


def mechanisms() -> Mechanisms:
    """The ways to make a release, and their parameters."""
    data, texts = _core.mechanisms()
    return Mechanisms({row["name"]: Mechanism(row["name"], row["summary"], row["reference"], tuple(row["params"]),
                                              row["kind"], text)
                       for row, text in zip(json.loads(data), texts)})


@dataclass(frozen=True)
class Evaluation(_Frame):
    """Errors against the truth: private unless the data are synthetic. `df()` gives the long table (data, mechanism,
    epsilon, workload, rep, metric, value; docs/internals/laboratory.md)."""

    path: str | None
    private: bool
    rows: tuple[tuple[Any, ...], ...]
    names: tuple[str, ...]

    def columns(self) -> dict[str, Any]:
        return {name: [row[i] for row in self.rows] for i, name in enumerate(self.names)}

    def __repr__(self) -> str:
        return f"Evaluation({len(self.rows):,} rows{', private: not for release' if self.private else ''})"


def _told_error(code: int, stderr: str) -> BaseException:
    """What a program with --json said last."""
    last = stderr.strip().rpartition("\n")[2]
    try:
        told = json.loads(last)["error"]
        text = "\n  ".join([told["message"], *told["hint"].splitlines()])
    except (ValueError, KeyError, TypeError):
        text = stderr.strip()
    return of_code(code, text) if 0 < code < 131 else Error(text)


def evaluate(data: Cells | str | os.PathLike[str], domain: Domain, *, mechanisms: str | Sequence[str],
             epsilons: Sequence[float] = (0.1, 0.5, 1), workloads: Sequence[str] = ("random", "dcov1", "dcov5",
                                                                                    "dcov10"),
             queries: int = 1000, reps: int = 5, seed: int = 1, max_trips_per_user: int = 1, synthetic: bool = False,
             name: str | None = None, to: str | os.PathLike[str] | None = None, overwrite: bool = False) -> Evaluation:
    """How wrong is each mechanism on these trips? For the curator alone: what comes out is made from true counts.
    `data`: a bare matrix of cells; `domain`: `Domain(shape=...)`. Runs the program stopover-lab that came with this
    package, for it uses keys that can be repeated, and this module has none."""
    path = data.path if isinstance(data, Cells) else os.fspath(data)
    if domain.shape is None:
        raise UsageError("evaluate is for a matrix of cells\n  Give its shape: Domain(shape=(32, 32, 32, 32)).")
    declared = domain.fields()
    with tempfile.TemporaryDirectory(prefix="stopover-") as folder:
        output = os.fspath(to) if to is not None else str(Path(folder, "evaluation.csv"))
        words = ["evaluate", "--matrix", path, "--shape", "x".join(str(cells) for cells in domain.shape),
                 "--mechanisms",
                 mechanisms if isinstance(mechanisms, str) else ",".join(mechanisms), "--epsilons",
                 ",".join(str(e) for e in epsilons), "--workloads", ",".join(workloads), "--queries", str(queries),
                 "--reps", str(reps), "--seed", str(seed), "--max-trips-per-user", str(max_trips_per_user), "--json",
                 "--quiet",
                 "-o", output]
        if "stops" in declared:
            words += ["--stops", ",".join(declared["stops"])]  # type: ignore[arg-type]
        words += ["--synthetic"] * synthetic + ["--overwrite"] * overwrite + (["--name", name] if name else [])
        done = subprocess.run([_program.lab(), *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise _told_error(done.returncode, done.stderr)
        if output.endswith(".csv"):
            with open(output, encoding="utf-8", newline="") as file:
                table = list(csv.reader(line for line in file if not line.startswith("#")))
            names = tuple(table[0])
            rows: list[tuple[Any, ...]] = [tuple(float(v) if name == "value" else v for name, v in zip(names, row))
                                           for row in table[1:]]
        else:
            from ._answers import need

            read = need("pyarrow.parquet", "reading the table back").read_table(output)
            names, rows = tuple(read.column_names), [tuple(row.values()) for row in read.to_pylist()]
        return Evaluation(os.fspath(to) if to is not None else None, not synthetic, tuple(rows), names)
