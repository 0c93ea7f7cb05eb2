"""One cycle of a real negotiator over a pool whose startd stands still.

The startd is stopped as a process while the cycle runs: what is matched is neither refused nor
changed, and the schedd does not offer it a second time."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import classad2
import second_schedd
import second_startd
from broken import break_it, snapshot
from claims import demand, log_from_now, written
from conftest import NEWEST, PACE, Site
from match_logs import LoggedCycle, read, used_for
from mixed_pool import MixedPool
from process_tree import descendants
from random_cycles import Scenario
from random_jobs import Cluster
from testpool import Pool

_TOOLS: Mapping[str, tuple[str, ...]] = {
    "collector.ads": ("condor_status", "-any", "-long"),
    "jobs.ads": ("condor_q", "-global", "-allusers", "-long"),
    "priorities.ads": ("condor_userprio", "-allusers", "-long"),
    "config.txt": ("condor_config_val", "-dump"),
}
_BEGUN, _ENDED = "Started Negotiation Cycle", "Finished Negotiation Cycle"
_CRASHED = "Stack dump for process"
#: The job is named; a line without one tells of dynamic slots.
_MATCHED = re.compile(r" Matched \d")
_HAS_ITS_ADS = "Performing accounting"


class NegotiatorCrashedError(Exception):
    """The negotiator ended within a cycle."""


@dataclass(frozen=True)
class Recorded:
    """A snapshot, what HTCondor's tools print of the same pool, and the one cycle that came after."""

    before: Path
    printed: Path
    cycle: LoggedCycle


def recorded(site: Site, scenario: Scenario, directory: Path) -> Recorded:
    """Set the pool up as ``scenario`` has it, take a snapshot, and let the negotiator go through one cycle."""
    pool = set_up(site, scenario)
    if scenario.running:
        _started(pool, scenario)
    if scenario.drain:
        _drain(pool, scenario.drain)
    queued(pool, scenario.clusters, scenario.groups, scenario.elsewhere)
    limited = scenario.user_limit and site.suite == NEWEST
    if limited:
        limit_user(pool, scenario.user_limit)
    before, printed = snapshot_of_together(pool, directory), printed_by_tools(pool, directory)
    with standing_still(pool, "startd"):
        others = second_schedd.logs_from_now(pool)
        negotiated, scheduled = cycle(pool)
        # None of them starts. Jobs that run are removed later: their shadows ask the startd.
        pool.tool("condor_rm", "-constraint", "JobStatus == 1", check=False)
    pool.tool("condor_rm", "-all", check=False)
    if limited:
        limit_user(pool, None)
    (directory / "NegotiatorLog").write_text(negotiated)
    (directory / "SchedLog").write_text(scheduled)
    said = {address: log() for address, log in others.items()}
    return Recorded(before, printed, read(negotiated, scheduled, said))


def set_up(site: Site, scenario: Scenario) -> Pool:
    """Start the daemons anew, with the second ones that ``scenario`` has, and wait until they have gone through a cycle.

    It was empty: whatever is submitted from here on waits until a cycle is asked for.
    """
    log = log_from_now(site.pool)
    if "SCHEDD_SECOND" in scenario.knobs:
        second_schedd.make_spool(site.pool)
    if "STARTD_SECOND" in scenario.knobs:
        second_startd.make_execute(site.pool)
    pool = break_it(site, scenario.knobs)
    pool.wait(lambda: _ENDED in log(), 30, "the negotiator's first cycle", ("NegotiatorLog",))
    pool.wait(
        lambda: len(pool.ads("slots", ["Name"])) == scenario.slots,
        30,
        f"{scenario.slots} slots",
        ("StartLog",),
    )
    for options in scenario.userprio:
        pool.tool("condor_userprio", *options)
    return pool


def _started(pool: Pool, scenario: Scenario) -> None:
    """Let jobs start in a cycle of their own, and remove those for which there is no slot.

    With later knobs there are cycles until none is left that finds a slot.
    """
    queued(pool, scenario.running, {cluster.submitter for cluster in scenario.running})
    count = 0
    while True:
        more = sum(map(bool, used_for(cycle(pool)[1])))
        count += more
        _settled(pool, count)
        if not (more and scenario.later):
            break
    pool.tool("condor_rm", "-constraint", "JobStatus == 1", check=False)
    if scenario.later:
        pool.configure(PACE + written({**scenario.knobs, **scenario.later}))
    # The negotiator remembers which groups had nothing of the last remainders, and no ad tells
    # that.
    pool.reconfig()


def _drain(pool: Pool, options: tuple[str, ...]) -> None:
    """Drain a machine, and wait until the collector has heard of it as the startd has it."""
    projection = ["Name", "MyAddress", "State", "Activity", "Draining", "Start", "Requirements"]
    pool.tool("condor_drain", *options, pool.ads("slots", ["Machine"])[0]["Machine"])

    def drains() -> bool:
        seen = slots(pool, projection)
        drained = {slot["MyAddress"] for slot in seen if slot.get("Draining")}
        drain = [slot.get("Draining") for slot in seen if slot["MyAddress"] in drained]
        return any(drain) and all(drain) and seen == slots_of_startds(pool, projection)

    pool.wait(drains, 40, "slots that drain", ("StartLog",))


def _settled(pool: Pool, count: int) -> None:
    """Wait until ``count`` jobs run, and the collector has heard of all of them."""
    projection = ["Name", "State", "Activity", "Cpus", "Memory"]

    def settled() -> bool:
        """Return whether all of them run, and the collector has heard of that."""
        seen = slots(pool, projection)
        running = pool.ads("jobs", ["JobStatus"], constraint="JobStatus == 2")
        busy = sum(slot["Activity"] == "Busy" for slot in seen)
        return busy == len(running) == count and seen == slots_of_startds(pool, projection)

    pool.wait(settled, 60, f"{count} running jobs", ("SchedLog", "StartLog"))


def slots(pool: Pool, projection: Sequence[str]) -> list[dict[str, Any]]:
    """Return what the collector knows of the slots, in a fixed order."""
    return sorted(pool.ads("slots", projection), key=str)


def slots_of_startds(pool: Pool, projection: Sequence[str]) -> list[dict[str, Any]]:
    """Return what the startds themselves say of their slots."""
    startds = {slot["MyAddress"] for slot in pool.ads("slots", ["MyAddress"])}
    found = [slot for each in startds for slot in pool.ads("slots", projection, direct=each)]
    return sorted(found, key=str)


def limit_user(pool: Pool, limit: int | None) -> None:
    """Let the user of all jobs run so many at most; None: as many as there are."""
    text = "undefined" if limit is None else str(limit)
    for user in pool.tool("condor_qusers", "-af", "User").split():
        pool.tool("condor_qusers", user, "-edit", f"MaxJobsRunning={text}")


def queued(
    pool: Pool,
    clusters: Iterable[Cluster],
    submitters: Iterable[str],
    elsewhere: Iterable[Cluster] = (),
) -> None:
    """Submit the jobs and wait until the collector has heard of them and of what they weigh to the schedd.

    Those ``elsewhere`` go to the second schedd.
    """
    idle, weight = Counter[str](), Counter[str]()
    where = [(cluster, "") for cluster in clusters]
    where += [(cluster, second_schedd.NAME) for cluster in elsewhere]
    for cluster, schedd in where:
        pool.submit(cluster.commands, cluster.count, schedd)
        idle[cluster.submitter] += cluster.idle
        weight[cluster.submitter] += cluster.weight * cluster.idle // cluster.count
    expected = {name: (idle[name], weight[name]) for name in submitters}
    pool.wait(
        lambda: demand(pool, expected) == expected, 40, f"a demand of {expected}", ("SchedLog",)
    )


def printed_by_tools(pool: Pool, directory: Path) -> Path:
    """Write what HTCondor's tools print of what a snapshot has, and return where."""
    where = directory / "printed"
    where.mkdir()
    for name, words in _TOOLS.items():
        (where / name).write_text(pool.tool(*words))
    return where


def snapshot_of_together(pool: Pool, directory: Path) -> Path:
    """Take snapshots until one has submitters that were all heard of in one second, as the negotiator will."""
    while True:
        where = snapshot(pool, directory)
        if are_together(where):
            return where


def are_together(where: Path) -> bool:
    """Return whether all submitters of a snapshot were heard of in one second."""
    ads = classad2.parseAds((where / "collector.ads").read_text())
    return len(_times(ad for ad in ads if ad.get("MyType") == "Submitter")) <= 1


def _times(submitters: Iterable[Mapping[str, Any]]) -> set[int]:
    """Return when the collector heard of submitters that have jobs: of others no schedd tells again."""
    found = set[int]()
    for ad in submitters:
        if ad.get("IdleJobs") or ad.get("RunningJobs"):
            found.add(ad["LastHeardFrom"])
    return found


@contextmanager
def _heard_of_together(pool: Pool) -> Iterator[None]:
    """Hold the schedd back, which sends its submitters every second, when it has sent all of them in one second.

    Those of one second have no turn before each other.
    """

    def now() -> set[int]:
        return _times(pool.ads("submitters", ["LastHeardFrom", "IdleJobs", "RunningJobs"]))

    while True:
        pool.wait(lambda: len(now()) <= 1, 30, "submitters heard of in one second", ("SchedLog",))
        with standing_still(pool, "schedd"):
            if len(now()) <= 1:
                yield
                return


def cycle(pool: Pool) -> tuple[str, str]:
    """Let the negotiator go through one cycle and return its log and what the schedd's says of the matches.

    Raises:
        NegotiatorCrashedError: the negotiator ended within the cycle.
    """
    negotiator = pool.ads("negotiator", ["MyAddress"])[0]["MyAddress"]
    log, schedd_log = log_from_now(pool), log_from_now(pool, "SchedLog")
    logs = (schedd_log, *second_schedd.logs_from_now(pool).values())
    with _heard_of_together(pool):
        pool.tool("condor_reschedule", "-addr", negotiator)
        pool.wait(
            lambda: _HAS_ITS_ADS in log().partition(_BEGUN)[2],
            60,
            "ads in the negotiator",
            ("NegotiatorLog",),
        )
    pool.wait(
        lambda: _ENDED in log().partition(_BEGUN)[2] or _CRASHED in log(),
        60,
        "a cycle",
        ("NegotiatorLog",),
    )
    if _CRASHED in log():
        raise NegotiatorCrashedError(log().partition(_CRASHED)[2])
    cycle = log().partition(_BEGUN)[2].partition(_ENDED)[0]
    matches = len(_MATCHED.findall(cycle))
    pool.wait(
        lambda: sum(len(used_for(each())) for each in logs) == matches,
        30,
        f"{matches} matches",
        ("SchedLog",),
    )
    # Which the schedds answer when they are through with the last of them.
    pool.tool("condor_q", "-global", "-allusers", check=False)
    return cycle, schedd_log()


@contextmanager
def standing_still(pool: Pool, daemon: str) -> Iterator[None]:
    """Stop all processes of a daemon, and let them go on afterwards."""
    parts = pool.parts.values() if isinstance(pool, MixedPool) else (pool,)
    supervisors = [part.home.supervisor(part.name) for part in parts]
    family = [each for one in supervisors if one for each in descendants(one)]
    with _stopped(each.pid for each in family if each.command == f"condor_{daemon}"):
        yield


@contextmanager
def _stopped(processes: Iterable[int]) -> Iterator[None]:
    stopped = list(processes)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
