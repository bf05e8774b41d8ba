"""Functions that read, sample, split and inspect files, report on them, and find duplicates."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from batchdoku import _batchdoku
from batchdoku._answers import Answers, Puzzles, Summary
from batchdoku._data import Column, Table
from batchdoku._data import read as read_column
from batchdoku._options import Columns, Progress, Reading, Threads, Writing, check, takes
from batchdoku._run import Path, Paths, named, run, run_file, warn

if TYPE_CHECKING:
    from typing_extensions import Unpack  # Type checkers provide this module; Python 3.10 lacks it.


@takes(Reading)
def read(path: Path, **options: "Unpack[Reading]") -> Puzzles:
    """Read the puzzles in a file, and any claimed solutions.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> count = path.write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> puzzles = read(path)
    >>> puzzles
    <batchdoku.Puzzles: 2 rows (1 with an error)>
    >>> puzzles.to_pyarrow()["error"].to_pylist()
    [None, 'line 2, column 81: 80 cells (expected 81)']

    A record that is not a puzzle becomes a row with an error but no puzzle, so `solve(read(path))` has a row for it as
    well. All rows are kept in memory; `solve_file` and `verify_file` accept files of any size, and Sudominoku cases.

    Args:
        path: A file in any layout and compression that the command reads; `-` is standard input.
        **options
    """
    rows = _batchdoku.read(os.fsdecode(path), options)
    warn(rows.notes, 4)
    return Puzzles(rows)


BY = "A column name (or `status`, `clues` or `guesses` if there is no such column): "


class Sampling(Reading, Progress, total=False):
    seed: Annotated[int, 1, "The random seed: the same seed gives the same sample.", 0]
    by: Annotated[str | None, None, BY + "equally many records of each value are sampled."]
    rest: Annotated["Path | None", None, "A file for the remaining records, in order."]


@takes(Sampling)
def sample_file(path: Paths, out: Path, count: int, **options: "Unpack[Sampling]") -> tuple[int, int]:
    """Sample `count` records from a file with equal probability, like the command `batchdoku sample`.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text(("." * 81 + "\\n") * 5)
    >>> sample_file(folder / "list.txt", folder / "few.txt", 2)
    (2, 5)

    Args:
        path: A file, several files with the same layout, or a pattern, as for `solve_file`.
        out: The file for the unchanged records; `.gz` and `.zst` compress it. If the name of `out` or `rest` has the
            extension of a different format, such as `.parquet`, all records are converted as in `convert_file`.
        count: The number of records to sample; if there are fewer, all are taken.
        **options

    Returns:
        The number of records sampled, and the total number of records.
    """
    check("count", count, 1)
    rest = options.get("rest")
    summary = run_file("sample", path, [out] if rest is None else [out, rest], {**options, "count": count})
    return summary["statuses"]["taken"], summary["rows"]


class Comparing(TypedDict, total=False):
    memory: Annotated[
        int, 2**30, "The memory limit in bytes; each record takes 48, and the rest go to a temporary file.", 2**20
    ]


SAME = (
    "When two records are the same: `text`, if their 81 cells are equal; `puzzle`, if they are isomorphic;"
    " `solution-grid`, if each has exactly one solution and the solutions are isomorphic."
)


class Deduping(Columns, Threads, Comparing, total=False):
    same: Annotated[str, "text", SAME]
    against: Annotated[
        "Column | Table | None",
        None,
        "Other puzzles, in any type that `data` can have: only rows that match one of them are left out.",
    ]


class DedupingFiles(Reading, Writing, Comparing, total=False):
    same: Annotated[str, "text", SAME]
    against: Annotated["Paths | None", None, "Other files: only records that match one of theirs are left out."]
    matches: Annotated[
        "Path | None", None, "A file for a table of the records left out, each with the first record that it matches."
    ]


class Splitting(Reading, Progress, Comparing, total=False):
    seed: Annotated[int, 1, "The random seed: the same seed gives the same parts.", 0]
    same: Annotated[str, "puzzle", SAME]
    by: Annotated[str | None, None, BY + "each part gets its share of every value."]


@takes(Deduping)
def dedupe(data: "Column | Table", **options: "Unpack[Deduping]") -> Answers:
    """Find the puzzles that are the same as an earlier puzzle.

    >>> import polars
    >>> frame = polars.DataFrame({"id": [7, 8, 9], "puzzle": ["1" + "." * 80, "." * 80 + "7", "1" + "0" * 80]})
    >>> rows = dedupe(frame)
    >>> rows
    <batchdoku.Answers: 3 rows (2 kept, 1 duplicate)>
    >>> rows.to_polars()["first"].to_list()
    [0, 1, 0]
    >>> rows.to_polars().filter(polars.col("status") == "kept")["id"].to_list()
    [7, 8]

    There is a row for each row of `data`. The column `first` gives the number, counted from 0, of the first row that is
    the same, which can be the row itself. With `against`, it is a row number in those puzzles, or null. The status is
    `kept`, `duplicate` (with `against`: `known`) or `invalid`. An invalid row is never the same as another.

    Args:
        data: The puzzles, as for `solve`, but not in a Spark DataFrame. For that, group by the column `canonical` that
            `canon` adds.
        **options
    """
    against = options.pop("against", None)
    beside = None if against is None else read_column(against, "against", [options["column"]])
    return run("dedupe", data, options, beside)


@takes(DedupingFiles)
def dedupe_file(path: Paths, out: Path, **options: "Unpack[DedupingFiles]") -> Summary:
    """Drop the records that are the same as an earlier record, like the command `batchdoku dedupe`.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text(("." * 81 + "\\n") * 5)
    >>> dedupe_file(folder / "list.txt", folder / "distinct.txt")["statuses"]
    {'kept': 1, 'duplicate': 4, 'invalid': 0, 'internal-error': 0}

    Args:
        path: A file, several files with the same layout, or a pattern, as for `solve_file`, but not standard input.
        out: The file for the remaining records, unchanged. If `output_format` is given, or if the file has the
            extension of a different format, such as `.parquet`, they are converted as in `convert_file`.
        **options
    """
    against, matches = options["against"], options["matches"]
    written = [out] if matches is None else [out, matches]
    others = None if against is None else named(against, *written)
    return run_file("dedupe", named(path, *written), out, {**options, "against": others})


@takes(Splitting)
def split_file(path: Paths, parts: "Mapping[str, float]", **options: "Unpack[Splitting]") -> dict[str, int]:
    """Split files into random parts that have no puzzle in common, like the command `batchdoku split`.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("".join(f"{n:081}\\n" for n in range(11, 21)))
    >>> split_file(folder / "list.txt", {f"{folder}/train": 0.8, f"{folder}/test": 0.2}, same="text").values()
    dict_values([8, 2])

    Args:
        path: A file, several files with the same layout, or a pattern, as for `solve_file`, but not standard input.
        parts: The files for the parts, and their shares in any unit. A name without an extension gets the extension of
            the first file; `.gz` and `.zst` compress it. If a name has the extension of a different format, all
            records are converted, as in `sample_file`.
        **options

    Returns:
        The files for the parts, and the number of records in each.
    """
    given = [f"{name}={share}" for name, share in parts.items()]
    summary = run_file("split", path, list(parts), {**options, "parts": given})
    return dict(list(summary["statuses"].items())[: len(parts)])


class Inspecting(Reading, total=False):
    all: Annotated[bool, False, "Whether to read the whole file instead of a sample."]


@takes(Inspecting)
def inspect(path: Path, **options: "Unpack[Inspecting]") -> dict[str, Any]:
    """Describe a file based on a sample of it, like `batchdoku inspect --json`.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> count = path.write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> found = inspect(path)
    >>> found["format"], found["rows"], found["statuses"]["invalid"]
    ('line', 2, 1)

    Args:
        path: A file in any layout and compression that the command reads; `-` is standard input.
        **options
    """
    found: dict[str, Any] = json.loads(_batchdoku.inspect(os.fsdecode(path), options))
    return found


class Reporting(Threads, total=False):
    top: Annotated[int, 10, "How many of the hardest and of the slowest puzzles to show, at most 50.", 0, 50]
    isomorphs: Annotated[bool, False, "Whether isomorphic puzzles count as one puzzle."]


@takes(Reporting)
def report(results: Paths, *outs: Path, **options: "Unpack[Reporting]") -> dict[str, Any]:
    """Make a report on results files, like the command `batchdoku report`.

    >>> import tempfile, pathlib, batchdoku
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 81 + "\\n")
    >>> summary = batchdoku.solve_file(folder / "list.txt", folder / "rows.csv")
    >>> report(folder / "rows.csv", folder / "report.html")["total"]["rows"]
    1

    Args:
        results: A results file (CSV, JSON Lines, Parquet or Arrow), several files to compare, or a pattern.
        *outs: The files for the report: a web page (`.html`), Markdown (`.md`) or JSON (`.json`).
        **options

    Returns:
        The figures, as in the JSON report.

    Raises:
        ValueError: If a file is not a results file, or an option has an invalid value.
        OSError: If a file cannot be read or written.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    text, notes = _batchdoku.report(named(results, *outs), [os.fsdecode(out) for out in outs], options)
    warn(notes, 4)
    figures: dict[str, Any] = json.loads(text)
    return figures
