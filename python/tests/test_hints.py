"""Hints in errors and warnings use Python terms."""

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
WEIGHTS = "".join(f"-0.{7919 * n * n % 10**6:06}{'' if n % 4 else ' w'}\n" for n in range(2000)).encode()
PAIRS = f"puzzle,solution\n{PUZZLE},{ANSWER}\n".encode()


def said_by(text: str) -> str:
    """Returns a message, after checking that it is one line and mentions no flags or commands."""
    assert not re.search(r"\n|(^|\W)(--\w|-O\b|batchdoku (solve|convert|\.\.\.))", text), text
    return text


@pytest.mark.parametrize(
    "data, out, options, hint",
    [
        (TABLE, "rows.csv", {}, 'columns seen: name, value.; name the column of the puzzles with column="NAME"$'),
        (PAIRS, "rows.csv", {"column": "q"}, 'name the column of the puzzles with column="NAME"$'),
        (PAIRS, "rows.csv", {"solution": "q"}, 'name the column of the solutions with solution="NAME"$'),
        (HELLO, "rows.csv", {}, r'say what it is with format="line\|csv\|'),
        (WEIGHTS, "rows.csv", {}, '; format="[a-z]+,blank=-" shows what is wrong with each record$'),
        (gzip.compress(gzip.compress(HELLO)), "rows.csv", {}, "> FILE$"),
        (PAIRS, "rows.xlsx", {}, "write .csv, which spreadsheets open$"),
        (PAIRS, "rows.json", {}, "write .jsonl, an object on each line"),
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
    if out == "rows.csv" and "output_format" not in options:
        runs.append(lambda path, _, **reading: batchdoku.read(path, **reading))
    for run in runs:
        with pytest.raises((ValueError, OSError), match=hint) as raised:
            run(tmp_path / "data", tmp_path / out, **options)
        said_by(str(raised.value))


def test_errors_of_samples_and_reports_name_no_flag(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(PAIRS)
    with pytest.raises(ValueError, match="write .csv, with commas between fields") as raised:
        batchdoku.sample_file(tmp_path / "data", tmp_path / "few.tsv", 1)
    said_by(str(raised.value))
    (tmp_path / "text").write_bytes(HELLO)
    with pytest.raises(ValueError, match="say what it is with format=") as raised:
        batchdoku.inspect(tmp_path / "text")
    said_by(str(raised.value))
    pyarrow.parquet.write_table(pyarrow.table({"puzzle": [PUZZLE]}), tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="rows.parquet: is not a file of results: the columns source, line,") as raised:
        batchdoku.report(tmp_path / "rows.parquet")
    said_by(str(raised.value))


def test_an_error_in_the_middle_of_a_run_says_what_to_do(tmp_path: Path) -> None:
    lines = (PUZZLE + "\n").encode()
    # A frame that does not state its length, with a 256 MiB window and a single uncompressed block.
    frame = b"\x28\xb5\x2f\xfd\x00\x90" + (len(lines) << 3 | 1).to_bytes(3, "little") + lines
    path = tmp_path / "list.zst"
    path.write_bytes(pyarrow.compress(lines * 40_000, codec="zstd", asbytes=True) + frame)
    with pytest.raises(OSError, match="128 MiB of memory.*; decompress it first .*; the complete rows") as raised:
        batchdoku.solve_file(path, tmp_path / "rows.csv")
    said_by(str(raised.value))


def test_a_warning_names_arguments(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text(f"puzzle,a\n{PUZZLE},1\n")
    note = 'name it with solution="NAME" .columns seen: puzzle, a'
    with pytest.warns(RuntimeWarning, match=note) as warned:
        batchdoku.verify_file(path, tmp_path / "rows.csv")
    assert [said_by(str(warning.message)) for warning in warned]
