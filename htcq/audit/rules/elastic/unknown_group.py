"""Somebody asks in the name of a group that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    known = [group.name for group in quotas.quotas.groups]
    for name in quotas.unknown:
        advice = ""
        near = difflib.get_close_matches(name, known, 1)
        if near:
            advice = f"Did you mean {near[0]}?"
        yield quotas.found(name, f"there is demand of {name}, but no such group", advice=advice)


RULE = Rule(
    id="elastic-unknown-group",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="There is demand of a group that does not exist",
    consequence="Its jobs would count for no group: neither their requests nor their usage.",
    advice="Declare the group, correct its name, or count its usage as default_used.",
    source=UPSTREAM,
    find=_find,
)
