"""Ratings match those of the command."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path

import polars
import pytest
from conftest import ROOT

import batchdoku

#: Puzzles with one solution, several and none, and strings that are not puzzles.
TEXTS = [(ROOT / "data" / f"{name}.txt").read_text().split()[0] for name in ("easy", "hard", "several", "unsolvable")]
TEXTS += [*(ROOT / "data" / "minimal.txt").read_text().split()[:20], "1234"]


def test_ratings_are_those_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n,puzzle\n" + "".join(f"{n},{text}\n" for n, text in enumerate(TEXTS)))
    call = [os.environ["BATCHDOKU"], "rate", "-q", "--lenient", "--isomorphs", "20", "--seed", "7", str(path)]
    printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    expected = list(csv.DictReader(printed.splitlines()))
    frame = polars.DataFrame({"n": range(len(TEXTS)), "puzzle": TEXTS})
    rows = batchdoku.rate(frame, isomorphs=20, seed=7).to_polars()
    names = ["status", "clues", "guesses", "se", "class", "depth", "backdoor"]
    assert [[row[name] for name in names] for row in expected] == [
        ["" if value is None else str(value) for value in row] for row in rows.select(names).rows()
    ]
    means = rows.select("guesses_mean", "guesses_sd").rows()
    assert [[row["guesses_mean"], row["guesses_sd"]] for row in expected] == [
        ["" if value is None else f"{value:.2f}" for value in row] for row in means
    ]
    bounded = batchdoku.rate(frame, max_se=6.5).to_polars()["se"].to_list()
    assert bounded == [">6.5" if se and (se[0] == ">" or float(se) > 6.5) else se for se in rows["se"]]
    with pytest.raises(ValueError, match="max_se is a rating from 6 to 9.4"):
        batchdoku.rate(frame, max_se=9.5)
    summary = batchdoku.rate_file(path, tmp_path / "rated.csv")
    assert summary["statuses"]["rated"] == 22
