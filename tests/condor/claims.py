"""Who wants how much of a real pool, who gets it, and what accountant and negotiator say of it.

Submitters are written without their domain: ``group.user``, or ``user`` for one without a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from broken import SMALL_JOB, before, errors, policy
from conftest import PACE
from testpool import Pool


def written(knobs: Mapping[str, str]) -> str:
    """Return the text of a configuration for a pool that is reconfigured instead of started anew."""
    return PACE + "".join(f"{name} = {text}\n" for name, text in knobs.items())


def groups(**quotas: str) -> dict[str, str]:
    """Return a sound consumption policy and groups with these quotas; ``_of_`` stands for the dot in their names."""
    found = policy()
    names = {name: ".".join(reversed(name.split("_of_"))) for name in quotas}
    for name, quota in quotas.items():
        found[f"GROUP_QUOTA_{'' if float(quota) >= 1 else 'DYNAMIC_'}{names[name]}"] = quota
    return {**found, "GROUP_NAMES": ", ".join(names.values())}


def queued(pool: Pool, idle: Mapping[str, int], weight: int = 1, **asked: object) -> None:
    """Submit jobs: so many for each submitter, with ``asked`` in place of what a small job asks for.

    Waits until the collector has heard of them and of what they weigh to the schedd: ``weight``
    each. Some of them may run by then."""
    before = _of_all_jobs(pool, idle)
    for submitter, count in idle.items():
        group, _, user = submitter.rpartition(".")
        who = {"accounting_group_user": user, **({"accounting_group": group} if group else {})}
        pool.submit({**SMALL_JOB, **asked, **who}, count)
    expected = {submitter: (count, count * weight) for submitter, count in idle.items()}
    after = {who: tuple(map(sum, zip(before[who], expected[who]))) for who in idle}

    def told() -> bool:
        return demand(pool, idle) == expected or _of_all_jobs(pool, idle) == after

    pool.wait(told, 40, f"a demand of {expected}", ("SchedLog",))


def _of_all_jobs(pool: Pool, submitters: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return how many jobs each submitter has, idle and running, and what they weigh."""
    names = ["IdleJobs", "RunningJobs", "WeightedIdleJobs", "WeightedRunningJobs"]
    known = {
        _without_domain(ad["Name"]): [ad.get(name, 0) for name in names]
        for ad in pool.ads("submitters")
    }
    counted = {who: known.get(who, [0, 0, 0, 0]) for who in submitters}
    return {
        who: (idle + running, weight + busy)
        for who, (idle, running, weight, busy) in counted.items()
    }


def demand(pool: Pool, submitters: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return IdleJobs and WeightedIdleJobs of each submitter."""
    ads = pool.ads("submitters", ["Name", "IdleJobs", "WeightedIdleJobs"])
    idle, weight = Counter[str](), Counter[str]()
    for ad in ads:
        # One at each schedd where the submitter has jobs.
        idle[_without_domain(ad["Name"])] += ad["IdleJobs"]
        weight[_without_domain(ad["Name"])] += ad["WeightedIdleJobs"]
    return {submitter: (idle[submitter], weight[submitter]) for submitter in submitters}


def claims(pool: Pool) -> Counter[str]:
    """Return how many slots are claimed, by the submitter that they are charged to."""
    ads = pool.ads("slots", ["AccountingGroup"], constraint='State == "Claimed"')
    return Counter(_without_domain(str(ad["AccountingGroup"])) for ad in ads)


def come_to(pool: Pool, expected: Mapping[str, int]) -> None:
    """Wait until the claims are ``expected``."""
    logs = ("NegotiatorLog", "MatchLog", "StartLog")
    pool.wait(lambda: claims(pool) == expected, 60, f"claims of {expected}", logs)


def accounted(pool: Pool, attribute: str) -> dict[str, float]:
    """Return what condor_userprio tells of groups and submitters; nothing of those that lack it."""
    printed = pool.tool(
        "condor_userprio", "-allusers", "-af", "Name", attribute, check=False
    ).split()
    pairs = zip(printed[::2], printed[1::2])
    return {_without_domain(name): float(value) for name, value in pairs if value != "undefined"}


def charged(pool: Pool, who: str, weight: float) -> None:
    """Wait until the accountant charges a group or submitter with ``weight``."""

    def so_much() -> bool:
        return accounted(pool, "WeightedResourcesUsed").get(who) == weight

    pool.wait(so_much, 30, f"a usage of {weight} by {who}", ("NegotiatorLog",))


def log_from_now(pool: Pool, name: str = "NegotiatorLog") -> Callable[[], str]:
    """Return a function that gives what was added to a log since."""
    start = len(pool.log(name))
    return lambda: pool.log(name)[start:]


def errors_before_the_end(
    pool: Pool, directory: Path, bad: Mapping[str, str], line: str
) -> set[str]:
    """Return the errors that the audit finds in a configuration on which the negotiator then ends, twice, at ``line``.

    Its job stays idle until the configuration is as it was.
    """
    sound = pool.path("condor_config.local").read_text()
    log = log_from_now(pool)
    with before(pool):
        queued(pool, {"hep.ann": 1})
        pool.configure(sound + "".join(f"{name} = {text}\n" for name, text in bad.items()))
        pool.reconfig()
        found = errors(pool, directory)
    try:
        pool.wait(
            lambda: log().count(f'ERROR "{line}') >= 2,
            40,
            "two ends of the negotiator",
            ("NegotiatorLog",),
        )
        assert not claims(pool)
    finally:
        pool.configure(sound)
    come_to(pool, {"hep.ann": 1})
    return found


def _without_domain(name: str) -> str:
    return name.partition("@")[0]
