"""Files written by other programs: the command reads each of them like the same rows in CSV."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from conftest import ANSWER, PUZZLE

WRONG = ANSWER.replace("1", "2")
PUZZLES = [PUZZLE, PUZZLE.replace(".", "0"), "12", None] * 500
CLAIMS = [ANSWER, WRONG, ANSWER, None] * 500

#: Writes a table to a file.
Write = Callable[[pa.Table, Path], None]


def verified(*inputs: Path | str, stdin: bytes | None = None) -> list[list[str]]:
    """Returns the command's rows without the origin columns."""
    call = [os.environ["BATCHDOKU"], "verify", "--no-time", "--lenient", "-q", *map(str, inputs)]
    rows = csv.reader(io.StringIO(subprocess.run(call, input=stdin, capture_output=True, check=True).stdout.decode()))
    # In a text table, line numbers include the header, and fault positions refer to the text.
    return [[*row[3:-1], row[-1].partition(": ")[2]] for row in rows]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    path = tmp_path_factory.mktemp("csv") / "rows.csv"
    rows = (f'"{puzzle or ""}","{claim or ""}"\n' for puzzle, claim in zip(PUZZLES, CLAIMS, strict=True))
    path.write_text("puzzle,solution\n" + "".join(rows))
    rows_of_text = verified(path)
    assert len(rows_of_text) == len(PUZZLES) + 1
    return rows_of_text


def _stream(table: pa.Table, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=130)


def _duckdb(options: str) -> Write:
    def write(table: pa.Table, path: Path) -> None:
        connection = duckdb.connect()
        connection.register("rows", table)
        connection.execute(f"COPY rows TO '{path}' (FORMAT parquet{options})")

    return write


def _pyarrow(compression: str) -> Write:
    def write(table: pa.Table, path: Path) -> None:
        pq.write_table(table, path, compression=compression, row_group_size=300)

    return write


WRITERS: dict[str, Write] = {
    **{
        f"pyarrow {compression}": _pyarrow(compression)
        for compression in ("none", "snappy", "gzip", "brotli", "lz4", "zstd")
    },
    "pyarrow pages 2": lambda table, path: pq.write_table(
        table, path, data_page_version="2.0", use_dictionary=False, column_encoding={"puzzle": "DELTA_BYTE_ARRAY"}
    ),
    "pyarrow checksums": lambda table, path: pq.write_table(
        table, path, write_page_checksum=True, write_page_index=True, store_schema=False
    ),
    "duckdb": _duckdb(", row_group_size 2048"),
    "duckdb zstd": _duckdb(", compression zstd, parquet_version v2"),
    "feather lz4": feather.write_feather,
    "feather zstd": lambda table, path: feather.write_feather(table, path, compression="zstd"),
    "stream": _stream,
}

#: The types that text columns can have.
TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int16(), pa.string())]


@pytest.mark.parametrize("name", WRITERS)
def test_a_table_of_texts(name: str, tmp_path: Path, expected: list[list[str]]) -> None:
    for text in TYPES:
        if name.startswith("duckdb") and text != pa.string():
            continue
        columns = {"id": pa.array(range(2000)), "puzzle": pa.array(PUZZLES).cast(text), "solution": pa.array(CLAIMS)}
        path = tmp_path / "table"
        WRITERS[name](pa.table(columns), path)
        assert verified(path) == expected, text
        if name in ("feather lz4", "stream"):
            assert verified("-", stdin=path.read_bytes()) == expected


@pytest.mark.parametrize("name", WRITERS)
def test_a_table_of_lists(name: str, tmp_path: Path) -> None:
    def digits(text: str) -> list[int]:
        return [int(cell) if cell.isdigit() else 0 for cell in text]

    nested = pa.array([[digits(text)[i : i + 9] for i in range(0, 81, 9)] for text in (PUZZLE, ANSWER)])
    fixed = pa.array([digits(ANSWER), digits(WRONG)], pa.list_(pa.int8(), 81))
    path = tmp_path / "table"
    WRITERS[name](pa.table({"grid": nested, "solution": fixed}), path)
    assert [row[1] for row in verified(path)[1:]] == ["correct", "wrong"]


@pytest.mark.parametrize("dtype", ["i1", "u1", "<i2", ">i4", "<i8", ">u8", "f4", "f8", "U", "S"])
def test_an_array(dtype: str, tmp_path: Path) -> None:
    # The answers come first: a complete line directly below the puzzle that it solves would be read as its claim.
    texts = [ANSWER] * 300 + [PUZZLE.replace(".", "0")] * 300
    if dtype in "US":
        arrays = [np.array(texts, dtype)]
    else:
        array = np.array([[int(cell) for cell in text] for text in texts]).astype(dtype)
        arrays = [array, array.reshape(-1, 9, 9)]
    text = tmp_path / "list.txt"
    text.write_text("\n".join(texts))
    call = [os.environ["BATCHDOKU"], "solve", "-q", "-O", "lines"]
    expected = subprocess.run([*call, text], capture_output=True, check=True).stdout
    for array in arrays:
        np.save(tmp_path / "array.npy", array)
        assert subprocess.run([*call, tmp_path / "array.npy"], capture_output=True, check=True).stdout == expected
