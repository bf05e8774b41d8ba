"""The results of a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars

    from batchdoku import _batchdoku


class _Seeded(TypedDict, total=False):
    #: The seed of `generate`, or of `permute` if `by` is not given, even if it was drawn at random.
    seed: int


class Summary(_Seeded):
    """The figures of a run."""

    #: The number of records. Each has one row or, with `enumerate`, one or more.
    rows: int
    #: The number of records with each of the job's statuses.
    statuses: dict[str, int]
    #: The total number of guesses for all records.
    guesses: int
    #: The time the run took, not counting the conversion of input and output.
    seconds: float
    backend: str
    threads: int


class Rows:
    """Rows in memory.

    Libraries that read Arrow data can use them without copying: `polars.DataFrame(rows)`, `pyarrow.table(rows)`, or the
    variable name in a DuckDB query.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: _batchdoku.Rows) -> None:
        """Not for users: jobs and `read` create rows."""
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as an Arrow stream."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    @property
    def columns(self) -> list[str]:
        """The names of the columns: carried columns first, then the job's own columns."""
        return self._rows.columns

    def to_polars(self) -> polars.DataFrame:
        """Return the rows as a Polars DataFrame."""
        frame: polars.DataFrame = _import("polars").DataFrame(self)
        return frame

    def to_pyarrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`."""
        return _import("pyarrow").table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a pandas DataFrame; needs pyarrow."""
        _import("pandas")
        frame: pandas.DataFrame = self.to_pyarrow().to_pandas()
        return frame

    def __repr__(self) -> str:
        """Return a string with the number of rows, and the number of records with each status."""
        summary = self._rows.summary()
        count, records = len(self), summary["rows"]
        rows = "1 row" if count == 1 else f"{count:,} rows"
        of = f" of {records:,} puzzle{'s' * (records != 1)}" if records != count else ""
        listed = ", ".join(self._counts(summary["statuses"]))
        return f"<batchdoku.{type(self).__name__}: {rows}{of}{listed and f' ({listed})'}>"

    def _counts(self, statuses: dict[str, int]) -> list[str]:
        return [f"{count:,} {status}" for status, count in statuses.items() if count]


class Puzzles(Rows):
    """The puzzles in a file: one row per record, in order.

    The columns are `line` (where the record starts), `puzzle`, `solution` if the file has claimed solutions, and
    `error`, which says where and why a puzzle or claim is missing.
    """

    __slots__ = ()

    def _counts(self, statuses: dict[str, int]) -> list[str]:
        return [f"{count:,} with an error" for count in [statuses["invalid"]] if count]


class Answers(Rows):
    """The rows that a job returns, in order: one per puzzle, or, with `enumerate`, one or more."""

    __slots__ = ("_seed",)

    def __init__(self, rows: _batchdoku.Rows, seed: int | None = None) -> None:
        """Not for users: jobs create answers."""
        super().__init__(rows)
        self._seed = seed

    def summary(self) -> Summary:
        """Return the figures of the run.

        >>> import batchdoku
        >>> summary = batchdoku.solve(["." * 81]).summary()
        >>> summary["rows"], summary["statuses"]["multiple"]
        (1, 1)
        """
        summary: Summary = self._rows.summary()
        return summary if self._seed is None else {**summary, "seed": self._seed}

    def to_numpy(self) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
        """Return the column `solution` as N x 81 digits, 0 where missing; with `verify`, these are the claims."""
        digits = _import("numpy").frombuffer(self._rows.digits(), dtype="uint8")
        array: numpy.ndarray[Any, numpy.dtype[numpy.uint8]] = digits.reshape(-1, 81)
        return array


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}, which is not installed: pip install {name}", name=name) from error
