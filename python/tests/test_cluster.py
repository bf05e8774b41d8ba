"""A Spark cluster on the loopback interface. It loses half of its workers, and batchdoku is not installed on them."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import time
import uuid
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import polars
import pyspark
import pytest
from conftest import MARK, ROOT, kill, marked, need_java

import batchdoku
import batchdoku.spark

need_java()
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it takes /proc, and many addresses of loopback")

T = TypeVar("T")

HOME = Path(pyspark.__file__).parent
FILES, EACH = 8, 25_000
#: Counting this many solutions of one puzzle takes 0.2 ms in a development build, so a whole file takes seconds.
LIMIT = 200
#: The metrics assumed for a lost task, which has written nothing.
NOTHING = {"Output Metrics": {"Records Written": 0}}


def wait(what: str, look: Callable[[], T | None], seconds: float = 120) -> T:
    """Polls `look` until it returns something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if (found := look()) is not None:
            return found
        time.sleep(0.02)
    raise TimeoutError(what)


class Cluster:
    """A master and two single-core workers, on different addresses so that events can tell them apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = uuid.uuid4().hex
        self.python = bare_python(folder / "bare")
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, name: str, *call: str | Path, host: str = "127.0.0.1") -> subprocess.Popen[bytes]:
        """Starts a Spark program in an environment that lacks the packages of this one."""
        inherited = {key: os.environ[key] for key in ("PATH", "HOME", "JAVA_HOME") if key in os.environ}
        mine = {"SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": host, "PYSPARK_PYTHON": str(self.python)}
        mine |= {"SPARK_DAEMON_MEMORY": "256m", MARK: f"{self.token}-{name}"}
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(part) for part in call], env=inherited | mine, cwd=self.folder, stdout=log, stderr=log
            )
        self.running.append(process)
        return process

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def logged(self, name: str, pattern: str) -> str:
        """Waits for a log line that matches the pattern; returns the matched group."""

        def look() -> str | None:
            assert all(process.poll() is None for process in self.running), self.log(name)
            found = re.search(pattern, self.log(name))
            return found[1] if found else None

        return wait(f"{name}: {pattern}", look)

    def up(self) -> str:
        """Starts the cluster; returns the master's address."""
        deploy = "org.apache.spark.deploy"
        ports = ["--port", "0", "--webui-port", "0"]
        self.start("master", HOME / "bin/spark-class", f"{deploy}.master.Master", "--host", "127.0.0.1", *ports)
        master = self.logged("master", r"Starting Spark master at (spark://\S+)")
        for number in (1, 2):
            host = f"127.0.0.{number + 1}"
            size: list[str | Path] = ["--cores", "1", "--memory", "640m", "--work-dir", self.folder / f"work{number}"]
            worker = f"{deploy}.worker.Worker"
            self.start(
                f"worker{number}", HOME / "bin/spark-class", worker, "--host", host, *ports, *size, master, host=host
            )
        for number in (1, 2):
            self.logged(f"worker{number}", "(Successfully registered with master)")
        return master

    def down(self) -> None:
        kill(self.token)
        for process in self.running:
            process.wait()


def bare_python(folder: Path) -> Path:
    """A Python that has all packages of this one except batchdoku."""
    venv.create(folder, symlinks=True, with_pip=False)
    packages = next(folder.glob("lib/python*/site-packages"))
    for path in Path(polars.__file__).parents[1].iterdir():
        if not path.name.startswith("batchdoku"):
            (packages / path.name).symlink_to(path)
    python = folder / "bin/python"
    tried = subprocess.run([python, "-I", "-c", "import pyspark, batchdoku"], capture_output=True, encoding="utf-8")
    assert "No module named 'batchdoku'" in tried.stderr
    return python


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path)
    try:
        yield cluster
    finally:
        cluster.down()
    assert marked(cluster.token) == []


def archive(path: Path) -> None:
    """Built as in the README: `tar -czf batchdoku.tar.gz -C .../site-packages/batchdoku .`."""
    with tarfile.open(path, "w:gz") as tar:
        tar.add(Path(batchdoku.__file__).parent, ".", filter=lambda one: None if "__pycache__" in one.name else one)


def puzzles() -> polars.DataFrame:
    """Puzzles with hundreds of solutions: listed puzzles with two clues removed and their digits and rows shuffled."""
    chance = random.Random(1)
    kinds = []
    for puzzle in (ROOT / "data/several.txt").read_text().split():
        gone = chance.sample([cell for cell in range(81) if puzzle[cell] != "."], 2)
        kinds.append("".join("." if cell in gone else puzzle[cell] for cell in range(81)))
    texts = []
    for row in range(FILES * EACH):
        digits = str.maketrans("123456789", "".join(chance.sample("123456789", 9)))
        kind = kinds[row % len(kinds)].translate(digits)
        rows = [kind[start : start + 9] for start in range(0, 81, 9)]
        bands = [chance.sample(rows[start : start + 3], 3) for start in (0, 3, 6)]
        texts.append("".join(part for band in chance.sample(bands, 3) for part in band))
    return polars.DataFrame({"id": range(len(texts)), "puzzle": texts})


def test_a_worker_that_is_killed_costs_no_row_and_doubles_none(cluster: Cluster, tmp_path: Path) -> None:
    frame = puzzles()
    assert frame["puzzle"].n_unique() == FILES * EACH
    (tmp_path / "in").mkdir()
    for file in range(FILES):
        frame.slice(file * EACH, EACH).write_parquet(tmp_path / f"in/{file}.parquet")
    archive(tmp_path / "batchdoku.tar.gz")
    shutil.copy(Path(batchdoku.spark.__file__).with_name("__main__.py"), tmp_path / "job.py")
    (tmp_path / "events").mkdir()
    master = cluster.up()
    conf = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.ui.enabled": "false",
        # Work begins once both executors are up, and each file becomes one task.
        "spark.scheduler.minRegisteredResourcesRatio": "1",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
        "spark.sql.files.openCostInBytes": "128m",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(tmp_path / "events"),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    flags = [part for name, value in conf.items() for part in ("--conf", f"{name}={value}")]
    flags += ["--master", master, "--archives", f"{tmp_path}/batchdoku.tar.gz#batchdoku"]
    out = tmp_path / "out"
    job = cluster.start(
        "job", HOME / "bin/spark-submit", *flags, tmp_path / "job.py", tmp_path / "in", out, "--limit", str(LIMIT)
    )

    def committed() -> int | None:
        assert job.poll() is None, cluster.log("job")
        ended = len(list(out.glob("_temporary/0/task_*")))
        return ended if ended >= 3 else None

    ended = wait("three tasks", committed)
    # The third task has ended, and the next one is in progress.
    time.sleep(0.3)
    # Kills the worker, its executor, and the Python daemon and workers.
    assert kill(f"{cluster.token}-worker2") >= 4
    # The kill came in time: the job still has work left, some of it for this executor.
    assert ended < FILES - 2 and not (out / "_SUCCESS").exists() and job.poll() is None
    assert job.wait(timeout=180) == 0, cluster.log("job")

    assert (out / "_SUCCESS").exists() and not (out / "_temporary").exists()
    found = polars.read_parquet(out / "*.parquet").sort("id")
    assert found["id"].to_list() == list(range(FILES * EACH))
    expected = batchdoku.solve(frame, limit=LIMIT)
    assert found.equals(expected.to_polars())
    assert f"{out}: 200,000 rows (200,000 multiple)\n" in cluster.log("job")

    [events] = (tmp_path / "events").glob("app-*")
    ends = [end for end in map(json.loads, events.read_text().splitlines()) if end["Event"] == "SparkListenerTaskEnd"]
    hosts: dict[str, list[str]] = {}
    for end in ends:
        if end["Stage ID"] == stage_that_writes(ends):
            hosts.setdefault(end["Task End Reason"]["Reason"], []).append(end["Task Info"]["Host"])
    assert len(hosts["Success"]) == FILES and set(hosts["Success"]) == {"127.0.0.2", "127.0.0.3"}
    assert hosts["ExecutorLostFailure"] == ["127.0.0.3"]


def stage_that_writes(ends: list[dict[str, Any]]) -> int:
    """Returns the stage that writes; the other stages infer the schema and count rows."""
    metrics = [(end["Stage ID"], end.get("Task Metrics") or NOTHING) for end in ends]
    [stage] = {stage for stage, metric in metrics if metric["Output Metrics"]["Records Written"]}
    return int(stage)
