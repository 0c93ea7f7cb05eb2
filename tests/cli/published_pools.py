"""Snapshots of a pool of 40 cores and four groups, with what its negotiator published: all as it should be, or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.audit.sites import accounting, collected, slot

TAKEN = "2026-11-02T08:15:00+00:00"
MOMENT = 1_793_607_300  # date -d 2026-11-02T08:15:00Z +%s
#: Of 40 cores physics has 20, hep 15 of them and lep 5, and chem 10; the root has what is left.
QUOTAS = {
    "<none>": (10.0, 40.0), "chem": (10.0, 10.0), "physics": (20.0, 20.0), "physics.hep": (15.0, 15.0),
    "physics.lep": (5.0, 5.0),
}  # fmt: skip


def published(
    quotas: dict[str, tuple[float, float]], age: int = 10, chem: int = 0
) -> Iterator[str]:
    """Yield what the negotiator publishes of the groups, of which only ``chem`` uses anything."""
    for name, (quota, subtree) in quotas.items():
        yield accounting(
            name, IsAccountingGroup="true", LastHeardFrom=str(MOMENT - age), EffectiveQuota=str(quota),
            SubtreeQuota=str(subtree),
            WeightedResourcesUsed=f"{chem if name == 'chem' else 0}.0",
        )  # fmt: skip


def snapshot(path: Path, *ads: str, config: str | None = PHYSICS, **meta: object) -> None:
    path.mkdir()
    (path / "collector.ads").write_text(collected(ads))
    if config is not None:
        (path / "config.txt").write_text(config)
    (path / "meta.json").write_text(json.dumps({"schema": 1, "taken": TAKEN, **meta}))


def agreed_pool(path: Path) -> None:
    """Write a pool in which all is as it should be."""
    snapshot(path, slot(Cpus=40), *published(QUOTAS))


def drifted_pool(path: Path) -> None:
    """Write the same pool, but lep was published with 4; hep waits for 30 and chem uses 12 of its 10."""
    wrong = {**QUOTAS, "physics.lep": (4.0, 4.0)}
    ads = (
        slot(Cpus=28),
        *uses("chem", 12),
        wants("physics.hep", 30),
        wants("chem", 0, 12),
        *published(wrong, chem=12),
    )
    snapshot(path, *ads)
