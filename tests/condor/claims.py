"""Who wants how much of a real pool, who gets it, and what the accountant and the negotiator say of it."""

from __future__ import annotations

from collections import Counter

from broken import SMALL_JOB
from testpool import Pool


def submitted_as(pool: Pool, customer: str, count: int = 1, *, weighted: int | None = None, **asked: object) -> int:
    """Submit ``count`` jobs of the group and user ``customer``; return their cluster.

    Waits until the collector has heard of them and of what they weigh to the schedd: 1 each, or ``weighted`` together.
    """
    group, _, user = customer.rpartition(".")
    who: dict[str, object] = {"accounting_group": group, "accounting_group_user": user} if group else {}
    if not group:
        who = {"accounting_group_user": user}
    cluster = pool.submit({**SMALL_JOB, **asked, **who}, count)
    expected = (count, count if weighted is None else weighted)
    pool.wait(lambda: _demand(pool, customer) == expected, 40, f"{customer}'s demand of {expected}", ("SchedLog",))
    return cluster


def claims(pool: Pool) -> Counter[str]:
    """Return how many slots are claimed, by the group and user that they are charged to."""
    ads = pool.ads("slots", ["AccountingGroup", "State"], constraint='State == "Claimed"')
    return Counter(str(ad["AccountingGroup"]).partition("@")[0] for ad in ads)


def usage(pool: Pool) -> dict[str, float]:
    """Return WeightedResourcesUsed by group and by user, as condor_userprio tells."""
    printed = pool.tool("condor_userprio", "-allusers", "-af", "Name", "WeightedResourcesUsed", check=False).split()
    return {name.partition("@")[0]: float(used) for name, used in zip(printed[::2], printed[1::2])}


def comes_to(pool: Pool, expected: dict[str, int]) -> None:
    """Wait until the claims are as expected; more than that fails by itself."""
    pool.wait(lambda: claims(pool) == expected, 60, f"claims of {expected}", ("NegotiatorLog", "MatchLog"))


def _demand(pool: Pool, customer: str) -> tuple[int, int] | None:
    for ad in pool.ads("submitters", ["Name", "IdleJobs", "WeightedIdleJobs"]):
        if ad["Name"].partition("@")[0] == customer:
            return ad["IdleJobs"], ad["WeightedIdleJobs"]
    return None
