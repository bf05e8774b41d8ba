"""What takes Rust."""

from collections.abc import Callable, Iterator, Mapping
from typing import final

from batchdoku._answers import Summary

__all__ = [
    "COLUMNS",
    "Answers",
    "Data",
    "Puzzles",
    "Solutions",
    "__version__",
    "convert_file",
    "inspect",
    "read",
    "report",
    "sample_file",
    "solve",
    "solve_file",
    "verify",
    "verify_file",
]

__version__: str
COLUMNS: list[str]

@final
class Data:
    """A column or a table, in one or more pieces."""

    @staticmethod
    def from_stream(stream: object) -> Data: ...
    @staticmethod
    def from_array(schema: object, array: object) -> Data: ...
    @staticmethod
    def from_texts(texts: Iterator[str | int | None]) -> Data: ...
    @staticmethod
    def from_numbers(numbers: bytes, dtype: str) -> Data: ...

@final
class Answers:
    """The rows of a job, with the columns that were carried along in front."""

    @property
    def columns(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...
    def digits(self) -> bytearray: ...
    def summary(self) -> Summary: ...

@final
class Puzzles:
    """The puzzles of a file."""

    @property
    def columns(self) -> list[str]: ...
    @property
    def faulty(self) -> int: ...
    @property
    def notes(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...

@final
class Solutions:
    """The solutions of a puzzle."""

    def __new__(cls, puzzle: str) -> Solutions: ...
    def __iter__(self) -> Iterator[str]: ...
    def __next__(self) -> str: ...

def read(path: str, reading: Mapping[str, object]) -> Puzzles: ...
def solve(data: Data, column: str | None, options: Mapping[str, object]) -> Answers: ...
def verify(
    data: Data,
    column: str | None,
    solution: str | None,
    beside: Data | None,
    trust_unique: bool,
    options: Mapping[str, object],
) -> Answers: ...
def solve_file(
    paths: list[str],
    out: str,
    output_format: str | None,
    progress: Callable[[int, int], object] | None,
    reading: Mapping[str, object],
    options: Mapping[str, object],
) -> tuple[Summary, list[str]]: ...
def verify_file(
    paths: list[str],
    out: str,
    output_format: str | None,
    trust_unique: bool,
    progress: Callable[[int, int], object] | None,
    reading: Mapping[str, object],
    options: Mapping[str, object],
) -> tuple[Summary, list[str]]: ...
def convert_file(
    paths: list[str],
    out: str,
    output_format: str | None,
    progress: Callable[[int, int], object] | None,
    reading: Mapping[str, object],
) -> tuple[Summary, list[str]]: ...
def sample_file(
    paths: list[str], out: str, count: int, seed: int, by: str | None, reading: Mapping[str, object]
) -> tuple[int, int, list[str]]: ...
def inspect(path: str, all: bool, reading: Mapping[str, object]) -> str: ...
def report(
    paths: list[str], outs: list[str], top: int, hash: bool, reading: Mapping[str, object]
) -> tuple[str, list[str]]: ...
