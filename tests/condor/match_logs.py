"""What the logs of negotiator and schedd say of one cycle: matches, rejections, and what each match is used for."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(
    r" Matched (?P<match>\S+) (?P<who>\S+) <\S+ preempting (?P<preempting>\S+) <\S+ (?P<slot>\S+)"
    r"|Match completed, match cost= (?P<cost>\S+)"
    r"| Rejected (?P<rejection>\S+) (?P<whose>\S+) <\S+: (?P<reason>.+)"
)
_HANDLED = re.compile(
    r"(?:Handling|Received) match for job (?P<job>\S+) \(delivered"
    r"|Rematched \S+ to job (?P<other>\S+)"
    r"|(?P<none>No job found to run on|Rejecting match to) "
)


@dataclass(frozen=True)
class LoggedMatch:
    """One match; ``cost`` is written with six digits, and ``job`` is what the schedd uses it for (empty: nothing)."""

    job: str
    request: str
    submitter: str
    slot: str
    cost: str


@dataclass(frozen=True)
class LoggedCycle:
    """What the logs say of a cycle.

    A rejection is a request, a submitter and a reason. ``limits`` are those of each group's
    first turn, and ``used`` what each submitter used when it had its first one."""

    matches: tuple[LoggedMatch, ...]
    rejections: tuple[tuple[str, str, str], ...]
    limits: dict[str, float]
    used: dict[str, float]


def read(text: str, schedd_log: str) -> LoggedCycle:
    """Return what the logs of negotiator and schedd say of one cycle.

    Raises:
        ValueError: a match without cost, or one for which a job was to be preempted.
    """
    jobs = iter(used_for(schedd_log))
    matches, rejections = list[LoggedMatch](), list[tuple[str, str, str]]()
    open_: re.Match[str] | None = None
    for found in _LINE.finditer(text):
        if (open_ is not None) != (found["cost"] is not None) or found["preempting"] not in (
            None,
            "none",
        ):
            raise ValueError(f"cannot read this of a match: {found.group()}")
        if found["rejection"]:
            rejections.append((found["rejection"], found["whose"], found["reason"]))
        elif found["match"]:
            open_ = found
        elif open_ is not None:
            matches.append(
                LoggedMatch(next(jobs), open_["match"], open_["who"], open_["slot"], found["cost"])
            )
            open_ = None
    limits: dict[str, float] = {}
    for group, limit in re.findall(r"Group (\S+) - BEGIN .* quota limit of (\S+)", text):
        limits.setdefault(group, float(limit))
    used: dict[str, float] = {}
    for submitter, usage in re.findall(
        r"Negotiating with (\S+) at (?:.*\n)+? .*submitterUsage += (\S+)", text
    ):
        used.setdefault(submitter, float(usage))
    return LoggedCycle(tuple(matches), tuple(rejections), limits, used)


def used_for(schedd_log: str) -> list[str]:
    """Return which job the schedd uses each match for; empty where it has none."""
    jobs: list[str] = []
    for found in _HANDLED.finditer(schedd_log):
        if found["job"]:
            jobs.append(found["job"])
        else:
            jobs[-1] = found["other"] or ""
    return jobs
