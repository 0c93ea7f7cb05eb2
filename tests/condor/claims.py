"""Who wants how much of a real pool, who gets it, and what the accountant and the negotiator say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from broken import SMALL_JOB
from testpool import Pool

#: The schedd counts jobs anew this often, in seconds, whatever SCHEDD_INTERVAL says.
COUNTS_OFTEN = {"SCHEDD_MIN_INTERVAL": "1"}


def queued(pool: Pool, idle: Mapping[str, int], weight: int = 1, **asked: object) -> None:
    """Submit jobs: so many for each ``group.user``, with ``asked`` in place of what a small job asks for.

    Waits until the collector has heard of them and of what they weigh to the schedd: ``weight`` each.
    """
    for customer, count in idle.items():
        group, _, user = customer.rpartition(".")
        who = {"accounting_group_user": user, **({"accounting_group": group} if group else {})}
        pool.submit({**SMALL_JOB, **asked, **who}, count)
    expected = {customer: (count, count * weight) for customer, count in idle.items()}
    pool.wait(lambda: demand(pool, idle) == expected, 40, f"demand of {expected}", ("SchedLog",))


def demand(pool: Pool, customers: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return IdleJobs and WeightedIdleJobs of some ``group.user``."""
    ads = pool.ads("submitters", ["Name", "IdleJobs", "WeightedIdleJobs"])
    known = {ad["Name"].partition("@")[0]: (ad["IdleJobs"], ad["WeightedIdleJobs"]) for ad in ads}
    return {customer: known.get(customer, (0, 0)) for customer in customers}


def claims(pool: Pool) -> Counter[str]:
    """Return how many slots are claimed, by the ``group.user`` that they are charged to."""
    ads = pool.ads("slots", ["AccountingGroup"], constraint='State == "Claimed"')
    return Counter(str(ad["AccountingGroup"]).partition("@")[0] for ad in ads)


def come_to(pool: Pool, expected: Mapping[str, int]) -> None:
    """Wait until the claims are ``expected``."""
    logs = ("NegotiatorLog", "MatchLog", "StartLog")
    pool.wait(lambda: claims(pool) == expected, 60, f"claims of {expected}", logs)


def usage(pool: Pool) -> dict[str, float]:
    """Return WeightedResourcesUsed by group and by ``group.user``, as condor_userprio tells."""
    printed = pool.tool("condor_userprio", "-allusers", "-af", "Name", "WeightedResourcesUsed", check=False).split()
    return {name.partition("@")[0]: float(used) for name, used in zip(printed[::2], printed[1::2])}


def charged(pool: Pool, customer: str, weight: float) -> None:
    """Wait until the accountant charges ``customer``, a group or a ``group.user``, with ``weight``."""
    pool.wait(lambda: usage(pool).get(customer) == weight, 30, f"usage of {weight}", ("NegotiatorLog",))
