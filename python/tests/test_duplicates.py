"""Duplicates, parts, isomorphs and separate answer files: the results match the command, on files and on columns."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import ANSWER, PUZZLE, ROOT, isomorph

import batchdoku

#: Puzzles with one solution; no two of the puzzles are isomorphic, and no two of the solutions are.
DISTINCT = (ROOT / "data" / "easy.txt").read_text().split()[:30]


def command(*call: str | Path) -> bytes:
    """Returns the output of the command, which can exit with 1 if it finds duplicates or bad records."""
    done = subprocess.run([os.environ["BATCHDOKU"], *call], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def planted() -> list[tuple[int, str | None]]:
    """Puzzles, each as an index into `DISTINCT` and its text: unchanged, with other blanks, and as an isomorph."""
    chance = random.Random(27)
    rows: list[tuple[int, str | None]] = [(number, text) for number, text in enumerate(DISTINCT)]
    rows += [(number, DISTINCT[number].replace(".", "0")) for number in range(0, 30, 3)]
    rows += [(number, isomorph(DISTINCT[number], chance)) for number in range(0, 30, 2)]
    rows += [(-1, "1234"), (-1, None), (-1, "1234")]
    chance.shuffle(rows)
    return rows


@pytest.fixture
def table(planted: list[tuple[int, str | None]], tmp_path: Path) -> Path:
    path = tmp_path / "all.csv"
    lines = [f"{number % 2},{text or ''},{row}\n" for row, (number, text) in enumerate(planted)]
    path.write_text("".join(["rating,puzzle,row\n", *lines]))
    return path


def expected(rows: list[tuple[int, str | None]], same: str) -> list[int]:
    """The first row that is the same, according to how the puzzles were planted."""
    seen: dict[object, int] = {}
    keys = [number if same == "puzzle" else (text or "").replace("0", ".") for number, text in rows]
    return [row if rows[row][0] < 0 else seen.setdefault(key, row) for row, key in enumerate(keys)]


@pytest.mark.parametrize("same", ["text", "puzzle"])
@pytest.mark.parametrize("of", ["list", "polars", "pandas", "chunks", "numbers"])
def test_each_row_has_the_first_that_is_the_same(of: str, same: str, planted: list[tuple[int, str | None]]) -> None:
    rows = [row for row in planted if row[0] >= 0] if of == "numbers" else planted
    texts = [text for _, text in rows]
    cells = [[int(cell) if cell.isdigit() else 0 for cell in text or ""] for text in texts]
    chunked = pyarrow.chunked_array([texts[:7], [], texts[7:40], texts[40:]], pyarrow.string())
    makers: dict[str, Any] = {
        "list": lambda: texts,
        "polars": lambda: polars.DataFrame({"first": range(len(texts)), "quizzes": texts}),
        "pandas": lambda: pandas.DataFrame({"quizzes": texts}),
        "chunks": lambda: pyarrow.table({"puzzle": chunked}),
        "numbers": lambda: numpy.array(cells),
    }
    data = makers[of]()
    # With so little memory, the rest goes to a temporary file.
    answers = batchdoku.dedupe(data, same=same, memory=2**20)
    wanted = expected(rows, same)
    name = "batchdoku_first" if of == "polars" else "first"
    frame = answers.to_polars()
    assert frame[name].to_list() == wanted
    assert frame["status"].to_list() == [
        "invalid" if number < 0 else "kept" if wanted[row] == row else "duplicate" for row, (number, _) in enumerate(rows)
    ]
    assert frame["error"].null_count() == sum(number >= 0 for number, _ in rows)
    carried = {"polars": ["first", "quizzes"], "pandas": ["quizzes"], "chunks": ["puzzle"]}.get(of, [])
    assert frame.columns == [*carried, name, "status", "error"]
    assert answers.summary()["statuses"]["duplicate"] == sum(first != row for row, first in enumerate(wanted))


def test_what_is_in_other_puzzles_is_known(planted: list[tuple[int, str | None]]) -> None:
    test = polars.DataFrame({"puzzle": [text for _, text in planted]})
    answers = batchdoku.dedupe(test, same="puzzle", against=DISTINCT[10:20])
    assert answers.to_polars()["first"].to_list() == [n - 10 if 10 <= n < 20 else None for n, _ in planted]
    assert answers.summary()["statuses"]["known"] == sum(10 <= n < 20 for n, _ in planted)
    # Isomorphic solutions are found even if the puzzles are not isomorphic; a puzzle with several solutions matches
    # none.
    solved = batchdoku.solve(DISTINCT).to_polars()["solution"]
    with pytest.warns(RuntimeWarning, match="^records without exactly one solution, .* with none: 1$"):
        answers = batchdoku.dedupe([*DISTINCT, "." * 81], same="solution-grid", against=pyarrow.table({"puzzle": solved}))
    assert answers.to_polars()["first"].to_list() == [*range(30), None]


def test_what_cannot_be_compared_or_permuted_is_refused(tmp_path: Path) -> None:
    wrong: Any = 7
    calls: list[tuple[Any, type[Exception], str]] = [
        (lambda: batchdoku.dedupe(DISTINCT, same="colour"), ValueError, 'same is "colour" .expected text, puzzle or'),
        (lambda: batchdoku.dedupe(DISTINCT, memory=9), ValueError, "memory is 9 .expected 1048576 or more"),
        (lambda: batchdoku.dedupe(DISTINCT, against=wrong), TypeError, "against is of type int"),
        (lambda: batchdoku.permute(DISTINCT, only="boxes"), ValueError, 'only has "boxes" .expected digits, rows'),
        (lambda: batchdoku.permute(DISTINCT, count=0), ValueError, "count is 0 .expected 1 to 1000000"),
        (lambda: batchdoku.permute(DISTINCT, by="rrr"), ValueError, "^by: "),
        (lambda: batchdoku.permute(DISTINCT, by="rrr", count=2), ValueError, "which count, seed and only do not go with"),
        (lambda: batchdoku.permute(DISTINCT, solution=[ANSWER]), ValueError, "fewer solutions than puzzles"),
        (lambda: batchdoku.dedupe_file("-", tmp_path / "out"), ValueError, "standard input cannot be read twice"),
        (lambda: batchdoku.split_file("a", {"b": 1}), ValueError, "parts has 1 parts .expected 2 to 100"),
        (lambda: batchdoku.split_file("a", {"b": 1, "c": 0}), ValueError, "parts: '0' is not a share"),
    ]
    for call, kind, message in calls:
        with pytest.raises(kind, match=message):
            call()
    path, out = tmp_path / "list.txt", tmp_path / "out.txt"
    path.write_text("\n".join(DISTINCT))
    for matches in (path, out):
        with pytest.raises(ValueError, match=matches.name):
            batchdoku.dedupe_file(path, out, matches=matches)
    assert not out.exists() and path.read_text().split() == DISTINCT


# PROMISE: python-same-files
@pytest.mark.filterwarnings("ignore:records without exactly one solution")
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
@pytest.mark.parametrize("same", ["text", "puzzle", "solution-grid"])
def test_dedupe_file_writes_what_the_command_writes(name: str, same: str, table: Path, tmp_path: Path) -> None:
    (tmp_path / "of_command").mkdir()
    train = tmp_path / "train.txt"
    train.write_text("\n".join(DISTINCT[:9]))
    for against in (None, train):
        flags = ["-q", "--same", same, *([] if against is None else ["--against", str(against)])]
        theirs = tmp_path / "of_command"
        command("dedupe", table, *flags, "--matches", theirs / "same.csv", "-o", theirs / name)
        others = None if against is None else str(tmp_path / "trai*.txt")
        summary = batchdoku.dedupe_file(table, tmp_path / name, same=same, matches=tmp_path / "same.csv", against=others)
        for written in (name, "same.csv"):
            assert (tmp_path / written).read_bytes() == (theirs / written).read_bytes()
        assert summary["rows"] == 58 and summary["statuses"]["invalid"] == 3


# PROMISE: python-same-files
def test_split_file_writes_what_the_command_writes(table: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "of_command"
    theirs.mkdir()
    parts = {"train": 0.7, "valid.csv.gz": 0.1, "test": 0.2}
    flags = ["--seed", "7", "--by", "rating", "--same", "puzzle"]
    command("split", "-q", table, *flags, "--parts", ",".join(f"{theirs / name}={share}" for name, share in parts.items()))
    given = {str(tmp_path / name): share for name, share in parts.items()}
    with pytest.warns(RuntimeWarning, match="^records that cannot be read, .* with none: 3$"):
        counts = batchdoku.split_file(table, given, seed=7, by="rating")
    assert sum(counts.values()) == 58 and len(counts) == 3
    assert [*counts] == [str(tmp_path / name) for name in ("train.csv", "valid.csv.gz", "test.csv")]
    for path in counts:
        assert Path(path).read_bytes() == (theirs / Path(path).name).read_bytes()
    frames = [batchdoku.read(path).to_polars()["puzzle"].drop_nulls() for path in counts]
    classes = [set(batchdoku.canon(frame).to_polars()["canonical"]) for frame in frames]
    assert sum(map(len, classes)) == len(set.union(*classes)) == 30


# PROMISE: python-same-files
@pytest.mark.parametrize("name", ["out.csv", "out.jsonl.zst", "out.parquet", "out.txt"])
def test_permute_file_writes_what_the_command_writes(name: str, tmp_path: Path) -> None:
    path, theirs = tmp_path / "claims.csv", tmp_path / "of_command"
    theirs.mkdir()
    solutions = batchdoku.solve(DISTINCT).to_polars()["solution"]
    path.write_text("q,a,n\n" + "".join(f"{q},{a},{n}\n" for n, (q, a) in enumerate(zip(DISTINCT, solutions))) + "1,,x\n")
    columns = ["--puzzle-column", "q", "--solution-column", "a"]
    calls: list[tuple[list[str], dict[str, Any]]] = [
        (["-k", "3", "--seed", "7", "--only", "digits,rows", "--with-symmetry"], {"count": 3, "seed": 7, "only": ["digits", "rows"], "symmetry": True}),
        (["--by", "tr123456789c123456789d123456789"], {"by": "tr123456789c123456789d123456789"}),
    ]
    for flags, options in calls:
        command("permute", "-q", path, *columns, *flags, "-o", theirs / name)
        if name == "out.txt":
            with pytest.warns(RuntimeWarning, match="no place for are left out: n"):
                summary = batchdoku.permute_file(path, tmp_path / name, column="q", solution="a", **options)
        else:
            summary = batchdoku.permute_file(path, tmp_path / name, column="q", solution="a", **options)
        assert (tmp_path / name).read_bytes() == (theirs / name).read_bytes()
        assert summary["statuses"] == {"permuted": 30, "invalid": 1, "internal-error": 0}


@pytest.mark.parametrize("threads", [1, 3])
def test_isomorphs_of_a_table_are_those_of_the_command(threads: int, tmp_path: Path) -> None:
    solutions = batchdoku.solve(DISTINCT).to_polars()["solution"]
    frame = polars.DataFrame({"row": ["a"] * 30, "puzzle": DISTINCT, "answer": solutions})
    frame.write_csv(tmp_path / "claims.csv")
    printed = command("permute", "-q", tmp_path / "claims.csv", "-k", "4", "--seed", "1", "--with-symmetry", "-O", "jsonl")
    rows = batchdoku.permute(frame, count=4, seed=1, symmetry=True, threads=threads)
    assert rows.columns == ["row", "batchdoku_row", "status", "error", "puzzle", "solution", "symmetry"]
    found = rows.to_polars()
    names = ["puzzle", "solution", "symmetry"]
    assert found.select(names).equals(polars.read_ndjson(printed).select(names))
    assert found["batchdoku_row"].to_list() == [row for row in range(30) for _ in range(4)]
    # A list with separate solutions, and a list without any.
    beside = batchdoku.permute(DISTINCT, solution=solutions, count=4, seed=1)
    assert beside.columns == ["row", "status", "error", "puzzle", "solution"]
    assert beside.to_polars().select(names[:2]).equals(found.select(names[:2]))
    assert batchdoku.verify(beside).summary()["statuses"]["correct"] == 120
    alone = batchdoku.permute(DISTINCT, count=4, seed=1)
    assert alone.columns == ["row", "status", "error", "puzzle"]
    assert alone.to_polars()["puzzle"].equals(found["puzzle"])
    digits = ["".join(map(str, row)).replace("0", ".") for row in alone.to_numpy()]
    assert digits == alone.to_polars()["puzzle"].to_list()
    back = batchdoku.permute(found[:1].select("puzzle"), by=found["symmetry"][0])
    assert batchdoku.dedupe([DISTINCT[0]], against=back.to_polars()["puzzle"], same="puzzle").to_polars()["first"][0] == 0


# PROMISE: python-same-files
def test_answers_of_another_file_are_verified_as_the_command_does(tmp_path: Path) -> None:
    path, answers = tmp_path / "list.csv", tmp_path / "answers.csv"
    path.write_text(f"puzzle,solution\n{PUZZLE},1\n{PUZZLE},\n{PUZZLE},\n")
    for lines, note in ((3, None), (2, "2 answers for 3 puzzles"), (4, "4 answers for 3 puzzles")):
        claims = [ANSWER, ANSWER.replace("1", "2"), "12", ANSWER][:lines]
        answers.write_text("id,mine\n" + "".join(f"{n},{claim}\n" for n, claim in enumerate(claims)))
        flags = ["--solution-column", "mine", "--no-time", "-q", "--lenient"]
        expected = command("verify", path, "--answers", answers, *flags)
        options: Any = {"answers": answers, "solution": "mine"}
        if note is None:
            batchdoku.verify_file(path, tmp_path / "rows.csv", **options)
        else:
            with pytest.warns(RuntimeWarning, match=f"answers.csv: {note}"):
                batchdoku.verify_file(path, tmp_path / "rows.csv", **options)
        assert (tmp_path / "rows.csv").read_bytes() == expected
    # A missing answer still takes up a place.
    answers.write_text('solution\n""\n' + 2 * f"{ANSWER}\n")
    summary = batchdoku.verify_file(path, tmp_path / "rows.csv", answers=answers)
    assert summary["statuses"]["correct"] == 2
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"solution": null}\n' + 2 * f'{{"solution": "{ANSWER}"}}\n')
    summary = batchdoku.verify_file(path, tmp_path / "rows.csv", answers=answers)
    assert summary["statuses"]["correct"] == 2
    case, grids = (ROOT / "data" / "judge" / f"boj4574.{kind}" for kind in ("in", "out"))
    summary = batchdoku.verify_file(case, tmp_path / "rows.csv", answers=grids)
    assert summary["statuses"]["correct"] == summary["rows"] > 0
    assert (tmp_path / "rows.csv").read_bytes() == command("verify", case, "--answers", grids, "--no-time", "-q")
