"""The jobs from file to file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable

from batchdoku import _batchdoku
from batchdoku._answers import Puzzles, Summary
from batchdoku._jobs import checked_options


def read(
    path: str | os.PathLike[str], *, column: str | None = None, solution: str | None = None
) -> Puzzles:
    """Read the puzzles of a file, and the solutions that it claims, in any layout and compression of the command.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> count = path.write_text("." * 81 + "\\n" + "1234\\n")
    >>> puzzles = read(path)
    >>> puzzles
    <batchdoku.Puzzles: 2 rows (1 with an error)>
    >>> puzzles.to_pyarrow()["error"].to_pylist()
    [None, 'line 2, column 5: 4 cells (expected 81)']

    What is no puzzle is a row with an error and without a puzzle, so that `solve(read(path))` has a row for it, too. All
    rows lie in memory; `solve_file` and `verify_file` take a file of any size, and Sudominoku cases as well.

    Args:
        path: A file in any layout and compression that the command reads, `-` for standard input.
        column: The name or number of the column of puzzles in a CSV file.
        solution: The name or number of the column of claimed solutions.

    Raises:
        OSError: When the file cannot be read.
        ValueError: When there are no puzzles in the file.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    puzzles = _batchdoku.read(os.fsdecode(path), column, solution)
    for note in puzzles.notes:
        warnings.warn(note, RuntimeWarning, stacklevel=2)
    return Puzzles(puzzles)


def solve_file(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    output_format: str | None = None,
    column: str | None = None,
    progress: Callable[[int, int], object] | None = None,
    limit: int = 2,
    any_solution: bool = False,
    max_guesses: int | None = None,
    backend: str = "auto",
    threads: int | None = None,
    times: bool = False,
) -> Summary:
    """Solve the puzzles of a file into another, as the command `batchdoku solve` does, in bounded memory.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 81 + "\\n" + "1234\\n")
    >>> summary = solve_file(folder / "list.txt", folder / "rows.csv")
    >>> summary["rows"], summary["statuses"]["multiple"], summary["statuses"]["invalid"]
    (2, 1, 1)
    >>> (folder / "rows.csv").read_text().splitlines()[2].rpartition("line 2")[2]
    ', column 5: 4 cells (expected 81)"'

    Args:
        path: A file in any layout and compression that the command reads, `-` for standard input.
        out: The file of rows. It is called `out` and `.partial` until it is complete, and stays so when the run fails.
        output_format: `csv`, `jsonl`, `lines`, `text` or `npy`, as of the command; by default that of the extension of
            `out`, which `.gz` and `.zst` compress.
        column: The name or number of the column of puzzles in a CSV file.
        progress: Is called with the records and bytes so far, ten times a second at most.
        limit: Stop counting at so many solutions.
        any_solution: Whether any of several solutions will do, instead of the smallest.
        max_guesses: Give up on a puzzle after so many guesses.
        backend: The engine, if not the fastest of this processor.
        threads: How many work, by default one for each core.
        times: Whether there is a column `time_ns`.

    Raises:
        OSError: When a file cannot be read or written.
        ValueError: When there are no puzzles in the file, `out` is the file itself, or an option has no such value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    files = _files(path, out, output_format, column, None)
    options = checked_options(limit, max_guesses, backend, threads, times, any_solution)
    return _warned(*_batchdoku.solve_file(files, progress, options))


def verify_file(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    output_format: str | None = None,
    column: str | None = None,
    solution: str | None = None,
    trust_unique: bool = False,
    progress: Callable[[int, int], object] | None = None,
    max_guesses: int | None = None,
    backend: str = "auto",
    threads: int | None = None,
    times: bool = False,
) -> Summary:
    """Verify the solutions that a file claims, as the command `batchdoku verify` does, in bounded memory.

    Args:
        path: A file in any layout and compression that the command reads, `-` for standard input.
        out: The file of rows. It is called `out` and `.partial` until it is complete, and stays so when the run fails.
        output_format: `csv` or `jsonl`, as of the command; by default that of the extension of `out`, which `.gz` and `.zst`
            compress.
        column: The name or number of the column of puzzles in a CSV file.
        solution: The name or number of the column of claimed solutions.
        trust_unique: Whether a solution is `correct` without a proof that there is no other.
        progress: Is called with the records and bytes so far, ten times a second at most.
        max_guesses: Give up on a puzzle after so many guesses.
        backend: The engine, if not the fastest of this processor.
        threads: How many work, by default one for each core.
        times: Whether there is a column `time_ns`.

    Raises:
        OSError: When a file cannot be read or written.
        ValueError: When there are no puzzles in the file, `out` is the file itself, or an option has no such value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    files = _files(path, out, output_format, column, solution)
    options = checked_options(2, max_guesses, backend, threads, times)
    return _warned(*_batchdoku.verify_file(files, trust_unique, progress, options))


def _files(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    output_format: str | None,
    column: str | None,
    solution: str | None,
) -> dict[str, object]:
    return {
        "path": os.fsdecode(path),
        "out": os.fsdecode(out),
        "output_format": output_format,
        "column": column,
        "solution": solution,
    }


def _warned(summary: Summary, notes: list[str]) -> Summary:
    for note in notes:
        warnings.warn(note, RuntimeWarning, stacklevel=3)
    return summary
