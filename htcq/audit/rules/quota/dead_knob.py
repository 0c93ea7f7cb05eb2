"""Knobs of group quotas that nothing reads: older names, and groups that do not exist."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Found, Need, Rule, Severity
from htcq.pool.configuration import Knob
from htcq.quota.tree import name_key

_OLD = {
    "HFS_MAX_ALLOCATION_ROUNDS": "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
    "HFS_ROUND_ROBIN_RATE": "GROUP_QUOTA_ROUND_ROBIN_RATE",
}
_OF_A_GROUP = re.compile(
    r"(?:GROUP_QUOTA_DYNAMIC|GROUP_QUOTA|GROUP_ACCEPT_SURPLUS|GROUP_AUTOREGROUP|GROUP_PRIO_FACTOR)_(.+)\Z",
    re.IGNORECASE,
)
_OF_ALL = frozenset(_OLD.values())


def _find(evidence: Evidence) -> Iterator[Found]:
    for knob in evidence.pool.central or ():
        name = knob.name.upper()
        if name in _OLD and knob.value.strip():
            yield Found(
                cause=name,
                subject=f"knob {knob.name}",
                message=f"nothing reads {knob.name} = {knob.value}: {_OLD[name]} = {evidence.setting(_OLD[name])} "
                "counts",
                facts=(knob_fact(evidence, knob.name), knob_fact(evidence, _OLD[name])),
                fix=f"{_OLD[name]} = {knob.value}",
            )
        elif name not in _OF_ALL and knob.value.strip():
            yield from _of_no_group(evidence, knob)


def _of_no_group(evidence: Evidence, knob: Knob) -> Iterator[Found]:
    quotas = evidence.quotas
    match = _OF_A_GROUP.match(knob.name)
    if match is None:
        return
    listed = {name_key(name) for name in evidence.setting("GROUP_NAMES").replace(",", " ").split()}
    group = match.group(1)
    # A group may be called DYNAMIC_x; names that make no group are told by the rule on them.
    if name_key(group) in listed or name_key(f"DYNAMIC_{group}") in listed:
        return
    near = difflib.get_close_matches(group, [each.name for each in quotas.groups], 1)
    yield Found(
        cause=f"group {group.lower()}",
        subject=f"knob {knob.name}",
        message=f"{knob.name} = {knob.value} does nothing: there is no group {group}"
        + (f"; did you mean {near[0]}?" if near else ""),
        facts=(knob_fact(evidence, knob.name), knob_fact(evidence, "GROUP_NAMES")),
        fix=f"Add {group} to GROUP_NAMES, or delete {knob.name}.",
    )


RULE = Rule(
    id="dead-knob",
    severity=Severity.INFO,
    needs=(Need.CENTRAL,),
    summary="A knob of group quotas that nothing reads is set",
    consequence=(
        "HFS_MAX_ALLOCATION_ROUNDS and HFS_ROUND_ROBIN_RATE are only looked at where the knobs that replaced them have "
        "no value, and those have defaults. A knob for a group that is not in GROUP_NAMES is never looked up."
    ),
    fix="Use the newer name, or the name of a group that exists.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, param_info.in, 25.14",
    find=_find,
)
