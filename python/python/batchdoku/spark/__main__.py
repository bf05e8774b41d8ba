"""`python -m batchdoku.spark` runs a job that reads and writes Parquet. `spark-submit` runs this file by its path."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the job; returns the exit status: 0, or 2 if Spark or batchdoku refused it before the first row."""
    # Only a session makes an archive shipped with the job importable. Without one, usage errors need no session.
    if find_spec("batchdoku") is None:
        _session()
    from batchdoku._run import JOBS

    args = vars(_parser(JOBS).parse_args(argv))
    job, source, target = (args.pop(name) for name in ("job", "IN", "OUT"))
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException

    session = _session()
    try:
        try:
            frame = session.read.parquet(source)
        except Py4JJavaError as error:
            raise ValueError(f"{source}: {error.java_exception.getMessage()}") from error
        answers = JOBS[job](frame, **args)
        # In other modes, Spark could replace an existing folder, even the input.
        answers.write.mode("errorifexists").parquet(target)
    except (AnalysisException, TypeError, ValueError) as error:
        message = str(error).strip()
        if isinstance(error, AnalysisException) and error.getCondition() == "PATH_ALREADY_EXISTS":
            message = f"{target} already exists\n  hint: name another folder, or remove it"
        print(f"error: {message}", file=sys.stderr)
        session.stop()
        return 2
    status = next(name for name in answers.columns[len(frame.columns) :] if name.endswith("status"))
    # The rows are counted in the output, because counts made during the run would include repeated tasks.
    counts = session.read.parquet(target).groupBy(status).count().orderBy(status).collect()
    listed = ", ".join(f"{count:,} {word}" for word, count in counts)
    print(f"{target}: {sum(count for _, count in counts):,} rows{listed and f' ({listed})'}")
    session.stop()
    return 0


def _session() -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.builder.appName("batchdoku").getOrCreate()


def _parser(jobs: Mapping[str, Any]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m batchdoku.spark",
        description="Run a job over the puzzles of a Parquet table with Spark, and write another table.",
        allow_abbrev=False,
    )
    parser.add_argument("IN", help="a Parquet file or folder, at any address that Spark reads")
    parser.add_argument("OUT", help="the folder to write; it must not exist")
    parser.add_argument("--job", choices=jobs, default="solve", help="the job (default: solve)")
    # These are the options of all jobs; the chosen job refuses options that it does not have.
    for name, hint in {name: hint for job in jobs.values() for name, hint in job.options.items()}.items():
        default, about, *_ = hint.__metadata__
        takers = ", ".join(job for job, function in jobs.items() if name in function.options)
        kind: dict[str, Any] = {"type": int if "int" in str(hint.__origin__) else str}
        if isinstance(default, bool):
            kind = {"action": "store_true"}
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, **kind, default=argparse.SUPPRESS, help=f"for {takers}: {about}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
