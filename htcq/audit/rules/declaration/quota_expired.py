"""The last day of a quota is over."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.declared_groups import DeclaredGroups, fact_of
from htcq.audit.rule import Fact, Found, Input, Rule, Severity


def _find(declared: DeclaredGroups) -> Iterator[Found]:
    for group in declared.groups:
        if group.expires is not None and group.expired(declared.today):
            whose = ""
            if group.contact:
                whose = f" Its contact is {group.contact}."
            last = group.expires.isoformat()
            yield Found(
                cause=group.name,
                subject=f"group {group.name}",
                message=f"the quota of {group.name} was granted until {last} and is still declared",
                facts=(fact_of(group), Fact(f"groups.{group.name}.expires", last, "htcq.toml")),
                advice=(
                    f"Give [groups.{group.name}] a later date, or another quota, or remove "
                    f"it.{whose}"
                ),
                examples=(group.name,),
            )


RULE = Rule(
    id="quota-expired",
    severity=Severity.WARNING,
    needs=(Input.DECLARED,),
    summary="A quota is still declared after its last day",
    consequence=(
        "The negotiator does not know dates: the quota stays in force until somebody removes it."
    ),
    advice="Extend it or remove it.",
    source="a convention of htcq.toml",
    find=_find,
)
