"""Snapshots of one small pool, one after the other, as ``htcq drift record`` keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path

from tests.audit.sites import accounting, collector, negotiator, slot
from tests.cli.conftest import Call

#: When the first snapshot was taken; each is so many seconds after the one before.
START = int(datetime(2024, 11, 4, 8, tzinfo=timezone.utc).timestamp())
STEP = 300
CONFIG = "GROUP_NAMES = physics, chem\nGROUP_QUOTA_physics = {physics}\nGROUP_QUOTA_chem = 10\n"
DECLARED = (
    "[groups.physics]\nquota = 20\n[groups.chem]\nquota = 10\n[drift]\nstore = 'history.db'\n"
)


def taken(number: int) -> str:
    """Return when the snapshot of that number was taken, the first is 1."""
    return datetime.fromtimestamp(START + (number - 1) * STEP, timezone.utc).isoformat()


def snapshot(
    place: Path,
    number: int = 1,
    physics: int = 20,
    used: Mapping[str, float] | None = None,
    config: str = CONFIG,
    age: int = 10,
    machine: str = "cm.example.net",
    published: bool = True,
    extra: str = "",
) -> str:
    """Write the snapshot of that number and return its name; physics has a quota of so much of the pool's 40."""
    directory = place / f"snap{number}"
    directory.mkdir()
    quotas = {
        "<none>": (30.0 - physics, 40.0),
        "physics": (float(physics), float(physics)),
        "chem": (10.0, 10.0),
    }
    heard = START + (number - 1) * STEP - age
    ads = [collector(machine), negotiator(machine), slot(Cpus=40), extra]
    for name, (quota, subtree) in quotas.items() if published else ():
        ads.append(
            accounting(
                name, IsAccountingGroup="true", LastHeardFrom=heard, EffectiveQuota=str(quota),
                SubtreeQuota=str(subtree), WeightedResourcesUsed=str(float((used or {}).get(name, 0.0))),
            )
        )  # fmt: skip
    (directory / "collector.ads").write_text("\n".join(ads))
    (directory / "config.txt").write_text(config.format(physics=physics))
    (directory / "meta.json").write_text(json.dumps({"schema": 1, "taken": taken(number)}))
    return directory.name


def recorded(call: Call, place: Path, *quotas: int) -> None:
    """Record a snapshot for each of ``quotas``, those of physics, with physics using 15 of it and chem 12 of its 10."""
    (place / "htcq.toml").write_text(DECLARED)
    for number, physics in enumerate(quotas, 1):
        name = snapshot(place, number, physics, {"physics": 15, "chem": 12})
        done = call("drift", "record", "--config", "htcq.toml", "--snapshot", name)
        assert (done.status, done.out, done.err) == (0, "", "")


def damage(store: Path) -> None:
    """Overwrite everything of a history but the header by which it is known."""
    whole = store.read_bytes()
    store.write_bytes(whole[:100] + b"\xa5" * (len(whole) - 100))
