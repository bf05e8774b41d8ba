"""Options, each declared once as `name: Annotated[type, default, description]`; for a number, its minimum and maximum
follow.

A function that `takes` the options of a TypedDict is called with all of them, after they have been checked. Their
names, types and defaults are in its signature, and their descriptions in its documentation.
"""

# Annotations are used at import time, so they must be values, not strings.

import functools
import inspect
import secrets
import textwrap
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypedDict, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: The arguments and exceptions of a job in memory, added to docstrings that do not list them.
IN_MEMORY = (
    """
    Args:
        data: The puzzles, as for `solve`.
        **options
    """,
    """
    Raises:
        TypeError, ValueError, KeyboardInterrupt: As for `solve`.
    """,
)

#: The same for a job on files.
FILES = (
    """
    Args:
        path: The puzzle file, as for `solve_file`.
        out: The file for the rows, as for `solve_file`.
        **options
    """,
    """
    Raises:
        OSError, ValueError, KeyboardInterrupt: As for `solve_file`.
    """,
)


class Columns(TypedDict, total=False):
    column: Annotated[
        str | None,
        None,
        "The name of the puzzle column in a table; in a file, also its number or a JSON key. By default, the column"
        " named `puzzle`, `quizzes`, `question`, `sudoku` or similar, or else the only text column.",
    ]


class Claims(TypedDict, total=False):
    solution: Annotated[str | None, None, "The name or number of the column with the claimed solutions."]


class Threads(TypedDict, total=False):
    threads: Annotated[int | None, None, "The number of threads; by default one per core, or one in a Spark task.", 1]


class Seed(TypedDict, total=False):
    seed: Annotated[
        int | None,
        None,
        "The random seed: the same seed gives the same puzzles. By default, one is drawn and given in the summary.",
        0,
    ]


def drawn(options: "Mapping[str, Any]") -> dict[str, Any]:
    """Returns the options; if there is no seed, draws one of 53 bits, as the command does."""
    seed = options["seed"]
    return {**options, "seed": secrets.randbits(53) if seed is None else seed}


class Format(TypedDict, total=False):
    format: Annotated[
        str | None, None, "The layout (`line`, `csv`, `grid`, `jsonl`, ...); by default, the first records show it."
    ]


class Reading(Columns, Claims, Format, Threads, total=False):
    """Options for reading files in `read`, `convert_file`, `sample_file` and `inspect`."""


class Progress(TypedDict, total=False):
    progress: Annotated[
        Callable[[int, int], object] | None,
        None,
        "A function called with the number of records and bytes so far, up to ten times a second; the numbers start"
        " over if files are read twice.",
    ]


class Writing(Progress, total=False):
    output_format: Annotated[
        str | None,
        None,
        "`csv`, `jsonl`, `lines`, `text`, `parquet`, `arrow` or `npy`, as in the command; by default, the extension of"
        " `out` decides. `.gz` and `.zst` compress the file.",
    ]


class Files(Format, Writing, total=False):
    """Options that every file job has in addition to its own."""


def check(name: str, value: int | None, least: int, most: int = 2**64 - 1) -> None:
    """Raises if a number is too small or too large."""
    if value is None or least <= value <= most:
        return
    expected = f"{least} or more" if value < least else f"{most} at most"
    raise ValueError(f"{name} is {value} (expected {expected if most == 2**64 - 1 else f'{least} to {most}'})")


def takes(options: Any) -> Callable[[F], F]:
    """Makes a function take all options of a TypedDict, and lists them in its signature and documentation."""
    hints: dict[str, Any] = options.__annotations__
    defaults, about, bounds = {}, [], {}
    for name, hint in hints.items():
        defaults[name], description, *bounds[name] = hint.__metadata__
        text = f"{name}: {description}"
        about.append(textwrap.fill(text, 120, initial_indent=" " * 8, subsequent_indent=" " * 12))

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def complete(*args: Any, **given: Any) -> Any:
            for name, value in given.items():
                if name not in hints:
                    what = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                    raise TypeError(f"{what} (expected {', '.join(hints)})")
                if bounds[name]:
                    check(name, value, *bounds[name])
            return function(*args, **defaults | given)

        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        types = {name: getattr(hint.__origin__, "__forward_arg__", hint.__origin__) for name, hint in hints.items()}
        keywords = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=kind)
            for name, kind in types.items()
        ]
        vars(complete)["options"] = hints
        vars(complete)["__signature__"] = signature.replace(parameters=[*own, *keywords])
        doc = function.__doc__ or ""
        for part in IN_MEMORY if "data" in signature.parameters else FILES:
            if part.split()[0] not in doc:
                doc = f"{doc.rstrip()}\n{part}"
        complete.__doc__ = doc.replace("        **options", "\n".join(about), 1)
        return complete  # type: ignore[return-value]

    return decorate
