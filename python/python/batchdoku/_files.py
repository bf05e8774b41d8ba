"""The jobs from file to file."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from batchdoku import _batchdoku
from batchdoku._answers import Puzzles, Summary
from batchdoku._jobs import check, checked_options, warn

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import Unpack  # What type checkers bring; Python 3.10 has none.

    Path: TypeAlias = str | os.PathLike[str]
    Paths: TypeAlias = Path | Sequence[Path]


class Reading(TypedDict, total=False):
    """How `read`, `convert_file`, `sample_file` and `inspect` read files: their further keywords."""

    column: str | None
    """The name or number of the column of puzzles in a table, or its key in JSON."""
    solution: str | None
    """The name or number of the column of claimed solutions."""
    format: str | None
    """The layout (`line`, `csv`, `grid`, `jsonl`, ...), by default that of the first records."""
    trust_compressed: bool
    """Whether compressed data may take any memory and time."""
    threads: int | None
    """How many work, by default one for each core."""


def read(path: Path, **reading: Unpack[Reading]) -> Puzzles:
    """Read the puzzles of a file, and the solutions that it claims, in any layout and compression of the command.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> count = path.write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> puzzles = read(path)
    >>> puzzles
    <batchdoku.Puzzles: 2 rows (1 with an error)>
    >>> puzzles.to_pyarrow()["error"].to_pylist()
    [None, 'line 2, column 81: 80 cells (expected 81)']

    What is no puzzle is a row with an error and without a puzzle, so that `solve(read(path))` has a row for it, too. All
    rows lie in memory; `solve_file` and `verify_file` take a file of any size, and Sudominoku cases as well.

    Args:
        path: A file in any layout and compression that the command reads, `-` for standard input.
        **reading: See `Reading`.

    Raises:
        OSError: When the file cannot be read.
        ValueError: When there are no puzzles in the file.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    puzzles = _batchdoku.read(os.fsdecode(path), _reading(reading))
    warn(puzzles.notes)
    return Puzzles(puzzles)


def solve_file(
    path: Paths,
    out: Path,
    *,
    output_format: str | None = None,
    column: str | None = None,
    format: str | None = None,
    trust_compressed: bool = False,
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
    >>> count = (folder / "list.txt").write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> summary = solve_file(folder / "list.txt", folder / "rows.csv")
    >>> summary["rows"], summary["statuses"]["multiple"], summary["statuses"]["invalid"]
    (2, 1, 1)
    >>> (folder / "rows.csv").read_text().splitlines()[2].rpartition("line 2")[2]
    ', column 81: 80 cells (expected 81)"'

    Args:
        path: A file, several or a pattern (`train-*.csv`), in any layout and compression that the command reads; `-` is
            standard input.
        out: The file of rows. It is called `out` and `.partial` until it is complete, and stays so when the run fails.
        output_format: `csv`, `jsonl`, `lines`, `text`, `parquet`, `arrow` or `npy`, as of the command; by default that
            of the extension of `out`, which `.gz` and `.zst` compress.
        column: The name or number of the column of puzzles in a CSV file.
        format: The layout (`line`, `csv`, `grid`, `jsonl`, ...), by default that of the first records of each file.
        trust_compressed: Whether compressed data may take any memory and time.
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
    reading = _reading(
        {"column": column, "format": format, "trust_compressed": trust_compressed, "threads": threads}
    )
    options = checked_options(limit, max_guesses, backend, threads, times, any_solution)
    summary, notes = _batchdoku.solve_file(
        _named(path, out), os.fsdecode(out), output_format, progress, reading, options
    )
    warn(notes)
    return summary


def verify_file(
    path: Paths,
    out: Path,
    *,
    output_format: str | None = None,
    column: str | None = None,
    solution: str | None = None,
    trust_unique: bool = False,
    format: str | None = None,
    trust_compressed: bool = False,
    progress: Callable[[int, int], object] | None = None,
    max_guesses: int | None = None,
    backend: str = "auto",
    threads: int | None = None,
    times: bool = False,
) -> Summary:
    """Verify the solutions that a file claims, as the command `batchdoku verify` does, in bounded memory.

    Args:
        path: A file, several or a pattern (`train-*.csv`), in any layout and compression that the command reads; `-` is
            standard input.
        out: The file of rows. It is called `out` and `.partial` until it is complete, and stays so when the run fails.
        output_format: `csv`, `jsonl`, `parquet` or `arrow`, as of the command; by default that of the extension of
            `out`, which `.gz` and `.zst` compress.
        column: The name or number of the column of puzzles in a CSV file.
        solution: The name or number of the column of claimed solutions.
        trust_unique: Whether a solution is `correct` without a proof that there is no other.
        format: The layout (`line`, `csv`, `grid`, `jsonl`, ...), by default that of the first records of each file.
        trust_compressed: Whether compressed data may take any memory and time.
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
    reading = _reading(
        {
            "column": column,
            "solution": solution,
            "format": format,
            "trust_compressed": trust_compressed,
            "threads": threads,
        }
    )
    options = checked_options(2, max_guesses, backend, threads, times)
    summary, notes = _batchdoku.verify_file(
        _named(path, out), os.fsdecode(out), output_format, trust_unique, progress, reading, options
    )
    warn(notes)
    return summary


def convert_file(
    path: Paths,
    out: Path,
    *,
    output_format: str | None = None,
    progress: Callable[[int, int], object] | None = None,
    **reading: Unpack[Reading],
) -> Summary:
    """Convert a file of puzzles to another format, as the command `batchdoku convert` does: nothing is solved.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 80 + "1\\n" + "1" * 80 + "\\n")
    >>> convert_file(folder / "list.txt", folder / "list.parquet")["statuses"]
    {'converted': 1, 'invalid': 1, 'internal-error': 0}

    Args:
        path: A file, several or a pattern, as `solve_file` takes them.
        out: The file of puzzles, with the claimed solutions and all other columns of a table.
        output_format: `csv`, `jsonl`, `lines`, `text`, `parquet`, `arrow` or `npy`; by default that of the extension of
            `out`, which `.gz` and `.zst` compress.
        progress: Is called with the records and bytes so far, ten times a second at most.
        **reading: See `Reading`.

    Raises:
        OSError: When a file cannot be read or written.
        ValueError: When there are no puzzles in the file, `out` is the file itself, or an option has no such value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    summary, notes = _batchdoku.convert_file(
        _named(path, out), os.fsdecode(out), output_format, progress, _reading(reading)
    )
    warn(notes)
    return summary


def sample_file(
    path: Paths, out: Path, count: int, *, seed: int = 1, by: str | None = None, **reading: Unpack[Reading]
) -> tuple[int, int]:
    """Take `count` records out of a file, each as likely as any other, as the command `batchdoku sample` does.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text(("." * 81 + "\\n") * 5)
    >>> sample_file(folder / "list.txt", folder / "few.txt", 2)
    (2, 5)

    Args:
        path: A file, several that are alike or a pattern, as `solve_file` takes them.
        out: The file of records as they stand, which `.gz` and `.zst` compress.
        count: How many are taken; all, if there are fewer.
        seed: Where the random numbers start: the same seed gives the same sample.
        by: `status`, `clues` or `guesses`, to take as many of one kind as of another.
        **reading: See `Reading`.

    Returns:
        How many were taken, and of how many.

    Raises:
        OSError: When a file cannot be read or written.
        ValueError: When the file cannot be sampled, `out` is the file itself, or an option has no such value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    check(count=(count, 1), seed=(seed, 0))
    seen, taken, notes = _batchdoku.sample_file(
        _named(path, out), os.fsdecode(out), count, seed, by, _reading(reading)
    )
    warn(notes)
    return taken, seen


def inspect(path: Path, *, all: bool = False, **reading: Unpack[Reading]) -> dict[str, Any]:
    """Say what a file is and holds, from a sample of it: what `batchdoku inspect --json` says of an input.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> count = path.write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> found = inspect(path)
    >>> found["format"], found["rows"], found["statuses"]["invalid"]
    ('line', 2, 1)

    Args:
        path: A file in any layout and compression that the command reads, `-` for standard input.
        all: Whether all of it is read.
        **reading: See `Reading`.

    Raises:
        ValueError: When the file holds nothing that is known, or an option has no such value.
        OSError: When it cannot be read.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    found: dict[str, Any] = json.loads(_batchdoku.inspect(os.fsdecode(path), all, _reading(reading)))
    return found


def report(
    results: Paths,
    *outs: Path,
    top: int = 10,
    hash: bool = True,
    trust_compressed: bool = False,
    threads: int | None = None,
) -> dict[str, Any]:
    """Make a report of files of results, as the command `batchdoku report` does.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 81 + "\\n")
    >>> summary = solve_file(folder / "list.txt", folder / "rows.csv")
    >>> report(folder / "rows.csv", folder / "report.html")["total"]["rows"]
    1

    Args:
        results: A file of results as CSV, JSON Lines, Parquet or Arrow, or several to compare, or a pattern.
        *outs: What the report is written to: a page (`.html`), Markdown (`.md`) or JSON (`.json`).
        top: Hardest and slowest puzzles that are shown, at most 50 of each.
        hash: Whether it tells the SHA-256 of the files.
        trust_compressed: Whether compressed data may take any memory and time.
        threads: How many work, by default one for each core.

    Returns:
        The figures, as in the JSON.

    Raises:
        ValueError: When a file is no file of results, or an option has no such value.
        OSError: When a file cannot be read or written.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    if not 0 <= top <= 50:
        raise ValueError(f"top is {top} (expected 0 to 50)")
    reading = _reading({"trust_compressed": trust_compressed, "threads": threads})
    text, notes = _batchdoku.report(
        _named(results, *outs), [os.fsdecode(out) for out in outs], top, hash, reading
    )
    warn(notes)
    figures: dict[str, Any] = json.loads(text)
    return figures


def _reading(given: Reading) -> dict[str, object]:
    options: dict[str, object] = dict.fromkeys(Reading.__annotations__)
    options["trust_compressed"] = False
    for name in given:
        if name not in options:
            raise TypeError(f"there is no option {name} (expected {', '.join(options)})")
    options.update(given)
    check(threads=(given.get("threads"), 1))
    return options


def _named(paths: Paths, *outs: Path) -> list[str]:
    """The files that are meant: patterns are those that they match but `outs`, `train-2` before `train-10`."""
    found: list[str] = []
    left_out = {os.path.abspath(os.fsdecode(out)) for out in outs}
    for path in map(os.fsdecode, [paths] if isinstance(paths, (str, os.PathLike)) else paths):
        if os.path.lexists(path) or not glob.has_magic(path):
            found.append(path)
            continue
        matches = [match for match in glob.glob(path, recursive=True) if os.path.isfile(match)]
        matches = sorted((match for match in matches if os.path.abspath(match) not in left_out), key=_natural)
        if not matches:
            raise FileNotFoundError(f"{path}: no file matches the pattern")
        found += matches
    if not found:
        raise ValueError("there are no files (expected one at least)")
    return found


def _natural(path: str) -> list[tuple[int, str]]:
    """What paths are sorted by, so that digits are the numbers that they are."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"([0-9]+)", path)]
