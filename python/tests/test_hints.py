"""What an error or a warning says to do, in the words of Python."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from conftest import ANSWER, PUZZLE

import batchdoku

HELLO = b"hello\n"
TABLE = b"name,value\na,1\nb,2\n"
PAIRS = f"puzzle,solution\n{PUZZLE},{ANSWER}\n".encode()


def said_by(text: str) -> str:
    """A message that is one line and names no flag and nothing else of the command."""
    assert not re.search(r"\n|(^|\W)(--\w|-O\b|batchdoku (solve|convert|\.\.\.))", text), text
    return text


@pytest.mark.parametrize(
    "data, out, options, hint",
    [
        (TABLE, "rows.csv", {}, 'columns seen: name, value.; name the column of the puzzles with column="NAME"$'),
        (PAIRS, "rows.csv", {"column": "q"}, 'name the column of the puzzles with column="NAME"$'),
        (PAIRS, "rows.csv", {"solution": "q"}, 'name the column of the solutions with solution="NAME"$'),
        (HELLO, "rows.csv", {}, r'say what it is with format="line\|csv\|'),
        (b"# a\n", "rows.csv", {}, "if it is something else, say so with format$"),
        (b"17 w\n18 v\n" * 400, "rows.csv", {}, 'format="[a-z]+"'),
        (gzip.compress(gzip.compress(HELLO)), "rows.csv", {}, "> FILE$"),
        (PAIRS, "rows.xlsx", {}, "which spreadsheets open, with formulas as they are$"),
        (PAIRS, "rows.pdf", {}, "write .csv, and batchdoku.report besides"),
        (PAIRS, "rows.sdk", {}, 'output_format="text" writes grids'),
        (PAIRS, "rows.csv", {"output_format": "parquet"}, "leave out output_format, or give the file another name$"),
        (PAIRS, "rows.parquet.gz", {}, "leave out .gz$"),
    ],
)
def test_an_error_says_what_to_do_in_the_words_of_python(
    data: bytes, out: str, options: dict[str, Any], hint: str, tmp_path: Path
) -> None:
    (tmp_path / "data").write_bytes(data)
    runs: list[Callable[..., object]] = [batchdoku.convert_file, batchdoku.verify_file]
    if "solution" not in options:
        runs.append(batchdoku.solve_file)
    for run in runs:
        with pytest.raises((ValueError, OSError), match=hint) as raised:
            run(tmp_path / "data", tmp_path / out, **options)
        said_by(str(raised.value))


def test_errors_of_samples_and_reports_name_no_flag(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(PAIRS)
    with pytest.raises(ValueError, match="give it the extension of the input, and convert it to parquet") as raised:
        batchdoku.sample_file(tmp_path / "data", tmp_path / "few.parquet", 1)
    said_by(str(raised.value))
    (tmp_path / "text").write_bytes(HELLO)
    with pytest.raises(ValueError, match="say what it is with format=") as raised:
        batchdoku.inspect(tmp_path / "text")
    said_by(str(raised.value))
    pyarrow.parquet.write_table(pyarrow.table({"puzzle": [PUZZLE]}), tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="is no text .expected results as CSV") as raised:
        batchdoku.report(tmp_path / "rows.parquet")
    said_by(str(raised.value))


def test_an_error_in_the_middle_of_a_run_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    barren = gzip.compress(b"#\n" * (1 << 22), compresslevel=1)
    path.write_bytes(gzip.compress(PUZZLE.encode() + b"\n") + barren * 150)
    with pytest.raises(OSError, match="a decompression bomb.*; trust_compressed=True reads on; ") as raised:
        batchdoku.solve_file(path, tmp_path / "rows.csv")
    said_by(str(raised.value))


def test_a_warning_names_arguments(tmp_path: Path) -> None:
    path = tmp_path / "data"
    for data, note in [
        (f"puzzle,a\n{PUZZLE},1\n", 'name it with solution="NAME" .columns seen: puzzle, a'),
        (f"puzzle,solution,solution\n{PUZZLE},{ANSWER},{ANSWER}\n", 'solution="3" takes the others'),
        (f"puzzle,a,solution\n{PUZZLE},{PUZZLE[::-1]},{ANSWER}\n", 'column="NAME" says which'),
        (json.dumps([{"a": PUZZLE, "b": PUZZLE[::-1], "solution": ANSWER}] * 2), 'column="NAME" says which'),
    ]:
        path.write_text(data)
        with pytest.warns(RuntimeWarning, match=note) as warned:
            batchdoku.verify_file(path, tmp_path / "rows.csv")
        assert [said_by(str(warning.message)) for warning in warned]
