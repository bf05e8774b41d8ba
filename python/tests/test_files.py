"""Jobs from file to file work like the commands."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from conftest import ANSWER, ENDLESS, PUZZLE, ROOT

import batchdoku


def command(subcommand: str, path: Path, *flags: str) -> bytes:
    call = [os.environ["BATCHDOKU"], subcommand, "--no-time", "--lenient", "-q", *flags, str(path)]
    return subprocess.run(call, capture_output=True, check=True).stdout


# PROMISE: python-same-files
@pytest.mark.parametrize("output_format", ["csv", "jsonl", "lines", "text"])
def test_solve_file_writes_what_the_command_writes(output_format: str, tmp_path: Path) -> None:
    lists = sorted((ROOT / "data" / "status").glob("*.txt")) + [ROOT / "data" / "easy.txt"]
    zipped = tmp_path / "hard.txt.gz"
    zipped.write_bytes(gzip.compress((ROOT / "data" / "hard.txt").read_bytes()))
    for path in [*lists, zipped]:
        out = tmp_path / "rows"
        summary = batchdoku.solve_file(path, out, output_format=output_format, max_guesses=50)
        expected = command("solve", path, "-O", output_format, "--max-guesses", "50")
        assert out.read_bytes() == expected, path
        assert summary["rows"] == sum(summary["statuses"].values()) > 0
    assert not list(tmp_path.glob("*.partial*"))


def test_other_programs_read_what_the_command_writes(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    lists = [(ROOT / "data" / name).read_text().split() for name in ("easy.txt", "several.txt", "unsolvable.txt")]
    path.write_text("\n".join(puzzle for puzzles in lists for puzzle in puzzles[:100]))
    rows = list(csv.DictReader(command("solve", path).decode().splitlines()))
    names = ["rows.csv.gz", "rows.csv.zst", "rows.parquet", "rows.arrow", "rows.npy"]
    for name in names:
        command("solve", path, "-o", str(tmp_path / name))
    texts = [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in pq.read_table(tmp_path / "rows.parquet").to_pylist()
    ]
    assert texts == rows
    table = feather.read_table(tmp_path / "rows.arrow")
    assert table.equals(pq.read_table(tmp_path / "rows.parquet"))
    assert all(field.metadata[b"description"] for field in table.schema)
    for name in names[:3]:
        found = duckdb.execute(f"SELECT id, puzzle, status FROM '{tmp_path / name}' ORDER BY id").fetchall()
        assert [(str(number), *rest) for number, *rest in found] == [
            (row["id"], row["puzzle"], row["status"]) for row in rows
        ]
    solutions = np.load(tmp_path / "rows.npy")
    assert (solutions.shape, solutions.dtype) == ((len(rows), 81), np.uint8)
    digits = ["".join(map(str, solution)) if solution.any() else "" for solution in solutions]
    assert digits == [row["solution"] for row in rows]


# PROMISE: python-same-files
def test_verify_file_writes_what_the_command_writes(tmp_path: Path) -> None:
    path, out = tmp_path / "claims.csv", tmp_path / "rows.csv"
    wrong = ANSWER.replace("1", "2")
    path.write_text(f"q,a\n{PUZZLE},{ANSWER}\n{PUZZLE},{wrong}\n{PUZZLE},\n1,1\n")
    summary = batchdoku.verify_file(str(path), str(out), column="q", solution="a")
    assert out.read_bytes() == command("verify", path, "--puzzle-column", "q", "--solution-column", "a")
    counts = {status: count for status, count in summary["statuses"].items() if count}
    assert counts == {"correct": 1, "wrong": 1, "missing": 1, "invalid": 1}


def test_progress_is_told_and_its_error_ends_the_run(tmp_path: Path) -> None:
    path, out = tmp_path / "list.txt", tmp_path / "rows.csv"
    path.write_text((PUZZLE + "\n") * 1000)
    told: list[tuple[int, int]] = []
    batchdoku.solve_file(path, out, progress=lambda records, size: told.append((records, size)))
    assert told == sorted(told) and told[-1] == (1000, path.stat().st_size)
    path.write_text((PUZZLE + "\n") * 300_000 + ENDLESS[0])

    def fail(records: int, size: int) -> None:
        raise RuntimeError(f"{records > 0}")

    with pytest.raises(RuntimeError, match="True"):
        batchdoku.solve_file(path, tmp_path / "other.csv", limit=ENDLESS[1], progress=fail)


def test_ctrl_c_leaves_whole_rows_in_the_partial_file(tmp_path: Path) -> None:
    path, out = tmp_path / "list.txt", tmp_path / "rows.csv"
    path.write_text((PUZZLE + "\n") * 5000 + ENDLESS[0] + "\n")
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        batchdoku.solve_file(path, out, limit=ENDLESS[1])
    assert not out.exists()
    rows = (tmp_path / "rows.csv.partial").read_text().splitlines()
    assert len(rows) == 5001 and all(ANSWER in row for row in rows[1:])


def test_what_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text(PUZZLE + "\n")
    with pytest.raises(FileNotFoundError, match="nowhere.txt"):
        batchdoku.solve_file(tmp_path / "nowhere.txt", tmp_path / "rows.csv")
    with pytest.raises(OSError, match="does not exist"):
        batchdoku.solve_file(path, tmp_path / "no folder" / "rows.csv")
    with pytest.raises(ValueError, match="list.txt"):
        batchdoku.solve_file(path, path)
    with pytest.raises(ValueError, match="no output format xml .expected csv, jsonl, lines, text"):
        batchdoku.solve_file(path, tmp_path / "rows.csv", output_format="xml")
    with pytest.raises(ValueError, match="limit is 0"):
        batchdoku.solve_file(path, tmp_path / "rows.csv", limit=0)
    (tmp_path / "prose.txt").write_text("no puzzles here\n")
    with pytest.raises(ValueError, match="prose.txt"):
        batchdoku.solve_file(tmp_path / "prose.txt", tmp_path / "rows.csv")
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress(((PUZZLE + "\n") * 1000).encode())[:-20])
    with pytest.raises(OSError, match="damaged.gz: .*; the complete rows so far are in .*rows.csv.partial"):
        batchdoku.solve_file(damaged, tmp_path / "rows.csv")
    assert path.read_text() == PUZZLE + "\n"


def test_a_file_is_read_as_the_command_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "list.csv.gz"
    claims = [ANSWER, ANSWER[:-1], "", ANSWER.replace("1", "2")]
    lines = ["puzzle,solution", *(f"{PUZZLE},{claim}" for claim in claims), f"{PUZZLE[1:]},{ANSWER}", f"{PUZZLE},x,y"]
    with gzip.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")
    puzzles = batchdoku.read(path)
    assert repr(puzzles) == "<batchdoku.Puzzles: 6 rows (3 with an error)>" and len(puzzles) == 6
    assert puzzles.columns == ["line", "puzzle", "solution", "error"]
    rows = puzzles.to_polars().to_dict(as_series=False)
    assert rows["line"] == [2, 3, 4, 5, 6, 7]
    assert rows["puzzle"] == [PUZZLE] * 4 + [None] * 2
    assert rows["solution"] == [ANSWER, claims[1], None, claims[3], None, None]
    assert [error and error.partition(":")[0] for error in rows["error"]] == [
        None,
        "line 3, column 163",
        None,
        None,
        "line 6, column 81",
        "line 7, column 85",
    ]
    # Arrow data is passed to the jobs.
    statuses = batchdoku.verify(puzzles).to_pyarrow()["status"].to_pylist()
    assert statuses == ["correct", "wrong", "missing", "wrong", "invalid", "invalid"]
    assert batchdoku.solve(puzzles).summary()["statuses"]["unique"] == 4


@pytest.mark.parametrize("lines", [
    "puzzle,solution\n{p},\n{p},\n",
    "puzzle,solution\n{p},12\n{p},{s}1\n",
    'puzzle,solution\n{p},"a\n""b"\n{p},"{s}"\n',
    "{p},{s}\n{p},{s}4\n{p},q{s}\n{p},\n",
    "{p} {w}\n{p}\n",
])
def test_what_is_claimed_is_judged_as_the_command_does(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "claims"
    path.write_text(lines.format(p=PUZZLE, s=ANSWER, w="1" + ANSWER[1:]))
    verified = command("verify", path, "-O", "jsonl").decode().splitlines()
    statuses = [json.loads(line)["status"] for line in verified]
    assert batchdoku.verify(batchdoku.read(path)).to_pyarrow()["status"].to_pylist() == statuses


def test_a_given_layout_and_a_decompression_bomb(tmp_path: Path) -> None:
    path, out = tmp_path / "list.gz", tmp_path / "rows.csv"
    # The members hold 64 MiB each: over 1 GiB in total, without a single row.
    remarks = gzip.compress((b"#" + b" " * 65534 + b"\n") * 1024)
    row = gzip.compress(f"{PUZZLE} {ANSWER}\n".encode())
    path.write_bytes(row + remarks * 17 + row)
    with pytest.raises(OSError, match="bomb"):
        batchdoku.solve_file(path, out, format="line")
    for job in (batchdoku.solve_file, batchdoku.verify_file):
        with pytest.raises(ValueError, match="list.gz"):
            job(path, out, format="csv", column="nowhere")


def test_an_idle_pipe_can_be_interrupted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    descriptor = os.open(tmp_path / "pipe", os.O_RDWR)
    for read in (batchdoku.read, batchdoku.inspect):
        timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            read(tmp_path / "pipe")
    os.close(descriptor)


def test_the_checkpoint_of_another_run_does_not_outlive_its_rows(tmp_path: Path) -> None:
    path, out = tmp_path / "list.txt", tmp_path / "rows"
    path.write_text(f"{PUZZLE}\n" * 9)
    checkpoint = Path(f"{out}.partial.checkpoint")
    endless = tmp_path / "endless.txt"
    endless.write_text(f"{PUZZLE}\n" * 9 + ENDLESS[0] + "\n")
    flags = ["-q", "--checkpoint-every", "0", "--chunk-size", "81", "--limit", str(ENDLESS[1])]
    with subprocess.Popen([os.environ["BATCHDOKU"], "solve", *flags, str(endless), "-o", str(out)]) as process:
        while not checkpoint.exists() or b'"records":0' in checkpoint.read_bytes():
            assert process.poll() is None
        process.kill()
    batchdoku.solve_file(path, out)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["endless.txt", "list.txt", "rows"]


def test_files_of_other_layouts_have_no_claims_and_no_cases(tmp_path: Path) -> None:
    path = tmp_path / "puzzles"
    path.write_text(f"{PUZZLE}\n\n# a remark\n{PUZZLE}\n")
    assert batchdoku.read(path).to_polars().rows() == [(1, PUZZLE, None), (4, PUZZLE, None)]
    path.write_text("\n".join(PUZZLE[row : row + 9] for row in range(0, 81, 9)) + "\n")
    assert batchdoku.read(path).to_polars().rows() == [(1, PUZZLE, None)]
    (case,) = (ROOT / "data" / "judge").glob("boj4574.in")
    cases = batchdoku.read(case).to_polars()
    assert cases["puzzle"].null_count() == len(cases) > 0
    assert cases["error"][0] == "a sudominoku, whose dominoes have no column here (solve_file solves it)"
    path.write_text("puzzle,solution\n")
    assert len(batchdoku.read(path)) == 0


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing.txt: cannot open"):
        batchdoku.read(tmp_path / "missing.txt")
    for text in ["", " \n"]:
        path = tmp_path / "empty.txt"
        path.write_text(text)
        with pytest.raises(ValueError, match="empty.txt: is empty"):
            batchdoku.read(path)
    path = tmp_path / "prose.txt"
    path.write_text("It was the best of times\n")
    with pytest.raises(ValueError, match="no puzzle found"):
        batchdoku.read(path)
    path = tmp_path / "table.csv"
    path.write_text(f"a,b\n{PUZZLE},x\n")
    with pytest.raises(ValueError, match="no column 'c'"):
        batchdoku.read(path, column="c")
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(f"{PUZZLE}\n".encode() * 9)[:-9])
    with pytest.raises(OSError, match="damaged gzip data"):
        batchdoku.read(path)
