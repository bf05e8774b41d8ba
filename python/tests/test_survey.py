"""Converting, sampling, inspecting and reporting give the same results as the commands."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from conftest import ANSWER, PUZZLE, ROOT

import batchdoku


def command(*call: str | Path) -> bytes:
    return subprocess.run([os.environ["BATCHDOKU"], *call], capture_output=True, check=True).stdout


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A table that has an additional column, claims, and a puzzle whose clues clash."""
    path = tmp_path / "dataset.csv"
    rows = [f"{PUZZLE},{ANSWER},1.5", f"77{PUZZLE[2:]},{ANSWER},2", f"{'.' * 81},{ANSWER},x"]
    path.write_text("\n".join(["puzzle,solution,rating", *rows, ""]))
    return path


@pytest.mark.parametrize(
    "name", ["a.csv", "a.jsonl", "a.txt", "a.csv.gz", "a.csv.zst", "a.parquet", "a.arrow", "a.npy"]
)
# PROMISE: python-same-files
def test_convert_file_writes_what_the_command_writes(name: str, dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "of_command").mkdir()
    theirs = tmp_path / "of_command" / name
    command("convert", "-q", dataset, "-o", theirs)
    if name in {"a.txt", "a.npy"}:
        with pytest.warns(RuntimeWarning, match="no place for are left out: .*rating"):
            summary = batchdoku.convert_file(dataset, tmp_path / name)
    else:
        summary = batchdoku.convert_file(dataset, tmp_path / name)
    assert summary["rows"] == 3
    assert (tmp_path / name).read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow"])
def test_parquet_and_arrow_go_in_and_out_as_through_the_command(name: str, dataset: Path, tmp_path: Path) -> None:
    table = tmp_path / "dataset.parquet"
    batchdoku.convert_file(dataset, table)
    assert pyarrow.parquet.read_table(table).column_names == ["puzzle", "solution", "rating"]
    (tmp_path / "of_command").mkdir()
    theirs = tmp_path / "of_command" / name
    runs: dict[str, Callable[..., batchdoku.Summary]]
    runs = {"solve": batchdoku.solve_file, "verify": batchdoku.verify_file, "enumerate": batchdoku.enumerate_file}
    for job, run in runs.items():
        flags = ["-q", "--lenient", *(["--limit", "1"] if job == "enumerate" else ["--no-time"])]
        subprocess.run([os.environ["BATCHDOKU"], job, *flags, table, "-o", theirs], check=True)
        run(table, tmp_path / name, **({"limit": 1} if job == "enumerate" else {}))
        assert (tmp_path / name).read_bytes() == theirs.read_bytes(), job
    assert len(batchdoku.read(table)) == 3


# PROMISE: python-same-files
def test_several_files_and_patterns_are_read_as_the_command_reads_them(dataset: Path, tmp_path: Path) -> None:
    for number in (1, 2, 10):
        (tmp_path / f"train-{number}.csv").write_text(dataset.read_text().replace("1.5", str(number)))
    pattern, theirs = str(tmp_path / "train-*.csv"), tmp_path / "theirs.csv"
    command("convert", "-q", pattern, dataset, "-o", theirs)
    batchdoku.convert_file([pattern, dataset], tmp_path / "ours.csv")
    assert (tmp_path / "ours.csv").read_bytes() == theirs.read_bytes()
    assert [line.split(",")[2] for line in theirs.read_text().splitlines()[1::3]] == ["1", "2", "10", "1.5"]
    expected = command("sample", "-q", pattern, "-n", "4")
    assert batchdoku.sample_file(pattern, tmp_path / "few.csv", 4) == (4, 9)
    assert (tmp_path / "few.csv").read_bytes() == expected
    command("solve", "-q", "--no-time", "--lenient", pattern, "-o", theirs)
    assert batchdoku.solve_file(pattern, tmp_path / "ours.csv")["rows"] == 9
    assert (tmp_path / "ours.csv").read_bytes() == theirs.read_bytes()
    assert len(batchdoku.report(str(tmp_path / "*s.csv"))["inputs"]) == 2
    missing: list[tuple[str | list[str], type[Exception]]]
    missing = [(str(tmp_path / "*.txt"), FileNotFoundError), ([], ValueError)]
    for nothing, error in missing:
        with pytest.raises(error, match="no file"):
            batchdoku.solve_file(nothing, tmp_path / "rows.csv")


# PROMISE: python-same-files
@pytest.mark.parametrize("by", [None, "status", "clues", "guesses"])
def test_sample_file_takes_what_the_command_takes(by: str | None, tmp_path: Path) -> None:
    path, flags = ROOT / "data" / "minimal.txt", [] if by is None else ["--by", by]
    expected = command("sample", "-q", path, "-n", "50", "--seed", "7", "--rest", tmp_path / "theirs.txt", *flags)
    told: list[int] = []
    taken = batchdoku.sample_file(
        path, tmp_path / "few.txt", 50, seed=7, by=by, rest=tmp_path / "rest.txt", progress=lambda n, _: told.append(n)
    )
    assert taken == (50, 2000) and told[-1] == 2000
    assert (tmp_path / "few.txt").read_bytes() == expected
    assert (tmp_path / "rest.txt").read_bytes() == (tmp_path / "theirs.txt").read_bytes()


# PROMISE: python-same-files
def test_sample_file_takes_as_many_of_each_value_of_a_column(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text("puzzle,rating\n" + "".join(f"{n:081},{n % 10 // 9}\n" for n in range(10, 100)))
    expected = command("sample", "-q", path, "-n", "6", "--by", "rating")
    assert batchdoku.sample_file(path, tmp_path / "few.csv", 6, by="rating") == (6, 90)
    assert (tmp_path / "few.csv").read_bytes() == expected
    assert sorted(line[-1:] for line in expected.split()[1:]) == [b"0"] * 3 + [b"1"] * 3


# PROMISE: python-same-files
def test_a_column_counts_before_what_is_computed_and_an_extension_converts(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text("puzzle,clues\n" + "".join(f"{n:081},{n % 10 // 9}\n" for n in range(10, 100)))
    expected = command("sample", "-q", path, "-n", "6", "--by", "clues")
    with pytest.warns(RuntimeWarning, match="by: clues is the column of that name in the input"):
        assert batchdoku.sample_file(path, tmp_path / "few.csv", 6, by="clues") == (6, 90)
    assert (tmp_path / "few.csv").read_bytes() == expected
    listed = tmp_path / "list.txt"
    listed.write_text("".join(f"{n:081}\n" for n in range(10, 20)))
    command("sample", "-q", listed, "-n", "6", "-o", tmp_path / "theirs.csv")
    assert batchdoku.sample_file(listed, tmp_path / "ours.csv", 6) == (6, 10)
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()
    assert (tmp_path / "ours.csv").read_text().startswith("puzzle\n")
    parts = {f"{tmp_path}/train.csv": 0.8, f"{tmp_path}/test.jsonl": 0.2}
    assert batchdoku.split_file(listed, parts, same="text") == {name: int(10 * share) for name, share in parts.items()}


@pytest.mark.parametrize("all", [False, True])
def test_inspect_says_what_the_command_says(all: bool, dataset: Path) -> None:
    # A sample is inspected only until time runs out, so the file must be small.
    for path in [dataset, ROOT / "data" / "several.txt"] if all else [dataset]:
        flags = ["--all"] if all else []
        expected = json.loads(command("inspect", "--json", path, *flags))["inputs"]
        assert [batchdoku.inspect(path, all=all)] == expected


def without_origin(report: dict[str, Any]) -> dict[str, Any]:
    """A report without the parts that vary from run to run."""
    return {name: value for name, value in report.items() if name != "provenance"}


def test_report_has_the_figures_of_the_command(tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.csv", tmp_path / "report.json"
    batchdoku.solve_file(ROOT / "data" / "several.txt", rows)
    command("report", "-q", rows, "-o", tmp_path / "of_command.json")
    page = tmp_path / "report.html"
    report = batchdoku.report(rows, out, page)
    assert report == json.loads(out.read_text())
    assert without_origin(report) == without_origin(json.loads((tmp_path / "of_command.json").read_text()))
    assert page.read_text().startswith("<!DOCTYPE html>")
    command("report", "-q", rows, "--isomorphs", "-o", tmp_path / "of_command.json")
    report = batchdoku.report(rows, isomorphs=True)
    assert without_origin(report) == without_origin(json.loads((tmp_path / "of_command.json").read_text()))


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"format": "excel"}, ValueError, "no format 'excel' .expected "),
        ({"threads": 0}, ValueError, "threads is 0 .expected 1 or more"),
        ({"threads": 2**70}, ValueError, "threads is 1180591620717411303424"),
        ({"colum": "a"}, TypeError, "there is no option colum .expected column, solution|unexpected keyword"),
    ],
)
def test_options_of_reading_are_declared_once(
    options: dict[str, Any], error: type[Exception], message: str, dataset: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    calls: list[Any] = [
        lambda: batchdoku.convert_file(dataset, out, **options),
        lambda: batchdoku.sample_file(dataset, out, 1, **options),
        lambda: batchdoku.inspect(dataset, **options),
        lambda: batchdoku.solve_file(dataset, out, **options),
        lambda: batchdoku.verify_file(dataset, out, **options),
        lambda: batchdoku.enumerate_file(dataset, out, **options),
    ]
    for call in calls:
        with pytest.raises(error, match=message):
            call()
    assert not out.exists()


def test_what_cannot_be_reported_or_sampled_is_refused(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a file of results: .* missing"):
        batchdoku.report(dataset)
    with pytest.raises(ValueError, match="has no extension of a report"):
        batchdoku.report(dataset, tmp_path / "report.doc")
    with pytest.raises(ValueError, match="count is 0 .expected 1 or more"):
        batchdoku.sample_file(dataset, tmp_path / "few.csv", 0)
    with pytest.raises(ValueError, match="no input has a column 'size'"):
        batchdoku.sample_file(dataset, tmp_path / "few.csv", 1, by="size")
    with pytest.raises(ValueError, match="dataset.csv"):
        batchdoku.convert_file(dataset, dataset)
