"""The jobs and their options.

Each job has one function and set of options for data in memory, and another for files. `python/src/jobs.rs` creates the
job with the same name.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from batchdoku import _batchdoku
from batchdoku._answers import Answers, Summary
from batchdoku._data import Column, Table
from batchdoku._options import Claims, Columns, Files, Reading, Seed, Threads, Writing, drawn, takes
from batchdoku._run import Path, Paths, job, run, run_file, warn

if TYPE_CHECKING:
    from typing_extensions import Unpack  # Type checkers provide this module; Python 3.10 lacks it.

__all__ = [
    "canon",
    "canon_file",
    "convert_file",
    "enumerate",
    "enumerate_file",
    "generate",
    "generate_file",
    "minimize",
    "minimize_file",
    "permute",
    "permute_file",
    "rate",
    "rate_file",
    "solutions",
    "solve",
    "solve_file",
    "verify",
    "verify_file",
]


class Engine(TypedDict, total=False):
    backend: Annotated[str, "auto", "The solver backend; by default, the fastest. All give the same results."]


class Search(Columns, Threads, Engine, total=False):
    max_guesses: Annotated[int | None, None, "Give up on a puzzle (status `unfinished`) after this many guesses.", 0]
    times: Annotated[bool, False, "Whether to add the column `time_ns`."]


class Solving(Search, total=False):
    limit: Annotated[
        int, 2, "Stop counting at this many solutions. 2 tells unique from multiple; 1 only finds a solution.", 1
    ]
    any_solution: Annotated[
        bool, False, "Whether any of several solutions will do; finding the smallest takes an extra search."
    ]


class SolvingFiles(Solving, Files, total=False):
    """Options for `solve_file`."""


@job(Solving)
def solve(data: "Column | Table", **options: "Unpack[Solving]") -> Answers:
    """Solve puzzles: find a solution, and whether there is one solution, several or none.

    >>> puzzles = [
    ...     "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..",
    ...     "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.33.",
    ...     None,
    ... ]
    >>> answers = solve(puzzles)
    >>> answers
    <batchdoku.Answers: 3 rows (1 unique, 2 invalid)>
    >>> answers.to_polars()["error"].to_list()[1]
    'cell 80: clue 3 repeats that of cell 79 in the same row'

    An invalid puzzle yields a row with the status `invalid` and the reason; it never raises an exception. For a Spark
    DataFrame, the result is another DataFrame, and nothing is computed until an action asks for it.

    Args:
        data: Puzzles of 81 characters, with any of `. 0 * _ - ? X x` for a blank, as a list or another iterable of str;
            N x 81 or N x 9 x 9 integers in a numpy array; an Arrow column of text, bytes or lists of integers; or an
            Arrow table or a Spark DataFrame, whose other columns are kept in front of the job's columns.
        **options

    Raises:
        TypeError: If `data` has any other type.
        ValueError: If there is no column of puzzles, or an option has an invalid value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    return run("solve", data, options)


@takes(SolvingFiles)
def solve_file(path: Paths, out: Path, **options: "Unpack[SolvingFiles]") -> Summary:
    """Solve the puzzles in a file in bounded memory, like the command `batchdoku solve`.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 81 + "\\n" + "1" * 80 + "\\n")
    >>> summary = solve_file(folder / "list.txt", folder / "rows.csv")
    >>> summary["rows"], summary["statuses"]["multiple"], summary["statuses"]["invalid"]
    (2, 1, 1)
    >>> (folder / "rows.csv").read_text().splitlines()[2].rpartition("line 2")[2]
    ', column 81: 80 cells (expected 81)"'

    Args:
        path: A file, several files, or a pattern (`train-*.csv`), in any layout and compression that the command reads;
            `-` is standard input.
        out: The file for the rows. It has the suffix `.partial` until it is complete, and keeps it if the run fails.
        **options

    Raises:
        OSError: If a file cannot be read or written.
        ValueError: If there are no puzzles in the file, `out` is the input file, or an option has an invalid value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    return run_file("solve", path, out, options)


class Judging(Search, total=False):
    trust_unique: Annotated[bool, False, "Whether claims can be `correct` without a proof of uniqueness."]


class SolutionColumn(TypedDict, total=False):
    solution: Annotated[
        "str | Column | None",
        None,
        "The name of the solution column in a table, by default `solution`, `solutions` or `answer` if there is one; or"
        " the solutions themselves, one per puzzle, in any type that `data` can have.",
    ]


class Verifying(Judging, SolutionColumn, total=False):
    """Options for `verify`."""


class VerifyingFiles(Judging, Claims, Files, total=False):
    answers: Annotated[
        "Path | None",
        None,
        "A separate file with the claimed solutions: its n-th record answers the n-th puzzle. `solution` then names a"
        " column of this file.",
    ]


@job(Verifying)
def verify(data: "Column | Table", **options: "Unpack[Verifying]") -> Answers:
    """Verify claimed solutions: find out whether they are correct and unique.

    >>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
    >>> right = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
    >>> answers = verify([puzzle] * 3, solution=[right, right.replace("1", "2"), None])
    >>> answers
    <batchdoku.Answers: 3 rows (1 correct, 1 wrong, 1 missing)>

    Args:
        data: The puzzles, as for `solve`.
        **options

    Raises:
        TypeError: If `data` or `solution` has any other type.
        ValueError: If there is no column of puzzles or solutions, the numbers of solutions and puzzles differ, or an
            option has an invalid value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    return run("verify", data, options)


@takes(VerifyingFiles)
def verify_file(path: Paths, out: Path, **options: "Unpack[VerifyingFiles]") -> Summary:
    """Verify the claimed solutions in a file in bounded memory, like the command `batchdoku verify`."""
    return run_file("verify", path, out, options)


class Enumerating(Columns, Threads, Engine, total=False):
    limit: Annotated[int | None, None, "List at most this many solutions per puzzle; by default, all.", 1]


class EnumeratingFiles(Enumerating, Files, total=False):
    """Options for `enumerate_file`."""


@job(Enumerating)
def enumerate(data: "Column | Table", **options: "Unpack[Enumerating]") -> Answers:
    """List every solution of every puzzle in ascending order, one per row.

    >>> answers = enumerate(["." * 81, "1234"], limit=2)
    >>> answers
    <batchdoku.Answers: 3 rows of 2 puzzles (1 multiple, 1 invalid)>
    >>> answers.to_polars().select("n", "error").rows()
    [(1, None), (2, None), (0, 'cell 5: 4 cells (expected 81)')]

    The other columns of a table come first and are repeated in every row for the puzzle; if the data is a single
    column, it becomes the column `puzzle`. All rows are kept in memory; `enumerate_file` and `solutions` can list
    billions.
    """
    return run("enumerate", data, options)


@takes(EnumeratingFiles)
def enumerate_file(path: Paths, out: Path, **options: "Unpack[EnumeratingFiles]") -> Summary:
    """List every solution of the puzzles in a file in bounded memory, like the command `batchdoku enumerate`.

    The solutions of Sudominoku cases are written as digit grids.
    """
    return run_file("enumerate", path, out, options)


class Canonizing(Columns, Threads, Engine, total=False):
    form: Annotated[
        str,
        "minlex",
        "The canonical isomorph: `minlex`, the smallest as an 81-digit number with 0 for blanks; `grid`, the smallest"
        " whose solution is the `minlex` form of the solution; `list17`, the first by clue counts in the minirows of"
        " the top band.",
    ]
    symmetry: Annotated[bool, False, "Whether to add the column `symmetry`: one that turns the puzzle into its form."]


class CanonizingFiles(Canonizing, Files, total=False):
    """Options for `canon_file`."""


@job(Canonizing)
def canon(data: "Column | Table", **options: "Unpack[Canonizing]") -> Answers:
    """Find the canonical form of every puzzle, which all its isomorphs share.

    >>> answers = canon(["1" + "." * 80, "." * 80 + "7"])
    >>> answers
    <batchdoku.Answers: 2 rows (2 canonical)>
    >>> answers.to_polars()["canonical"].n_unique()
    1
    """
    return run("canon", data, options)


@takes(CanonizingFiles)
def canon_file(path: Paths, out: Path, **options: "Unpack[CanonizingFiles]") -> Summary:
    """Find the canonical form of each puzzle in a file in bounded memory, like the command `batchdoku canon`."""
    return run_file("canon", path, out, options)


class Making(Columns, Seed, Threads, total=False):
    count: Annotated[int, 1, "The number of isomorphs per puzzle.", 1, 1_000_000]
    only: Annotated[
        "str | Sequence[str] | None",
        None,
        "The parts to permute; by default, all of `digits`, `rows`, `columns`, `bands`, `stacks`, `transpose`.",
    ]
    by: Annotated[str | None, None, "A symmetry to apply to every puzzle, written as in the column `symmetry`."]
    symmetry: Annotated[bool, False, "Whether to add the column `symmetry`: the one that made the row."]


class Permuting(Making, SolutionColumn, total=False):
    """Options for `permute`."""


class PermutingFiles(Making, Claims, Files, total=False):
    """Options for `permute_file`."""


@takes(Permuting)
def permute(data: "Column | Table", **options: "Unpack[Permuting]") -> Answers:
    """Make random isomorphs of every puzzle, and of its solution if there is one; each isomorph is a row.

    >>> rows = permute(["1" + "." * 80, "1234"], count=2, only="digits", symmetry=True)
    >>> rows
    <batchdoku.Answers: 3 rows of 2 puzzles (1 permuted, 1 invalid)>
    >>> rows.to_polars().select("row", "error").rows()
    [(0, None), (0, None), (1, 'cell 5: 4 cells (expected 81)')]

    The columns of a table come first, except for puzzles and solutions. They are followed by `row` (the row number in
    `data`, counted from 0), `status`, `error`, `puzzle` and, if there are solutions, `solution`. The isomorphs of a
    puzzle differ from it and from each other, unless it does not have that many. They depend only on the seed and the
    row number.

    Args:
        data: The puzzles, as for `solve`, but not in a Spark DataFrame.
        **options

    Raises:
        TypeError, ValueError, KeyboardInterrupt: As for `verify`.
    """
    return run("permute", data, _made(options))


@takes(PermutingFiles)
def permute_file(path: Paths, out: Path, **options: "Unpack[PermutingFiles]") -> Summary:
    """Make random isomorphs of the puzzles in a file in bounded memory, like the command `batchdoku permute`.

    Args:
        path: The puzzle file, as for `solve_file`.
        out: The file for the isomorphs, with the transformed solutions and all other columns of a table.
        **options
    """
    return run_file("permute", path, out, _made(options))


def _made(options: "Mapping[str, Any]") -> dict[str, Any]:
    """Returns the options, including a list of the parts to permute. Raises if they contradict each other."""
    only = options["only"]
    if options["by"] is not None and (only is not None or options["count"] != 1 or options["seed"] is not None):
        raise ValueError("by is a symmetry for every puzzle, which count, seed and only do not go with")
    seeded = drawn(options) if options["by"] is None else options
    return {**seeded, "only": [only] if isinstance(only, str) else only}


class Rating(Columns, Threads, Engine, total=False):
    max_guesses: Annotated[int | None, None, "Give up on a puzzle (status `unfinished`) after this many guesses.", 0]
    isomorphs: Annotated[
        int | None, None, "Add the mean and standard deviation of the guesses for this many random isomorphs.", 2
    ]
    seed: Annotated[int, 1, "The random seed for the isomorphs.", 0]
    max_se: Annotated[
        float | None, None, "Rate puzzles above this rating (6.0 to 9.4) only as harder, which takes far less time."
    ]


class RatingFiles(Rating, Files, total=False):
    """Options for `rate_file`."""


@job(Rating)
def rate(data: "Column | Table", **options: "Unpack[Rating]") -> Answers:
    """Rate how hard puzzles are, like the command `batchdoku rate`.

    >>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
    >>> rate([puzzle]).to_polars().select("se", "class", "depth", "backdoor").rows()
    [('1.2', 'hidden singles in boxes', 0, 0)]
    """
    return run("rate", data, options)


@takes(RatingFiles)
def rate_file(path: Paths, out: Path, **options: "Unpack[RatingFiles]") -> Summary:
    """Rate how hard the puzzles in a file are in bounded memory, like the command `batchdoku rate`."""
    return run_file("rate", path, out, options)


class Minimizing(Columns, Threads, Engine, total=False):
    seed: Annotated[int, 1, "The random seed, which decides which clues are dropped.", 0]
    check: Annotated[bool, False, "Whether to find the redundant clues of each puzzle without dropping any."]
    limit: Annotated[int | None, None, "List up to this many minimal puzzles within each puzzle, one per row.", 1]


class MinimizingFiles(Minimizing, Files, total=False):
    """Options for `minimize_file`."""


@job(Minimizing)
def minimize(data: "Column | Table", **options: "Unpack[Minimizing]") -> Answers:
    """Drop redundant clues from puzzles, like the command `batchdoku minimize`.

    >>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
    >>> minimize([puzzle], check=True).to_polars()["redundant"].to_list()
    ['A3 A5 B4 B6 B9 C3 C6 C7 D3 D4 D7 E9 F6 F7 G3 G4 G7 H4 H6 I3 I7']
    """
    return run("minimize", data, options)


@takes(MinimizingFiles)
def minimize_file(path: Paths, out: Path, **options: "Unpack[MinimizingFiles]") -> Summary:
    """Drop redundant clues from the puzzles in a file in bounded memory, like the command `batchdoku minimize`."""
    return run_file("minimize", path, out, options)


class Generating(Seed, Threads, Engine, total=False):
    minimal: Annotated[bool, False, "Whether puzzles are minimal; without `clues`, they always are."]
    clues: Annotated["int | tuple[int, int] | None", None, "The number of clues, or its minimum and maximum."]
    symmetry: Annotated[
        str,
        "none",
        "The symmetry of the clue pattern: `none`, `rotate180`, `rotate90`, `mirror`, `flip`, `diagonal`,"
        " `antidiagonal` or `full`.",
    ]
    pattern: Annotated[str | None, None, "81 characters; clues are placed only where it has digits."]
    near: Annotated["Sequence[str] | None", None, "Puzzles of 81 characters in which some clues are replaced."]
    changes: Annotated[int, 2, "The number of clues to replace in each puzzle of `near`.", 1, 81]
    difficulty: Annotated[
        str | None, None, "A condition on the measures of `rate`, such as `se>=4.5 && clues<=24`; they become columns."
    ]
    grade: Annotated[str | None, None, "`easy`, `medium`, `hard`, `fiendish` or `diabolical`, as in `rate`."]
    columns: Annotated["Sequence[str]", (), "Measures to add as columns: `guesses`, `se`, `grade`, `class`, ..."]
    weights: Annotated[bool, False, "Whether to add the column `weight`, which removes the bias of minimal puzzles."]
    tries: Annotated[int, 1_000_000, "Give up on a puzzle after this many grids.", 1]
    solutions: Annotated[bool, True, "Whether to add the column `solution`."]


class GeneratingFiles(Generating, Writing, total=False):
    """Options for `generate_file`."""


@takes(Generating)
def generate(count: int, **options: "Unpack[Generating]") -> Answers:
    """Generate puzzles, like the command `batchdoku generate`.

    >>> puzzles = generate(3, seed=7, symmetry="rotate180", clues=(26, 28), grade="easy")
    >>> puzzles
    <batchdoku.Answers: 3 rows (3 generated)>
    >>> puzzles.to_polars()["grade"].to_list()
    ['easy', 'easy', 'easy']

    For a given seed, puzzle `k` does not depend on `count`. If `tries` grids do not produce a puzzle, the row has no
    puzzle and the status `not-found`. If that happens to the first puzzle after a million grids or more, the remaining
    puzzles are `not-tried`.

    Args:
        count: The number of puzzles.
        **options

    Raises:
        ValueError: If an option has an invalid value, or two options contradict each other.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    complete = _complete(options)
    rows = _batchdoku.generate(count, complete)
    warn(rows.notes, 4)
    return Answers(rows, complete["seed"])


@takes(GeneratingFiles)
def generate_file(out: Path, count: int, **options: "Unpack[GeneratingFiles]") -> Summary:
    """Generate puzzles into a file in bounded memory, like the command `batchdoku generate`.

    Args:
        out: The file, as for `convert_file`. Puzzles that were not found are not written.
        count: The number of puzzles.
        **options
    """
    complete = _complete(options)
    summary, notes = _batchdoku.generate_file(os.fsdecode(out), count, complete)
    warn(notes, 4)
    return {**summary, "seed": complete["seed"]}


def _complete(options: "Mapping[str, Any]") -> dict[str, Any]:
    """Returns the options for Rust. Raises if they contradict each other."""
    clues, columns, near = options["clues"], options["columns"], options["near"]
    if near is not None and (options["pattern"] is not None or options["symmetry"] != "none"):
        raise ValueError("near goes with neither symmetry nor pattern")
    near = None if near is None else [near] if isinstance(near, str) else list(near)
    if near == []:
        raise ValueError("near has no puzzle")
    return {
        **drawn(options),
        "clues": (clues, clues) if isinstance(clues, int) else clues,
        "columns": [columns] if isinstance(columns, str) else list(columns),
        "near": near,
    }


def solutions(puzzle: str) -> Iterator[str]:
    """Iterate over the solutions of one puzzle in ascending order, computing each one when it is requested.

    >>> from itertools import islice
    >>> [solution[:18] for solution in islice(solutions("." * 81), 2)]
    ['123456789456789123', '123456789456789123']

    Args:
        puzzle: 81 characters, with any of `. 0 * _ - ? X x` for a blank; or the lines of a Sudominoku case (BOJ 4574),
            the first of which gives the number of its dominoes. Its solutions are digit grids.

    Raises:
        ValueError: If `puzzle` is not a puzzle.
    """
    return _batchdoku.Solutions(puzzle)


class Converting(Reading, Writing, total=False):
    """Options for `convert_file`."""


@takes(Converting)
def convert_file(path: Paths, out: Path, **options: "Unpack[Converting]") -> Summary:
    """Convert a puzzle file to another format, like the command `batchdoku convert`; nothing is solved.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 80 + "1\\n" + "1" * 80 + "\\n")
    >>> convert_file(folder / "list.txt", folder / "list.parquet")["statuses"]
    {'converted': 1, 'invalid': 1, 'internal-error': 0}

    Args:
        path: The puzzle file, as for `solve_file`.
        out: The file for the puzzles, with the claimed solutions and all other columns of a table.
        **options
    """
    return run_file("convert", path, out, options)
