"""What comes out of a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars

    from batchdoku import _batchdoku


class Summary(TypedDict):
    """The figures of a run."""

    rows: int
    #: How many rows have each status that the job knows.
    statuses: dict[str, int]
    #: Guesses of all rows together.
    guesses: int
    #: From the start to the end of the run, without the ways in and out.
    seconds: float
    backend: str
    threads: int


class Answers:
    """The rows of a job: one for each puzzle, in their order.

    Whatever takes Arrow takes this, too, without a copy: `polars.DataFrame(answers)`, `pyarrow.table(answers)`, or the
    name of the variable in a query of DuckDB.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: _batchdoku.Answers) -> None:
        """Not for users: `solve` and `verify` make answers."""
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, as other programs take them."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._rows)

    def __repr__(self) -> str:
        """The number of rows with each status."""
        counts = [f"{count:,} {status}" for status, count in self.summary()["statuses"].items() if count]
        count = len(self)
        rows = "1 row" if count == 1 else f"{count:,} rows"
        return f"<batchdoku.Answers: {rows}{' (' if counts else ''}{', '.join(counts)}{')' if counts else ''}>"

    @property
    def columns(self) -> list[str]:
        """The names of the columns: those carried along, then ours."""
        return self._rows.columns

    def summary(self) -> Summary:
        """The figures of the run.

        >>> import batchdoku
        >>> summary = batchdoku.solve(["." * 81]).summary()
        >>> summary["rows"], summary["statuses"]["multiple"]
        (1, 1)
        """
        return self._rows.summary()

    def to_numpy(self) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
        """The column `solution` as N x 81 digits, 0 where there is none; of `verify` it is what is claimed."""
        digits = _import("numpy").frombuffer(self._rows.digits(), dtype="uint8")
        array: numpy.ndarray[Any, numpy.dtype[numpy.uint8]] = digits.reshape(-1, 81)
        return array

    def to_polars(self) -> polars.DataFrame:
        """The rows as a frame of Polars."""
        frame: polars.DataFrame = _import("polars").DataFrame(self)
        return frame

    def to_pyarrow(self) -> Any:
        """The rows as a `pyarrow.Table`."""
        return _import("pyarrow").table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a frame of pandas, by way of pyarrow."""
        _import("pandas")
        frame: pandas.DataFrame = self.to_pyarrow().to_pandas()
        return frame


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this takes {name}, which is not installed: pip install {name}", name=name) from error
