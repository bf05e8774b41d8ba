"""Generated and minimized puzzles match those of the command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import polars
import pytest
from conftest import ANSWER, PUZZLE, ROOT

import batchdoku

TEXTS = [PUZZLE, *(ROOT / "data" / "easy.txt").read_text().split()[:20], ANSWER, "." * 81, "1234"]


def command(*words: str) -> bytes:
    return subprocess.run([os.environ["BATCHDOKU"], *words, "-q"], capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {"seed": 3}),
        (
            ["--clues", "24..26", "--minimal", "--symmetry", "diagonal"],
            {"clues": (24, 26), "minimal": True, "symmetry": "diagonal"},
        ),
        (["--clues", "30", "--no-solutions"], {"clues": 30, "solutions": False}),
        (["--grade", "hard", "--columns", "guesses,class"], {"grade": "hard", "columns": ["guesses", "class"]}),
        (
            ["--difficulty", "se>=2.6 && clues<=25", "--grade", "fiendish"],
            {"difficulty": "se>=2.6 && clues<=25", "grade": "fiendish"},
        ),
        (["--weights"], {"weights": True}),
        (["--near", "near.txt", "--changes", "3"], {"near": [PUZZLE], "changes": 3}),
        (["--pattern", "pattern.txt"], {"pattern": "11." * 27}),
    ],
)
def test_generated_puzzles_are_those_of_the_command(
    flags: list[str], options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("near.txt").write_text(PUZZLE + "\n")
    Path("pattern.txt").write_text("11." * 27 + "\n")
    options = {"seed": 1, **options}
    command("generate", "-n", "40", "--seed", str(options["seed"]), *flags, "-o", "expected.csv")
    summary = batchdoku.generate_file("made.csv", 40, **options)
    assert summary["statuses"]["generated"] == 40
    assert Path("made.csv").read_bytes() == Path("expected.csv").read_bytes()
    expected = polars.read_csv("expected.csv", infer_schema=False).drop("id")
    rows = batchdoku.generate(40, **options).to_polars()
    assert rows["status"].to_list() == ["generated"] * 40
    texts = [
        ["" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value) for value in row]
        for row in rows.select(expected.columns).rows()
    ]
    assert texts == [list(row) for row in expected.rows()]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"symmetry": "round"}, "symmetry: "),
        ({"difficulty": "size>3"}, "difficulty: 'size' is not a measure"),
        ({"grade": "tough"}, "grade: 'tough' is not a grade"),
        ({"columns": "time"}, "columns: "),
        ({"weights": True, "clues": 30}, "only minimal puzzles"),
        ({"clues": 12}, "no puzzle has 12 clues"),
        ({"difficulty": "depth>3"}, "no puzzle has depth>3"),
        ({"clues": (30, 20)}, "clues: 30 to 20"),
        ({"clues": 90}, "clues: 90 to 90"),
        ({"near": []}, "near has no puzzle"),
        ({"near": ["1234"]}, "near: "),
        ({"near": [PUZZLE], "pattern": PUZZLE}, "near goes with neither"),
        ({"changes": 0}, "changes is 0"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        batchdoku.generate(1, **options)


def test_what_is_not_found_is_a_row_without_a_puzzle() -> None:
    rows = batchdoku.generate(2, clues=17, tries=20).to_polars()
    assert rows["status"].to_list() == ["not-found"] * 2
    assert rows["puzzle"].null_count() == 2


@pytest.mark.parametrize(
    ("flags", "options", "columns"),
    [
        (["--seed", "3"], {"seed": 3}, ["status", "minimal", "clues", "dropped"]),
        (["--check"], {"check": True}, ["status", "clues", "redundant"]),
        (["--all", "--limit", "5"], {"limit": 5}, ["status", "n", "minimal", "clues", "dropped"]),
    ],
)
def test_minimal_puzzles_are_those_of_the_command(
    flags: list[str], options: dict[str, Any], columns: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    path.write_text("n,puzzle\n" + "".join(f"{n},{text}\n" for n, text in enumerate(TEXTS)))
    command("minimize", "--lenient", str(path), *flags, "-o", str(tmp_path / "expected.csv"))
    batchdoku.minimize_file(path, tmp_path / "made.csv", **options)
    assert (tmp_path / "made.csv").read_bytes() == (tmp_path / "expected.csv").read_bytes()
    expected = polars.read_csv(tmp_path / "expected.csv", infer_schema=False).select(columns)
    rows = batchdoku.minimize(TEXTS, **options).to_polars().select(columns)
    texts = [["" if value is None else str(value) for value in row] for row in rows.rows()]
    assert texts == [["" if value is None else value for value in row] for row in expected.rows()]


def test_a_drawn_seed_is_in_the_summary_and_makes_the_same_puzzles_again(tmp_path: Path) -> None:
    made = [batchdoku.generate(3) for _ in range(2)]
    seeds = [rows.summary()["seed"] for rows in made]
    assert seeds[0] != seeds[1] and made[0].to_polars().equals(batchdoku.generate(3, seed=seeds[0]).to_polars())
    summary = batchdoku.generate_file(tmp_path / "made.csv", 3)
    again = batchdoku.generate(3, seed=summary["seed"]).to_polars()
    assert polars.read_csv(tmp_path / "made.csv", infer_schema=False)["puzzle"].equals(again["puzzle"])
    permuted = batchdoku.permute([PUZZLE])
    seed = permuted.summary()["seed"]
    assert permuted.to_polars().equals(batchdoku.permute([PUZZLE], seed=seed).to_polars())
    summary = batchdoku.permute_file(tmp_path / "made.csv", tmp_path / "out.csv")
    batchdoku.permute_file(tmp_path / "made.csv", tmp_path / "again.csv", seed=summary["seed"])
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    assert "seed" not in batchdoku.solve([PUZZLE]).summary()
