"""Slots look at an attribute of jobs by which jobs are not told apart: one job of an autocluster decides for all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.referenced_attributes import looks_of
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.pool.versions import version

_LIST, _PATTERN = "REMOVE_SIGNIFICANT_ATTRIBUTES", "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX"
#: The first negotiator that looks at these knobs.
_SINCE = (25, 5, 1)
#: What the negotiator evaluates of a slot with a job as its target.
_ASKED = ("requirements", "rank")


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    versions = [version(record.value("CondorVersion")) for record in evidence.pool.negotiators]
    if not versions:
        yield Unchecked("the negotiator's ad (collector.ads): its version")
    if not versions or max(versions) < _SINCE:
        return
    removed = {name.lower() for name in evidence.setting(_LIST).replace(",", " ").split()}
    pattern = _compiled(evidence.setting(_PATTERN))
    found: dict[str, list[SlotClass]] = {}
    for kind in evidence.slot_classes_by_frame:
        consumption = [f"consumption{asset}" for asset in kind.consumption]
        for name in looks_of(kind, [*_ASKED, *consumption]).of_jobs:
            if name in removed or (pattern is not None and pattern.search(name)):
                found.setdefault(name, []).append(kind)
    for name, kinds in found.items():
        yield _found(evidence, name, kinds, name in removed)


def _compiled(text: str) -> re.Pattern[str] | None:
    try:
        return re.compile(text, re.IGNORECASE) if text else None
    except re.error:
        return None


def _found(evidence: Evidence, name: str, kinds: list[SlotClass], listed: bool) -> Found:
    knob, first = _LIST if listed else _PATTERN, kinds[0].first
    usual = _spelling(first.frame.texts.values(), name)
    left = [each for each in evidence.setting(_LIST).replace(",", " ").split() if each.lower() != name]
    return Found(
        cause=name,
        subject=f"slot {first.name}",
        message=f"Requirements, Rank or the policy of slots name {usual} of jobs, and {knob} takes it out of what "
        "tells jobs apart: of jobs that differ in it alone the first one decides for all",
        facts=(knob_fact(evidence, knob), Fact("Start", first.frame.text("Start") or "(absent)")),
        settings=(central(evidence, _LIST, ", ".join(left)),) if listed else (),
        count=sum(kind.count for kind in kinds),
        examples=tuple(str(slot.name) for kind in kinds for slot in kind.slots[:1])[:EXAMPLES],
    )


def _spelling(texts: Iterable[str], name: str) -> str:
    """Return ``name`` as an expression of the slot spells it."""
    for text in texts:
        spelt = re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
        if spelt:
            return str(spelt.group(0))
    return name


RULE = Rule(
    id="significant-attribute-removed",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="Slots look at an attribute of jobs that REMOVE_SIGNIFICANT_ATTRIBUTES takes out of autoclusters",
    consequence=(
        "Jobs with equal significant attributes are one autocluster, and the negotiator sees the ad of one of them. An "
        "attribute that slots look at and that is not significant may differ from job to job: the whole autocluster is "
        "rejected for what its first job says, or matched and then refused by the startd."
    ),
    advice="Take the attribute out of the list, or out of START, Rank and the consumption policy.",
    source="src/condor_negotiator.V6/matchmaker.cpp:compute_significant_attrs, 25.14 (since 25.5.1)",
    find=_find,
)
