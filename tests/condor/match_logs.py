"""What the logs of negotiator and schedd say of one cycle: matches, rejections, and what each match is used for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LINE = re.compile(
    r" Matched (?P<match>\S+) (?P<who>\S+) <(?P<schedd>[^?>]+)\S+ preempting (?P<preempting>.+?) <\S+ (?P<slot>\S+)"
    r"|Match completed, match cost= (?P<cost>\S+)"
    r"| Rejected (?P<rejection>\S+) (?P<whose>\S+) <\S+: (?P<reason>.+)"
)
#: The turn of a submitter begins with the first line, and the second one follows in it. Both begin
#: with the date and the time.
_ACCOUNTED = re.compile(r"\(AccountingGroup=(.+)\)\Z")
_TURN = re.compile(r"  Negotiating with (?P<submitter>\S+) at <|submitterUsage += (?P<usage>\S+)")
#: A match without a claim is not handled; 23.9 alone tells that it was received.
_HANDLED = re.compile(
    r"(?P<unclaimed>matched to offline machine"
    r"|(?:Received match for job .*\n.*)?Rejecting match to \S+ because it has no claim id)"
    r"|(?:Handling|Received) match for job (?P<job>\S+) \(delivered"
    r"|Rematched \S+ to job (?P<other>\S+)"
    r"|(?P<none>No job found to run on|Rejecting match to) "
)
_SEVERAL = "various_dSlot_users"


@dataclass(frozen=True)
class LoggedMatch:
    """One match; ``cost`` is written with six digits, and ``job`` is what the schedd uses it for (empty: nothing).

    ``preempting`` is whom the claim belongs to, or how many dynamic slots are preempted; empty
    where none is."""

    job: str
    request: str
    submitter: str
    slot: str
    cost: str
    preempting: str = ""


@dataclass(frozen=True)
class LoggedCycle:
    """What the logs say of a cycle.

    A rejection is a request, a submitter and a reason. ``limits`` are those of each group's
    first turn, and ``used`` what each submitter used when it had its first one."""

    matches: tuple[LoggedMatch, ...]
    rejections: tuple[tuple[str, str, str], ...]
    limits: dict[str, float]
    used: dict[str, float]


def read(text: str, schedd_log: str, others: Mapping[str, str] | None = None) -> LoggedCycle:
    """Return what the logs of negotiator and schedd say of one cycle.

    ``others`` are the logs of other schedds by the host and port of each.

    Raises:
        ValueError: a match without cost.
    """
    jobs = {address: iter(used_for(log)) for address, log in (others or {}).items()}
    jobs_of_first = iter(used_for(schedd_log))
    matches, rejections = list[LoggedMatch](), list[tuple[str, str, str]]()
    open_: re.Match[str] | None = None
    for found in _LINE.finditer(text):
        if (open_ is not None) != (found["cost"] is not None):
            raise ValueError(f"cannot read this of a match: {found.group()}")
        if found["rejection"]:
            rejections.append((found["rejection"], found["whose"], found["reason"]))
        elif found["match"]:
            open_ = found
        elif open_ is not None:
            job = next(jobs.get(open_["schedd"], jobs_of_first))
            preempting = _preempted(open_["preempting"])
            matches.append(
                LoggedMatch(
                    job, open_["match"], open_["who"], open_["slot"], found["cost"], preempting
                )
            )
            open_ = None
    limits: dict[str, float] = {}
    for group, limit in re.findall(r"Group (\S+) - BEGIN .* quota limit of (\S+)", text):
        limits.setdefault(group, float(limit))
    return LoggedCycle(tuple(matches), tuple(rejections), limits, used_at_first(text))


def _preempted(text: str) -> str:
    """Return whom a claim belongs to: the accountant knows him by AccountingGroup.

    A slot with a consumption policy keeps the user that the negotiator wrote into its ad when a match
    took dynamic slots: the next match with it takes none.
    """
    if text in ("none", _SEVERAL):
        return ""
    group = _ACCOUNTED.search(text)
    return text if group is None else group[1]


def used_at_first(text: str) -> dict[str, float]:
    """Return what each submitter used when it had its first turn, as the negotiator's log says."""
    used: dict[str, float] = {}
    submitter = ""
    for found in _TURN.finditer(text):
        if found["submitter"]:
            submitter = found["submitter"]
        elif submitter:
            used.setdefault(submitter, float(found["usage"]))
            submitter = ""
    return used


def used_for(schedd_log: str) -> list[str]:
    """Return which job the schedd uses each match for; empty where it has none."""
    jobs: list[str] = []
    for found in _HANDLED.finditer(schedd_log):
        if found["unclaimed"]:
            jobs.append("")
        elif found["job"]:
            jobs.append(found["job"])
        else:
            jobs[-1] = found["other"] or ""
    return jobs
