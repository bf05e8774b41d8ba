"""Reading, sampling, inspecting and reporting of files."""

import json
import os
from typing import TYPE_CHECKING, Annotated, Any

from batchdoku import _batchdoku
from batchdoku._answers import Puzzles
from batchdoku._options import Reading, Threads, Trust, check, takes
from batchdoku._run import Path, Paths, named, warn

if TYPE_CHECKING:
    from typing_extensions import Unpack  # What type checkers bring; Python 3.10 has none.


@takes(Reading)
def read(path: Path, **options: "Unpack[Reading]") -> Puzzles:
    """Read the puzzles of a file and its claimed solutions.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> count = path.write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> puzzles = read(path)
    >>> puzzles
    <batchdoku.Puzzles: 2 rows (1 with an error)>
    >>> puzzles.to_pyarrow()["error"].to_pylist()
    [None, 'line 2, column 81: 80 cells (expected 81)']

    A record that is not a puzzle is a row with an error and without a puzzle, so that `solve(read(path))` has a row for
    it as well. All rows are in memory; `solve_file` and `verify_file` take files of any size, and Sudominoku cases.

    Args:
        path: A file in any layout and compression that the command reads, `-` for standard input.
        **options

    Raises:
        OSError: When the file cannot be read.
        ValueError: When there are no puzzles in the file.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    rows = _batchdoku.read(os.fsdecode(path), options)
    warn(rows.notes, 4)
    return Puzzles(rows)


class Sampling(Reading, total=False):
    seed: Annotated[int, 1, "The start of the random numbers: the same seed gives the same sample.", 0]
    by: Annotated[str | None, None, "`status`, `clues` or `guesses`, to sample equally many records of each value."]


@takes(Sampling)
def sample_file(path: Paths, out: Path, count: int, **options: "Unpack[Sampling]") -> tuple[int, int]:
    """Sample `count` records of a file, each with the same probability, as the command `batchdoku sample` does.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text(("." * 81 + "\\n") * 5)
    >>> sample_file(folder / "list.txt", folder / "few.txt", 2)
    (2, 5)

    Args:
        path: A file, several of the same layout or a pattern, as for `solve_file`.
        out: The file for the records, unchanged; `.gz` and `.zst` compress it.
        count: How many records to sample; all, if there are fewer.
        **options

    Returns:
        The number of records sampled, and the number of all records.

    Raises:
        OSError: When a file cannot be read or written.
        ValueError: When the file cannot be sampled, `out` is the file itself, or an option has a wrong value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    check("count", count, 1)
    seen, taken, notes = _batchdoku.sample_file(named(path, out), os.fsdecode(out), count, options)
    warn(notes, 4)
    return taken, seen


class Inspecting(Reading, total=False):
    all: Annotated[bool, False, "Whether to read the whole file instead of a sample."]


@takes(Inspecting)
def inspect(path: Path, **options: "Unpack[Inspecting]") -> dict[str, Any]:
    """Describe a file from a sample of it, as `batchdoku inspect --json` does.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> count = path.write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> found = inspect(path)
    >>> found["format"], found["rows"], found["statuses"]["invalid"]
    ('line', 2, 1)

    Args:
        path: A file in any layout and compression that the command reads, `-` for standard input.
        **options

    Raises:
        ValueError: When the layout of the file is unknown, or an option has a wrong value.
        OSError: When it cannot be read.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    found: dict[str, Any] = json.loads(_batchdoku.inspect(os.fsdecode(path), options))
    return found


class Reporting(Trust, Threads, total=False):
    top: Annotated[int, 10, "The number of hardest and of slowest puzzles to show, at most 50.", 0, 50]
    hash: Annotated[bool, True, "Whether the report has the SHA-256 of the files."]


@takes(Reporting)
def report(results: Paths, *outs: Path, **options: "Unpack[Reporting]") -> dict[str, Any]:
    """Make a report of files of results, as the command `batchdoku report` does.

    >>> import tempfile, pathlib, batchdoku
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 81 + "\\n")
    >>> summary = batchdoku.solve_file(folder / "list.txt", folder / "rows.csv")
    >>> report(folder / "rows.csv", folder / "report.html")["total"]["rows"]
    1

    Args:
        results: A file of results (CSV, JSON Lines, Parquet or Arrow), several to compare, or a pattern.
        *outs: The files for the report: a page (`.html`), Markdown (`.md`) or JSON (`.json`).
        **options

    Returns:
        The figures, as in the JSON.

    Raises:
        ValueError: When a file is not a file of results, or an option has a wrong value.
        OSError: When a file cannot be read or written.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    text, notes = _batchdoku.report(named(results, *outs), [os.fsdecode(out) for out in outs], options)
    warn(notes, 4)
    figures: dict[str, Any] = json.loads(text)
    return figures
