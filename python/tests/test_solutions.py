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


#: The first example of BOJ 4574, its dominoes and the places of the single numbers, and the answer of the judge.
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
