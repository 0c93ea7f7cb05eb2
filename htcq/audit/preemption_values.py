"""Values of PREEMPTION_REQUIREMENTS for all that the negotiator may put into the two ads.

The negotiator evaluates it with MY as the claimed slot and TARGET as the request
(src/condor_negotiator.V6/matchmaker.cpp: matchmakingAlgorithm, 25.14). It adds attributes to
both before (negotiate, addRemoteUserPrios): Submitter* to the request, Remote* to slots with a
user; those of groups only where groups have quotas. Only ``true`` holds, no number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod

from htcq.audit.evidence import Evidence
from htcq.classad.clock import at_time
from htcq.classad.names import numbers_in, spelling, strings, visible
from htcq.classad.parser import parse
from htcq.classad.tree import MY, TARGET, Reference, Tree
from htcq.classads import ERROR, UNDEFINED, Ad, Expr, Missing, Value, parsed
from htcq.pool.attribute_names import job_names, slot_names
from htcq.pool.job import Job
from htcq.pool.slot import Slot
from htcq.quota.group_tree import ROOT
from htcq.units import BUILT_IN_ASSETS

#: What the negotiator adds to the request, and to the ad of a slot with a user: numbers.
OF_REQUEST = ("SubmitterUserPrio", "SubmittorPrio", "SubmitterUserResourcesInUse")
OF_SLOT = ("RemoteUserPrio", "RemoteUserFloor", "RemoteUserResourcesInUse")
#: The same where groups have quotas: numbers, and names of groups.
GROUPS_OF_REQUEST = ("SubmitterGroupResourcesInUse", "SubmitterGroupQuota")
GROUPS_OF_SLOT = ("RemoteGroupResourcesInUse", "RemoteGroupQuota")
GROUP_OF_REQUEST, GROUP_OF_SLOT = "SubmitterGroup", "RemoteGroup"
#: In every request; and what a slot keeps of the request that it was matched with.
NEGOTIATING, REMOTE_NEGOTIATING = "SubmitterNegotiatingGroup", "RemoteNegotiatingGroup"
REGROUPS, REMOTE_REGROUPS = "SubmitterAutoregroup", "RemoteAutoregroup"

#: How many combinations are evaluated at most, and how many ads give values.
_MAX_COMBINATIONS, _MAX_ADS, _MAX_VALUES = 20_000, 200, 4
_NUMBERS = (0, 0.5, 1000, 1e9)
#: The present in all expressions: ages are counted from it.
_NOW = 2_000_000_000
#: A prime: with steps of so many, the first combinations differ in every attribute.
_STEP = 7919


@dataclass(frozen=True)
class PreemptionTruth:
    """What the expression comes to.

    ``holds`` and ``fails`` tell whether it was true, and whether it was not, for any combination
    of values; ``whole`` whether all of them were tried. ``unknown`` are names that nothing
    defines in the ad where the expression looks for them. ``number`` says that it is never a
    truth value, but a number.
    """

    holds: bool
    fails: bool
    whole: bool
    unknown: tuple[str, ...] = ()
    number: bool = False


@dataclass(frozen=True)
class _Attribute:
    """One attribute that the expression may see: in which ad, and with which values."""

    scope: str
    name: str
    values: Sequence[Value]


def outcome_of(evidence: Evidence, text: str) -> PreemptionTruth | None:
    """Return what the expression ``text`` comes to; None where it is no expression."""
    timed = at_time(text, str(_NOW))
    expression = parsed(timed)
    if expression is None:
        return None
    attributes, unknown = _attributes(evidence, expression, timed != text)
    count = prod(len(each.values) for each in attributes)
    holds, fails, number = False, False, True
    for value in _evaluated(expression, attributes, count):
        holds = holds or value is True
        fails = fails or value is not True
        number = number and isinstance(value, (int, float)) and not isinstance(value, bool)
        if holds and fails:
            break
    return PreemptionTruth(holds, fails, count <= _MAX_COMBINATIONS, unknown, number)


def _evaluated(expression: Expr, attributes: Sequence[_Attribute], count: int) -> Iterator[Value]:
    """Yield the values of the expression for the combinations of values of ``attributes``."""
    for step in range(min(count, _MAX_COMBINATIONS)):
        place = step * _STEP % count
        ads = {MY: Ad(), TARGET: Ad()}
        for attribute in attributes:
            place, index = divmod(place, len(attribute.values))
            value = attribute.values[index]
            if not isinstance(value, Missing):
                ads[attribute.scope][attribute.name] = value
        yield expression.evaluate(ads[MY], ads[TARGET])


# What the two ads have
# --------------------------------------------------------------------------------------------------


def _attributes(
    evidence: Evidence, expression: Expr, by_the_clock: bool
) -> tuple[list[_Attribute], tuple[str, ...]]:
    """Return the attributes that the expression names and either ad has, and the other names."""
    references = expression.references()
    tree = parse(expression.text)
    numbers = _numbers(tree, by_the_clock)
    added = _added(evidence, numbers)

    def values(scope: str, name: str) -> Sequence[Value]:
        return added[scope].get(name) or _of_ads(evidence, scope, name, tree, numbers)

    found: list[_Attribute] = []
    for name in sorted(references.own | references.target):
        mine = values(MY, name) if name in references.own else ()
        if mine:
            found.append(_Attribute(MY, name, mine))
        theirs = values(TARGET, name) if name in references.target or not mine else ()
        if theirs:
            found.append(_Attribute(TARGET, name, theirs))
    return found, tuple(_unknown(expression, {(each.scope, each.name) for each in found}))


def _unknown(expression: Expr, known: Collection[tuple[str, str]]) -> Iterator[str]:
    """Yield the names that no ad has where the expression looks for them."""
    scoped, spelt = dict[tuple[str, str], str](), dict[str, str]()
    for part in visible(parse(expression.text)):
        if isinstance(part, Reference):
            name = spelt.setdefault(part.name, spelling(expression.text, part))
            if part.scope is not None:
                scoped[part.scope, part.name] = name
    for (scope, lower), name in scoped.items():
        if (scope, lower) not in known:
            yield f"{scope.upper()}.{name}"
    references = expression.references()
    for name in sorted((references.own | references.target) - {name for _, name in scoped}):
        if (MY, name) not in known and (TARGET, name) not in known:
            yield spelt.get(name, name)


def _numbers(tree: Tree, by_the_clock: bool) -> Sequence[float]:
    """Return numbers on all sides of those in ``tree``."""
    literals = {abs(float(each)) for each in numbers_in(tree)} - {float(_NOW)}
    near = {value + step for value in sorted(literals)[:_MAX_VALUES] for step in (-1, 0, 1)}
    found = sorted(near.union(_NUMBERS))
    if by_the_clock:
        return [*found, *(_NOW - value for value in found if value < _NOW)]
    return found


def _added(
    evidence: Evidence, numbers: Sequence[float]
) -> Mapping[str, Mapping[str, Sequence[Value]]]:
    """Return the attributes that the negotiator adds to each ad, with their values."""
    quotas = evidence.quotas
    groups = [group.name for group in quotas.tree.groups][: _MAX_VALUES - 1] or [ROOT]
    mine: dict[str, Sequence[Value]] = dict.fromkeys(OF_SLOT, numbers)
    theirs: dict[str, Sequence[Value]] = dict.fromkeys(OF_REQUEST, numbers)
    if quotas.grouped:
        mine.update(dict.fromkeys(GROUPS_OF_SLOT, numbers))
        theirs.update(dict.fromkeys(GROUPS_OF_REQUEST, numbers))
        mine[GROUP_OF_SLOT] = theirs[GROUP_OF_REQUEST] = groups
    theirs[NEGOTIATING] = groups
    theirs[REGROUPS] = (False, True) if quotas.tree[ROOT].autoregroup else (False,)
    mine[REMOTE_NEGOTIATING] = [UNDEFINED, *groups]
    # CopyAttribute has the wrong ad: the slot keeps none (matchmaker.cpp, 25.14).
    mine[REMOTE_REGROUPS] = (UNDEFINED,)
    return {MY: _lower(mine), TARGET: _lower(theirs)}


def _lower(values: Mapping[str, Sequence[Value]]) -> dict[str, Sequence[Value]]:
    return {name.lower(): each for name, each in values.items()}


def _of_ads(
    evidence: Evidence, scope: str, name: str, tree: Tree, numbers: Sequence[float]
) -> Sequence[Value]:
    """Return the values of an attribute of slots or jobs; none where no ad may have it.

    One that HTCondor gives to such ads may have others than those that were captured.
    """
    ads: Iterable[Slot | Job] = evidence.slots
    names = slot_names(BUILT_IN_ASSETS)
    if scope == TARGET:
        ads = [each.first for each in evidence.autoclusters]
        names = job_names(BUILT_IN_ASSETS)
    seen: dict[object, Value] = {}
    for each in islice(ads, _MAX_ADS):
        value = each.ad().value(name)
        seen.setdefault((type(value), value), value)
    values = [value for value in seen.values() if value not in (UNDEFINED, ERROR)]
    if not values and name not in {each.lower() for each in names}:
        return ()
    texts = list(strings(tree))[:_MAX_VALUES]
    return _varied(values[:_MAX_VALUES], numbers, texts)


def _varied(
    values: Sequence[Value], numbers: Sequence[float], texts: Sequence[str]
) -> Sequence[Value]:
    """Return ``values`` with others of their kinds, and undefined."""
    found: list[Value] = [*values, UNDEFINED]
    kinds = {type(value) for value in values}
    if not kinds or kinds & {int, float}:
        found += numbers
    if not kinds or str in kinds:
        found += texts
    if not kinds or bool in kinds:
        found += (True, False)
    return found
