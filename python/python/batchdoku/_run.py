"""Runs jobs in memory, from file to file, and on Spark."""

from __future__ import annotations

import functools
import glob
import importlib
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from batchdoku import _batchdoku
from batchdoku._answers import Answers, Summary
from batchdoku._data import read
from batchdoku._options import F, takes

Path: TypeAlias = "str | os.PathLike[str]"
Paths: TypeAlias = "Path | Sequence[Path]"

#: The jobs on columns, by name.
JOBS: dict[str, Any] = {}


def job(options: Any) -> Callable[[F], F]:
    """Declares a job on columns that takes the options of a TypedDict."""

    def decorate(function: F) -> F:
        JOBS[function.__name__] = takes(options)(function)
        return JOBS[function.__name__]  # type: ignore[no-any-return]

    return decorate


def run(name: str, data: Any, options: Mapping[str, Any], beside: _batchdoku.Data | None = None) -> Answers:
    """Runs a job on a column or a table, or one of `JOBS` on a Spark DataFrame, which returns another DataFrame."""
    # If pyspark has not been imported, `data` cannot be one of its DataFrames.
    pyspark = sys.modules.get("pyspark.sql")
    if pyspark is not None and isinstance(data, pyspark.DataFrame) and name in JOBS:
        job = functools.partial(run, name)
        frame: Any = importlib.import_module("batchdoku.spark").run(job, data, options)
        return frame  # type: ignore[no-any-return]
    solution = options.get("solution")
    if solution is not None and not isinstance(solution, str):
        beside, solution = read(solution, "solution"), None
    data = read(data, "data", [options["column"], solution])
    rows = _batchdoku.run(name, data, beside, {**options, "solution": solution})
    warn(rows.notes, 5)
    return Answers(rows, options["seed"] if name == "permute" else None)


def run_file(name: str, path: Paths, out: Paths, options: Mapping[str, Any]) -> Summary:
    """Runs a job that reads and writes files."""
    outs = [os.fsdecode(one) for one in ([out] if isinstance(out, (str, os.PathLike)) else out)]
    summary, notes = _batchdoku.run_file(name, named(path, *outs), outs, options)
    warn(notes, 5)
    seeded: Summary = {**summary, "seed": options["seed"]} if name == "permute" and options["by"] is None else summary
    return seeded


def warn(notes: list[str], depth: int) -> None:
    """Issues the notes as warnings, attributed to the caller `depth` levels up."""
    for note in notes:
        warnings.warn(note, RuntimeWarning, stacklevel=depth)


def named(paths: Paths, *outs: Path) -> list[str]:
    """Returns the named files. A pattern stands for the files it matches except `outs`, in natural order."""
    found: list[str] = []
    left_out = {os.path.abspath(os.fsdecode(out)) for out in outs}
    for path in map(os.fsdecode, [paths] if isinstance(paths, (str, os.PathLike)) else paths):
        if os.path.lexists(path) or not glob.has_magic(path):
            found.append(path)
            continue
        matches = [match for match in glob.glob(path, recursive=True) if os.path.isfile(match)]
        matches = sorted((match for match in matches if os.path.abspath(match) not in left_out), key=_natural)
        if not matches:
            raise FileNotFoundError(f"{path}: no file matches the pattern")
        found += matches
    if not found:
        raise ValueError("there are no files (expected at least one)")
    return found


def _natural(path: str) -> list[tuple[int, str]]:
    """Returns a sort key for paths that compares digits as numbers."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"([0-9]+)", path)]
