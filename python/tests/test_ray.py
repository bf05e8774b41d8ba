"""The example of Ray Data."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import polars
import pytest
from conftest import MARK, ROOT, kill

import batchdoku


@pytest.mark.skipif(sys.platform != "linux", reason="it takes /proc")
def test_the_example_answers_every_row_once(texts: list[str | None], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    frame = polars.DataFrame({"id": range(20 * len(texts)), "puzzle": texts * 20})
    for part in range(4):
        frame.gather_every(4, part).write_parquet(tmp_path / f"in/{part}.parquet")
    mark = uuid.uuid4().hex
    # Its sockets take a short path; its token lies in the home.
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as short:
        own = {MARK: mark, "HOME": str(tmp_path), "RAY_TMPDIR": short, "RAY_USAGE_STATS_ENABLED": "0"}
        call = [sys.executable, str(ROOT / "python/examples/ray_data.py"), "in", "out"]
        try:
            done = subprocess.run(call, cwd=tmp_path, env=os.environ | own, capture_output=True, timeout=180)
        finally:
            kill(mark)
    assert done.returncode == 0, done.stderr.decode()
    found = polars.read_parquet(tmp_path / "out/*.parquet").sort("id")
    assert found.equals(batchdoku.solve(frame).to_polars())
