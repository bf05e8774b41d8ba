"""The job `python -m batchdoku.spark`: from Parquet to Parquet. `spark-submit` takes this file by its path."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Does the job, and returns the exit status: 0, or 2 if Spark or batchdoku refused it before any row."""
    args = _parser().parse_args(argv)
    # Later than usual, since errors of usage need no Spark.
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("batchdoku").getOrCreate()
    # An archive that came with the job can be imported once there is a session.
    import batchdoku.spark

    options = {"column": args.column, "max_guesses": args.max_guesses, "backend": args.backend, "times": args.times}
    try:
        try:
            frame = session.read.parquet(args.input)
        except Py4JJavaError as error:
            raise ValueError(f"{args.input}: {error.java_exception.getMessage()}") from error
        if args.verify:
            options |= {"solution": args.solution, "trust_unique": args.trust_unique}
            answers = batchdoku.spark.verify(frame, **options)
        else:
            answers = batchdoku.spark.solve(frame, limit=args.limit, **options)
        # Spark would replace a folder, and be it the input itself: what is there stays.
        answers.write.mode("errorifexists").parquet(args.output)
    except (AnalysisException, TypeError, ValueError) as error:
        message = str(error).strip()
        if isinstance(error, AnalysisException) and error.getCondition() == "PATH_ALREADY_EXISTS":
            message = f"{args.output} exists already\n  hint: name another, or remove it"
        print(f"error: {message}", file=sys.stderr)
        session.stop()
        return 2
    status = next(name for name in answers.columns[len(frame.columns) :] if name.endswith("status"))
    # One column of what was written: counting while solving would count what is done again after a failure.
    counts = session.read.parquet(args.output).groupBy(status).count().orderBy(status).collect()
    listed = ", ".join(f"{count:,} {word}" for word, count in counts)
    print(f"{args.output}: {sum(count for _, count in counts):,} rows{listed and f' ({listed})'}")
    session.stop()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m batchdoku.spark",
        description="Solve or verify the puzzles of a Parquet table on Spark, into another.",
        allow_abbrev=False,
    )
    parser.add_argument("input", metavar="IN", help="a file or folder of Parquet, at any address that Spark reads")
    parser.add_argument("output", metavar="OUT", help="the folder to write, which must not exist")
    parser.add_argument("--column", metavar="NAME", help="the puzzles (else `puzzle` or the like)")
    parser.add_argument("--limit", metavar="N", type=int, default=2, help="stop counting at N solutions (2)")
    parser.add_argument("--max-guesses", metavar="N", type=int, help="give up on a puzzle after N guesses")
    parser.add_argument("--backend", metavar="NAME", default="auto", help="the engine (the fastest of the processor)")
    parser.add_argument("--times", action="store_true", help="add a column of times")
    parser.add_argument("--verify", action="store_true", help="verify claimed solutions instead of solving")
    parser.add_argument("--solution", metavar="NAME", help="with --verify: the claims (else `solution` or the like)")
    parser.add_argument("--trust-unique", action="store_true", help="with --verify: without a proof of uniqueness")
    return parser


if __name__ == "__main__":
    sys.exit(main())
