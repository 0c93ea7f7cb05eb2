"""Nobody answers for a group."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.declared_groups import DeclaredGroups
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(declared: DeclaredGroups) -> Iterator[Found]:
    owned: set[str] = set()
    for group in declared.groups:
        if group.owner or group.contact or group.parent in owned:
            owned.add(group.name)
        else:
            yield Found(
                cause="no owner",
                subject=f"group {group.name}",
                message=(
                    f"nobody answers for {group.name}: neither it nor a group above it has an "
                    "owner or a contact"
                ),
                examples=(group.name,),
            )


RULE = Rule(
    id="group-without-owner",
    severity=Severity.INFO,
    needs=(Input.DECLARED,),
    summary="A group has neither an owner nor a contact",
    consequence="Nobody can be asked whether its quota is still needed.",
    advice="Add an owner, a contact, or both.",
    source="a convention of htcq.toml",
    find=_find,
)
