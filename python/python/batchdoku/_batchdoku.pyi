"""The Rust part of the package."""

from collections.abc import Iterator, Mapping
from typing import final

from batchdoku._answers import Summary

__all__ = [
    "COLUMNS",
    "Data",
    "Rows",
    "Solutions",
    "__version__",
    "generate",
    "generate_file",
    "inspect",
    "read",
    "report",
    "run",
    "run_file",
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
class Rows:
    """The rows of a job, after the carried columns."""

    @property
    def columns(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...
    def digits(self) -> bytearray: ...
    def summary(self) -> Summary: ...

@final
class Solutions:
    """The solutions of a puzzle."""

    def __new__(cls, puzzle: str) -> Solutions: ...
    def __iter__(self) -> Iterator[str]: ...
    def __next__(self) -> str: ...

def run(job: str, data: Data, beside: Data | None, options: Mapping[str, object]) -> Rows: ...
def run_file(
    job: str, paths: list[str], outs: list[str], options: Mapping[str, object]
) -> tuple[Summary, list[str]]: ...
def generate(count: int, options: Mapping[str, object]) -> Rows: ...
def generate_file(out: str, count: int, options: Mapping[str, object]) -> tuple[Summary, list[str]]: ...
def read(path: str, options: Mapping[str, object]) -> Rows: ...
def inspect(path: str, options: Mapping[str, object]) -> str: ...
def report(paths: list[str], outs: list[str], options: Mapping[str, object]) -> tuple[str, list[str]]: ...
