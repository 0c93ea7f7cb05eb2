"""GPUs by model: the manual's concurrency limits keep each group at its max, and ``elastic status`` says so."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from broken import before, break_it, cycles
from claims import queued
from conftest import NEWEST, Site
from testpool import Pool

pytestmark = pytest.mark.condor
_MANUAL = Path("docs/manual/htcq-elastic.1.md")
#: Two slots: three GTX 480, and a TITAN RTX.
_SLOTS = """
STARTD_DETECT_GPUS = -properties -simulate:1,3,3,1
SLOT_TYPE_1 = cpus=6, memory=50%, disk=50%, gpus=3
SLOT_TYPE_2 = cpus=2, memory=50%, disk=50%, gpus=1
NUM_SLOTS_TYPE_1 = 1
NUM_SLOTS_TYPE_2 = 1
SLOT_TYPE_1_PARTITIONABLE = True
SLOT_TYPE_2_PARTITIONABLE = True
NUM_CPUS = 8
GROUP_NAMES = physics, chem
GROUP_QUOTA_physics = 8
GROUP_QUOTA_chem = 8
NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = True
"""
_LIMITS = """
PHYSICS_GTX_LIMIT = 1
CHEM_GTX_LIMIT = 1
"""
_QUOTAS = """
[groups.physics]
max = { gpus = 2, "gpus:gtx-480" = 1, "gpus:titan-rtx" = 1 }
[groups.chem]
max = { gpus = 2, "gpus:gtx-480" = 1, "gpus:titan-rtx" = 1 }
"""


def of_the_manual() -> str:
    """Return the manual's transform, for GTX 480 in place of A100."""
    page = _MANUAL.read_text()
    text = page[page.index("JOB_TRANSFORM_NAMES = $(JOB_TRANSFORM_NAMES) GpuModels") :]
    text = text[: text.index("@end") + len("@end")]
    return text.replace("A100", "GTX 480").replace("_a100:", "_gtx:") + "\n"


def how(site: Site, tmp_path: Path) -> dict[str, str]:
    """Return how each dimension is enforced."""
    (tmp_path / "quotas.toml").write_text(_QUOTAS)
    collector = site.pool.collector
    named = ("--quotas", str(tmp_path / "quotas.toml"), "--pool", collector)
    found = json.loads(site.htcq("elastic", "status", *named, "--json"))
    return {name: each["enforcement"] for name, each in found["dimensions"].items()}


def cards(pool: Pool) -> Counter[tuple[str, str]]:
    """Return how many GPUs of each model the claims of each group have."""
    found: Counter[tuple[str, str]] = Counter()
    names = ["AccountingGroup", "GPUs", "GPUs_DeviceName"]
    for ad in pool.ads("slots", names, constraint='State == "Claimed"'):
        group = ad["AccountingGroup"].partition(".")[0]
        found[group, ad["GPUs_DeviceName"]] += ad["GPUs"]
    return found


def test_a_concurrency_limit_by_model_keeps_each_group_at_its_max(
    site: Site, tmp_path: Path
) -> None:
    """Five jobs of each of two groups: one GTX 480 each, whatever is free of it, and the one TITAN."""
    text = of_the_manual() + _SLOTS + _LIMITS
    if site.suite != NEWEST:
        text += "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"
    pool = break_it(site, text)
    with before(pool):
        queued(pool, {"physics.ada": 5, "chem.bob": 5}, request_gpus=1)
        assert how(site, tmp_path)["gpus:gtx-480"] == "enforced"
    pool.wait(
        lambda: sum(cards(pool).values()) >= 3,
        60,
        "claims with GPUs",
        ("NegotiatorLog", "SchedLog"),
    )
    cycles(pool, 3)

    found = cards(pool)
    of_gtx = {group: count for (group, name), count in found.items() if "GTX" in name}
    of_titan = {group: count for (group, name), count in found.items() if "TITAN" in name}
    assert of_gtx == {"physics": 1, "chem": 1}
    assert sum(of_titan.values()) == 1


def test_old_access_points_exceed_limits_by_model_with_leftovers(
    site: Site, tmp_path: Path
) -> None:
    """They take limits that depend on the slot for none; ``elastic status`` says so."""
    pool = break_it(site, of_the_manual() + _SLOTS + _LIMITS)
    with before(pool):
        queued(pool, {"physics.ada": 5}, request_gpus=1)
        said = how(site, tmp_path)["gpus:gtx-480"]
    expected = 2
    if site.suite != NEWEST:
        expected = 4
    logs = ("NegotiatorLog", "SchedLog")
    pool.wait(lambda: sum(cards(pool).values()) >= expected, 60, "claims with GPUs", logs)
    cycles(pool, 2)

    of_gtx = sum(count for (_, name), count in cards(pool).items() if "GTX" in name)
    if site.suite == NEWEST:
        assert (said, of_gtx) == ("enforced", 1)
    else:
        assert (said, of_gtx) == ("approximated", 3)


def test_without_limits_a_group_has_more_than_its_max(site: Site, tmp_path: Path) -> None:
    """The quotas count cpus: they let a group have all GPUs of a model."""
    pool = break_it(site, _SLOTS)
    with before(pool):
        queued(pool, {"physics.ada": 5}, request_gpus=1)
        assert how(site, tmp_path)["gpus:gtx-480"] == "reported"
    pool.wait(
        lambda: sum(cards(pool).values()) == 4,
        60,
        "claims with GPUs",
        ("NegotiatorLog", "SchedLog"),
    )
    assert sum(count for (_, name), count in cards(pool).items() if "GTX" in name) == 3
