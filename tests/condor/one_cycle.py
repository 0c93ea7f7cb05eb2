"""One cycle of a real negotiator over a pool whose startd stands still.

The startd is stopped as a process while the cycle runs: what is matched is neither refused nor
changed, and the schedd does not offer it a second time."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import classad2
from broken import break_it, snapshot
from claims import demand, log_from_now
from conftest import NEWEST, Site
from match_logs import LoggedCycle, read, used_for
from random_cycles import Scenario
from random_jobs import Cluster
from testpool import Pool

_BEGUN, _ENDED = "Started Negotiation Cycle", "Finished Negotiation Cycle"
_HAS_ITS_ADS = "Performing accounting"


@dataclass(frozen=True)
class Recorded:
    """A snapshot, and the one cycle that came after it."""

    before: Path
    cycle: LoggedCycle


def recorded(site: Site, scenario: Scenario, directory: Path) -> Recorded:
    """Set the pool up as ``scenario`` has it, take a snapshot, and let the negotiator go through one cycle."""
    log = log_from_now(site.pool)
    pool = break_it(site, scenario.knobs)
    # It is empty: whatever is submitted from here on waits until a cycle is asked for.
    pool.wait(lambda: _ENDED in log(), 30, "the negotiator's first cycle", ("NegotiatorLog",))
    pool.wait(
        lambda: len(pool.ads("slots", ["Name"])) == scenario.slots,
        30,
        f"{scenario.slots} slots",
        ("StartLog",),
    )
    for options in scenario.userprio:
        pool.tool("condor_userprio", *options)
    if scenario.running:
        _started(pool, scenario.running)
    _queued(pool, scenario.clusters, scenario.groups)
    limited = scenario.user_limit and site.suite == NEWEST
    if limited:
        _limit_user(pool, scenario.user_limit)
    before = _snapshot_of_together(pool, directory)
    with standing_still(pool, "startd"):
        negotiated, scheduled = _cycle(pool)
        pool.tool("condor_rm", "-all")
    if limited:
        _limit_user(pool, None)
    (directory / "NegotiatorLog").write_text(negotiated)
    (directory / "SchedLog").write_text(scheduled)
    return Recorded(before, read(negotiated, scheduled))


def _started(pool: Pool, clusters: Iterable[Cluster]) -> None:
    """Let jobs start in a cycle of their own, and remove those for which there is no slot."""
    _queued(pool, clusters, {cluster.submitter for cluster in clusters})
    count = sum(map(bool, used_for(_cycle(pool)[1])))
    startd = pool.ads("slots", ["MyAddress"])[0]["MyAddress"]

    def slots(direct: str) -> list[dict[str, Any]]:
        return sorted(
            pool.ads("slots", ["Name", "State", "Activity", "Cpus", "Memory"], direct=direct),
            key=str,
        )

    def settled() -> bool:
        """Tell whether all of them run, and the collector has heard of that."""
        seen, running = slots(""), pool.ads("jobs", ["JobStatus"], constraint="JobStatus == 2")
        busy = sum(slot["Activity"] == "Busy" for slot in seen)
        return busy == len(running) == count and seen == slots(startd)

    pool.wait(settled, 60, f"{count} running jobs", ("SchedLog", "StartLog"))
    pool.tool("condor_rm", "-constraint", "JobStatus == 1", check=False)
    # The negotiator remembers which groups had nothing of the last remainders, and no ad tells
    # that.
    pool.reconfig()


def _limit_user(pool: Pool, limit: int | None) -> None:
    """Let the user of all jobs run so many at most; None: as many as there are."""
    text = "undefined" if limit is None else str(limit)
    for user in pool.tool("condor_qusers", "-af", "User").split():
        pool.tool("condor_qusers", user, "-edit", f"MaxJobsRunning={text}")


def _queued(pool: Pool, clusters: Iterable[Cluster], submitters: Iterable[str]) -> None:
    """Submit the jobs and wait until the collector has heard of them and of what they weigh to the schedd."""
    idle, weight = Counter[str](), Counter[str]()
    for cluster in clusters:
        pool.submit(cluster.commands, cluster.count)
        idle[cluster.submitter] += cluster.count
        weight[cluster.submitter] += cluster.weight
    expected = {name: (idle[name], weight[name]) for name in submitters}
    pool.wait(
        lambda: demand(pool, expected) == expected, 40, f"a demand of {expected}", ("SchedLog",)
    )


def _snapshot_of_together(pool: Pool, directory: Path) -> Path:
    """Take snapshots until one has submitters that were all heard of in one second, as the negotiator will."""
    while True:
        where = snapshot(pool, directory)
        submitters = classad2.parseAds((where / "collector.ads").read_text())
        if len({ad["LastHeardFrom"] for ad in submitters if ad.get("MyType") == "Submitter"}) <= 1:
            return where


@contextmanager
def _heard_of_together(pool: Pool) -> Iterator[None]:
    """Hold the schedd back, which sends its submitters every second, when it has sent all of them in one second.

    Those of one second have no turn before each other.
    """

    def now() -> set[int]:
        return {ad["LastHeardFrom"] for ad in pool.ads("submitters", ["LastHeardFrom"])}

    while True:
        pool.wait(lambda: len(now()) <= 1, 30, "submitters heard of in one second", ("SchedLog",))
        with standing_still(pool, "schedd"):
            if len(now()) <= 1:
                yield
                return


def _cycle(pool: Pool) -> tuple[str, str]:
    """Let the negotiator go through one cycle and return its log and what the schedd's says of the matches."""
    negotiator = pool.ads("negotiator", ["MyAddress"])[0]["MyAddress"]
    log, schedd_log = log_from_now(pool), log_from_now(pool, "SchedLog")
    with _heard_of_together(pool):
        pool.tool("condor_reschedule", "-addr", negotiator)
        pool.wait(
            lambda: _HAS_ITS_ADS in log().partition(_BEGUN)[2],
            60,
            "ads in the negotiator",
            ("NegotiatorLog",),
        )
    pool.wait(lambda: _ENDED in log().partition(_BEGUN)[2], 60, "a cycle", ("NegotiatorLog",))
    cycle = log().partition(_BEGUN)[2].partition(_ENDED)[0]
    matches = cycle.count(" Matched ")
    pool.wait(
        lambda: len(used_for(schedd_log())) == matches, 30, f"{matches} matches", ("SchedLog",)
    )
    pool.tool("condor_q")  # which the schedd answers when it is through with the last of them
    return cycle, schedd_log()


@contextmanager
def standing_still(pool: Pool, daemon: str) -> Iterator[None]:
    """Stop the process of a daemon, and let it go on afterwards."""
    process = pool.daemon_pids()[daemon]
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)
