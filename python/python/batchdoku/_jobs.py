"""The jobs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from batchdoku import _batchdoku
from batchdoku._answers import Answers
from batchdoku._data import Column, Table, read


def solve(
    data: Column | Table,
    *,
    column: str | None = None,
    limit: int = 2,
    any_solution: bool = False,
    max_guesses: int | None = None,
    backend: str = "auto",
    threads: int | None = None,
    times: bool = False,
) -> Answers:
    """Find out how many solutions each puzzle has, and which.

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

    Whatever is wrong with a puzzle, it is a row with status `invalid` and the reason, never an exception.

    Args:
        data: Puzzles of 81 characters, with any of `. 0 * _ - ? X x` for a blank, as a list or another iterable of str;
            N x 81 or N x 9 x 9 whole numbers of numpy; a column of Arrow: text, bytes, or lists of whole numbers; or
            a table of Arrow, whose other columns are carried along in front of ours.
        column: The name of the puzzles in a table. By default it is the column called `puzzle`, `quizzes`, `question`,
            `sudoku` or the like, else the only column of text.
        limit: Stop counting at so many solutions. 2 tells unique from multiple, 1 only finds a solution.
        any_solution: Whether any of several solutions will do, instead of the smallest, which takes a search of its own.
        max_guesses: Give up on a puzzle after so many guesses: its status is `unfinished`.
        backend: The engine, if not the fastest of this processor; the results are the same.
        threads: How many work, by default one for each core.
        times: Whether there is a column `time_ns`.

    Raises:
        TypeError: When `data` is nothing of that kind.
        ValueError: When no column can be found, or an option has no such value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    options = checked_options(limit, max_guesses, backend, threads, times, any_solution)
    answers = _batchdoku.solve(read(data, "data", [column]), column, options)
    warn(answers.notes)
    return Answers(answers)


def verify(
    data: Column | Table,
    *,
    column: str | None = None,
    solution: str | Column | None = None,
    trust_unique: bool = False,
    max_guesses: int | None = None,
    backend: str = "auto",
    threads: int | None = None,
    times: bool = False,
) -> Answers:
    """Find out whether the solutions that are claimed for puzzles are right, and the only ones.

    >>> puzzle = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
    >>> right = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
    >>> answers = verify([puzzle] * 3, solution=[right, right.replace("1", "2"), None])
    >>> answers
    <batchdoku.Answers: 3 rows (1 correct, 1 wrong, 1 missing)>

    Args:
        data: The puzzles, as `solve` takes them.
        column: The name of the puzzles in a table, as `solve` finds it.
        solution: The name of the claimed solutions in a table, by default `solution`, `solutions` or `answer`; or the
            solutions themselves, as many as there are puzzles, given like those.
        trust_unique: Whether a solution is `correct` without a proof that there is no other.
        max_guesses: Give up on a puzzle after so many guesses: its status is `unfinished`.
        backend: The engine, if not the fastest of this processor; the results are the same.
        threads: How many work, by default one for each core.
        times: Whether there is a column `time_ns`.

    Raises:
        TypeError: When `data` or `solution` is nothing of that kind.
        ValueError: When no column can be found, there are more or fewer solutions than puzzles, or an option has no such
            value.
        KeyboardInterrupt: Within a second of Ctrl-C.
    """
    # The search for another solution ends with the second.
    options = checked_options(2, max_guesses, backend, threads, times)
    names = [column, solution if isinstance(solution, str) else None]
    beside = None
    if solution is not None and not isinstance(solution, str):
        beside, solution = read(solution, "solution"), None
    answers = _batchdoku.verify(read(data, "data", names), column, solution, beside, trust_unique, options)
    warn(answers.notes)
    return Answers(answers)


def solutions(puzzle: str) -> Iterator[str]:
    """Find every solution of a puzzle, in ascending order, each as it is asked for.

    >>> from itertools import islice
    >>> [solution[:18] for solution in islice(solutions("." * 81), 2)]
    ['123456789456789123', '123456789456789123']

    A puzzle with billions of solutions takes no more memory than another.

    Args:
        puzzle: 81 characters, with any of `. 0 * _ - ? X x` for a blank; or the lines of a Sudominoku case (BOJ 4574),
            the first with the number of its dominoes, whose solutions are digit grids.

    Raises:
        ValueError: When that is no puzzle.
    """
    return _batchdoku.Solutions(puzzle)


def checked_options(
    limit: int,
    max_guesses: int | None,
    backend: str,
    threads: int | None,
    times: bool,
    any_solution: bool = False,
) -> dict[str, object]:
    """The options of a run, as Rust takes them."""
    check(limit=(limit, 1), max_guesses=(max_guesses, 0), threads=(threads, 1))
    return {
        "limit": limit,
        "max_guesses": max_guesses,
        "any_solution": any_solution,
        "backend": backend,
        "threads": threads,
        "times": times,
    }


def check(**numbers: tuple[int | None, int]) -> None:
    """Refuses a number below the least that it may be, or that Rust has no room for."""
    for name, (value, least) in numbers.items():
        if value is not None and not least <= value < 2**64:
            expected = f"{least} or more" if value < least else f"{2**64 - 1} at most"
            raise ValueError(f"{name} is {value} (expected {expected})")


def warn(notes: list[str]) -> None:
    """Warns of what is worth it, on behalf of who called our caller."""
    for note in notes:
        warnings.warn(note, RuntimeWarning, stacklevel=3)
