"""The jobs over Spark DataFrames; needs Spark 4.

    answers = batchdoku.spark.solve(spark.read.parquet("puzzles.parquet"))

The jobs are those of `batchdoku`, which accept a DataFrame as well; here they have the types for that.

The columns of the DataFrame come first, then those that the job adds to a table, with the same names. Names are compared
as Spark compares them, case-insensitively unless `spark.sql.caseSensitive` is set. Nothing is computed before an action
asks for it, and each task has one thread unless `threads` is given. `python -m batchdoku.spark` runs a job from Parquet
to Parquet.
"""

# Spark may repeat tasks, but its committer writes each row once, since rows depend on the input alone.

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Concatenate, ParamSpec

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

import batchdoku
from batchdoku import Answers

__all__ = ["canon", "enumerate", "minimize", "rate", "solve", "verify"]

P = ParamSpec("P")


def _of_frames(job: Callable[Concatenate[Any, P], Answers]) -> Callable[Concatenate[DataFrame, P], DataFrame]:
    """Returns the same job, with the types for DataFrames."""
    return job  # type: ignore[return-value]


canon = _of_frames(batchdoku.canon)
enumerate = _of_frames(batchdoku.enumerate)
minimize = _of_frames(batchdoku.minimize)
rate = _of_frames(batchdoku.rate)
solve = _of_frames(batchdoku.solve)
verify = _of_frames(batchdoku.verify)

#: Rows that are answered at a time, which bounds the memory: a batch of Spark can be a whole partition.
ROWS = 16_384


def run(job: Callable[..., Answers], df: DataFrame, options: Mapping[str, Any]) -> DataFrame:
    """Runs a job over columns with these options on a DataFrame."""
    session = df.sparkSession
    is_exact = session.conf.get("spark.sql.caseSensitive") == "true"

    def as_compared(name: str) -> str:
        return name if is_exact else name.lower()

    named = {key: options.get(key) for key in ("column", "solution")}
    named = {key: as_compared(name) for key, name in named.items() if isinstance(name, str)}
    names = [as_compared(name) for name in df.columns]
    answer = functools.partial(job, options={**options, **named, "threads": options["threads"] or 1})
    # A row of nulls shows errors of columns and options, and the columns of the result. The limit of 0 avoids tasks.
    columns = session.createDataFrame([], df.schema).limit(0).toArrow().schema
    tried = answer(pyarrow.table([pyarrow.nulls(1, field.type) for field in columns], names=names)).to_pyarrow()
    ours = from_arrow_schema(pyarrow.schema(list(tried.schema)[len(names) :]))
    schema = StructType([*df.schema.fields, *ours.fields])
    return df.mapInArrow(lambda batches: _answers(batches, answer, names, schema.names), schema)


def _answers(
    batches: Iterator[Any], answer: Callable[..., Answers], names: list[str], answer_names: list[str]
) -> Iterator[Any]:
    """Answers the batches of a task."""
    for batch in batches:
        table = pyarrow.table(batch.columns, names=names)
        for start in range(0, table.num_rows, ROWS):
            answers = answer(table.slice(start, ROWS)).to_pyarrow()
            yield from answers.rename_columns(answer_names).to_batches()
