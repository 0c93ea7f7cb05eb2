"""``htcq drift check`` of a pool with elastic quotas: groups below their min, and whether the quotas are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.sites import submitter
from tests.cli.conftest import Call
from tests.cli.looks import snapshot
from tests.elastic.quotas import claimed

QUOTAS = """
[elastic.write]
journal = "journal"
[groups.physics]
min = {{ weight = 24000, cpus = {cpus} }}
max = {{ weight = 40000, cpus = 40 }}
[groups.chem]
min = {{ weight = 8000, cpus = 8 }}
max = {{ weight = 40000, cpus = 40 }}
"""
CHECK = ("drift", "check", "--nagios", "--snapshot", "snap-1", "--quotas", "elastic.toml")
HEAD = "HTCQ DRIFT"


@pytest.fixture(autouse=True)
def pool(quiet_place: Path) -> Path:
    """Physics uses 4 of 40 cpus while jobs of it wait, chemistry uses 30."""
    (quiet_place / "elastic.toml").write_text(QUOTAS.format(cpus=24))
    claims = [claimed(1, "chem.ada@site", 30, 0), claimed(2, "physics.ada@site", 4, 0)]
    claims.append(submitter("physics.ada@site", IdleJobs=9, WeightedIdleJobs=9))
    name = snapshot(quiet_place, 1, extra="\n".join(claims))
    ads = quiet_place / name / "collector.ads"
    text = ads.read_text().replace("\nCpus = 40", "\nCpus = 6")
    ads.write_text(text.replace("TotalSlotCpus = 8", "TotalSlotCpus = 40"))
    (quiet_place / name).rename(quiet_place / "snap-1")
    return quiet_place


def test_a_group_below_its_min_is_a_warning(call: Call) -> None:
    done = call(*CHECK, "--metric", "below_min")

    assert done.status == 1, done.out
    assert done.out.startswith(
        f"{HEAD} WARNING: cm.example.net: 1 of 3 groups below min while jobs wait: physics"
    )
    assert "physics: below_min: uses 4 of 24 cpus, 4000 of 24000 weight while" in done.out


def test_one_that_has_its_min_in_some_dimension_is_bound_by_that(call: Call, pool: Path) -> None:
    (pool / "elastic.toml").write_text(QUOTAS.format(cpus=4))

    done = call(*CHECK, "--metric", "below_min")
    assert done.status == 0, done.out


def test_quotas_that_nobody_has_begun_to_keep_are_ok(call: Call) -> None:
    done = call(*CHECK, "--metric", "not_kept")

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(
        f"{HEAD} OK: cm.example.net: elastic quotas: never (no quotas were written yet) | "
    )


def test_a_journal_that_cannot_be_read_is_a_warning(call: Call, pool: Path) -> None:
    """Nobody knows then whether the quotas are kept."""
    (pool / "journal").mkdir()

    done = call(*CHECK, "--metric", "not_kept")
    assert done.status == 1
    assert done.out.startswith(f"{HEAD} WARNING: cm.example.net: elastic quotas: unknown (journal ")
    assert "not_kept=1;0;" in done.out


def test_without_elastic_quotas_nothing_is_said_of_them(call: Call) -> None:
    refused = call(*CHECK[:-2], "--metric", "below_min")
    plain = call(*CHECK[:-2])

    assert refused.status == 3
    assert (
        "--metric below_min is of elastic quotas (give --quotas, or [drift] quotas)" in refused.out
    )
    assert "below_min" not in plain.out
