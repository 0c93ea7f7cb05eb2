"""What real daemons did with a set of jobs, read from their ads and from the accountant's own journal."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from broken import cycles
from testpool import Pool

#: No match is made before the jobs have this attribute, so that their demand can be read in peace.
GATE = {"requirements": "(MayRun =?= true)"}
_SLOT = r"slot\d+@\S+?"
_WEIGHT = re.compile(rf"103 Resource\.{_SLOT} SlotWeight ([0-9.e+-]+)\Z")
_START = re.compile(rf"103 Resource\.{_SLOT} StartTime (\d+)\Z")
_USAGE = re.compile(r"103 Customer\.\S+@\S+ WeightedResourcesUsed ([0-9.e+-]+)\Z")


@dataclass(frozen=True)
class Measured:
    """One run: demand before, the weights charged at the matches, usage and slots once the claims stand."""

    demand: int
    match_costs: tuple[float, ...]
    usage_at_match: float
    standing_usage: float
    running: int
    carved: tuple[dict[str, int], ...]
    left: dict[str, int]
    weight_left: float


def run_jobs(
    pool: Pool, jobs: Sequence[tuple[Mapping[str, object], int]], expected: int, demand: int
) -> Measured:
    """Submit all ``jobs``, let them match in one cycle, and measure until ``expected`` of them run and are charged.

    The schedd's weighted count lags behind its count of jobs: ``demand`` is waited for, within a
    deadline.

    Raises:
        PoolError: the schedd never reported the demand, or less of them ran within the deadline.
    """
    total = sum(count for _, count in jobs)
    clusters = [pool.submit({**GATE, **job}, count) for job, count in jobs]
    pool.wait(
        lambda: _demand(pool, total) == demand,
        30,
        f"{total} idle jobs that weigh {demand}",
        ("SchedLog",),
    )
    journal = pool.path("spool", "Accountantnew.log")
    opened = int(time.time())
    # All of them at once: between two edits a cycle would find the first jobs alone.
    pool.tool("condor_qedit", "-constraint", f"ClusterId >= {min(clusters)}", "MayRun", "true")
    pool.tool("condor_reschedule")
    pool.wait(
        lambda: len(_dynamic(pool)) >= expected, 60, f"{expected} claims", ("StartLog", "MatchLog")
    )
    settled = pool.wait(
        lambda: _settled(pool, expected), 60, "the usage of all claims", ("NegotiatorLog",)
    )
    costs, usage = _matches(journal.read_text(errors="replace").splitlines(), opened)
    slots = pool.ads(
        "slots", ["Name", "DynamicSlot", "Cpus", "Memory", "Disk", "SlotWeight", "State"]
    )
    pslot = next(ad for ad in slots if not ad.get("DynamicSlot"))
    dynamic = [ad for ad in slots if ad.get("DynamicSlot")]
    return Measured(
        demand=demand,
        match_costs=costs,
        usage_at_match=usage,
        standing_usage=settled,
        running=len(dynamic),
        carved=tuple(_amounts(ad) for ad in sorted(dynamic, key=lambda ad: str(ad["Name"]))),
        left=_amounts(pslot),
        weight_left=float(pool.tool("condor_status", pslot["Name"], "-af", "SlotWeight").strip()),
    )


def _amounts(ad: Mapping[str, object]) -> dict[str, int]:
    return {name.lower(): int(str(ad[name])) for name in ("Cpus", "Memory", "Disk")}


def _demand(pool: Pool, total: int) -> int | None:
    """Return WeightedIdleJobs once the schedd has counted all ``total`` jobs."""
    ads = pool.ads("submitters", ["IdleJobs", "WeightedIdleJobs"])
    return next((ad.get("WeightedIdleJobs") for ad in ads if ad.get("IdleJobs") == total), None)


def _dynamic(pool: Pool) -> list[dict[str, object]]:
    slots = pool.ads("slots", ["Name", "DynamicSlot", "State"])
    return [ad for ad in slots if ad.get("DynamicSlot") and ad["State"] == "Claimed"]


def _settled(pool: Pool, expected: int) -> float | None:
    """Return the usage that the negotiator publishes once two cycles in a row have seen all claims."""
    cycles(pool, 2, 30)
    if len(_dynamic(pool)) != expected:
        return None
    users = pool.tool(
        "condor_userprio", "-allusers", "-af", "Name", "WeightedResourcesUsed"
    ).split()
    return sum(float(usage) for name, usage in zip(users[::2], users[1::2]) if "@" in name)


def _matches(lines: Sequence[str], opened: int) -> tuple[tuple[float, ...], float]:
    """Return the weights charged at the matches since ``opened``, and the submitter's usage right after the last.

    A match with a consumption policy is journalled on a resource called ``…_cp_match_NNN``, any
    other on the slot itself. Only the first cycle counts: in the next one the negotiator may
    still see a slot as it was, match it once more, and be refused by the startd."""
    costs: list[float] = []
    usage = weight = 0.0
    for line in lines:
        used, charged, started = _USAGE.match(line), _WEIGHT.match(line), _START.match(line)
        if used:
            if costs and float(used.group(1)) < usage:
                break
            usage = float(used.group(1))
        elif charged:
            weight = float(charged.group(1))
        elif started and int(started.group(1)) >= opened:
            costs.append(weight)
    return tuple(costs), usage
