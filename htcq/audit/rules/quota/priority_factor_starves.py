"""A submitter's priority factor is so large that its jobs wait as long as others have jobs."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.users import is_nice
from htcq.pool.record import Record
from htcq.quota.group_tree import assigned_group
from htcq.quota.knobs import number_of

#: A share is 1 over the factor: that of a submitter with so many times the factor of another one
#: is less than a core of any pool.
_TIMES = 1e6
#: Knobs of factors that are meant to be that large.
_MEANT = ("NICE_USER_PRIO_FACTOR", "REMOTE_PRIO_FACTOR")


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    users = [
        record
        for record in quotas.accounts.values()
        if record.value("IsAccountingGroup") is not True and record.number("PriorityFactor")
    ]
    for record in users:
        jobs = sum(each.idle[record.name] for each in evidence.waiting.get(record.name, ()))
        factor = record.number("PriorityFactor") or 0
        group = assigned_group(quotas.tree, record.name).group
        if not jobs or record.number("WeightedResourcesUsed") or _is_meant(evidence, record, group):
            continue
        before = [
            other
            for other in users
            if other.number("WeightedResourcesUsed")
            and assigned_group(quotas.tree, other.name).group == group
            and factor >= _TIMES * (other.number("PriorityFactor") or factor)
        ]
        if before:
            first = before[0]
            yield Found(
                cause="factor",
                subject=f"submitter {record.name}",
                message=(
                    f"{record.name} has a priority factor of {factor:g}, {first.name} one of "
                    f"{first.number('PriorityFactor'):g}: nothing of {record.name} runs while "
                    f"others such as {first.name} have jobs, and {counted(jobs, 'job')} of it "
                    f"{'waits' if jobs == 1 else 'wait'}"
                ),
                facts=(Fact("PriorityFactor", f"{factor:g}"),),
                advice=(
                    "Set the factor, if nobody meant it: "
                    f"condor_userprio -setfactor {record.name} {first.number('PriorityFactor'):g}"
                ),
                examples=(record.name,),
            )


def _is_meant(evidence: Evidence, record: Record, group: str) -> bool:
    """Return whether the configuration has the factor, or names the submitter a nice user."""
    if is_nice(evidence, record.name):
        return True
    stored = record.number("PriorityFactor") or 0
    for knob in (*_MEANT, "DEFAULT_PRIO_FACTOR", f"GROUP_PRIO_FACTOR_{group}"):
        wanted = number_of(evidence.setting(knob).strip() or "0")
        if wanted and abs(wanted - stored) <= 1e-6 * wanted:
            return True
    return False


RULE = Rule(
    id="priority-factor-starves",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.JOBS, Input.ACCOUNTING),
    summary="A submitter's priority factor is a million times that of others",
    consequence=(
        "The negotiator shares the slots by 1 over priority and factor. Such a submitter gets "
        "less than a core, whatever its usage was, until the others have no jobs. The factor is "
        "stored and stays until somebody sets it anew."
    ),
    advice="Set the factor: condor_userprio -setfactor.",
    source="src/condor_negotiator.V6/Accountant.cpp:GetPriority, SetPriorityFactor, 25.14",
    find=_find,
)
