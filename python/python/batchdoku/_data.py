"""What puzzles and solutions may be given as."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from batchdoku import _batchdoku

if TYPE_CHECKING:
    import numpy


class ArrowStream(Protocol):
    """A table or a column of Polars, pandas, pyarrow or DuckDB, or of anything else with Arrow inside."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class ArrowArray(Protocol):
    """A column or a record batch in one piece."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


Column: TypeAlias = "Iterable[str | int | None] | numpy.ndarray[Any, Any] | ArrowStream | ArrowArray"
"""Puzzles or solutions: an iterable of texts or whole numbers, an array of numpy (N x 81 or N x 9 x 9, 0 is a blank), or
Arrow."""

Table: TypeAlias = "ArrowStream | ArrowArray"
"""Columns with names."""

EXPECTED = (
    "expected a list or another iterable of str, a numpy array of whole numbers (N x 81 or N x 9 x 9), or a column or"
    " table of Polars, pandas, pyarrow, DuckDB or anything else with __arrow_c_stream__ or __arrow_c_array__"
)


def read(data: Column | Table, what: str, names: Iterable[str | None] = ()) -> _batchdoku.Data:
    """Hands `data` over to Rust; `what` is what messages call it, and `names` are columns of it that were named."""
    data = _with_texts(data, {name.lower() for name in (*names, *_batchdoku.COLUMNS) if name is not None})
    if (stream := getattr(data, "__arrow_c_stream__", None)) is not None:
        return _batchdoku.Data.from_stream(stream())
    if (array := getattr(data, "__arrow_c_array__", None)) is not None:
        return _batchdoku.Data.from_array(*array())
    # What has no numpy cannot have one of its arrays either.
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(data, numpy.ndarray):
        return _read_numpy(numpy, data, what)
    # Texts, bytes and mappings can be iterated over, but never mean that.
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes, bytearray, memoryview, Mapping)):
        return _batchdoku.Data.from_texts(iter(data))
    raise TypeError(f"{what} is of type {type(data).__name__} ({EXPECTED})")


def _with_texts(data: Any, names: set[str]) -> Any:
    """A frame or series of pandas whose puzzles became whole numbers of Python, with their leading zeros again.

    Of other columns such numbers, which Arrow cannot hold, become texts as they are.
    """
    # What has no such module cannot have one of its frames either.
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.DataFrame):
        # Of 128 bits, which only Polars has; such columns are carried along at most.
        wide = [name for name, dtype in data.schema.items() if str(dtype) in ("Int128", "UInt128")]
        return data.with_columns(polars.col(wide).cast(polars.String)) if wide else data
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return data
    if isinstance(data, pandas.DataFrame):
        objects = [at for at, dtype in enumerate(data.dtypes) if dtype == object]
        widths = {at: 81 if str(data.columns[at]).lower() in names else 0 for at in objects}
        series = {at: (data.iloc[:, at], width) for at, width in widths.items()}
        changed = {
            at: new
            for at, (old, width) in series.items()
            if (new := _texts_of_numbers(pandas, old, width)) is not old
        }
        if changed:
            columns = [changed.get(at, data.iloc[:, at]) for at in range(data.shape[1])]
            data = pandas.concat(columns, axis=1)
    elif isinstance(data, pandas.Series) and data.dtype == object:
        data = _texts_of_numbers(pandas, data, 81)
    return data


def _texts_of_numbers(pandas: Any, series: Any, width: int) -> Any:
    """The same, or, if there are whole numbers too large for Arrow, or beside texts, those as texts of such a width."""
    kind = pandas.api.types.infer_dtype(series, skipna=True)
    if kind == "mixed-integer" and width > 0:
        # Refuses what texts cannot stand beside.
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
        hint = "make whole numbers of them: array.astype(numpy.uint8)" if is_grids else EXPECTED
        raise TypeError(f"{what} is a numpy array of {size} {array.dtype} ({hint})")
    # Three types stand for all: whatever a number is, its value stays.
    dtype = array.dtype.name if array.dtype.name in ("uint8", "uint64") else "int64"
    # What is masked is no clue.
    array = numpy.ma.filled(array, 0)
    return _batchdoku.Data.from_numbers(array.astype(dtype, copy=False).tobytes(), dtype)
