"""The jobs on Spark DataFrames; needs Spark 4.

    answers = batchdoku.spark.solve(spark.read.parquet("puzzles.parquet"))

The jobs are the same as in `batchdoku`, which accept a DataFrame too; here they are typed for DataFrames.

The columns of the DataFrame come first, followed by the columns that the job adds to a table, with the same names.
Names are compared as in Spark: case-insensitively unless `spark.sql.caseSensitive` is set. Nothing is computed until an
action asks for it, and each task uses one thread unless `threads` is given. `python -m batchdoku.spark` runs a job that
reads and writes Parquet.
"""

# Spark may repeat tasks, but its committer writes each row only once, because rows depend only on the input.

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
    """Returns the same job, typed for DataFrames."""
    return job  # type: ignore[return-value]


canon = _of_frames(batchdoku.canon)
enumerate = _of_frames(batchdoku.enumerate)
minimize = _of_frames(batchdoku.minimize)
rate = _of_frames(batchdoku.rate)
solve = _of_frames(batchdoku.solve)
verify = _of_frames(batchdoku.verify)

#: The number of rows answered at once. This limits the memory, because a Spark batch can be a whole partition.
ROWS = 16_384


def run(job: Callable[..., Answers], df: DataFrame, options: Mapping[str, Any]) -> DataFrame:
    """Runs a job on a DataFrame with these options."""
    session = df.sparkSession
    is_exact = session.conf.get("spark.sql.caseSensitive") == "true"

    def as_compared(name: str) -> str:
        return name if is_exact else name.lower()

    named = {key: options.get(key) for key in ("column", "solution")}
    named = {key: as_compared(name) for key, name in named.items() if isinstance(name, str)}
    names = [as_compared(name) for name in df.columns]
    answer = functools.partial(job, options={**options, **named, "threads": options["threads"] or 1})
    # A row of nulls reveals errors in columns and options, and the columns of the result. The limit of 0 avoids tasks.
    columns = session.createDataFrame([], df.schema).limit(0).toArrow().schema
    tried = answer(pyarrow.table([pyarrow.nulls(1, field.type) for field in columns], names=names)).to_pyarrow()
    ours = from_arrow_schema(pyarrow.schema(list(tried.schema)[len(names) :]))
    schema = StructType([*df.schema.fields, *ours.fields])
    return df.mapInArrow(lambda batches: _answers(batches, answer, names, schema.names), schema)


def _answers(
    batches: Iterator[Any], answer: Callable[..., Answers], names: list[str], answer_names: list[str]
) -> Iterator[Any]:
    """Answers the batches in a task."""
    for batch in batches:
        table = pyarrow.table(batch.columns, names=names)
        for start in range(0, table.num_rows, ROWS):
            answers = answer(table.slice(start, ROWS)).to_pyarrow()
            yield from answers.rename_columns(answer_names).to_batches()
