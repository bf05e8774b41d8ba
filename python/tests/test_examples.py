"""Checks that the examples run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import ANSWER, PUZZLE

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_a_dataset_is_read_verified_and_plotted(tmp_path: Path) -> None:
    lists = ["puzzle,solution", *[f"{PUZZLE},{ANSWER}"] * 30, f"{PUZZLE},{ANSWER[::-1]}", "nonsense,", "." * 81 + ","]
    (tmp_path / "claims.csv").write_text("\n".join(lists) + "\n")
    (tmp_path / "list.txt").write_text(f"{PUZZLE}\n" * 5)
    for name, said in [("claims.csv", "30 correct, 1 wrong, 1 missing, 1 invalid"), ("list.txt", "5 unique")]:
        call = [sys.executable, "-W", "error", EXAMPLES / "dataset.py", tmp_path / name, tmp_path / "plot.png"]
        run = subprocess.run([str(word) for word in call], capture_output=True, check=True, encoding="utf-8")
        assert said in run.stdout and "without a guess" in run.stdout
        assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
        (tmp_path / "plot.png").unlink()
