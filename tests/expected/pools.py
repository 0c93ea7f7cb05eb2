"""Small pools with the time of their capture, and with a negotiator that completed three cycles a minute apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from htcq.audit.engine import Finding
from htcq.pool.pool import Pool
from tests.audit.sites import (
    Text,
    dynamic_slot,
    found,
    job,
    negotiator,
    pool,
    schedd,
    slot,
    submitter,
)

NOW = 1_800_000_000
#: Before all of the last three cycles, and within them.
LONG_AGO, LATELY = NOW - 9000, NOW - 50


def cycles(matches: int = 0, considered: int = 1, failed: str = "") -> str:
    """Return the ad of a negotiator with its statistics."""
    given: dict[str, Any] = {}
    for age in range(3):
        of_cycle: dict[str, Text] = {
            "Time": NOW - 60 * (age + 1), "Duration": 1, "Matches": matches, "Rejections": 1,
            "NumJobsConsidered": considered, "SubmittersFailed": f'"{failed}"',
        }  # fmt: skip
        given.update(
            {f"LastNegotiationCycle{name}{age}": value for name, value in of_cycle.items()}
        )
    return negotiator(**given)


def site(
    *ads: str,
    jobs: Sequence[str] = (),
    access: Mapping[str, str] | None = None,
    execute: Mapping[str, str] | None = None,
    failed: Sequence[tuple[str, str]] = (),
    config: str = "NEGOTIATOR_INTERVAL = 60\n",
) -> Pool:
    """Return the pool that was captured at ``NOW``."""
    whole = pool(*ads, submitter(), jobs=jobs, config=config, access=access, execute=execute)
    return replace(whole, taken_at="2027-01-15T08:00:00+00:00", failed=tuple(failed))


def free(name: Any = "slot1@node1", since: Any = LONG_AGO, **changes: Text | None) -> str:
    """Return a partitionable slot that nobody has claimed since then."""
    return slot(name, EnteredCurrentState=since, EnteredCurrentActivity=since, **changes)


def claim(name: Any = "slot1_1@node1", since: Any = LONG_AGO, **changes: Text | None) -> str:
    """Return a dynamic slot that has been claimed by access1 since then."""
    own: dict[str, Any] = {
        "EnteredCurrentState": since, "EnteredCurrentActivity": since,
        "RemoteScheddName": '"access1"',
    }  # fmt: skip
    return dynamic_slot(name, **{**own, **changes})


def waiting(id_: Any = "1.0", since: Any = LONG_AGO, **changes: Text | None) -> str:
    """Return a job of access1 that has been idle since then."""
    own: dict[str, Text | None] = {
        "QDate": since, "EnteredCurrentStatus": since, "ScheddName": '"access1"',
    }  # fmt: skip
    return job(id_, **{**own, **changes})


def access_point(**changes: Text | None) -> str:
    """Return the ad of the schedd access1."""
    return schedd("access1", **changes)


def only(rule: str, given: Pool) -> Finding:
    """Return the one finding of a rule."""
    (finding,) = found(rule, given)
    return finding


def observed(finding: Finding) -> dict[str, str]:
    """Return the evidence of a finding by name."""
    return {each.attribute: each.value for each in finding.evidence}
