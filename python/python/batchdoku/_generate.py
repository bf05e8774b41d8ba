"""Generated puzzles."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from batchdoku import _batchdoku
from batchdoku._answers import Answers, Summary
from batchdoku._jobs import Engine
from batchdoku._options import Seed, Threads, Writing, drawn, takes
from batchdoku._run import Path, warn

if TYPE_CHECKING:
    from typing_extensions import Unpack  # Comes with type checkers; Python 3.10 does not have it.


class Generating(Seed, Threads, Engine, total=False):
    minimal: Annotated[bool, False, "Whether puzzles are minimal; without `clues` they always are."]
    clues: Annotated["int | tuple[int, int] | None", None, "The number of clues, or the least and the most."]
    symmetry: Annotated[
        str,
        "none",
        "The symmetry of the pattern of clues: `none`, `rotate180`, `rotate90`, `mirror`, `flip`, `diagonal`,"
        " `antidiagonal` or `full`.",
    ]
    pattern: Annotated[str | None, None, "81 characters: clues only where it has digits."]
    near: Annotated["Sequence[str] | None", None, "Puzzles of 81 characters, of which some clues are replaced."]
    changes: Annotated[int, 2, "The number of clues to replace in a puzzle of `near`.", 1, 81]
    difficulty: Annotated[
        str | None, None, "A condition on the measures of `rate`, such as `se>=4.5 && clues<=24`; they get columns."
    ]
    grade: Annotated[str | None, None, "`easy`, `medium`, `hard`, `fiendish` or `diabolical`, as in `rate`."]
    columns: Annotated["Sequence[str]", (), "Measures that get columns: `guesses`, `se`, `grade`, `class`, ..."]
    weights: Annotated[bool, False, "Whether there is a column `weight`, which removes the bias of minimal puzzles."]
    tries: Annotated[int, 1_000_000, "Give up on a puzzle after this many grids.", 1]
    solutions: Annotated[bool, True, "Whether there is a column `solution`."]


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
