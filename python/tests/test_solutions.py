"""Several solutions: all of them, the smallest, any."""

from __future__ import annotations

from itertools import islice

import pytest

import batchdoku

ANSWER = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
BLANKS = {i * 37 % 81 for i in range(52)}
PUZZLE = "".join("." if cell in BLANKS else digit for cell, digit in enumerate(ANSWER))


def is_solution(puzzle: str, solution: str) -> bool:
    """Whether every row, column and box has each digit, and every clue stands."""
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


def test_they_are_found_as_they_are_asked_for() -> None:
    assert len(set(islice(batchdoku.solutions("." * 81), 1000))) == 1000
    assert list(batchdoku.solutions(ANSWER)) == [ANSWER]
    assert list(batchdoku.solutions("11" + "." * 79)) == []
    with pytest.raises(ValueError, match="puzzle"):
        batchdoku.solutions("1234")


def test_any_solution_will_do() -> None:
    smallest, other = (
        batchdoku.solve([PUZZLE], any_solution=is_any).to_polars().row(0, named=True) for is_any in (False, True)
    )
    assert is_solution(PUZZLE, other["solution"])
    assert other["solution"] >= smallest["solution"]
    del smallest["solution"], other["solution"]
    assert smallest == other
