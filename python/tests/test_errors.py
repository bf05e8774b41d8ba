"""Invalid arguments, and the errors that they raise."""

from __future__ import annotations

import sys
from typing import Any

import numpy
import polars
import pyarrow
import pytest
from conftest import ANSWER, PUZZLE

import batchdoku

PAIRS = polars.DataFrame({"puzzle": [PUZZLE], "solution": [ANSWER], "n": [1.5]})


@pytest.mark.parametrize(
    "data, message",
    [
        (PUZZLE, "data is of type str .expected a list or another iterable of str, a numpy array"),
        (PUZZLE.encode(), "data is of type bytes"),
        ({"puzzle": [PUZZLE]}, "data is of type dict"),
        (None, "data is of type NoneType"),
        (17, "data is of type int"),
        ([PUZZLE, 17], "item 1 of data is of type int .expected str or None"),
        ([[0] * 81], "item 0 of data is of type list"),
        (numpy.zeros((2, 80), dtype="uint8"), "data is a numpy array of 2 x 80 uint8 .expected"),
        (numpy.zeros((2, 81)), "data is a numpy array of 2 x 81 float64"),
        (numpy.zeros(81, dtype="int64"), "data is a numpy array of 81 int64"),
        (polars.Series([1.5]), "a column is of type Float64; 81 digits are not a number"),
        (pyarrow.array([1]), "a column is of type Int64; 81 digits are not a number"),
        (pyarrow.array([], pyarrow.int64()), "a column is of type Int64; 81 digits are not a number"),
    ],
)
def test_data_of_a_wrong_type_is_a_type_error(data: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        batchdoku.solve(data)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"limit": 0}, "limit is 0 .expected 1 or more"),
        ({"limit": -1}, "limit is -1"),
        ({"limit": 2**64}, "limit is"),
        ({"threads": 0}, "threads is 0"),
        ({"max_guesses": -1}, "max_guesses is -1 .expected 0 or more"),
        ({"backend": "fast"}, 'cannot run the backend "fast" .it can run auto, .*scalar'),
        ({"column": "p"}, 'there is no column "p" in data .its columns are "puzzle", "solution", "n"'),
    ],
)
def test_options_without_such_a_value_are_a_value_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        batchdoku.solve(PAIRS, **options)


def test_a_column_without_rows_is_of_a_type_all_the_same() -> None:
    for options in [{"solution": "n"}, {"solution": pyarrow.array([], pyarrow.float64())}, {"column": "n"}]:
        with pytest.raises(TypeError, match="column .*is of type Float64; 81 digits are not a number"):
            batchdoku.verify(PAIRS.clear(), **options)


def test_a_column_that_cannot_be_read_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="column .*is of type Float64; 81 digits are not a number"):
        batchdoku.solve(PAIRS, column="n")
    with pytest.raises(TypeError, match="column .*is of type Float64; 81 digits are not a number"):
        batchdoku.verify(PAIRS, solution="n")


def test_solutions_must_be_there_and_as_many() -> None:
    with pytest.raises(ValueError, match="there are fewer solutions than puzzles"):
        batchdoku.verify([PUZZLE] * 2, solution=[ANSWER])
    with pytest.raises(ValueError, match="there are more solutions than puzzles"):
        batchdoku.verify([PUZZLE], solution=[ANSWER] * 2)
    with pytest.raises(ValueError, match="data is a single column without solutions"):
        batchdoku.verify([PUZZLE])
    with pytest.raises(ValueError, match="data has no column of solutions .*its columns are \"puzzle\""):
        batchdoku.verify(PAIRS.select("puzzle"))
    with pytest.raises(TypeError, match="solution is a table"):
        batchdoku.verify([PUZZLE], solution=PAIRS)
    with pytest.raises(TypeError, match="solution is of type int"):
        batchdoku.verify([PUZZLE], solution=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="column=\"puzzle\" needs a table"):
        batchdoku.solve([PUZZLE], column="puzzle")


def test_an_error_of_the_iterator_comes_through() -> None:
    def puzzles() -> Any:
        yield PUZZLE
        raise RuntimeError("nothing more")

    with pytest.raises(RuntimeError, match="nothing more"):
        batchdoku.solve(puzzles())


@pytest.mark.parametrize("name", ["polars", "pyarrow", "numpy", "pandas"])
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = batchdoku.solve([PUZZLE])
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"this needs {name}, which is not installed: pip install {name}"):
        getattr(answers, f"to_{name}")()
    # Solving does not need the package.
    assert len(batchdoku.solve([PUZZLE])) == 1
