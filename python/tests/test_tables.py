"""Table columns: which of them are read, and which are carried along."""

from __future__ import annotations

import polars
import pyarrow
import pytest
from conftest import ANSWER, PUZZLE

import batchdoku

OURS = ["kind", "status", "solutions", "clues", "guesses", "puzzle", "solution", "error"]


def test_other_columns_are_carried_along_row_by_row(whole: list[str]) -> None:
    count = 20_000
    texts = (whole * (count // len(whole) + 1))[:count]
    fields = [
        pyarrow.field("number", pyarrow.int32(), metadata={"unit": "none"}),
        pyarrow.field("puzzle", pyarrow.string()),
        pyarrow.field("nested", pyarrow.list_(pyarrow.int64())),
        pyarrow.field("word", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
    ]
    columns = [list(range(count)), texts, [[row] * (row % 3) for row in range(count)], ["a", "b"] * (count // 2)]
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, fields)]
    table = pyarrow.table(arrays, schema=pyarrow.schema(fields))
    # The pieces have all sorts of sizes, and one is empty.
    ends = [0, 1, 1, 700, 9_000, count]
    parts = [table.slice(start, end - start) for start, end in zip(ends, ends[1:])]
    answers = batchdoku.solve(pyarrow.concat_tables(parts)).to_pyarrow()
    assert answers.column_names == ["number", "puzzle", "nested", "word", *(name for name in OURS if name != "puzzle")]
    assert answers.select(table.column_names).combine_chunks().equals(table.combine_chunks())
    assert answers.schema.field("number").metadata == {b"unit": b"none"}
    alone = batchdoku.solve(texts).to_pyarrow()
    for name in OURS:
        if name != "puzzle":
            assert answers[name].to_pylist() == alone[name].to_pylist()


def test_columns_that_are_called_like_ours_stay_and_ours_are_renamed() -> None:
    table = polars.DataFrame({"status": ["a"], "batchdoku_status": ["b"], "quiz": [PUZZLE], "error": [7]})
    answers = batchdoku.solve(table, column="quiz").to_polars()
    ours = ["kind", "batchdoku_batchdoku_status", *OURS[2:-1], "batchdoku_error"]
    assert answers.columns == [*table.columns, *ours]
    assert answers.select(table.columns).equals(table)
    assert answers["batchdoku_batchdoku_status"].to_list() == ["unique"]
    # A job column that only repeats one of the table's own is left out; a solution that was found is not.
    table = polars.DataFrame({"puzzle": [" " + PUZZLE], "solution": [ANSWER]})
    assert batchdoku.verify(table).columns == ["puzzle", "solution", "kind", "status", "clues", "guesses", "other", "error"]
    solved = batchdoku.solve(table)
    assert solved.columns == ["puzzle", "solution", *OURS[:5], "batchdoku_solution", "error"]
    assert solved.to_polars()["batchdoku_solution"].to_list() == [ANSWER]
    assert solved.to_numpy().tolist() == [[int(digit) for digit in ANSWER]]
    # Answers are a table too: the numeric column `solutions` holds no claims.
    assert batchdoku.verify(batchdoku.solve([PUZZLE])).summary()["statuses"]["correct"] == 1


@pytest.mark.parametrize("name", ["puzzle", "Puzzle", "quizzes", "question", "SUDOKU", "the only text"])
def test_the_column_of_puzzles_is_found(name: str) -> None:
    table = polars.DataFrame({"a": [1], name: [PUZZLE], "b": [b"x"]})
    assert batchdoku.solve(table).summary()["statuses"]["unique"] == 1
    more = table.with_columns(text=polars.lit("text"), other=polars.lit(PUZZLE))
    if name == "the only text":
        with pytest.raises(ValueError, match='name one with column=; its columns are "a", "the only text"'):
            batchdoku.solve(more)
    else:
        assert batchdoku.solve(more).summary()["statuses"]["unique"] == 1
    assert batchdoku.solve(more, column="text").summary()["statuses"]["invalid"] == 1


def test_tables_without_rows_have_the_columns_all_the_same() -> None:
    table = pyarrow.table({"n": pyarrow.array([], pyarrow.int8()), "puzzle": pyarrow.array([], pyarrow.string())})
    for empty in [table, table.schema.empty_table(), pyarrow.Table.from_batches([], table.schema)]:
        answers = batchdoku.solve(empty)
        assert len(answers) == 0 and answers.to_numpy().shape == (0, 81)
        assert answers.to_polars().columns == ["n", "puzzle", *(name for name in OURS if name != "puzzle")]
        assert repr(answers) == "<batchdoku.Answers: 0 rows>"
    assert batchdoku.solve([]).columns == OURS
