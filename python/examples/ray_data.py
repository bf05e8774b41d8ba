"""Solves a Parquet table with Ray Data: `python ray_data.py IN OUT`."""

import sys
from typing import Any

import ray

import batchdoku


def solve(table: Any) -> Any:
    """Adds the job columns to a part of the table; each task has one core."""
    return batchdoku.solve(table, threads=1).to_pyarrow()


if __name__ == "__main__":
    source, target = sys.argv[1:]
    data = ray.data.read_parquet(source).map_batches(solve, batch_format="pyarrow", batch_size=16_384)
    data.write_parquet(target)
