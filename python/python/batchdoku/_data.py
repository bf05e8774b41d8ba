"""The types of puzzles and solutions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from batchdoku import _batchdoku

if TYPE_CHECKING:
    import numpy


class ArrowStream(Protocol):
    """A table or a column from Polars, pandas, pyarrow, DuckDB or any other library that provides Arrow data."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArray(Protocol):
    """A column or a record batch in one piece."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


Column: TypeAlias = "Iterable[str | int | None] | numpy.ndarray[Any, Any] | ArrowStream | ArrowArray"
"""Puzzles or solutions: an iterable of str or int, a numpy array (N x 81 or N x 9 x 9, 0 is blank), or Arrow data."""

Table: TypeAlias = "ArrowStream | ArrowArray"
"""Named columns, as Arrow data."""

EXPECTED = (
    "expected a list or another iterable of str, a numpy array of integers (N x 81 or N x 9 x 9), or a column or table"
    " of Polars, pandas, pyarrow, DuckDB or anything else with __arrow_c_stream__ or __arrow_c_array__"
)


def read(data: Column | Table, what: str, names: Iterable[str | None] = ()) -> _batchdoku.Data:
    """Converts `data` for Rust; `what` is its name in messages, and `names` are the column names that were given."""
    data = _with_texts(data, {name.lower() for name in (*names, *_batchdoku.COLUMNS) if name is not None})
    if (stream := getattr(data, "__arrow_c_stream__", None)) is not None:
        return _batchdoku.Data.from_stream(stream())
    if (array := getattr(data, "__arrow_c_array__", None)) is not None:
        return _batchdoku.Data.from_array(*array())
    # If numpy has not been imported, `data` cannot be one of its arrays.
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(data, numpy.ndarray):
        return _read_numpy(numpy, data, what)
    # A str, bytes or a mapping can be iterated over, but is not a column.
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes, bytearray, memoryview, Mapping)):
        return _batchdoku.Data.from_texts(iter(data))
    raise TypeError(f"{what} is of type {type(data).__name__} ({EXPECTED})")


def _with_texts(data: Any, names: set[str]) -> Any:
    """Turns puzzles that became Python integers in a pandas DataFrame or Series back into text, with leading zeros.

    In other columns, integers that Arrow cannot hold become text without leading zeros.
    """
    # If Polars has not been imported, `data` cannot be one of its frames.
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.DataFrame):
        # Only Polars has 128-bit integers; such columns are never puzzles.
        wide = [name for name, dtype in data.schema.items() if str(dtype) in ("Int128", "UInt128")]
        return data.with_columns(polars.col(wide).cast(polars.String)) if wide else data
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return data
    if isinstance(data, pandas.DataFrame):
        old = [data.iloc[:, at] for at in range(data.shape[1])]
        widths = [81 if str(name).lower() in names else 0 for name in data.columns]
        new = [_texts_of_numbers(pandas, series, width) for series, width in zip(old, widths)]
        if any(one is not other for one, other in zip(old, new)):
            data = pandas.concat(new, axis=1)
    elif isinstance(data, pandas.Series):
        data = _texts_of_numbers(pandas, data, 81)
    return data


def _texts_of_numbers(pandas: Any, series: Any, width: int) -> Any:
    """Turns integers too large for Arrow, or mixed with text, into text of this width; else returns the series."""
    kind = pandas.api.types.infer_dtype(series, skipna=True) if series.dtype == object else "other"
    if kind == "mixed-integer" and width > 0:
        # Raises if the column has any other values, or blanks other than 0.
        _batchdoku.Data.from_texts(iter(series.where(series.notna(), None)))
    elif kind != "integer" or not (series.dropna() >= 2**63).any():
        return series
    return series.map(
        lambda value: value if isinstance(value, str) else str(value).zfill(width), na_action="ignore"
    )


def _read_numpy(numpy: Any, array: Any, what: str) -> _batchdoku.Data:
    kind, shape = array.dtype.kind, array.shape
    if kind in "OUTf" and len(shape) == 1:
        return _batchdoku.Data.from_texts(iter(array.tolist()))
    if kind not in "iu" or shape[1:] not in [(81,), (9, 9)]:
        size = " x ".join(map(str, shape))
        is_grids = kind == "f" and shape[1:] in [(81,), (9, 9)]
        hint = "convert it to integers: array.astype(numpy.uint8)" if is_grids else EXPECTED
        raise TypeError(f"{what} is a numpy array of {size} {array.dtype} ({hint})")
    # These three types can represent all values.
    dtype = array.dtype.name if array.dtype.name in ("uint8", "uint64") else "int64"
    # Masked cells are blanks.
    array = numpy.ma.filled(array, 0)
    return _batchdoku.Data.from_numbers(array.astype(dtype, copy=False).tobytes(), dtype)
