"""Options, each declared once: `name: Annotated[type, default, description]`, and of a number also the least and the
greatest that it may be.

A function that `takes` the options of a TypedDict is called with all of them, checked, and has their names, types and
defaults in its signature and their descriptions in its documentation.
"""

# Annotations are looked at while this is imported: they are values, not texts.

import functools
import inspect
import textwrap
from collections.abc import Callable
from typing import Annotated, Any, TypedDict, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Columns(TypedDict, total=False):
    column: Annotated[
        str | None,
        None,
        "The name of the puzzles in a table; of a file also its number, or a key in JSON. By default it is the column"
        " called `puzzle`, `quizzes`, `question`, `sudoku` or the like, else the only column of text.",
    ]


class Claims(TypedDict, total=False):
    solution: Annotated[str | None, None, "The name or number of the column of claimed solutions."]


class Threads(TypedDict, total=False):
    threads: Annotated[int | None, None, "How many work, by default one for each core; of a task of Spark one.", 1]


class Trust(TypedDict, total=False):
    trust_compressed: Annotated[bool, False, "Whether compressed data may take any memory and time."]


class Format(Trust, total=False):
    format: Annotated[
        str | None, None, "The layout (`line`, `csv`, `grid`, `jsonl`, ...), by default that of a file's first records."
    ]


class Reading(Columns, Claims, Format, Threads, total=False):
    """How `read`, `convert_file`, `sample_file` and `inspect` read files: their further keywords."""


class Writing(TypedDict, total=False):
    output_format: Annotated[
        str | None,
        None,
        "`csv`, `jsonl`, `lines`, `text`, `parquet`, `arrow` or `npy`, as of the command; by default that of the extension"
        " of `out`, which `.gz` and `.zst` compress.",
    ]
    progress: Annotated[
        Callable[[int, int], object] | None,
        None,
        "Is called with the records and bytes so far, ten times a second at most.",
    ]


class Files(Format, Writing, total=False):
    """What every job takes, besides its own options, if it goes from file to file."""


def check(name: str, value: int | None, least: int, most: int = 2**64 - 1) -> None:
    """Refuses a number that is too small or too large, at least for Rust."""
    if value is None or least <= value <= most:
        return
    expected = f"{least} or more" if value < least else f"{most} at most"
    raise ValueError(f"{name} is {value} (expected {expected if most == 2**64 - 1 else f'{least} to {most}'})")


def takes(options: Any) -> Callable[[F], F]:
    """Has a function called with all options of a TypedDict, and says so in its signature and documentation."""
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
        complete.__doc__ = (function.__doc__ or "").replace("        **options", "\n".join(about), 1)
        return complete  # type: ignore[return-value]

    return decorate
