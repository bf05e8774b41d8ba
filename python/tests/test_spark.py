"""Tests Spark on the local machine: columns, rows and errors."""

from __future__ import annotations

import os
import random
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import polars
import pyarrow
import pytest
from conftest import ANSWER, ENDLESS, PUZZLE, isomorph, need_java
from pyspark.sql import DataFrame, SparkSession, functions

import batchdoku
import batchdoku.spark
from batchdoku.spark import __main__ as job

need_java()
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

CARRIED = """
    id, puzzle,
    timestamp'2020-07-01 12:00:00.123456' AS moment, timestamp_ntz'1900-01-01 00:00:00' AS wall,
    date'1066-10-14' AS day, interval '1' day AS span, CAST(id AS DECIMAL(38, 10)) AS amount, CAST(id AS TINYINT) AS small,
    named_struct('a', id, 'b', array(named_struct('c', 'x'), NULL)) AS nested, map('key', id) AS entries,
    NULL AS nothing, X'00FF' AS bytes, CAST('ab' AS CHAR(4)) AS padded, 'x' COLLATE UTF8_LCASE AS collated, parse_json('[1]') AS json,
    CAST('NaN' AS DOUBLE) AS number, id % 2 = 0 AS even
"""


def rows(frame: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.collect()]


def tasks(spark: SparkSession, group: str) -> tuple[int, int]:
    """Returns how many tasks in a job group succeeded, and how many failed."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(number) for number in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for one in jobs if one for stage in one.stageIds]
    return sum(one.numCompletedTasks for one in stages if one), sum(one.numFailedTasks for one in stages if one)


def test_rows_are_those_of_a_table_in_one_process(spark: SparkSession, texts: list[str | None]) -> None:
    table = pyarrow.table({"id": range(len(texts)), "puzzle": pyarrow.array(texts, pyarrow.string())})
    frame = spark.createDataFrame(table).repartition(5)
    choices: list[dict[str, Any]] = [{}, {"limit": 1}, {"max_guesses": 0, "backend": "scalar"}]
    for options in choices:
        answers = batchdoku.spark.solve(frame, **options)
        expected = batchdoku.solve(table, **options).to_pyarrow()
        assert answers.columns == expected.column_names
        assert rows(answers.orderBy("id")) == expected.to_pylist()
    assert "invalid" in expected["status"].to_pylist()


def test_verify_is_that_of_a_table_in_one_process(spark: SparkSession, texts: list[str | None]) -> None:
    claims = batchdoku.solve(texts).to_polars()["solution"].to_list()
    claims[::7] = [ANSWER] * len(claims[::7])
    table = pyarrow.table({"id": range(len(texts)), "quiz": pyarrow.array(texts, pyarrow.string()), "claim": claims})
    frame = spark.createDataFrame(table)
    for trusted in [False, True]:
        answers = batchdoku.spark.verify(frame, column="quiz", solution="claim", trust_unique=trusted)
        expected = batchdoku.verify(table, column="quiz", solution="claim", trust_unique=trusted).to_pyarrow()
        assert answers.columns == expected.column_names
        assert rows(answers.orderBy("id")) == expected.to_pylist()
    assert {"wrong", "invalid", "missing"} < set(expected["status"].to_pylist())


def test_a_puzzle_may_have_many_rows(spark: SparkSession) -> None:
    table = pyarrow.table({"id": range(9), "puzzle": ["." * 81, "12", PUZZLE] * 3})
    answers = batchdoku.spark.enumerate(spark.createDataFrame(table).repartition(2), limit=3)
    expected = batchdoku.enumerate(table, limit=3).to_pyarrow()
    assert answers.columns == expected.column_names
    assert rows(answers.orderBy("id", "n")) == expected.to_pylist() and expected.num_rows == 15


def test_ratings_and_minimal_puzzles_are_those_of_one_process(spark: SparkSession, whole: list[str]) -> None:
    table = pyarrow.table({"id": range(60), "puzzle": [*whole[:58], "." * 81, "12"]})
    frame = spark.createDataFrame(table).repartition(3)
    for answers, expected in [
        (batchdoku.spark.rate(frame), batchdoku.rate(table)),
        (batchdoku.spark.minimize(frame, seed=5), batchdoku.minimize(table, seed=5)),
    ]:
        assert answers.columns == expected.to_pyarrow().column_names
        assert rows(answers.orderBy("id")) == expected.to_pyarrow().to_pylist()


def test_isomorphs_of_all_partitions_are_one_group(spark: SparkSession, whole: list[str]) -> None:
    """Follows the example in docs/scale.md."""
    chance = random.Random(27)
    # Each of 300 puzzles, no two of which are isomorphic, is planted up to four times.
    distinct = batchdoku.dedupe(whole[:-1], same="puzzle").to_polars()["first"].unique().sort().head(300).to_list()
    planted = [(number, whole[number]) for number in distinct for _ in range(number % 4)]
    planted += [(number, isomorph(whole[number], chance)) for number in distinct]
    chance.shuffle(planted)
    table = pyarrow.table({
        "id": range(len(planted) + 1),
        "planted": [*(number for number, _ in planted), None],
        "puzzle": [*(puzzle for _, puzzle in planted), "1234"],
    })
    frame = spark.createDataFrame(table).repartition(7)
    forms = batchdoku.spark.canon(frame).where("canonical IS NOT NULL")
    groups = forms.groupBy("canonical").agg(functions.collect_set("planted").alias("planted")).collect()
    assert sorted(row.planted for row in groups) == [[number] for number in distinct]
    # The rows kept are the same ones that a single process keeps.
    firsts = forms.groupBy("canonical").agg(functions.min("id").alias("id"))
    kept = frame.join(firsts, "id", "left_semi").collect()
    first = batchdoku.dedupe(table.slice(0, len(planted)), same="puzzle").to_polars()["first"]
    assert sorted(row.id for row in kept) == first.unique().sort().to_list()
    # The puzzles of another frame that are also in this one.
    test = pyarrow.table({"puzzle": [isomorph(whole[number], chance) for number in distinct[::9]] + [ENDLESS[0]]})
    leaked = batchdoku.spark.canon(spark.createDataFrame(test)).join(forms, "canonical", "left_semi")
    assert sorted(row.puzzle for row in leaked.collect()) == sorted(test["puzzle"].to_pylist()[:-1])
    # They are spread over all partitions.
    spread = frame.select(functions.spark_partition_id().alias("at")).distinct().count()
    assert spread == 7


def test_puzzles_are_read_by_dictionary_as_bytes_and_as_numbers(spark: SparkSession, whole: list[str]) -> None:
    some = [whole[row % 50] for row in range(2_000)]
    numbers = [[int(cell) if cell.isdigit() else 0 for cell in puzzle] for puzzle in some]
    columns = [
        pyarrow.array(some).dictionary_encode(),
        pyarrow.array([puzzle.encode() for puzzle in some]),
        pyarrow.array(numbers, pyarrow.list_(pyarrow.int8())),
    ]
    expected = batchdoku.solve(some).to_polars()["solution"].to_list()
    for column in columns:
        table = pyarrow.table({"id": range(len(some)), "puzzle": column})
        answers = batchdoku.spark.solve(spark.createDataFrame(table)).orderBy("id")
        assert [row.solution for row in answers.collect()] == expected
    # Spark itself sends no dictionaries, but other callers may.
    batch = pyarrow.record_batch({"puzzle": columns[0]})
    answered = list(batchdoku.spark._answers(iter([batch]), batchdoku.solve, ["puzzle"], answers.columns[1:]))
    assert pyarrow.Table.from_batches(answered)["solution"].to_pylist() == expected


def test_a_batch_that_is_a_whole_partition_goes_through_in_parts(spark: SparkSession, whole: list[str]) -> None:
    count = 300_000
    table = pyarrow.table({"id": range(count), "puzzle": (whole * (count // len(whole) + 1))[:count]})
    parts = batchdoku.spark._answers(
        iter(table.combine_chunks().to_batches()), batchdoku.solve, ["id", "puzzle"], batchdoku.solve(table).columns
    )
    sizes = [part.num_rows for part in parts]
    assert sum(sizes) == count and max(sizes) <= batchdoku.spark.ROWS
    frame = spark.createDataFrame(table).coalesce(1)
    assert frame.rdd.getNumPartitions() == 1
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 0)
    try:
        found = batchdoku.spark.solve(frame).select("id", "status", "guesses").toArrow()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    expected = batchdoku.solve(table).to_pyarrow()
    assert found.sort_by("id").equals(expected.select(["id", "status", "guesses"]).cast(found.schema))


def test_other_columns_are_carried_along_unchanged(spark: SparkSession) -> None:
    ids = spark.range(40).selectExpr("id", f"'{PUZZLE}' AS puzzle")
    ids = ids.withMetadata("id", {"unit": "none"})
    ids.createOrReplaceTempView("ids")
    frame = spark.sql(f"SELECT {CARRIED} FROM ids")
    answers = batchdoku.spark.solve(frame)
    assert answers.schema.fields[: len(frame.columns)] == frame.schema.fields
    assert answers.schema["id"].metadata == {"unit": "none"}
    found = answers.orderBy("id").collect()
    for row, before in zip(found, frame.orderBy("id").collect(), strict=True):
        assert str(row[: len(before)]) == str(tuple(before))
        assert row.solution == ANSWER
    for large in ["true", "false"]:
        spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", large)
        assert str(batchdoku.spark.solve(frame).orderBy("id").collect()) == str(found)
    spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_columns_that_are_called_like_ours_stay_whatever_their_case(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame([("a", "b", PUZZLE, 7)], ["Status", "batchdoku_status", "Quiz", "error"])
    answers = batchdoku.spark.solve(frame, column="quiz")
    table = frame.toArrow().rename_columns(["status", "batchdoku_status", "quiz", "error"])
    ours = batchdoku.solve(table, column="quiz").columns[4:]
    assert answers.columns == [*frame.columns, *ours]
    assert {"batchdoku_batchdoku_status", "batchdoku_error"} < set(ours)
    # A table with such columns can be written and read back.
    answers.write.parquet(str(tmp_path / "rows"))
    written = spark.read.parquet(str(tmp_path / "rows")).first()
    assert written is not None and written.batchdoku_batchdoku_status == "unique" and written.Status == "a"
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert batchdoku.spark.solve(frame, column="Quiz").columns[5] == "status"
        with pytest.raises(ValueError, match='there is no column "quiz" in data'):
            batchdoku.spark.solve(frame, column="quiz")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_partitions_and_frames_without_rows_work(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, PUZZLE), (2, "1234")], "id long, puzzle string")
    answers = batchdoku.spark.solve(frame.repartition(8))
    assert answers.rdd.getNumPartitions() == 8
    assert sorted(row.status for row in answers.collect()) == ["invalid", "unique"]
    for empty in [frame.limit(0), spark.createDataFrame([], frame.schema), frame.where("id > 2")]:
        assert batchdoku.spark.solve(empty).columns == answers.columns
        assert batchdoku.spark.solve(empty).collect() == []


def test_nothing_runs_before_an_action_and_errors_come_from_the_driver(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, PUZZLE, ANSWER)], "id long, puzzle string, solution string").repartition(2)
    spark.sparkContext.setJobGroup("driver", "")
    answers = batchdoku.spark.solve(frame)
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"column": "quiz"}, ValueError, 'there is no column "quiz" in data .its columns are "id", "puzzle", "so'),
        ({"column": "id"}, TypeError, "the column .id. is of type Int64; 81 digits are not a number"),
        ({"limit": 0}, ValueError, "limit is 0"),
        ({"backend": "fast"}, ValueError, 'cannot run the backend "fast"'),
    ]
    for options, kind, message in refused:
        with pytest.raises(kind, match=message):
            batchdoku.spark.solve(frame, **options)
    with pytest.raises(TypeError, match="the column .id. is of type Int64; 81 digits are not a number"):
        batchdoku.spark.verify(frame, solution="id")
    with pytest.raises(ValueError, match="data has no column of solutions"):
        batchdoku.spark.verify(frame.select("puzzle"))
    assert tasks(spark, "driver") == (0, 0)
    spark.sparkContext.setJobGroup("action", "")
    assert len(answers.collect()) == 1
    assert tasks(spark, "action")[0] > 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_a_python_worker_that_dies_costs_no_row_and_doubles_none(spark: SparkSession) -> None:
    grid, limit = ENDLESS
    count = 24
    frame = spark.range(count, numPartitions=4).selectExpr("id", f"'{grid}' AS puzzle")
    spark.sparkContext.setJobGroup("death", "")
    answers = batchdoku.spark.solve(frame, limit=limit, max_guesses=500_000)
    killed: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            time.sleep(0.1)
            # Idle workers use no CPU time.
            before = {worker: ticks(worker) for worker in workers()}
            time.sleep(0.3)
            busy = [worker for worker, used in before.items() if ticks(worker) > used + 10]
            if busy:
                os.kill(busy[0], signal.SIGKILL)
                killed.append(busy[0])

    thread = threading.Thread(target=kill)
    thread.start()
    found = answers.orderBy("id").collect()
    thread.join()
    assert len(killed) == 1
    assert tasks(spark, "death")[1] == 1
    assert [row.id for row in found] == list(range(count))
    assert {row.status for row in found} == {"unfinished"}


def stat(process: int) -> list[str]:
    """Returns the fields that follow the process name; empty if the process is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def ticks(process: int) -> int:
    return sum(map(int, stat(process)[11:13]))


def workers() -> list[int]:
    """Finds our Python workers: children of Spark's daemon, which is a child of the JVM, which is our child."""
    processes = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    parents = {process: int(fields[1]) for process in processes if (fields := stat(process))}

    def line(process: int) -> list[int]:
        return [process, *line(parents[process])] if process in parents else []

    return [process for process in processes if line(process)[3:4] == [os.getpid()]]


def test_the_job_goes_from_parquet_to_parquet(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # `main` stops the session at its end, but this test runs it many times.
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)
    path, out = tmp_path / "in.parquet", tmp_path / "out"
    columns = {"id": [1, 2, 3], "Status": ["a", "b", "c"], "quiz": [PUZZLE, "12", None], "answer": [ANSWER] * 3}
    frame = polars.DataFrame(columns)
    frame.write_parquet(path)
    assert job.main([str(path), str(out), "--column", "quiz", "--limit", "1"]) == 0
    assert capsys.readouterr().out == f"{out}: 3 rows (2 invalid, 1 solved)\n"
    assert (out / "_SUCCESS").exists()
    expected = batchdoku.solve(frame.rename({"Status": "status"}), column="quiz", limit=1).to_polars()
    assert polars.read_parquet(out / "*.parquet").sort("id").rename({"Status": "status"}).equals(expected)
    checked = tmp_path / "checked"
    assert job.main([str(path), str(checked), "--job", "verify", "--column", "quiz"]) == 0
    assert capsys.readouterr().out == f"{checked}: 3 rows (1 correct, 2 invalid)\n"
    # A call that is refused leaves everything unchanged.
    other = str(tmp_path / "other")
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    before = path.read_bytes()
    refused = [
        ([str(path), str(out), "--column", "quiz"], "already exists\n  hint: name another folder, or remove it\n"),
        ([str(path), str(path), "--column", "quiz"], "already exists\n"),
        ([str(tmp_path / "gone"), other], "Path does not exist"),
        ([str(tmp_path / "text.parquet"), other], "text.parquet: .*Could not read footer"),
        ([str(path), other, "--column", "puzzle"], 'there is no column "puzzle" in data'),
        ([str(path), other, "--column", "id"], "the column .id. is of type Int64; 81 digits are not a number"),
        ([str(path), other, "--column", "quiz", "--limit", "0"], "limit is 0"),
        ([str(path), other, "--column", "quiz", "--trust-unique"], "unexpected keyword argument 'trust_unique'"),
    ]
    for argv, message in refused:
        assert job.main(argv) == 2
        error = capsys.readouterr().err
        assert re.match(f"error: .*{message}", error), error
    assert path.read_bytes() == before and not Path(other).exists()
    with pytest.raises(SystemExit) as ended:
        job.main([str(path)])
    assert ended.value.code == 2
