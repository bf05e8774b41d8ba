"""Every type of input gives the same rows as the command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import ANSWER, PUZZLE, Row

import batchdoku

OURS = ["kind", "status", "solutions", "clues", "guesses", "puzzle", "solution", "error"]


def rows_of(answers: batchdoku.Answers) -> list[Row]:
    rows: list[Row] = answers.to_pyarrow().to_pylist()
    return rows


def same(found: list[Row], expected: list[Row]) -> None:
    """Faults are located by line and column in a file, but by cell in a value; everything else must be the same."""

    def reason(row: Row) -> Row:
        error = row["error"]
        # The text of a clash gives two places.
        is_clash = isinstance(error, str) and " repeats " in error
        return {**row, "error": is_clash or (error and str(error).partition(": ")[2])}

    assert len(found) == len(expected)
    for row, (one, other) in enumerate(zip(found, expected)):
        assert list(one) == list(other)
        assert reason(one) == reason(other), row


def numbers(whole: list[str]) -> numpy.ndarray[Any, Any]:
    return numpy.array([[int(cell) if cell in "123456789" else 0 for cell in text] for text in whole], dtype="uint8")


TEXTS: dict[str, Callable[[list[str | None]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "numpy objects": lambda texts: numpy.array(texts, dtype=object),
    "polars.Series": polars.Series,
    "polars.DataFrame": lambda texts: polars.DataFrame({"sudoku": texts}),
    "polars chunks": lambda texts: polars.concat(
        [polars.DataFrame({"sudoku": texts[:7]}), polars.DataFrame({"sudoku": texts[7:]})], rechunk=False
    ),
    "polars categories": lambda texts: polars.Series(texts, dtype=polars.Categorical),
    "polars slice": lambda texts: polars.Series([PUZZLE, *texts, PUZZLE]).slice(1, len(texts)),
    "polars binary": lambda texts: polars.Series([text if text is None else text.encode() for text in texts]),
    "pandas.Series": lambda texts: pandas.Series(texts, dtype="str"),
    "pandas.DataFrame": lambda texts: pandas.DataFrame({"quizzes": texts}),
    "pyarrow.Array": pyarrow.array,
    "pyarrow.Table": lambda texts: pyarrow.table({"question": texts}),
    "pyarrow.RecordBatch": lambda texts: pyarrow.RecordBatch.from_pydict({"sudoku": texts}),
    "pyarrow reader": lambda texts: pyarrow.table({"sudoku": texts}).to_reader(max_chunksize=99),
    "pyarrow chunks": lambda texts: pyarrow.chunked_array([texts[:1], [], texts[1:9], texts[9:]], pyarrow.string()),
    "pyarrow large": lambda texts: pyarrow.array(texts, pyarrow.large_string()),
    "pyarrow view": lambda texts: pyarrow.array(texts, pyarrow.string_view()),
    "pyarrow binary": lambda texts: pyarrow.array(texts, pyarrow.binary()),
    "pyarrow dictionary": lambda texts: pyarrow.array(texts).dictionary_encode(),
    "pyarrow slice": lambda texts: pyarrow.array(["x", *texts, "y"]).slice(1, len(texts)),
    "table slice": lambda texts: pyarrow.table({"n": [0] * (len(texts) + 2), "sudoku": ["x", *texts, "y"]})
    .slice(1, len(texts))
    .select(["sudoku"]),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_of_any_kind_give_the_rows_of_the_command(
    kind: str, texts: list[str | None], solved: list[Row]
) -> None:
    rows = rows_of(batchdoku.solve(TEXTS[kind](texts), threads=2))
    same([{name: row[name] for name in OURS} for row in rows], solved)


def test_the_puzzles_have_every_status(solved: list[Row]) -> None:
    statuses = Counter(row["status"] for row in solved)
    assert set(statuses) == {"unique", "multiple", "unsolvable", "invalid"}
    assert statuses["invalid"] == 2 * 8 + 1


NUMBERS: dict[str, Callable[[numpy.ndarray[Any, Any]], Any]] = {
    "N x 81": lambda array: array,
    "N x 9 x 9": lambda array: array.reshape(-1, 9, 9),
    "columns first": numpy.asfortranarray,
    "not in a row": lambda array: numpy.repeat(array, 2, axis=0)[::2],
    "masked": lambda array: numpy.ma.masked_equal(numpy.where(array == 0, 5, array + 10), 5) - 10,
    "big-endian": lambda array: array.astype(">i4"),
    "polars.Array": lambda array: polars.Series(array.tolist(), dtype=polars.Array(polars.UInt8, 81)),
    "polars.List": lambda array: polars.Series(array.tolist(), dtype=polars.List(polars.Int64)),
    "polars 9 x 9": lambda array: polars.Series(array.reshape(-1, 9, 9).tolist()),
    "digits as bytes": lambda array: pyarrow.array([row.tobytes() for row in array], pyarrow.binary(81)),
    **{
        dtype: methodcaller("astype", dtype)
        for dtype in ["int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]
    },
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_any_kind_give_the_rows_of_the_command(
    kind: str, whole: list[str], solved: list[Row]
) -> None:
    bad = (len(solved) - len(whole)) // 2
    expected = solved[:1000] + solved[1000 + bad : -bad]
    assert [row["puzzle"] for row in expected] == whole
    same(rows_of(batchdoku.solve(NUMBERS[kind](numbers(whole)))), expected)


def test_numbers_that_are_no_digits_are_named() -> None:
    array = numpy.zeros((4, 81), dtype="int64")
    array[0, 7], array[1, 80], array[2, 0] = 10, -1, 2**63 - 1
    errors = batchdoku.solve(array).to_polars()["error"].to_list()
    of = "(expected a digit 1-9, 0 or .)"
    expected = [f"cell 8: number '10' {of}", f"cell 81: number '-1' {of}", f"cell 1: number '{2**63 - 1}' {of}", None]
    assert errors == expected
    error = batchdoku.solve(numpy.full((1, 81), 2**64 - 1, dtype="uint64")).to_polars()["error"][0]
    assert error == f"cell 1: number '{2**64 - 1}' {of}"


def test_duckdb_gives_a_relation_and_reads_answers(texts: list[str | None], solved: list[Row]) -> None:
    frame = polars.DataFrame({"n": range(len(texts)), "sudoku": texts})
    with duckdb.connect() as connection:
        answers = batchdoku.solve(connection.sql("SELECT * FROM frame ORDER BY n"))
        same([{name: row[name] for name in OURS} for row in rows_of(answers)], solved)
        found = connection.sql("SELECT status, count(*) FROM answers GROUP BY status").fetchall()
    assert dict(found) == Counter(row["status"] for row in solved)


def test_what_comes_out_is_the_same_in_every_package(texts: list[str | None], solved: list[Row]) -> None:
    answers = batchdoku.solve(texts)
    rows = rows_of(answers)
    assert answers.to_polars().to_dicts() == rows
    assert answers.columns == OURS and answers.to_pyarrow().column_names == OURS
    frame = answers.to_pandas()
    assert frame.astype(object).where(frame.notna(), None).to_dict("records") == rows
    array = answers.to_numpy()
    assert array.dtype == numpy.uint8 and array.shape == (len(texts), 81) and len(answers) == len(texts)
    digits = ["".join(map(str, row)) for row in array.tolist()]
    assert digits == [row["solution"] or "0" * 81 for row in solved]
    summary = answers.summary()
    assert {key: count for key, count in summary["statuses"].items() if count} == Counter(row["status"] for row in solved)
    assert summary["guesses"] == sum(int(row["guesses"] or 0) for row in solved)
    assert summary["rows"] == len(texts)


@pytest.mark.parametrize("beside", [False, True])
def test_verify_gives_the_rows_of_the_command(
    beside: bool, texts: list[str | None], solved: list[Row], command: Callable[..., list[Row]]
) -> None:
    right = [None if row["solution"] is None else str(row["solution"]) for row in solved]
    wrong = [text and text[:40] + ("1" if text[40] != "1" else "2") + text[41:] for text in right]
    kinds: list[list[str | None]] = [right, wrong, [None] * len(texts), [ANSWER] * len(texts), ["12"] * len(texts)]
    claims = [kinds[row // 5 % len(kinds)][row] for row in range(len(texts))]
    expected = command("verify", {"puzzle": texts, "solution": claims})
    statuses = {"correct", "wrong", "not-unique", "unsolvable", "missing", "invalid"}
    assert {row["status"] for row in expected} == statuses
    if beside:
        # Both columns are cut wherever a piece of either one ends.
        cut = [claims[:3], claims[3:700], claims[700:]]
        column = pyarrow.chunked_array([texts[:500], texts[500:]], pyarrow.string())
        rows = rows_of(batchdoku.verify(column, solution=pyarrow.chunked_array(cut, pyarrow.string())))
    else:
        rows = rows_of(batchdoku.verify(polars.DataFrame({"quiz": texts, "answer": claims}), column="quiz"))
        assert [row.pop("quiz") for row in rows] == texts
        assert [row.pop("answer") for row in rows] == claims
    same(rows, expected)
    trusting = batchdoku.verify(texts, solution=claims, trust_unique=True).summary()["statuses"]
    assert trusting["correct"] > 0 and trusting["not-unique"] == 0


def test_options_are_those_of_the_command(whole: list[str], command: Callable[..., list[Row]]) -> None:
    puzzles = whole[-300:]
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"limit": 1}, ["--limit", "1"]),
        ({"limit": 100}, ["--limit", "100"]),
        ({"max_guesses": 0}, ["--max-guesses", "0"]),
        ({"backend": "scalar"}, ["--backend", "scalar"]),
    ]
    for options, flags in cases:
        expected = command("solve", {"puzzle": list(puzzles)}, *flags)
        same(rows_of(batchdoku.solve(puzzles, **options)), expected)
    times = batchdoku.solve(puzzles, times=True).to_polars()
    assert times["time_ns"].sum() > 0 and times.columns.index("time_ns") == OURS.index("puzzle")
