"""The parent of a group does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    known = [group.name for group in quotas.tree.groups]
    for group in quotas.tree.orphans:
        near = difflib.get_close_matches(group.parent, known, 1)
        advice = (
            f"Declare {group.parent}, or did you mean {near[0]}?"
            if near
            else f"Declare {group.parent}."
        )
        yield quotas.found(
            group.name,
            f"the parent {group.parent} of group {group.name} does not exist",
            advice=advice,
        )


RULE = Rule(
    id="elastic-orphan",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="A group is below one that is not there",
    consequence="The group gets nothing.",
    advice="Declare the parent group, or change the parent.",
    source=UPSTREAM,
    find=_find,
)
