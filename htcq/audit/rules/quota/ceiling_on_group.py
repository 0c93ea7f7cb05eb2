"""A ceiling or a floor is set on a group, where it does nothing."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    limited = []
    for record in evidence.pool.accounting:
        ceiling, floor = record.number("Ceiling"), record.number("Floor")
        is_group = record.value("IsAccountingGroup") is True
        if is_group and (ceiling is not None or floor is not None):
            limited.append((record, ceiling, floor))
    if evidence.quotas.grouped and not limited:
        yield Unchecked(
            "ceilings and floors of groups, which only the negotiator itself provides "
            "(condor_userprio -long)"
        )
    for record, ceiling, floor in limited:
        for name, amount, is_set in (
            ("Ceiling", ceiling, ceiling is not None and ceiling >= 0),
            ("Floor", floor, floor is not None and floor > 0),
        ):
            if is_set:
                yield Found(
                    cause=name,
                    subject=f"group {record.name}",
                    message=f"the {name.lower()} of {amount} on group {record.name} has no effect",
                    facts=(Fact(name, str(amount)),),
                    examples=(record.name,),
                )


RULE = Rule(
    id="ceiling-on-group",
    severity=Severity.WARNING,
    needs=(Input.ACCOUNTING,),
    summary="A ceiling or floor is set on a group",
    consequence=(
        "The negotiator looks ceilings and floors up by a submitter's whole name, never by that "
        "of a group."
    ),
    advice=(
        "Limit the group by its quota; set ceilings and floors on submitters such as "
        "group.user@domain."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:negotiateWithGroup, Accountant.cpp:GetCeiling, "
        "25.14"
    ),
    find=_find,
)
