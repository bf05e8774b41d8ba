"""Puzzles with several solutions: finding all of them, the smallest, or any."""

from __future__ import annotations

import csv
import inspect
import os
import subprocess
from itertools import islice
from pathlib import Path

import numpy
import polars
import pyarrow
import pytest
from conftest import ROOT

import batchdoku
from batchdoku import _run

ANSWER = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
BLANKS = {i * 37 % 81 for i in range(52)}
PUZZLE = "".join("." if cell in BLANKS else digit for cell, digit in enumerate(ANSWER))

#: Puzzles with several solutions, one and none, and a text that is not a puzzle.
SEVERAL, NONE = ((ROOT / "data" / name).read_text()[:81] for name in ("several.txt", "unsolvable.txt"))
TEXTS = [PUZZLE, ANSWER, "1234", NONE, None, SEVERAL]


def is_solution(puzzle: str, solution: str) -> bool:
    """Returns whether every row, column and box contains each digit, and every clue is kept."""
    rows = [solution[row * 9 : row * 9 + 9] for row in range(9)]
    columns = [solution[column::9] for column in range(9)]
    boxes = ["".join(rows[r + i][c : c + 3] for i in range(3)) for r in (0, 3, 6) for c in (0, 3, 6)]
    clues = all(clue in (".", digit) for clue, digit in zip(puzzle, solution, strict=True))
    return clues and all(sorted(house) == list("123456789") for house in rows + columns + boxes)


def test_all_are_found_once_and_in_order() -> None:
    found = list(batchdoku.solutions(PUZZLE))
    count = batchdoku.solve([PUZZLE], limit=10**6).to_polars()
    assert len(found) == count["solutions"][0] > 10
    assert found == sorted(set(found))
    assert found[0] == count["solution"][0]
    assert all(is_solution(PUZZLE, solution) for solution in found)
    rows = batchdoku.enumerate([PUZZLE]).to_polars()
    assert rows["solution"].to_list() == found and rows["n"].to_list() == list(range(1, len(found) + 1))


def test_they_are_found_as_they_are_asked_for() -> None:
    assert len(set(islice(batchdoku.solutions("." * 81), 1000))) == 1000
    assert list(batchdoku.solutions("11" + "." * 79)) == []
    with pytest.raises(ValueError, match="puzzle"):
        batchdoku.solutions("1234")


# PROMISE: python-same-rows
@pytest.mark.parametrize("limit", [None, 3])
def test_enumerate_lists_what_the_command_lists(limit: int | None, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    polars.DataFrame({"id": range(6), "puzzle": TEXTS}).write_csv(path, quote_style="always")
    flags = [] if limit is None else ["--limit", str(limit)]
    call = [os.environ["BATCHDOKU"], "enumerate", "-q", "--lenient", "--keep", "id", *flags, str(path)]
    expected = list(csv.DictReader(subprocess.run(call, capture_output=True, check=True, encoding="utf-8").stdout.splitlines()))
    table = pyarrow.table({"id": range(6), "puzzle": TEXTS})
    pieces = pyarrow.concat_tables([table[:1], table[1:1], table[1:4], table[4:]])
    found = batchdoku.enumerate(pieces, limit=limit)
    rows = found.to_polars()
    assert rows.columns == ["id", "puzzle", "kind", "status", "n", "solution", "error"]
    ours = rows.select(polars.col("id", "status", "n", "solution").cast(polars.String).fill_null("")).rows()
    assert ours == [tuple(row[name] for name in ("input_id", "status", "n", "solution")) for row in expected]
    assert rows["puzzle"].to_list() == [TEXTS[number] for number in rows["id"]]
    assert found.summary()["rows"] == 6 and found.summary()["statuses"]["multiple"] == 2


def test_a_column_alone_comes_along_as_it_was() -> None:
    rows = batchdoku.enumerate(polars.Series(TEXTS), limit=2).to_polars()
    assert rows["puzzle"].unique(maintain_order=True).to_list() == TEXTS
    blank = numpy.zeros((2, 9, 9), dtype="uint8")
    answers = batchdoku.enumerate(blank, limit=2)
    assert answers.to_polars()["puzzle"].to_list() == [[0] * 81] * 4 and answers.to_numpy().shape == (4, 81)


def test_rows_of_a_puzzle_may_be_more_than_a_page_has() -> None:
    table = pyarrow.table({"id": [7, 8, 9], "puzzle": ["." * 81, ANSWER, "." * 81]})
    for data in (table, pyarrow.concat_tables([table[:1], table[1:2], table[2:]])):
        rows = batchdoku.enumerate(data, limit=40_000).to_polars()
        assert rows["id"].to_list() == [7] * 40_000 + [8] + [9] * 40_000
        assert rows["n"].to_list() == [*range(1, 40_001), 1, *range(1, 40_001)]
        first, last = rows["solution"][:40_000], rows["solution"][40_001:]
        assert first.equals(last) and first.is_sorted() and first.is_unique().all()


# PROMISE: python-same-files
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet", "rows.txt"])
def test_enumerate_file_writes_what_the_command_writes(name: str, tmp_path: Path) -> None:
    (tmp_path / "of_command").mkdir()
    theirs = tmp_path / "of_command" / name
    for path in [ROOT / "data/several.txt", ROOT / "data/judge/boj4574.in"]:
        subprocess.run([os.environ["BATCHDOKU"], "enumerate", "-q", "--lenient", "--limit", "9", path, "-o", theirs], check=True)
        summary = batchdoku.enumerate_file(path, tmp_path / name, limit=9)
        assert (tmp_path / name).read_bytes() == theirs.read_bytes()
        assert summary["rows"] == sum(summary["statuses"].values()) > 0


def test_every_job_goes_from_file_to_file_with_its_options() -> None:
    assert {"solve", "verify", "enumerate"} <= {*_run.JOBS}
    for name, job in _run.JOBS.items():
        of_files = inspect.signature(getattr(batchdoku, f"{name}_file")).parameters
        in_memory = inspect.signature(getattr(batchdoku, name)).parameters
        assert {*in_memory} - {"data"} < {*of_files} and getattr(batchdoku, name) is job
        assert all(f"\n        {option}: " in job.__doc__ for option in in_memory)


#: The first example of BOJ 4574: its dominoes, the cells of its singles, and the judge's solution.
DOMINOES = ["6 B2 1 B3", "2 C4 9 C3", "6 D3 8 E3", "7 E1 4 F1", "8 B7 4 B8", "3 F5 2 F6"]
MORE_DOMINOES = ["7 F7 6 F8", "5 G4 9 G5", "7 I8 8 I9", "7 C9 2 B9"]
SINGLES = "C5 A3 D9 I4 A9 E5 A2 C6 I1"
CASE_ANSWER = "872643195361975842549218637126754983738169254495832761284597316657381429913426578"


def test_those_of_a_sudominoku_are_digit_grids() -> None:
    whole = DOMINOES + MORE_DOMINOES
    assert list(batchdoku.solutions("\n".join([str(len(whole)), *whole, SINGLES]))) == [CASE_ANSWER]
    found = list(batchdoku.solutions("\n".join([str(len(DOMINOES)), *DOMINOES, SINGLES])))
    assert CASE_ANSWER in found
    assert len(found) > 1 and found == sorted(set(found))
    words = " ".join(DOMINOES).split()
    given = dict(zip(words[1::2], words[::2], strict=True))
    given |= {cell: str(digit) for digit, cell in enumerate(SINGLES.split(), 1)}
    puzzle = "".join(given.get(row + column, ".") for row in "ABCDEFGHI" for column in "123456789")
    assert all(is_solution(puzzle, solution) for solution in found)
    with pytest.raises(ValueError, match="puzzle: line 2"):
        batchdoku.solutions("1\n6 B2 1 B4\n" + SINGLES)


def test_any_solution_will_do() -> None:
    smallest, other = (
        batchdoku.solve([PUZZLE], any_solution=is_any).to_polars().row(0, named=True) for is_any in (False, True)
    )
    assert is_solution(PUZZLE, other["solution"])
    assert other["solution"] >= smallest["solution"]
    del smallest["solution"], other["solution"]
    assert smallest == other
