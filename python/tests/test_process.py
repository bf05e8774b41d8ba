"""Signals, threads and memory."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from pathlib import Path

import polars
import pyarrow
import pytest
from conftest import ENDLESS, PUZZLE, ROOT

import batchdoku


def test_ctrl_c_ends_an_endless_search_within_a_second() -> None:
    puzzle, limit = ENDLESS
    sent = 0.0

    def press() -> None:
        nonlocal sent
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.5, press).start()
    with pytest.raises(KeyboardInterrupt):
        batchdoku.solve([puzzle] * 100, limit=limit)
    took = time.monotonic() - sent
    assert sent > 0 and took < 1, took
    # Later calls work, even if abandoned work is still running.
    assert batchdoku.solve([PUZZLE]).summary()["statuses"]["unique"] == 1


def test_the_interpreter_runs_while_puzzles_are_solved() -> None:
    puzzle, limit = ENDLESS
    turns = 0
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    def count() -> None:
        nonlocal turns
        for _ in range(20):
            time.sleep(0.01)
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        batchdoku.solve([puzzle], limit=limit, threads=1)
    assert turns == 20
    thread.join()


def test_calls_of_several_threads_do_not_mix(whole: list[str]) -> None:
    parts = [whole[start::4] for start in range(4)]
    found: dict[int, list[str]] = {}

    def solve(part: int) -> None:
        found[part] = batchdoku.solve(parts[part]).to_polars()["puzzle"].to_list()

    threads = [threading.Thread(target=solve, args=[part]) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[part] for part in range(4)] == parts


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells a process its size")
def test_memory_does_not_grow_from_call_to_call(whole: list[str]) -> None:
    table = polars.DataFrame({"n": range(20_000), "puzzle": (whole * 20)[:20_000]})

    def size() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    sizes = []
    for call in range(110):
        batchdoku.solve(table).to_polars()
        if call in (9, 109):
            sizes.append(size())
    # The rows from one call take up 5 MB.
    assert sizes[1] - sizes[0] < 32 << 20, sizes


def test_nothing_holds_what_was_given(whole: list[str]) -> None:
    texts = list(whole)
    solutions: list[str | None] = [None] * len(texts)
    before = sys.getrefcount(texts), sys.getrefcount(texts[0]), sys.getrefcount(solutions)
    for _ in range(10):
        batchdoku.verify(texts, solution=solutions)
        with pytest.raises(TypeError):
            batchdoku.solve([texts[0], 1])
    assert (sys.getrefcount(texts), sys.getrefcount(texts[0]), sys.getrefcount(solutions)) == before
    gc.collect()
    allocated = pyarrow.total_allocated_bytes()
    table = pyarrow.table({"n": pyarrow.array(range(len(texts))), "puzzle": pyarrow.array(texts)})
    capsule = table.__arrow_c_stream__()
    answers = batchdoku.solve(table)
    assert pyarrow.total_allocated_bytes() > allocated
    del table, capsule, answers
    gc.collect()
    assert pyarrow.total_allocated_bytes() == allocated


def test_the_version_is_that_of_the_program() -> None:
    manifest = (ROOT / "Cargo.toml").read_text()
    assert f'\nversion = "{batchdoku.__version__}"\n' in manifest
