"""Solve and verify columns of Spark DataFrames, wherever their partitions lie; takes Spark 4.

    import batchdoku.spark
    answers = batchdoku.spark.solve(spark.read.parquet("puzzles.parquet"))

`python -m batchdoku.spark` is the same as a job from Parquet to Parquet.
"""

# Spark repeats tasks, and its committer writes each row once. Rows depend on the input alone, so that needs nothing here.

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

import batchdoku
from batchdoku import Answers

__all__ = ["solve", "verify"]

#: A batch of Spark can be a whole partition: so many rows of it are answered at a time, which bounds the memory.
ROWS = 16_384


def solve(
    df: DataFrame,
    *,
    column: str | None = None,
    limit: int = 2,
    any_solution: bool = False,
    max_guesses: int | None = None,
    backend: str = "auto",
    times: bool = False,
) -> DataFrame:
    """Find out how many solutions each puzzle has, and which.

    The columns of `df` come first, as they were, then those that `batchdoku.solve` adds to a table, with the same
    names. Names are compared as Spark compares them, without regard to case unless `spark.sql.caseSensitive` is set.
    Nothing is solved before an action asks for it, and each task has one thread.

    Args:
        df: Puzzles as text, bytes or arrays of whole numbers, and any other columns.
        column: The name of the puzzles. By default it is the column called `puzzle`, `quizzes`, `question`, `sudoku` or
            the like, else the only column of text.
        limit: Stop counting at so many solutions. 2 tells unique from multiple, 1 only finds a solution.
        any_solution: Whether any of several solutions will do, instead of the smallest.
        max_guesses: Give up on a puzzle after so many guesses: its status is `unfinished`.
        backend: The engine, which the driver and every executor must be able to run; by default each takes its fastest.
        times: Whether there is a column `time_ns`.

    Raises:
        TypeError: When the column holds no puzzles.
        ValueError: When no column can be found, or an option has no such value.
    """
    options = {
        "limit": limit,
        "any_solution": any_solution,
        "max_guesses": max_guesses,
        "backend": backend,
        "times": times,
    }
    return _with_answers(df, batchdoku.solve, options, column=column)


def verify(
    df: DataFrame,
    *,
    column: str | None = None,
    solution: str | None = None,
    trust_unique: bool = False,
    max_guesses: int | None = None,
    backend: str = "auto",
    times: bool = False,
) -> DataFrame:
    """Find out whether the solutions that are claimed for puzzles are right, and the only ones.

    Args:
        df: Puzzles and claims as text, bytes or arrays of whole numbers, and any other columns.
        column: The name of the puzzles, as `solve` finds it.
        solution: The name of the claimed solutions, by default `solution`, `solutions` or `answer`.
        trust_unique: Whether a solution is `correct` without a proof that there is no other.
        max_guesses: Give up on a puzzle after so many guesses: its status is `unfinished`.
        backend: The engine, which the driver and every executor must be able to run; by default each takes its fastest.
        times: Whether there is a column `time_ns`.

    Raises:
        TypeError: When a column holds no puzzles or solutions.
        ValueError: When no column can be found, or an option has no such value.
    """
    options = {"trust_unique": trust_unique, "max_guesses": max_guesses, "backend": backend, "times": times}
    return _with_answers(df, batchdoku.verify, options, column=column, solution=solution)


def _with_answers(
    df: DataFrame, job: Callable[..., Answers], options: dict[str, Any], **named: str | None
) -> DataFrame:
    session = df.sparkSession
    is_exact = session.conf.get("spark.sql.caseSensitive") == "true"

    def as_compared(name: str) -> str:
        return name if is_exact else name.lower()

    named = {key: name if name is None else as_compared(name) for key, name in named.items()}
    names = [as_compared(name) for name in df.columns]
    run = functools.partial(job, **options, **named, threads=1)
    # A row of nulls shows what is wrong with columns and options, and what comes out. Without a limit of 0 there would
    # be tasks to find no rows.
    columns = session.createDataFrame([], df.schema).limit(0).toArrow().schema
    tried = run(pyarrow.table([pyarrow.nulls(1, field.type) for field in columns], names=names)).to_pyarrow()
    ours = from_arrow_schema(pyarrow.schema(list(tried.schema)[len(names) :]))
    schema = StructType([*df.schema.fields, *ours.fields])
    return df.mapInArrow(lambda batches: _answers(batches, run, names, schema.names), schema)


def _answers(
    batches: Iterator[Any], run: Callable[..., Answers], names: list[str], answer_names: list[str]
) -> Iterator[Any]:
    """What a task does."""
    for batch in batches:
        table = pyarrow.table(batch.columns, names=names)
        for start in range(0, table.num_rows, ROWS):
            answers = run(table.slice(start, ROWS)).to_pyarrow()
            yield from answers.rename_columns(answer_names).to_batches()
