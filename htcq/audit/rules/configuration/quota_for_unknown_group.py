"""A quota or another knob of a group is set, and GROUP_NAMES does not list the group."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Role, Setting
from htcq.audit.fix_settings import central
from htcq.audit.group_knobs import near_group_knob, of_unknown_group
from htcq.audit.harm import idle_jobs
from htcq.audit.rule import HARMLESS, Fact, Found, Harm, Input, Rule, Severity
from htcq.htcondor.knob_names import GROUP_STEMS, lacks_underscore, names_that_matter, stem_of
from htcq.pool.configuration import Knob
from htcq.quota.group_tree import name_key

_NAMES = "GROUP_NAMES"
_QUOTAS = ("GROUP_QUOTA", "GROUP_QUOTA_DYNAMIC")


def _find(evidence: Evidence) -> Iterator[Found]:
    configuration = evidence.pool.central
    if configuration is None:
        return
    groups = evidence.setting(_NAMES).replace(",", " ").split()
    known = {group.lower() for group in groups}
    not_of_groups = names_that_matter(configuration.defaults)
    for knob in configuration:
        own = knob.bare
        stem = stem_of(own)
        if stem not in GROUP_STEMS or own.upper() in not_of_groups or not knob.value.strip():
            continue
        if not groups and lacks_underscore(own):
            # The rule on unknown knobs names the knob that was meant.
            continue
        # Of a group called dynamic_x the longer stem is a part of the name.
        stems = [each for each in GROUP_STEMS if own.upper().startswith(each)]
        if not any(own[len(each) + 1 :].lower() in known for each in stems):
            yield _found(evidence, knob, own[len(stem) + 1 :], groups)


def _found(evidence: Evidence, knob: Knob, group: str, groups: list[str]) -> Found:
    near = near_group_knob(evidence, knob)
    hint = ""
    if near:
        hint = f"; did you mean {near}?"
    cause, lists = "no groups", f"{_NAMES} lists no groups"
    if groups:
        cause, lists = group.lower(), f"{_NAMES} does not list {group}"
    return Found(
        cause=cause,
        subject=f"knob {knob.name}",
        message=f"{knob.name} has no effect: {lists}{hint}",
        facts=(Fact(knob.name, knob.value, knob.place), knob_fact(evidence, _NAMES)),
        settings=_settings(evidence, knob, group, groups, near),
        examples=(knob.name,),
        harm=_harm(evidence, knob, group),
        trial=_with_effect(evidence, knob, group, groups, near),
    )


def _with_effect(
    evidence: Evidence, knob: Knob, group: str, groups: list[str], near: str
) -> tuple[Setting, ...]:
    """Return the settings that give the knob an effect.

    They list the group, or they set the knob of the near name instead.

    Of two names that are near each other the one is right that submitters name.
    """
    if near and not _is_named(evidence, group):
        return Setting(Role.CENTRAL, knob.bare, ""), Setting(Role.CENTRAL, near, knob.value)
    return (Setting(Role.CENTRAL, _NAMES, _listing(group, groups, near)),)


def _settings(
    evidence: Evidence, knob: Knob, group: str, groups: list[str], near: str
) -> tuple[Setting, ...]:
    """Return what mends it: where submitters name the group, the list is wrong and not the knob."""
    if near and _is_named(evidence, group):
        return (central(evidence, _NAMES, _listing(group, groups, near)),)
    return of_unknown_group(evidence, knob)


def _listing(group: str, groups: list[str], near: str) -> str:
    """Return the list of groups, with ``group`` in place of the group of the knob ``near``."""
    misspelt = ""
    if near:
        misspelt = near.partition(f"{stem_of(near)}_")[2].lower()
    names = [each for each in groups if each.lower() != misspelt]
    return ", ".join([*names, group])


def _harm(evidence: Evidence, knob: Knob, group: str) -> Harm:
    """Return that the group gets nothing of its quota while its jobs wait."""
    if stem_of(knob.bare) not in _QUOTAS:
        return HARMLESS
    path = name_key(group) + b"."
    own = [each for each in evidence.pool.submitters if name_key(each.name).startswith(path)]
    jobs = idle_jobs(own)
    return Harm(starved=(group,), jobs=jobs) if jobs else HARMLESS


def _is_named(evidence: Evidence, group: str) -> bool:
    """Return whether the submitter ads have one of ``group``, or of a group below it."""
    path = name_key(group) + b"."
    return any(name_key(record.name).startswith(path) for record in evidence.pool.submitters)


RULE = Rule(
    id="quota-for-unknown-group",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary=(
        "GROUP_QUOTA_*, GROUP_ACCEPT_SURPLUS_* or another knob is set for a group that "
        "GROUP_NAMES does not list"
    ),
    consequence=(
        "The negotiator creates only the groups in GROUP_NAMES, and reads only their knobs. This "
        "knob is silently ignored, and the intended group keeps a quota of 0 or the defaults. If "
        "jobs of that group wait, this is an error."
    ),
    advice="Correct the name, or add the group to GROUP_NAMES.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_construct_tree, 25.14",
    find=_find,
)
