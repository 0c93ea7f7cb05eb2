"""Weights that people have at their sites: what the pool does with them is in tests/golden/field/README.md."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Call

_FIELD = Path(__file__).resolve().parents[1] / "golden" / "field"


@pytest.mark.parametrize("memory", ["1000", "1024"])
def test_the_startd_rounds_what_jobs_ask_for(memory: str, tmp_path: Path, call: Call) -> None:
    """A claim has 1024 MB in both cases: its slot weighs 1, and the schedd says 50."""
    shutil.copytree(_FIELD / "demand", tmp_path / "demand")
    jobs = tmp_path / "demand" / "jobs.ads"
    jobs.write_text(jobs.read_text().replace("Memory = 1000\n", f"Memory = {memory}\n"))
    done = call("audit", "--snapshot", str(tmp_path / "demand"), "--only", "demand-in-other-units")

    assert "ann@test weigh 50 each in their schedd, but slots charge 1 for one" in done.out


def test_a_pool_that_weighs_more_when_it_is_full(call: Call) -> None:
    given = str(_FIELD / "max-weight-real")
    done = call("audit", "--snapshot", given, "--only", "weight-grows-as-slot-splits")

    assert "SlotWeight is 8 while the slot is unused" in done.out
    assert "the pool weighs the more the busier it is" in done.out


def test_status_sums_what_the_accountant_counts_and_quota_says(call: Call) -> None:
    """12, which Accountant.cpp makes of the slots as they are split (tests/golden/field/README.md)."""
    given = str(_FIELD / "max-weight-real")
    text = call("status", "--snapshot", given).out

    assert any(line.split()[:2] == ["total", "12"] for line in text.splitlines())
    assert "(the slots weigh 8 while they are unused)" in text
    assert "weight-changes" not in text
    assert "pool 12" in call("quota", "--snapshot", given).out
    assert "running=10;;;;12" in call("status", "--nagios", "--snapshot", given).out
