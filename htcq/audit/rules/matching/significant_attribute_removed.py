"""An attribute of jobs to which slots refer and which is not significant.

Jobs that differ only in it are one autocluster, and one job decides for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from htcq.audit import fix_settings
from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact, listed
from htcq.audit.fix import Setting
from htcq.audit.referenced_attributes import looks_of
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.classad.names import spelling
from htcq.classad.parser import parse
from htcq.classad.tree import Reference, every
from htcq.htcondor.releases import REMOVED_BY_NEGOTIATOR
from htcq.policy.claim import request_of
from htcq.pool.configuration import Configuration
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.pool.slot_state import LIMITS
from htcq.pool.versions import version
from htcq.poolquota.access.significant_lists import (
    ONLY,
    REMOVED,
    SignificantLists,
    significant_lists,
)
from htcq.quota.knobs import Knobs

_PATTERN = "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX"
#: What the negotiator evaluates of a slot with a job as its target.
_ASKED = ("requirements", "rank")
#: And what of that a site writes.
_OF_SITES = ("start", "rank")


@dataclass(frozen=True)
class _Lists:
    """Who leaves attributes out.

    The negotiator does so by ``removed`` and ``pattern``, each access point by its own lists.
    """

    removed: frozenset[str]
    pattern: re.Pattern[str] | None
    access: Mapping[str, SignificantLists]

    def by_negotiator(self, name: str) -> str:
        """Return the knob by which the negotiator leaves ``name`` out; empty where it does not."""
        if name in self.removed:
            return REMOVED
        if self.pattern is not None and self.pattern.search(name):
            return _PATTERN
        return ""

    def by_access(self, name: str) -> Mapping[str, str]:
        """Return the access points that leave ``name`` out, each with the knob by which it does."""
        found = {}
        for point, lists in self.access.items():
            if lists.lacks(name):
                removed = name in lists.removed and not lists.only
                found[point] = REMOVED if removed else ONLY
        return found


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    versions = [version(record.value("CondorVersion")) for record in evidence.pool.negotiators]
    if not versions:
        yield Unchecked("the negotiator's ad (collector.ads): its version")
    # Schedds of all versions look at their own lists.
    newest = max(versions, default=())
    lists = _lists(evidence, bool(newest) and REMOVED_BY_NEGOTIATOR.holds(newest))
    found: dict[str, list[SlotClass]] = {}
    for kind in evidence.slot_classes_by_frame:
        for name in sorted(_looked_at(kind)):
            if lists.by_negotiator(name) or lists.by_access(name):
                found.setdefault(name, []).append(kind)
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for name in found:
        key = lists.by_negotiator(name), tuple(lists.by_access(name).items())
        alike.setdefault(key, []).append(name)
    for names in alike.values():
        kinds = {id(kind): kind for name in names for kind in found[name]}
        yield _found(evidence, names, list(kinds.values()), lists)


def _looked_at(kind: SlotClass) -> frozenset[str]:
    """Return the attributes of jobs to which slots refer.

    Of WithinResourceLimits, which the startd writes, those are the requests: what it names besides
    few jobs have (RequestedCatalogIDs), or the slot itself (CatalogSize).
    """
    consumption = [f"consumption{asset}" for asset in kind.consumption]
    every = looks_of(kind, [*_ASKED, *consumption]).of_jobs
    of_limits = (
        looks_of(kind, [LIMITS]).of_jobs - looks_of(kind, [*_OF_SITES, *consumption]).of_jobs
    )
    return every - of_limits | {request_of(asset).lower() for asset in kind.assets} & every


def _lists(evidence: Evidence, by_negotiator: bool) -> _Lists:
    removed: list[str] = []
    pattern = None
    if by_negotiator:
        removed = evidence.setting(REMOVED).replace(",", " ").split()
        pattern = _compiled(evidence.setting(_PATTERN))
    versions = {
        record.name: version(record.value("CondorVersion")) for record in evidence.pool.schedds
    }
    access = {name: _of(each, versions.get(name, ())) for name, each in evidence.access.items()}
    return _Lists(frozenset(name.lower() for name in removed), pattern, access)


def _of(configuration: Configuration, of_schedd: tuple[int, ...]) -> SignificantLists:
    return significant_lists(Knobs(configuration.texts()), of_schedd, ())


def _compiled(text: str) -> re.Pattern[str] | None:
    if not text:
        return None
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error:
        return None


def _found(evidence: Evidence, names: list[str], kinds: list[SlotClass], lists: _Lists) -> Found:
    name, first = names[0], kinds[0].first
    knob, access = lists.by_negotiator(name), lists.by_access(name)
    usual = [_spelling(_texts(kinds), each) for each in names]
    if knob:
        fact = knob_fact(evidence, knob)
    else:
        point, knob = next(iter(access.items()))
        fact = Fact(knob, evidence.access[point].value(knob))
        knob = f"{knob} of {listed(f'access point {each}' for each in access)}"
    verb = "leaves" if knob.startswith(ONLY) else "removes"
    them = "it" if len(names) == 1 else "them"
    out = "out of" if verb == "leaves" else "from"
    return Found(
        cause=", ".join(names),
        subject=f"slot {first.name}",
        message=(
            f"Requirements, Rank or the policy of slots refer to {listed(usual)} of jobs, and "
            f"{knob} {verb} {them} {out} the significant attributes: of jobs that differ only in "
            f"{them}, the first one decides for all"
        ),
        facts=(fact, Fact("Start", first.frame.text("Start") or "(absent)")),
        settings=tuple(_settings(evidence, names, usual, lists)),
        count=sum(kind.count for kind in kinds),
        examples=tuple(str(slot.name) for kind in kinds for slot in kind.slots[:1])[:EXAMPLES],
    )


def _texts(kinds: Iterable[SlotClass]) -> Iterator[str]:
    for kind in kinds:
        yield from kind.first.frame.texts.values()


def _settings(
    evidence: Evidence, names: list[str], usual: list[str], lists: _Lists
) -> Iterator[Setting]:
    """Yield the lists without ``names``; a pattern is the site's to change."""
    by_negotiator = lists.by_negotiator(names[0])
    if by_negotiator == REMOVED:
        yield fix_settings.central(evidence, REMOVED, _without(evidence.setting(REMOVED), names))
    for point, knob in lists.by_access(names[0]).items():
        configuration = evidence.access[point]
        if configuration is evidence.pool.central and knob == REMOVED == by_negotiator:
            continue
        text = configuration.value(knob)
        value = ", ".join((text, *usual))
        if knob == REMOVED:
            value = _without(text, names)
        yield from fix_settings.access(evidence, knob, value, (point,))


def _without(text: str, names: list[str]) -> str:
    return ", ".join(each for each in text.replace(",", " ").split() if each.lower() not in names)


def _spelling(texts: Iterable[str], name: str) -> str:
    """Return ``name`` as an expression of the slot spells it."""
    for text in texts:
        for part in every(parse(text)):
            if isinstance(part, Reference) and part.name == name:
                return spelling(text, part)
    return name


RULE = Rule(
    id="significant-attribute-removed",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary=(
        "Slots refer to a job attribute that REMOVE_SIGNIFICANT_ATTRIBUTES removes from "
        "autoclusters"
    ),
    consequence=(
        "Jobs with equal significant attributes are one autocluster, and the negotiator sees the "
        "ad of one of them. If slots refer to an attribute that is not significant, it may "
        "differ from job to job: the whole autocluster is rejected because of its first job, or "
        "matched and then refused by the startd."
    ),
    advice=(
        "Remove the attribute from the list, or from START, Rank and the consumption policy. The "
        "negotiator and every schedd have lists of their own; SIGNIFICANT_ATTRIBUTES of a schedd "
        "must name all that counts."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:compute_significant_attrs, 25.14 (since "
        "25.5.1), src/condor_schedd.V6/autocluster.cpp:config, 23.9 to 25.14"
    ),
    find=_find,
)
