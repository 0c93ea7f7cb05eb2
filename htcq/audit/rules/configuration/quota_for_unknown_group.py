"""A quota or another knob of a group is set, and GROUP_NAMES does not list the group."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.nearness import nearest
from htcq.audit.rule import Fact, Found, Need, Rule, Severity
from htcq.pool.configuration import Knob
from htcq.pool.knob_names import GROUP_STEMS, names_that_matter, split_prefix, stem_of

_NAMES = "GROUP_NAMES"


def _find(evidence: Evidence) -> Iterator[Found]:
    central = evidence.pool.central
    if central is None:
        return
    groups = evidence.setting(_NAMES).replace(",", " ").split()
    known = {group.lower() for group in groups}
    not_of_groups = names_that_matter(central.defaults)
    for knob in central:
        own = split_prefix(knob.name)[1]
        stem = stem_of(own)
        if stem not in GROUP_STEMS or own.upper() in not_of_groups or not knob.value.strip():
            continue
        # Of a group called dynamic_x the longer beginning is a part of the name.
        if not any(own[len(each) + 1 :].lower() in known for each in GROUP_STEMS if own.upper().startswith(each)):
            yield _found(evidence, knob, own[len(stem) + 1 :], groups)


def _found(evidence: Evidence, knob: Knob, group: str, groups: list[str]) -> Found:
    near = nearest(split_prefix(knob.name)[1], [f"{stem}_{each}" for each in groups for stem in GROUP_STEMS])
    hint = f"; {near} is near" if near else ""
    lists = f"{_NAMES} does not list {group}" if groups else f"{_NAMES} lists no group at all"
    return Found(
        cause=group.lower() if groups else "no groups",
        subject=f"knob {knob.name}",
        message=f"{knob.name} has no effect: {lists}{hint}",
        facts=(Fact(knob.name, knob.value, knob.place), knob_fact(evidence, _NAMES)),
        fix=f"{near} = {knob.raw or knob.value}" if near else f"{_NAMES} = {', '.join([*groups, group])}",
        examples=(knob.name,),
    )


RULE = Rule(
    id="quota-for-unknown-group",
    severity=Severity.WARNING,
    needs=(Need.CENTRAL,),
    summary="GROUP_QUOTA_*, GROUP_ACCEPT_SURPLUS_* or another knob is set for a group that GROUP_NAMES does not list",
    consequence=(
        "The negotiator makes groups of the names in GROUP_NAMES only, and looks for the knobs of these. The knob is "
        "ignored without a word, and the group that was meant keeps a quota of 0 or the defaults."
    ),
    fix="Correct the name, or add the group to GROUP_NAMES.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, 25.14",
    find=_find,
)
