"""A sound weight for the slots of a pool, and the same weight of requests for its access points.

All rules on weights and on demand propose these, so that the fix of one finding never
contradicts another. The weight of most slots stays where it is sound. Else it is a linear weight
of the assets that the present weights name; under it the pool has the weight that it has now, so
that quotas keep their meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container
from weakref import WeakKeyDictionary

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import access, execute, literal_text
from htcq.audit.linear import prices
from htcq.classad.substitution import substituted
from htcq.classad.tree import TARGET, Binary, Literal, Reference, Tree
from htcq.classads import Ad, as_number, parsed
from htcq.pool.demand import OWN_KNOB, POOL_KNOB, SWITCH, ScheddWeight
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS, DISK, GPUS, MEMORY, attribute

#: The request of a job that does not name an asset, as an expression, by asset; 0 for all others.
_UNASKED = {CPUS: "1"}
#: Jobs for which two weights of requests are compared.
_SAMPLES = (
    {"RequestCpus": 1, "RequestMemory": 1024, "RequestDisk": 1048576},
    {"RequestCpus": 4, "RequestMemory": 1024, "RequestDisk": 1048576},
    {"RequestCpus": 1, "RequestMemory": 16384, "RequestDisk": 1048576},
)
_CLOSE = 1e-6
#: The results by pool: many findings of one audit propose them.
_known: WeakKeyDictionary[Evidence, dict[tuple[str, ...], tuple[Setting, ...]]] = (
    WeakKeyDictionary()
)


def sound_weights(evidence: Evidence, scarce: Collection[str] = ()) -> tuple[Setting, ...]:
    """Return the weights of all slots and access points that do not have them yet.

    ``scarce`` are assets that the weight must count, whether it does now or not.
    """
    if not evidence.offered or evidence.is_trial:
        return ()
    known = _known.setdefault(evidence, {})
    key = tuple(sorted(scarce))
    if key not in known:
        known[key] = _computed(evidence, scarce)
    return known[key]


def _computed(evidence: Evidence, scarce: Collection[str]) -> tuple[Setting, ...]:
    text = ""
    if not scarce:
        text = _usual(evidence)
    if not text:
        text = _linear(evidence, scarce)
    changed: list[Slot] = []
    for kind in evidence.offered:
        if kind.weight_text != text:
            changed += kind.slots
    slots = execute(evidence, changed, POOL_KNOB, literal_text(text))
    return (*slots, *_of_requests(evidence, text))


def _usual(evidence: Evidence) -> str:
    """Return the weight that most slots have; empty where it is not sound on one of them."""
    counts: Counter[str] = Counter()
    for kind in evidence.offered:
        counts[kind.weight_text] += kind.count
    text = counts.most_common(1)[0][0]
    for kind in evidence.offered:
        if kind.weight_text == text and not _is_sound(kind):
            return ""
    return text


def _is_sound(kind: SlotClass) -> bool:
    """Return whether the weight charges every claim what it takes.

    Without a consumption policy a weight above 0 is sound.
    """
    if kind.supports_policy:
        return prices(kind) is not None
    full = as_number(kind.full_weight)
    return full is not None and full > 0


def _linear(evidence: Evidence, scarce: Collection[str]) -> str:
    """Return a weight that is linear in the assets that the present weights name."""
    totals: Counter[str] = Counter()
    whole = 0.0
    for kind in evidence.offered:
        whole += kind.count * _most(kind)
        for asset, amount in kind.total.items():
            totals[asset] += int(kind.count * amount)
    named: list[str] = []
    for asset, total in totals.items():
        if total > 0 and (asset in scarce or _names(evidence, asset)):
            named.append(asset)
    whole = whole or float(totals[CPUS])
    if not named or named == [CPUS]:
        return _of_cpus(whole, totals[CPUS])
    return " + ".join(_term(asset, whole / len(named) / totals[asset]) for asset in named)


def _of_cpus(whole: float, cpus: int) -> str:
    """Return a weight of cpus alone, under which ``cpus`` weigh about ``whole``."""
    if not cpus:
        return "Cpus"
    price = round(whole / cpus)
    if price <= 1:
        return "Cpus"
    return f"{price} * Cpus"


def _most(kind: SlotClass) -> float:
    """Return the larger weight of a slot, full or empty; 0 where that is no number."""
    most = 0.0
    for value in (kind.full_weight, kind.weight(dict.fromkeys(kind.total, 0))):
        weight = as_number(value)
        if weight is not None:
            most = max(most, float(weight))
    return most


def _names(evidence: Evidence, asset: str) -> bool:
    own = {attribute(asset).lower(), f"totalslot{asset}"}
    for kind in evidence.offered:
        expression = kind.first.frame.expression("SlotWeight")
        if expression is not None and own & {word.lower() for word in expression.words()}:
            return True
    return False


def _term(asset: str, price: float) -> str:
    """Return the term of ``asset`` in a weight; MB and KiB are divided to keep numbers readable."""
    name = attribute(asset)
    if asset in (MEMORY, DISK):
        return f"{name} / {float(f'{1 / price:.4g}'):.1f}"
    if asset == CPUS:
        return f"{price:.3g} * {name}"
    return f"{price:.3g} * ({name} ?: 0)"


def _of_requests(evidence: Evidence, text: str) -> tuple[Setting, ...]:
    """Return the weight ``text`` of requests for the access points that weigh jobs differently."""
    value = requested(evidence, text)
    if not value:
        return ()
    if not evidence.access:
        return access(evidence, OWN_KNOB, literal_text(value))
    found: list[Setting] = []
    for name, configuration in evidence.access.items():
        weight = ScheddWeight(configuration)
        if not weight.weighs:
            found += access(evidence, SWITCH, "True", [name])
        if not weight.weighs or not _same(weight.text(OWN_KNOB), value):
            found += access(evidence, OWN_KNOB, literal_text(value), [name])
    return tuple(found)


def requested(evidence: Evidence, text: str) -> str:
    """Return a weight of slots as a weight of requests; empty where it is no number for a job."""
    if text.lower() == "cpus":
        return "RequestCpus ?: 1"
    assets = {CPUS, MEMORY, DISK, GPUS}
    for kind in evidence.offered:
        assets.update(kind.assets)
    value = f"max({{1, ceiling({_with_requests(text, assets)})}})"
    expression = parsed(value)
    if expression is None:
        return ""
    for job in _SAMPLES:
        if as_number(expression.evaluate(Ad(job))) is None:
            return ""
    return value


def _with_requests(text: str, assets: Container[str]) -> str:
    """Return ``text`` with what is requested of an asset for what the slot has."""

    def request(part: Tree) -> str | None:
        if isinstance(part, Reference) and part.scope != TARGET and part.name in assets:
            return f"Request{attribute(part.name)} ?: {_UNASKED.get(part.name, '0')}"
        return None

    def replaced(part: Tree) -> str | None:
        if isinstance(part, Binary) and part.operator == "?:" and _is_zero(part.right):
            return request(part.left)
        found = request(part)
        return None if found is None else f"({found})"

    return substituted(text, replaced)


def _is_zero(tree: Tree) -> bool:
    return isinstance(tree, Literal) and tree.value == 0


def _same(one: str, other: str) -> bool:
    """Return whether two weights of requests are equal for ordinary jobs."""
    first, second = parsed(one), parsed(other)
    if first is None or second is None:
        return False
    for job in _SAMPLES:
        mine, theirs = as_number(first.evaluate(Ad(job))), as_number(second.evaluate(Ad(job)))
        if mine is None or theirs is None or abs(mine - theirs) > _CLOSE:
            return False
    return True
