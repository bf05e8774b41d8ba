"""The jobs and their options.

Each job has a function and options for data in memory, and a function and options for files. `python/src/jobs.rs` makes
the job of the same name.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from batchdoku import _batchdoku
from batchdoku._answers import Answers, Summary
from batchdoku._data import Column, Table
from batchdoku._options import Claims, Columns, Files, Reading, Seed, Threads, Writing, drawn, takes
from batchdoku._run import Path, Paths, job, run, run_file

if TYPE_CHECKING:
    from typing_extensions import Unpack  # What type checkers bring; Python 3.10 has none.

__all__ = [
    "canon",
    "canon_file",
    "convert_file",
    "enumerate",
    "enumerate_file",
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
    backend: Annotated[str, "auto", "The backend, by default the fastest of the processor; the results are the same."]


class Search(Columns, Threads, Engine, total=False):
    max_guesses: Annotated[int | None, None, "Give up on a puzzle, as `unfinished`, after this many guesses.", 0]
    times: Annotated[bool, False, "Whether there is a column `time_ns`."]


class Solving(Search, total=False):
    limit: Annotated[
        int, 2, "Stop counting at this many solutions. 2 tells unique from multiple, 1 only finds a solution.", 1
    ]
    any_solution: Annotated[
        bool, False, "Whether to return any of several solutions, not the smallest, which takes a search of its own."
    ]


class SolvingFiles(Solving, Files, total=False):
    """The options of `solve_file`."""


@job(Solving)
def solve(data: "Column | Table", **options: "Unpack[Solving]") -> Answers:
    """Solve puzzles: find their solutions, and whether they have one, several or none.

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

    An invalid puzzle is a row with the status `invalid` and the reason, never an exception. For a Spark DataFrame the
    result is another DataFrame, and nothing is computed before an action asks for it.

    Args:
        data: Puzzles of 81 characters, with any of `. 0 * _ - ? X x` for a blank, as a list or another iterable of str;
            N x 81 or N x 9 x 9 integers in a numpy array; an Arrow column of text, bytes or lists of integers; or an
            Arrow table or a Spark DataFrame, whose other columns come before those of the job.
        **options

    Raises:
        TypeError: When `data` has another type.
        ValueError: When there is no column of puzzles, or an option has a wrong value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    return run("solve", data, options)


@takes(SolvingFiles)
def solve_file(path: Paths, out: Path, **options: "Unpack[SolvingFiles]") -> Summary:
    """Solve the puzzles of a file, as the command `batchdoku solve` does, in bounded memory.

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
        out: The file for the rows. It has the suffix `.partial` until it is complete, and keeps it if the run fails.
        **options

    Raises:
        OSError: When a file cannot be read or written.
        ValueError: When there are no puzzles in the file, `out` is the file itself, or an option has a wrong value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    return run_file("solve", path, out, options)


class Judging(Search, total=False):
    trust_unique: Annotated[bool, False, "Whether a claim is `correct` without a proof that it is the only solution."]


class Verifying(Judging, total=False):
    solution: Annotated[
        "str | Column | None",
        None,
        "The name of the claimed solutions in a table, by default `solution`, `solutions` or `answer`; or the solutions"
        " themselves, as many as puzzles, in any type of `data`.",
    ]


class VerifyingFiles(Judging, Claims, Files, total=False):
    answers: Annotated[
        "Path | None",
        None,
        "Another file with the claimed solutions: its n-th record answers the n-th puzzle. `solution` is then a column"
        " of this file.",
    ]


@job(Verifying)
def verify(data: "Column | Table", **options: "Unpack[Verifying]") -> Answers:
    """Verify claimed solutions: find whether they are right, and the only ones.

    >>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
    >>> right = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
    >>> answers = verify([puzzle] * 3, solution=[right, right.replace("1", "2"), None])
    >>> answers
    <batchdoku.Answers: 3 rows (1 correct, 1 wrong, 1 missing)>

    Args:
        data: The puzzles, as for `solve`.
        **options

    Raises:
        TypeError: When `data` or `solution` has another type.
        ValueError: When there is no column of puzzles or solutions, there are more or fewer solutions than puzzles, or
            an option has a wrong value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    return run("verify", data, options)


@takes(VerifyingFiles)
def verify_file(path: Paths, out: Path, **options: "Unpack[VerifyingFiles]") -> Summary:
    """Verify the claimed solutions of a file, as the command `batchdoku verify` does, in bounded memory."""
    return run_file("verify", path, out, options)


class Enumerating(Columns, Threads, Engine, total=False):
    limit: Annotated[int | None, None, "List up to this many solutions of each puzzle, by default all.", 1]


class EnumeratingFiles(Enumerating, Files, total=False):
    """The options of `enumerate_file`."""


@job(Enumerating)
def enumerate(data: "Column | Table", **options: "Unpack[Enumerating]") -> Answers:
    """List every solution of every puzzle, each as a row, in ascending order.

    >>> answers = enumerate(["." * 81, "1234"], limit=2)
    >>> answers
    <batchdoku.Answers: 3 rows of 2 puzzles (1 multiple, 1 invalid)>
    >>> answers.to_polars().select("n", "error").rows()
    [(1, None), (2, None), (0, 'cell 5: 4 cells (expected 81)')]

    Other columns of a table come first, in each row of their puzzle; a single column is the column `puzzle`. All rows
    are in memory; `enumerate_file` and `solutions` can list billions.
    """
    return run("enumerate", data, options)


@takes(EnumeratingFiles)
def enumerate_file(path: Paths, out: Path, **options: "Unpack[EnumeratingFiles]") -> Summary:
    """List every solution of the puzzles of a file, as the command `batchdoku enumerate` does, in bounded memory.

    The solutions of Sudominoku cases are digit grids.
    """
    return run_file("enumerate", path, out, options)


class Canonizing(Columns, Threads, Engine, total=False):
    form: Annotated[
        str,
        "minlex",
        "The canonical isomorph: `minlex`, the smallest as an 81-digit number with 0 for blanks; `grid`, the"
        " smallest of the isomorphs with the `minlex` of the solution; `list17`, first by the counts of clues in the"
        " minirows of the top band.",
    ]
    symmetry: Annotated[bool, False, "Whether there is a column `symmetry`: one that makes the form of the puzzle."]


class CanonizingFiles(Canonizing, Files, total=False):
    """The options of `canon_file`."""


@job(Canonizing)
def canon(data: "Column | Table", **options: "Unpack[Canonizing]") -> Answers:
    """Find the canonical form of every puzzle, which is the same for all its isomorphs.

    >>> answers = canon(["1" + "." * 80, "." * 80 + "7"])
    >>> answers
    <batchdoku.Answers: 2 rows (2 canonical)>
    >>> answers.to_polars()["canonical"].n_unique()
    1
    """
    return run("canon", data, options)


@takes(CanonizingFiles)
def canon_file(path: Paths, out: Path, **options: "Unpack[CanonizingFiles]") -> Summary:
    """Find the canonical form of the puzzles of a file, as the command `batchdoku canon` does, in bounded memory."""
    return run_file("canon", path, out, options)


class Making(Columns, Seed, Threads, total=False):
    count: Annotated[int, 1, "The number of isomorphs of each puzzle.", 1, 1_000_000]
    only: Annotated[
        "str | Sequence[str] | None",
        None,
        "The parts to permute, by default all of `digits`, `rows`, `columns`, `bands`, `stacks`, `transpose`.",
    ]
    by: Annotated[str | None, None, "A symmetry to apply to every puzzle, as in the column `symmetry`."]
    symmetry: Annotated[bool, False, "Whether there is a column `symmetry`: the one that made the row."]


class Permuting(Making, total=False):
    solution: Annotated[
        "str | Column | None",
        None,
        "The name of the solutions in a table, by default `solution`, `solutions` or `answer` if there is such a column;"
        " or the solutions themselves, as many as puzzles, in any type of `data`.",
    ]


class PermutingFiles(Making, Claims, Files, total=False):
    """The options of `permute_file`."""


@takes(Permuting)
def permute(data: "Column | Table", **options: "Unpack[Permuting]") -> Answers:
    """Make random isomorphs of every puzzle, each as a row, and of its solution if there is one.

    >>> rows = permute(["1" + "." * 80, "1234"], count=2, only="digits", symmetry=True)
    >>> rows
    <batchdoku.Answers: 3 rows of 2 puzzles (1 permuted, 1 invalid)>
    >>> rows.to_polars().select("row", "error").rows()
    [(0, None), (0, None), (1, 'cell 5: 4 cells (expected 81)')]

    The columns of a table come first, except the puzzles and solutions. Then come `row` (the number of the row of
    `data`, from 0), `status`, `error`, `puzzle` and, if there are solutions, `solution`. The isomorphs of a puzzle
    differ from it and from each other unless it has fewer. They depend only on the seed and the number of the row.

    Args:
        data: The puzzles, as for `solve`, but no Spark DataFrame.
        **options

    Raises:
        TypeError, ValueError, KeyboardInterrupt: As for `verify`.
    """
    return run("permute", data, _made(options))


@takes(PermutingFiles)
def permute_file(path: Paths, out: Path, **options: "Unpack[PermutingFiles]") -> Summary:
    """Make random isomorphs of the puzzles of a file, as the command `batchdoku permute` does, in bounded memory.

    Args:
        path: The file of puzzles, as for `solve_file`.
        out: The file for the isomorphs, with those of the claimed solutions and all other columns of a table.
        **options
    """
    return run_file("permute", path, out, _made(options))


def _made(options: "Mapping[str, Any]") -> dict[str, Any]:
    """Returns the options, with a list of what is permuted. Raises if they contradict each other."""
    only = options["only"]
    if options["by"] is not None and (only is not None or options["count"] != 1 or options["seed"] is not None):
        raise ValueError("by is a symmetry for every puzzle, which count, seed and only do not go with")
    seeded = drawn(options) if options["by"] is None else options
    return {**seeded, "only": [only] if isinstance(only, str) else only}


class Rating(Columns, Threads, Engine, total=False):
    max_guesses: Annotated[int | None, None, "Give up on a puzzle, as `unfinished`, after this many guesses.", 0]
    isomorphs: Annotated[
        int | None, None, "Add mean and standard deviation of the guesses of this many random isomorphs.", 2
    ]
    seed: Annotated[int, 1, "The seed of the isomorphs.", 0]
    max_se: Annotated[
        float | None, None, "Report only that a puzzle is above this rating, 6.0 to 9.4, which takes far less time."
    ]


class RatingFiles(Rating, Files, total=False):
    """The options of `rate_file`."""


@job(Rating)
def rate(data: "Column | Table", **options: "Unpack[Rating]") -> Answers:
    """Rate how hard puzzles are, as the command `batchdoku rate` does.

    >>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
    >>> rate([puzzle]).to_polars().select("se", "class", "depth", "backdoor").rows()
    [('1.2', 'hidden singles in boxes', 0, 0)]
    """
    return run("rate", data, options)


@takes(RatingFiles)
def rate_file(path: Paths, out: Path, **options: "Unpack[RatingFiles]") -> Summary:
    """Rate how hard the puzzles of a file are, as the command `batchdoku rate` does, in bounded memory."""
    return run_file("rate", path, out, options)


class Minimizing(Columns, Threads, Engine, total=False):
    seed: Annotated[int, 1, "The start of the random numbers: it decides which clues are dropped.", 0]
    check: Annotated[bool, False, "Whether to find the redundant clues of each puzzle, and to drop none."]
    limit: Annotated[int | None, None, "List up to this many minimal puzzles within each, a row each.", 1]


class MinimizingFiles(Minimizing, Files, total=False):
    """The options of `minimize_file`."""


@job(Minimizing)
def minimize(data: "Column | Table", **options: "Unpack[Minimizing]") -> Answers:
    """Drop redundant clues of puzzles, as the command `batchdoku minimize` does.

    >>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
    >>> minimize([puzzle], check=True).to_polars()["redundant"].to_list()
    ['A3 A5 B4 B6 B9 C3 C6 C7 D3 D4 D7 E9 F6 F7 G3 G4 G7 H4 H6 I3 I7']
    """
    return run("minimize", data, options)


@takes(MinimizingFiles)
def minimize_file(path: Paths, out: Path, **options: "Unpack[MinimizingFiles]") -> Summary:
    """Drop redundant clues of the puzzles of a file, as the command `batchdoku minimize` does, in bounded memory."""
    return run_file("minimize", path, out, options)


def solutions(puzzle: str) -> Iterator[str]:
    """Iterate over the solutions of one puzzle in ascending order, each computed when it is asked for.

    >>> from itertools import islice
    >>> [solution[:18] for solution in islice(solutions("." * 81), 2)]
    ['123456789456789123', '123456789456789123']

    Args:
        puzzle: 81 characters, with any of `. 0 * _ - ? X x` for a blank; or the lines of a Sudominoku case (BOJ 4574),
            the first with the number of its dominoes, whose solutions are digit grids.

    Raises:
        ValueError: When `puzzle` is not a puzzle.
    """
    return _batchdoku.Solutions(puzzle)


class Converting(Reading, Writing, total=False):
    """The options of `convert_file`."""


@takes(Converting)
def convert_file(path: Paths, out: Path, **options: "Unpack[Converting]") -> Summary:
    """Convert a file of puzzles to another format, as the command `batchdoku convert` does: nothing is solved.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "list.txt").write_text("." * 80 + "1\\n" + "1" * 80 + "\\n")
    >>> convert_file(folder / "list.txt", folder / "list.parquet")["statuses"]
    {'converted': 1, 'invalid': 1, 'internal-error': 0}

    Args:
        path: The file of puzzles, as for `solve_file`.
        out: The file for the puzzles, with the claimed solutions and all other columns of a table.
        **options
    """
    return run_file("convert", path, out, options)
