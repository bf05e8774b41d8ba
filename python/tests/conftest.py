"""Shared by the tests: puzzles with every status, and the command's rows for them."""

from __future__ import annotations

import csv
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Background processes ignore SIGINT, and Python keeps it that way, so nothing could be interrupted.
signal.signal(signal.SIGINT, signal.default_int_handler)

Row = dict[str, "str | int | None"]

ROOT = Path(__file__).parents[2]
PUZZLE = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
ANSWER = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
NUMBERS = {"solutions", "clues", "guesses"}

#: A search that never ends: the empty grid has too many solutions to count one by one.
ENDLESS = ("." * 81, 10**15)


def isomorph(puzzle: str, chance: random.Random) -> str:
    """Returns the puzzle with its digits, rows, columns, bands and stacks permuted."""

    def lines() -> list[int]:
        return [3 * band + line for band in chance.sample(range(3), 3) for line in chance.sample(range(3), 3)]

    rows, columns = lines(), lines()
    digits = str.maketrans("123456789", "".join(chance.sample("123456789", 9)))
    return "".join(puzzle[9 * row + column] for row in rows for column in columns).translate(digits)


def _java() -> int:
    """Returns the version of Java that Spark would use, or 0 if there is none."""
    home = os.environ.get("JAVA_HOME")
    try:
        call = [f"{home}/bin/java" if home else "java", "-version"]
        text = subprocess.run(call, capture_output=True, check=True, encoding="utf-8").stderr
    except (OSError, subprocess.CalledProcessError):
        return 0
    version = re.search(r'version "(\d+)', text)
    return int(version[1]) if version else 0


def need_java() -> None:
    """Skips a module if Java is missing, unless BATCHDOKU_SPARK=demanded."""
    if os.environ.get("BATCHDOKU_SPARK") != "demanded" and _java() < 17:
        reason = "Spark was NOT tested, which takes Java 17 or later (Debian: openjdk-17-jre-headless)"
        pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Runs two tasks at a time, each tried up to four times; shared by all tests, as a process has only one JVM."""
    from pyspark.sql import SparkSession

    flags = ["--master local[2,4]"]
    conf = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "OFF"}
    conf |= {"spark.ui.showConsoleProgress": "false", "spark.sql.session.timeZone": "America/New_York"}
    flags += [f"--conf {name}={value}" for name, value in conf.items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_SUBMIT_ARGS", " ".join([*flags, "pyspark-shell"]))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = SparkSession.builder.getOrCreate()
        yield session
        session.stop()


#: Tests that need optional packages, skipped unless demanded.
LEFT_OUT = {"pyspark": ["test_spark.py", "test_cluster.py"], "ray": []}
LEFT_OUT = {package: files for package, files in LEFT_OUT.items() if find_spec(package) is None}
collect_ignore = [file for files in LEFT_OUT.values() for file in files]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Reports the tests that were skipped."""
    assert not LEFT_OUT or os.environ.get("BATCHDOKU_SPARK") != "demanded", LEFT_OUT
    for package in LEFT_OUT:
        terminalreporter.write_line(f"WARNING: NOT TESTED, for want of {package}, which `make test-all` installs")


#: Marks the environment of programs, which their children inherit.
MARK = "BATCHDOKU_MARK"


def marked(mark: str) -> list[int]:
    """Returns the processes whose mark starts with this prefix."""
    found = []
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and f"\0{MARK}={mark}".encode() in b"\0" + (path / "environ").read_bytes():
                found.append(int(path.name))
        except OSError:
            # It has ended, or belongs to another user.
            pass
    return found


def kill(mark: str) -> int:
    """Kills such processes until none are left; returns how many there were."""
    killed = set()
    deadline = time.monotonic() + 30
    while processes := marked(mark):
        assert time.monotonic() < deadline, processes
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
                killed.add(process)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    return len(killed)


@pytest.fixture(scope="session")
def whole() -> list[str]:
    """Puzzles with 81 cells: easy and hard, with one solution, several or none."""
    names = ["easy", "minimal", "hard", "several", "unsolvable"]
    lists = [(ROOT / "data" / f"{name}.txt").read_text().split() for name in names]
    clash = "33" + "." * 79
    return [puzzle for some in zip(*(texts[:400] for texts in lists)) for puzzle in some] + [clash]


@pytest.fixture(scope="session")
def texts(whole: list[str]) -> list[str | None]:
    """The same puzzles, and strings that are not puzzles."""
    bad = [None, "", "  ", "1234", PUZZLE + "1", PUZZLE[:-1] + "q", "é" * 81, PUZZLE[:40] + "\n" + PUZZLE[41:], " " + PUZZLE]
    return [*whole[:1000], *bad, *whole[1000:], *bad]


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Row]]:
    """Returns a subcommand's rows for a table, without the origin columns; `BATCHDOKU` names the program."""
    program = os.environ["BATCHDOKU"]

    def run(subcommand: str, table: dict[str, list[str | None]], *flags: str) -> list[Row]:
        path = tmp_path_factory.mktemp("command") / "table.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(table)
            writer.writerows(zip(*table.values()))
        call = [program, subcommand, "--no-time", "--lenient", "-q", "--format", "csv", *flags, str(path)]
        rows = subprocess.run(call, capture_output=True, check=True, encoding="utf-8").stdout
        return [
            {
                name: int(text) if text and name in NUMBERS else text or None
                for name, text in row.items()
                if name not in ("id", "source", "line")
            }
            for row in csv.DictReader(rows.splitlines())
        ]

    return run


@pytest.fixture(scope="session")
def solved(command: Callable[..., list[Row]], texts: list[str | None]) -> list[Row]:
    """The command's rows for `texts`."""
    return command("solve", {"puzzle": texts})
