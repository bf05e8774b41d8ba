"""Solve and verify whole columns of Sudoku puzzles, in parallel.

>>> import batchdoku
>>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
>>> batchdoku.solve([puzzle, "1234"])
<batchdoku.Answers: 2 rows (1 unique, 1 invalid)>

`solve`, `verify`, `enumerate`, `canon`, `rate` and `minimize` accept lists, numpy arrays and Arrow data (from Polars,
pandas, pyarrow or DuckDB). Their results can be converted to any of these; if given a Spark DataFrame, they return
another one. `read` reads a file as columns; `solve_file` and the like work on files of any size. `dedupe` finds
duplicates, `permute` makes isomorphs, and `generate` makes puzzles. `convert_file`, `sample_file`, `split_file`,
`inspect` and `report` work like the commands of the same names. The rows are the same as those of the command
`batchdoku`.
"""

from batchdoku import _jobs
from batchdoku._answers import Answers, Puzzles, Summary
from batchdoku._batchdoku import __version__
from batchdoku._data import ArrowArray, ArrowStream, Column, Table
from batchdoku._files import dedupe, dedupe_file, inspect, read, report, sample_file, split_file
from batchdoku._jobs import *
from batchdoku._options import Reading

__all__ = [
    "Answers",
    "ArrowArray",
    "ArrowStream",
    "Column",
    "Puzzles",
    "Reading",
    "Summary",
    "Table",
    "__version__",
    "dedupe",
    "dedupe_file",
    "inspect",
    "read",
    "report",
    "sample_file",
    "split_file",
]
__all__ += _jobs.__all__
