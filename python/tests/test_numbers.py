"""Puzzles that another library read as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import ANSWER, PUZZLE

import batchdoku

ZEROS = PUZZLE.replace(".", "0")


@pytest.fixture
def kaggle(tmp_path: Path) -> Path:
    """A small version of the best-known dataset: columns `quizzes,solutions`, 0 for blanks."""
    path = tmp_path / "kaggle.csv"
    rows = [f"{ZEROS},{ANSWER}", f"{ZEROS},{ANSWER.replace('1', '2')}"] * 50
    path.write_text("\n".join(["quizzes,solutions", *rows]) + "\n")
    return path


def verdicts(data: object) -> dict[str, int]:
    statuses = batchdoku.verify(data).summary()["statuses"]  # type: ignore[arg-type]
    return {status: count for status, count in statuses.items() if count}


def test_a_dataset_with_0_for_blanks_comes_through_every_library(kaggle: Path) -> None:
    expected = {"correct": 50, "wrong": 50}
    assert verdicts(batchdoku.read(kaggle)) == expected
    assert verdicts(pl.read_csv(kaggle, infer_schema=False)) == expected
    assert verdicts(pd.read_csv(kaggle, dtype=str)) == expected
    assert verdicts(duckdb.read_csv(str(kaggle), all_varchar=True)) == expected
    # By default, pandas reads the puzzles as numbers; their leading zeros are restored.
    numbers = pd.read_csv(kaggle)
    assert isinstance(numbers["quizzes"][0], int)
    assert verdicts(numbers) == expected
    assert batchdoku.solve(numbers["quizzes"]).to_numpy()[0].tolist() == [int(digit) for digit in ANSWER]


def test_other_whole_numbers_of_pandas_stay_what_they_are(kaggle: Path) -> None:
    numbers = pd.read_csv(kaggle)
    numbers["id"] = [2**70 + row for row in range(100)]
    carried = batchdoku.solve(numbers).to_polars()["id"].to_list()
    assert carried == [str(2**70 + row) for row in range(100)]
    renamed = numbers.rename(columns={"quizzes": "Grid"})
    assert batchdoku.solve(renamed[["Grid", "id"]], column="Grid").summary()["statuses"]["unique"] == 100


def test_a_column_alone_of_another_type_is_refused(kaggle: Path) -> None:
    typed = duckdb.read_csv(str(kaggle)).to_arrow_table()["solutions"]
    with pytest.raises(TypeError, match=r"is of type .*all_varchar=true"):
        batchdoku.verify([ZEROS] * 100, solution=typed)


def test_whole_numbers_of_python_get_their_leading_zeros_back() -> None:
    numbers: list[Any] = [[int(ZEROS), None], np.array([int(ZEROS), None], dtype=object)]
    for data in numbers:
        rows = batchdoku.solve(data).to_polars()
        assert rows["solution"].to_list() == [ANSWER, None]
    assert batchdoku.solve([10**81]).summary()["statuses"]["invalid"] == 1
    # In a number, the only blank is 0; a string beside it that starts with 0 has not lost any zeros.
    assert batchdoku.solve([int(ZEROS), ZEROS[2:]]).to_polars()["status"].to_list() == ["unique", "invalid"]
    for data in [[PUZZLE, 17], [17, PUZZLE], [-1], [True]]:
        with pytest.raises(TypeError, match=r"is of type (int|bool) \(expected str or None"):
            batchdoku.solve(data)  # type: ignore[arg-type]


# PROMISE: python-same-rows
def test_a_column_of_another_type_is_refused_before_any_work(kaggle: Path) -> None:
    typed: Any = duckdb.sql(f"select * from '{kaggle}'")
    with pytest.raises(TypeError, match=r'the column "solutions" is of type .*all_varchar=true'):
        batchdoku.verify(typed)
    for numbers in (pl.Series([4e78]), pl.Series([[4e78]]).explode()):
        frame = pl.DataFrame({"quizzes": numbers, "note": "none"})
        with pytest.raises(TypeError, match=r'the column "quizzes" is of type Float64; .*infer_schema=False'):
            batchdoku.solve(frame)
    with pytest.raises(TypeError, match=r"item 0 of data is of type float \(81 digits are not a number: read the file"):
        batchdoku.solve([4e78])  # type: ignore[list-item]


# PROMISE: python-same-rows
def test_a_column_of_pandas_may_have_whole_numbers_beside_texts() -> None:
    mixed = pd.Series([int(ZEROS), ZEROS, None, 17], dtype=object)
    statuses = ["unique", "unique", "invalid", "multiple"]
    assert batchdoku.solve(mixed).to_polars()["status"].to_list() == statuses
    frame = pd.DataFrame({"quizzes": mixed, "nr": range(4)})
    assert batchdoku.solve(frame).to_polars().select("nr", "status").rows() == list(enumerate(statuses))
    with pytest.raises(TypeError, match=r"item 1 of data is of type int \(expected str or None"):
        batchdoku.solve(pd.DataFrame({"quizzes": pd.Series([PUZZLE, 17], dtype=object)}))
    for other in (4e78, b"1", object()):
        with pytest.raises(TypeError):
            batchdoku.solve(pd.Series([17, PUZZLE, other], dtype=object))


def test_an_array_of_floats_is_refused_in_words_that_help() -> None:
    digits = np.array([[float(digit) for digit in ZEROS]])
    with pytest.raises(TypeError, match=r"1 x 81 float64 \(convert it to integers: array.astype\(numpy.uint8\)"):
        batchdoku.solve(digits)
    assert batchdoku.solve(digits.astype(np.uint8)).to_polars()["solution"].to_list() == [ANSWER]
    with pytest.raises(TypeError, match=r"item 0 of data is of type float \(81 digits are not a number: read the file"):
        batchdoku.solve(np.array([4e78]))


def test_texts_that_lost_their_leading_zeros_get_them_back_with_a_warning() -> None:
    short = ZEROS.lstrip("0")
    whole = ANSWER[: 81 - len(short)] + short
    columns: list[Any] = [[short, None, whole], pl.Series([short, "", whole]), pd.Series([short, None, whole])]
    for data in columns:
        with pytest.warns(RuntimeWarning, match="the puzzles lost their leading zeros"):
            assert batchdoku.solve(data).to_polars()["solution"].to_list() == [ANSWER, None, ANSWER]
    for other in ("1234", "4.3E+78", short[:-1] + "q"):
        with pytest.warns(RuntimeWarning, match="the puzzles lost their leading zeros"):
            statuses = batchdoku.solve([short, whole, other]).to_polars()["status"].to_list()
        assert statuses == ["unique", "unique", "invalid"], other
    # Leading zeros are not added to text that starts with a blank or uses another blank, or if all puzzles are short.
    for others in ([ZEROS, whole], [PUZZLE, whole], [short, short]):
        assert batchdoku.solve([short, *others]).to_polars()["status"].to_list()[0] == "invalid", others


def test_81_nul_characters_are_no_grid() -> None:
    assert batchdoku.solve(["\0" * 81]).to_polars()["status"].to_list() == ["invalid"]
    # Bytes can hold the digits themselves.
    digits = bytes(int(digit) for digit in ZEROS)
    assert batchdoku.solve(pl.Series([digits])).to_polars()["solution"].to_list() == [ANSWER]


def test_a_number_that_is_too_large_is_told_the_bound() -> None:
    with pytest.raises(ValueError, match=r"limit is \d+ \(expected 18446744073709551615 at most\)"):
        batchdoku.solve([PUZZLE], limit=2**70)


def test_a_column_that_is_called_as_puzzles_are_is_named_with_its_type() -> None:
    for data in (pd.DataFrame({"puzzle": [1, 2]}), pl.DataFrame({"quizzes": [True, False]})):
        with pytest.raises(TypeError, match="the column .(puzzle|quizzes). is of type (Int64|Boolean)"):
            batchdoku.solve(data)
    with pytest.raises(TypeError, match="the column .solution. is of type Int64"):
        batchdoku.verify(pl.DataFrame({"puzzle": [PUZZLE], "solution": [1]}))


def test_numbers_of_128_bits_beside_puzzles_do_no_harm() -> None:
    frame = pl.DataFrame({"puzzle": [PUZZLE], "id": [10**26]}, schema={"puzzle": pl.String, "id": pl.Int128})
    rows = batchdoku.solve(frame).to_polars()
    assert rows["status"].to_list() == ["unique"] and rows["id"].to_list() == [str(10**26)]


def test_floats_that_are_no_grids_are_not_to_become_grids() -> None:
    with pytest.raises(TypeError, match="2 x 2 float64 .expected a list"):
        batchdoku.solve(np.zeros((2, 2)))
