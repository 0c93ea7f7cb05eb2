"""A group has a name that cannot be a part of a knob."""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity

_NAME = re.compile(r"[A-Za-z0-9_./]+")


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    for group in quotas.tree.groups:
        if not _NAME.fullmatch(group.name):
            yield quotas.found(group.name, f"group {group.name} has a name that HTCondor refuses")


RULE = Rule(
    id="elastic-name-illegal",
    severity=Severity.WARNING,
    needs=(Input.ELASTIC,),
    summary="A group has a name that HTCondor refuses",
    consequence=(
        "Its quota can be computed, but no negotiator can use it: the name is part of knobs."
    ),
    advice="Use letters, digits, '_' and '/', with dots between parent and child groups.",
    source="src/condor_utils/config.cpp:is_valid_param_name, HTCondor 25.14",
    find=_find,
)
