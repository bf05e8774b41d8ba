"""Reads the best-known dataset with every library and runs the README examples on it; the results must match those of
the command. The dataset has a million rows; these tests use 2,000, or as many as `BATCHDOKU_ROWS` says."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import ROOT

import batchdoku

ROWS = int(os.environ.get("BATCHDOKU_ROWS", "2000"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `sudoku.csv` (`quizzes,solutions`, 0 for blanks, correct except in the last rows), and the same in
    other files, named as in the examples."""
    folder = tmp_path_factory.mktemp("dataset")
    quizzes = (ROOT / "data" / "minimal.txt").read_text().replace(".", "0").split()
    solutions = ["".join(map(str, row)) for row in batchdoku.solve(quizzes).to_numpy()]
    turned = [str.maketrans("123456789", "123456789"[by:] + "123456789"[:by]) for by in range(9)]
    rows = []
    for row in range(ROWS):
        at, by = row % len(quizzes), turned[row // len(quizzes) % 9]
        rows.append(f"{quizzes[at]},{solutions[at]}".translate(by))
    wrong, clash, several = rows[0][:82] + solutions[1], "77" + rows[1][2:], "0" * 50 + rows[0][50:]
    rows[-3:] = [wrong, clash, several]
    text = "\n".join(["quizzes,solutions", *rows, ""])
    (folder / "sudoku.csv").write_text(text)
    (folder / "train-1.csv").write_text("\n".join(["quizzes,solutions", *rows[:100], ""]))
    (folder / "sudoku.csv.gz").write_bytes(gzip.compress(text.encode(), 1))
    (folder / "unknown.txt").write_text("\n".join(row[:81] for row in rows))
    (folder / "puzzles.txt").write_text("\n".join(row[:81] for row in rows[:100]))
    (folder / "solutions.txt").write_text("\n".join(row[82:] for row in rows[:100]))
    np.save(folder / "puzzles.npy", digits([row[:81] for row in rows]))
    return folder


def digits(texts: list[str]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.frombuffer("".join(texts).encode(), np.uint8).reshape(-1, 81) - ord("0")


Answer = tuple[str, str | None]


def said(folder: Path, subcommand: str) -> list[Answer]:
    """Returns the command's result for each row."""
    flags = ["-q", "--lenient", "-o", str(folder / "rows.parquet")]
    subprocess.run([os.environ["BATCHDOKU"], subcommand, folder / "sudoku.csv", *flags], check=True)
    rows: list[Answer] = pl.read_parquet(folder / "rows.parquet").select("status", "solution").rows()
    return rows


@pytest.fixture(scope="module")
def solved(folder: Path) -> list[Answer]:
    return said(folder, "solve")


@pytest.fixture(scope="module")
def verified(folder: Path) -> list[Answer]:
    return said(folder, "verify")


def without_zeros(path: Path) -> pl.DataFrame:
    """Strips leading zeros, like a spreadsheet or a library that took the puzzles for numbers."""
    return pl.read_csv(path, infer_schema=False).with_columns(pl.col("quizzes").str.strip_chars_start("0"))


#: The ways to pass in a table.
TABLES: dict[str, Callable[[Path], Any]] = {
    "read": batchdoku.read,
    "polars": lambda path: pl.read_csv(path, infer_schema=False),
    "pandas": lambda path: pd.read_csv(path, dtype=str),
    "pandas numbers": pd.read_csv,
    "duckdb": lambda path: duckdb.read_csv(str(path), all_varchar=True),
    "numbers as text": without_zeros,
}

#: The ways to pass in only the puzzles.
COLUMNS: dict[str, Callable[[Path], Any]] = {
    "numpy": lambda path: np.load(path.with_name("puzzles.npy")),
    "list": lambda path: pl.read_csv(path, infer_schema=False)["quizzes"].to_list(),
    "numbers": lambda path: [int(text) for text in pl.read_csv(path, infer_schema=False)["quizzes"]],
}


# PROMISE: python-same-rows
@pytest.mark.parametrize("way", TABLES | COLUMNS)
def test_every_way_in_gives_what_the_command_gives(
    way: str, folder: Path, solved: list[Answer], verified: list[Answer]
) -> None:
    path = folder / "sudoku.csv"
    jobs: list[tuple[Callable[..., batchdoku.Answers], list[Answer]]]
    jobs = [(batchdoku.solve, solved), (batchdoku.verify, verified)]
    for job, expected in jobs if way in TABLES else jobs[:1]:
        data = (TABLES | COLUMNS)[way](path)
        with warnings.catch_warnings(record=True, action="always") as caught:
            answers = job(data)
        assert ["lost their leading zeros" in str(warning.message) for warning in caught] == (
            [True] if way == "numbers as text" else []
        )
        rows = answers.to_polars()
        ours = "batchdoku_solution" if "batchdoku_solution" in rows.columns else "solution"
        assert rows.select("status", ours).rows() == expected, way


# PROMISE: lost-zeros
def test_the_command_reads_a_table_without_leading_zeros(folder: Path, solved: list[Answer]) -> None:
    (folder / "lost").mkdir()
    frame = without_zeros(folder / "sudoku.csv")
    frame.write_csv(folder / "lost" / "sudoku.csv")
    frame.write_parquet(folder / "lost" / "sudoku.parquet")
    for path in (folder / "lost").iterdir():
        call = [os.environ["BATCHDOKU"], "solve", "--lenient", str(path), "-o", str(folder / "lost.parquet")]
        run = subprocess.run(call, check=True, capture_output=True, encoding="utf-8")
        assert run.stderr.count("lost their leading zeros") == 1, run.stderr
        assert pl.read_parquet(folder / "lost.parquet").select("status", "solution").rows() == solved


def examples(readme: Path) -> list[str]:
    """The examples before the Spark ones, except interactive sessions, which the document tests run."""
    text = readme.read_text().partition("## Spark")[0]
    return [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" not in block]


# PROMISE: readme-examples
def test_the_examples_of_the_readme_run(
    folder: Path, solved: list[Answer], verified: list[Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    blocks = examples(ROOT / "python" / "README.md")
    assert len(blocks) >= 5
    for block in blocks:
        exec(block, names)
    assert names["answers"].to_polars()["status"].to_list() == [status for status, _ in verified]
    assert [solution or "0" * 81 for _, solution in solved] == ["".join(map(str, row)) for row in names["solved"]]
    assert pl.read_csv("answers.csv", infer_schema=False).select("status", "solution").rows() == solved


# PROMISE: readme-examples
def test_the_example_of_the_first_readme_runs_and_prints_what_it_says(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = examples(ROOT / "README.md")
    rows = (folder / "sudoku.csv").read_text().splitlines()[:1998]
    (tmp_path / "sudoku.csv").write_text("\n".join([*rows, *rows[1:4]]) + "\n")
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert capsys.readouterr().out.strip() in example
    assert len(pl.read_parquet("answers.parquet")) == 2000
