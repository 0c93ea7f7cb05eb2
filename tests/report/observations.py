"""Looks at pools made up for tests of their reports: groups that agree, and others that differ in each possible way.

The quotas follow the pool's weight of 100: chem has 20 for good, bio a quarter of the 80 that
are left."""

from __future__ import annotations

from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSetting, WeightUse

NOW = 1_793_607_300
STATIC_20 = QuotaSetting(20.0, True, False, False)
QUARTER = QuotaSetting(0.25, False, True, False)

CHEM = GroupObservation(
    "chem", STATIC_20, STATIC_20, effective=20.0, effective_subtree=20.0, computed=20.0, computed_subtree=20.0,
    usage=20.0, running=20.0, requested=20.0, allocated=20.0,
)  # fmt: skip
BIO = GroupObservation(
    "bio", QUARTER, QUARTER, effective=20.0, effective_subtree=20.0, computed=20.0, computed_subtree=20.0,
    usage=5.0, idle=30.0, running=5.0, requested=35.0, allocated=35.0,
)  # fmt: skip
#: The site wants 30, and the negotiator has not yet read that 25 are configured.
PHYSICS = GroupObservation(
    "physics", QuotaSetting(30.0, True, False, False), QuotaSetting(25.0, True, False, False), effective=10.0,
    effective_subtree=10.0, computed=25.0, computed_subtree=25.0, usage=12.0, running=12.0, requested=12.0,
    allocated=12.0,
)  # fmt: skip
#: Below its quota, and nobody waits there while physics is above its own.
GEO = GroupObservation(
    "geo", QuotaSetting(10.0, True, False, False), QuotaSetting(10.0, True, False, False), effective=10.0,
    effective_subtree=10.0, computed=10.0, computed_subtree=10.0,
)  # fmt: skip
ROOT = GroupObservation(
    "<none>",
    configured=QuotaSetting(0.0, False, True, False),
    effective=40.0,
    computed=40.0,
    usage=40.0,
    running=40.0,
)


def looked_at(*groups: GroupObservation, **more: object) -> DriftObservation:
    """Return a look at a pool that has ``groups``."""
    given = {
        "pool": "cm.example.net",
        "negotiator": "NEGOTIATOR",
        "time": NOW,
        "pool_weight": 100.0,
        "weights": (WeightUse("Cpus", 12, 96.0), WeightUse("Cpus + GPUs", 1, 4.0)),
    }
    return DriftObservation(groups=groups, **{**given, **more})  # type: ignore[arg-type]


AGREED = looked_at(ROOT, CHEM)
SAMPLE = looked_at(ROOT, CHEM, BIO, PHYSICS, GEO, doubts=("this collector has 2 negotiators",))
