"""Passes the same 100,000 rows through every interface."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
from conftest import MARK, ROOT, isomorph, kill, need_java

import batchdoku

ROWS = 100_000
OURS = ["kind", "status", "solutions", "clues", "guesses", "puzzle", "solution", "error"]

#: Two puzzles with 17 clues, by Gordon Royle.
SEVENTEEN = [
    "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......",
    "52...6.........7.13...........4..8..6......5...........418.........3..2...87.....",
]


def malformed(puzzle: str, chance: random.Random) -> str | None:
    """Returns malformed versions of a puzzle's text."""
    cell = chance.randrange(81)
    return chance.choice(
        [
            None,
            "",
            puzzle[:cell],
            puzzle + puzzle[:cell],
            puzzle[:cell] + "xX/é\0'"[chance.randrange(6)] + puzzle[cell + 1 :],
            puzzle[:cell] + "  " + puzzle[cell + 2 :],
            f"77{puzzle[2:]}",
            f" {puzzle} ",
        ]
    )


@pytest.fixture(scope="module")
def puzzles() -> list[str | None]:
    chance = random.Random(11)
    sets = [(ROOT / "data" / f"{name}.txt").read_text().split() for name in ["hard", "several", "unsolvable", "easy"]]
    sets.append(SEVENTEEN)
    made: list[str | None] = []
    for number in range(ROWS):
        puzzle = isomorph(chance.choice(sets[number % 5]), chance)
        made.append(malformed(puzzle, chance) if number % 11 == 0 else puzzle)
    return made


@pytest.fixture(scope="module")
def table(puzzles: list[str | None]) -> Any:
    return pyarrow.table({"number": range(ROWS), "quizzes": pyarrow.array(puzzles, pyarrow.string())})


def columns(answers: Any) -> Any:
    """Returns the job's columns, without carried ones."""
    return answers.select(OURS).combine_chunks()


@pytest.fixture(scope="module")
def expected(puzzles: list[str | None]) -> Any:
    """Returns the rows for a list."""
    return columns(batchdoku.solve(puzzles).to_pyarrow())


def command(subcommand: str, flags: list[str], text: bytes) -> bytes:
    call = [os.environ["BATCHDOKU"], subcommand, "-q", "--no-time", *flags]
    return subprocess.run(call, input=text, capture_output=True, check=True).stdout


def of_texts(rows: Iterator[list[str]]) -> Any:
    """Returns the rows for strings, as a table."""
    made = list(rows)
    assert all(len(row) == len(OURS) for row in made)
    arrays = {name: pyarrow.array([row[at] or None for row in made]) for at, name in enumerate(OURS)}
    for name in ["solutions", "clues", "guesses"]:
        arrays[name] = arrays[name].cast(pyarrow.int64())
    return pyarrow.table(arrays)


def same(found: Any, expected: Any, *, errors: bool = True) -> None:
    assert found.num_rows == ROWS
    for name in OURS:
        if errors or name != "error":
            assert found[name].to_pylist() == expected[name].to_pylist(), name


def test_the_rows_are_of_all_kinds(expected: Any) -> None:
    counts = Counter(expected["status"].to_pylist())
    assert counts.keys() == {"unique", "multiple", "unsolvable", "invalid"} and min(counts.values()) > ROWS // 20
    unique = expected.filter(pyarrow.compute.equal(expected["status"], "unique"))
    assert pyarrow.compute.min(unique["clues"]).as_py() == 17
    assert pyarrow.compute.count_distinct(expected["error"]).as_py() > 300


def test_command(puzzles: list[str | None], expected: Any, tmp_path: Path) -> None:
    frame = polars.DataFrame({"puzzle": puzzles, "x": ["x"] * ROWS})
    frame.write_csv(tmp_path / "table.csv", quote_style="always")
    call = ["--lenient", "--format", "csv", str(tmp_path / "table.csv"), "-o", str(tmp_path / "rows.csv")]
    command("solve", call, b"")
    answers = polars.read_csv(tmp_path / "rows.csv", infer_schema=False)
    found = of_texts([text or "" for text in row] for row in answers.select(OURS).iter_rows())
    same(found, expected, errors=False)
    # In a file, faults are located by line and column.
    reason = [text and text.partition(": ")[2] for text in found["error"].to_pylist()]
    wanted = [text and text.partition(": ")[2] for text in expected["error"].to_pylist()]
    assert all(one == other or " repeats " in one for one, other in zip(reason, wanted, strict=True))


TABLES: dict[str, Callable[[Any], Any]] = {
    "pyarrow": lambda table: table,
    "polars": polars.from_arrow,
    "pandas": lambda table: table.to_pandas(),
    "duckdb": lambda table: duckdb.from_arrow(table),
    "numpy": lambda table: numpy.array(table["quizzes"].to_pylist(), dtype=object),
    "answers": lambda table: batchdoku.solve(table).to_pyarrow().select(["number", "quizzes"]),
}


@pytest.mark.parametrize("door", TABLES)
def test_tables(door: str, table: Any, expected: Any) -> None:
    same(columns(batchdoku.solve(TABLES[door](table)).to_pyarrow()), expected)


def test_numpy_numbers(expected: Any) -> None:
    """Only puzzles that have 81 cells can be integers."""
    readable = expected.filter(pyarrow.compute.is_valid(expected["puzzle"]))
    texts = "".join(readable["puzzle"].to_pylist()).replace(".", "0")
    grids = (numpy.frombuffer(texts.encode(), dtype="uint8") - ord("0")).reshape(-1, 9, 9)
    assert columns(batchdoku.solve(grids).to_pyarrow()).equals(readable)


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_spark(table: Any, expected: Any, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("pyspark")
    need_java()
    import batchdoku.spark

    frame = request.getfixturevalue("spark").createDataFrame(table).repartition(7)
    same(batchdoku.spark.solve(frame).toArrow().sort_by("number"), expected)


@pytest.mark.skipif(sys.platform != "linux", reason="it takes /proc")
def test_ray(table: Any, expected: Any, tmp_path: Path) -> None:
    """Runs the example as a separate program."""
    pytest.importorskip("ray")
    (tmp_path / "in").mkdir()
    for part, start in enumerate(range(0, ROWS, 9_000)):
        pyarrow.parquet.write_table(table.slice(start, 9_000), tmp_path / f"in/{part}.parquet")
    mark = uuid.uuid4().hex
    # Ray's sockets need a short path, and its token is in the home directory.
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as short:
        own = {MARK: mark, "HOME": str(tmp_path), "RAY_TMPDIR": short, "RAY_USAGE_STATS_ENABLED": "0"}
        call = [sys.executable, str(ROOT / "python/examples/ray_data.py"), "in", "out"]
        try:
            done = subprocess.run(call, cwd=tmp_path, env=os.environ | own, capture_output=True, timeout=180)
        finally:
            kill(mark)
    assert done.returncode == 0, done.stderr.decode()
    same(pyarrow.parquet.read_table(tmp_path / "out").sort_by("number"), expected)
