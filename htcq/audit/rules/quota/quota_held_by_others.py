"""A group uses less than it is due, the lesser of its quota and demand, and others have it."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.balance.groups import GroupBalance
from htcq.expected.settled import is_over, settled_before
from htcq.pool.slot_state import utc
from htcq.poolquota.shortfall import NO_GROUP, Holder
from htcq.quota.group_tree import assigned_group
from htcq.units import show_number


def _find(evidence: Evidence) -> Iterator[Found]:
    below = evidence.balance.below
    waiting = set(_waiting(evidence)) if below else set()
    for group in below:
        held_by = [each for each in group.held_by if each.is_group]
        if held_by and group.name in waiting:
            yield _found(group, held_by)


def _waiting(evidence: Evidence) -> Iterator[str]:
    """Yield the groups whose jobs have waited through three cycles."""
    moment = settled_before(evidence.pool)
    for job in evidence.pool.jobs or ():
        idle = job.wanted > 0
        if idle and (moment is None or is_over(moment, job.queued_at, job.status_since)):
            yield assigned_group(evidence.quotas.tree, job.submitter).group


def _found(group: GroupBalance, held_by: list[Holder]) -> Found:
    holders = [
        f"{each.name} {'use' if each.name == NO_GROUP else 'uses'} {show_number(each.amount)} "
        "more than the quota" + (f" since {utc(each.since)}" if each.since is not None else "")
        for each in held_by
    ]
    return Found(
        cause=group.name,
        subject=f"group {group.name}",
        message=(
            f"{group.name} uses {show_number(group.usage_next)} of the {show_number(group.due)} "
            f"that it is due; {listed(holders)}"
        ),
        facts=(
            Fact("quota", show_number(group.quota)),
            Fact("requested", show_number(group.requested)),
            Fact("usage", show_number(group.usage)),
        ),
        advice=_cure(held_by[0]),
        count=len(held_by),
        examples=(group.name,),
    )


def _cure(holder: Holder) -> str:
    text = (
        f"It returns {holder.returns}. With NEGOTIATOR_CONSIDER_PREEMPTION = True the negotiator "
        "preempts claims for which PREEMPTION_REQUIREMENTS is true"
    )
    if not holder.fits:
        text = (
            f"It returns {holder.returns}. condor_defrag (DEFRAG in DAEMON_LIST) drains machines, "
            "which makes such room"
        )
    if holder.name != NO_GROUP:
        text += f"; with GROUP_ACCEPT_SURPLUS_{holder.name} = False no more is lent"
    return f"{text}."


RULE = Rule(
    id="quota-held-by-others",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.JOBS, Input.SUBMITTERS, Input.BALANCE),
    summary="A group uses less than it is due, and other groups use more than their quotas",
    consequence=(
        "Surplus is lent for as long as the borrowers' jobs run, and claims are used again for "
        "further jobs (CLAIM_WORKLIFE). Without preemption the group waits so long, whatever its "
        "quota says."
    ),
    advice=(
        "'htcq why GROUP' says who has it and since when. Short jobs, CLAIM_WORKLIFE, preemption "
        "or elastic quotas ('htcq elastic') bring it back sooner."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:negotiateWithGroup, GroupEntry.cpp, 25.14",
    find=_find,
)
