"""One cycle of a real negotiator over a pool whose startd stands still, and what the negotiator's log says of it.

The startd is stopped as a process while the cycle runs: what is matched is neither refused nor changed, and the schedd
does not offer it a second time.
"""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from broken import break_it, snapshot
from claims import demand, log_from_now
from conftest import Site
from random_cycles import Scenario
from testpool import Pool

_BEGUN, _ENDED = "Started Negotiation Cycle", "Finished Negotiation Cycle"
_LINE = re.compile(
    r" Matched (?P<match>\S+) (?P<who>\S+) <\S+ preempting (?P<preempting>\S+) <\S+ (?P<slot>\S+)"
    r"|Match completed, match cost= (?P<cost>\S+)"
    r"| Rejected (?P<rejection>\S+) (?P<whose>\S+) <\S+: (?P<reason>.+)"
)
_FLOOR_ROUND = re.compile(r"running a floor round for them.*?Floor round finished", re.DOTALL)


@dataclass(frozen=True)
class LoggedMatch:
    """One match; ``cost`` is written with six digits."""

    request: str
    submitter: str
    slot: str
    cost: str


@dataclass(frozen=True)
class LoggedCycle:
    """What the log says of a cycle; ``order`` are submitters in the order of their turns, ``limits`` those of groups.

    A rejection is a request, a submitter and a reason; a limit is that of the first turn.
    """

    matches: tuple[LoggedMatch, ...]
    rejections: tuple[tuple[str, str, str], ...]
    order: tuple[str, ...]
    limits: dict[str, float]


@dataclass(frozen=True)
class Recorded:
    """A snapshot, and the one cycle that came after it."""

    before: Path
    cycle: LoggedCycle


def recorded(site: Site, scenario: Scenario, directory: Path) -> Recorded:
    """Set the pool up as ``scenario`` has it, take a snapshot, and let the negotiator go through one cycle."""
    log = log_from_now(site.pool)
    pool = break_it(site, scenario.knobs)
    pool.wait(lambda: _ENDED in log(), 30, "the negotiator's first cycle", ("NegotiatorLog",))
    pool.wait(lambda: len(pool.ads("slots", ["Name"])) == scenario.slots, 30, f"{scenario.slots} slots", ("StartLog",))
    for options in scenario.userprio:
        pool.tool("condor_userprio", *options)
    _queued(pool, scenario)
    before = snapshot(pool, directory)
    text = _cycle(pool)
    (directory / "NegotiatorLog").write_text(text)
    return Recorded(before, read(text))


def _queued(pool: Pool, scenario: Scenario) -> None:
    """Submit the jobs and wait until the collector has heard of them and of what they weigh to the schedd."""
    idle, weight = Counter[str](), Counter[str]()
    for cluster in scenario.clusters:
        pool.submit(cluster.commands, cluster.count)
        idle[cluster.submitter] += cluster.count
        weight[cluster.submitter] += cluster.weight
    expected = {name: (idle[name], weight[name]) for name in scenario.groups}
    pool.wait(lambda: demand(pool, expected) == expected, 40, f"a demand of {expected}", ("SchedLog",))


def _cycle(pool: Pool) -> str:
    """Let the negotiator go through one cycle and return its log; afterwards the queue is empty."""
    negotiator = pool.ads("negotiator", ["MyAddress"])[0]["MyAddress"]
    log = log_from_now(pool)
    with standing_still(pool, "startd"):
        pool.tool("condor_reschedule", "-addr", negotiator)
        pool.wait(lambda: _ENDED in log().partition(_BEGUN)[2], 60, "a cycle", ("NegotiatorLog",))
        pool.tool("condor_rm", "-all")
    return log().partition(_BEGUN)[2].partition(_ENDED)[0]


@contextmanager
def standing_still(pool: Pool, daemon: str) -> Iterator[None]:
    """Stop the process of a daemon, and let it go on afterwards."""
    process = pool.daemon_pids()[daemon]
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def read(text: str) -> LoggedCycle:
    """Return what a log says of one cycle.

    Raises:
        ValueError: a match without cost, or one for which a job was to be preempted.
    """
    matches, rejections = list[LoggedMatch](), list[tuple[str, str, str]]()
    open_: re.Match[str] | None = None
    for found in _LINE.finditer(text):
        if (open_ is not None) != (found["cost"] is not None) or found["preempting"] not in (None, "none"):
            raise ValueError(f"cannot read this of a match: {found.group()}")
        if found["rejection"]:
            rejections.append((found["rejection"], found["whose"], found["reason"]))
        elif found["match"]:
            open_ = found
        elif open_ is not None:
            matches.append(LoggedMatch(open_["match"], open_["who"], open_["slot"], found["cost"]))
            open_ = None
    turns = re.findall(r"  Negotiating with (\S+) at ", _FLOOR_ROUND.sub("", text))
    limits: dict[str, float] = {}
    for group, limit in re.findall(r"Group (\S+) - BEGIN .* quota limit of (\S+)", text):
        limits.setdefault(group, float(limit))
    return LoggedCycle(tuple(matches), tuple(rejections), tuple(dict.fromkeys(turns)), limits)
