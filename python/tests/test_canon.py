"""Canonical forms: they match those of the command, and all isomorphs share one."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path

import polars
import pytest
from conftest import ROOT

import batchdoku

#: Puzzles with several solutions, with one and with none; a string that is not a puzzle; and a missing value.
TEXTS = [*(ROOT / "data" / "several.txt").read_text().split()[:20], *(ROOT / "data" / "easy.txt").read_text().split()[:20]]
TEXTS += [(ROOT / "data" / "unsolvable.txt").read_text()[:81], "1234"]


@pytest.mark.parametrize("form", ["minlex", "grid", "list17"])
def test_forms_are_those_of_the_command(form: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n,puzzle\n" + "".join(f"{n},{text}\n" for n, text in enumerate(TEXTS)))
    call = [os.environ["BATCHDOKU"], "canon", "-q", "--lenient", "--form", form, "--with-symmetry", str(path)]
    printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    expected = list(csv.DictReader(printed.splitlines()))
    frame = polars.DataFrame({"n": range(len(TEXTS)), "puzzle": TEXTS})
    rows = batchdoku.canon(frame, form=form, symmetry=True).to_polars()
    names = ["kind", "status", "canonical", "automorphisms", "symmetry", "form"]
    assert rows.columns == ["n", "puzzle", *names, "error"]
    assert [[row[name] for name in names] for row in expected] == [
        ["" if value is None else str(value) for value in row] for row in rows.select(names).rows()
    ]


def test_all_isomorphs_of_a_puzzle_have_one_form(tmp_path: Path) -> None:
    transposed = ["".join(text[column::9] for column in range(9)) for text in TEXTS[:40]]
    forms = batchdoku.canon(TEXTS[:40])
    assert forms.to_polars()["canonical"].to_list() == batchdoku.canon(transposed).to_polars()["canonical"].to_list()
    digits = forms.to_numpy()
    canonical = forms.to_polars()["canonical"].to_list()
    assert ["".join(str(digit) for digit in row).replace("0", ".") for row in digits] == canonical
    (tmp_path / "list.txt").write_text("\n".join(TEXTS[:40]))
    summary = batchdoku.canon_file(tmp_path / "list.txt", tmp_path / "forms.csv", form="list17")
    assert summary["statuses"]["canonical"] == 40
    with pytest.raises(ValueError, match="there is no form"):
        batchdoku.canon(TEXTS, form="maxlex")
