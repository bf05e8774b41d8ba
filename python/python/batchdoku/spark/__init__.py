"""The jobs over DataFrames of Spark, wherever their partitions lie; takes Spark 4.

    answers = batchdoku.spark.solve(spark.read.parquet("puzzles.parquet"))

The jobs are those of `batchdoku`, which know a DataFrame when they are handed one; here they have the types for that.

The columns of the DataFrame come first, as they were, then those that the job adds to a table, with the same names. Names
are compared as Spark compares them, without regard to case unless `spark.sql.caseSensitive` is set. Nothing is done before
an action asks for it, and each task has one thread unless `threads` says otherwise. `python -m batchdoku.spark` is the same
as a job from Parquet to Parquet.
"""

# Spark repeats tasks, and its committer writes each row once. Rows depend on the input alone, so that needs nothing here.

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Concatenate, ParamSpec

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

import batchdoku
from batchdoku import Answers, _run

__all__ = ["canon", "enumerate", "solve", "verify"]

P = ParamSpec("P")


def _of_frames(job: Callable[Concatenate[Any, P], Answers]) -> Callable[Concatenate[DataFrame, P], DataFrame]:
    """The same job, as type checkers know it that hand it a DataFrame."""
    return job  # type: ignore[return-value]


canon = _of_frames(batchdoku.canon)
enumerate = _of_frames(batchdoku.enumerate)
solve = _of_frames(batchdoku.solve)
verify = _of_frames(batchdoku.verify)

#: A batch of Spark can be a whole partition: so many rows of it are answered at a time, which bounds the memory.
ROWS = 16_384


def run(job: str, df: DataFrame, options: Mapping[str, Any]) -> DataFrame:
    """Does a job with a DataFrame."""
    session = df.sparkSession
    is_exact = session.conf.get("spark.sql.caseSensitive") == "true"

    def as_compared(name: str) -> str:
        return name if is_exact else name.lower()

    named = {key: options.get(key) for key in ("column", "solution")}
    named = {key: as_compared(name) for key, name in named.items() if isinstance(name, str)}
    names = [as_compared(name) for name in df.columns]
    answer = functools.partial(_run.run, job, options={**options, **named, "threads": options["threads"] or 1})
    # A row of nulls shows what is wrong with columns and options, and what comes out. Without a limit of 0 there would
    # be tasks to find no rows.
    columns = session.createDataFrame([], df.schema).limit(0).toArrow().schema
    tried = answer(pyarrow.table([pyarrow.nulls(1, field.type) for field in columns], names=names)).to_pyarrow()
    ours = from_arrow_schema(pyarrow.schema(list(tried.schema)[len(names) :]))
    schema = StructType([*df.schema.fields, *ours.fields])
    return df.mapInArrow(lambda batches: _answers(batches, answer, names, schema.names), schema)


def _answers(
    batches: Iterator[Any], answer: Callable[..., Answers], names: list[str], answer_names: list[str]
) -> Iterator[Any]:
    """What a task does."""
    for batch in batches:
        table = pyarrow.table(batch.columns, names=names)
        for start in range(0, table.num_rows, ROWS):
            answers = answer(table.slice(start, ROWS)).to_pyarrow()
            yield from answers.rename_columns(answer_names).to_batches()
