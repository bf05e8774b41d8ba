"""What comes out of a job."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypedDict, TypeVar

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars

    from batchdoku import _batchdoku


class _Rows(Protocol):
    @property
    def columns(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...


R = TypeVar("R", bound=_Rows)


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


class Rows(Generic[R]):
    """Rows that lie in memory.

    Whatever takes Arrow takes this, too, without a copy: `polars.DataFrame(rows)`, `pyarrow.table(rows)`, or the name of
    the variable in a query of DuckDB.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: R) -> None:
        """Not for users: `solve`, `verify` and `read` make rows."""
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, as other programs take them."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._rows)

    @property
    def columns(self) -> list[str]:
        """The names of the columns: those carried along, then ours."""
        return self._rows.columns

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

    def _described(self, counts: list[str]) -> str:
        count = len(self)
        rows = "1 row" if count == 1 else f"{count:,} rows"
        listed = f" ({', '.join(counts)})" if counts else ""
        return f"<batchdoku.{type(self).__name__}: {rows}{listed}>"


class Puzzles(Rows["_batchdoku.Puzzles"]):
    """The puzzles of a file: one row for each record, in their order.

    The columns are `line`, on which the record starts, `puzzle`, `solution` if the file claims some, and `error`: why
    there is no puzzle or no claim, and where.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """The number of rows, and of those with an error."""
        faulty = self._rows.faulty
        return self._described([f"{faulty:,} with an error"] if faulty else [])


class Answers(Rows["_batchdoku.Answers"]):
    """The rows of a job: one for each puzzle, in their order."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The number of rows with each status."""
        return self._described([f"{count:,} {status}" for status, count in self.summary()["statuses"].items() if count])

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


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this takes {name}, which is not installed: pip install {name}", name=name) from error
