"""A sound weight for the slots of a pool, and the same weight of requests for its access points.

All rules on weights and on demand propose these, so that the fix of one finding never
contradicts another. The weight of most slots stays where it is sound. Else it is a linear weight
of the assets that the present weights name; under it the pool has the weight that it has now, so
that quotas keep their meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from weakref import WeakKeyDictionary

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import access, execute, literal_text
from htcq.audit.linear import prices
from htcq.classads import Ad, as_number, parsed
from htcq.pool.demand import OWN_KNOB, POOL_KNOB, SWITCH, ScheddWeight
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
    if not evidence.offered:
        return ()
    known = _known.setdefault(evidence, {})
    key = tuple(sorted(scarce))
    if key not in known:
        known[key] = _computed(evidence, scarce)
    return known[key]


def _computed(evidence: Evidence, scarce: Collection[str]) -> tuple[Setting, ...]:
    text = _usual(evidence) if not scarce else ""
    text = text or _linear(evidence, scarce)
    otherwise = [
        slot for kind in evidence.offered if kind.weight_text != text for slot in kind.slots
    ]
    slots = execute(evidence, otherwise, POOL_KNOB, literal_text(text)) if otherwise else ()
    return (*slots, *_of_requests(evidence, text))


def _usual(evidence: Evidence) -> str:
    """Return the weight that most slots have; empty where it is not sound on one of them."""
    counts: Counter[str] = Counter()
    for kind in evidence.offered:
        counts[kind.weight_text] += kind.count
    text = counts.most_common(1)[0][0]
    same = [kind for kind in evidence.offered if kind.weight_text == text]
    return text if all(_is_sound(kind) for kind in same) else ""


def _is_sound(kind: SlotClass) -> bool:
    """Tell whether the weight charges every claim what it takes.

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
    named = [
        asset
        for asset in totals
        if totals[asset] > 0 and (asset in scarce or _names(evidence, asset))
    ]
    named = named or [CPUS]
    whole = whole or float(totals[CPUS])
    if named == [CPUS]:
        price = round(whole / totals[CPUS]) if totals[CPUS] else 1
        return "Cpus" if price <= 1 else f"{price} * Cpus"
    return " + ".join(_term(asset, whole / len(named) / totals[asset]) for asset in named)


def _most(kind: SlotClass) -> float:
    """Return the larger weight of a slot, full or empty; 0 where that is no number."""
    weights = (as_number(kind.full_weight), as_number(kind.weight(dict.fromkeys(kind.total, 0))))
    return max(0.0, max((float(weight) for weight in weights if weight is not None), default=0.0))


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
    amount = name if asset == CPUS else f"({name} ?: 0)"
    return f"{price:.3g} * {amount}"


def _of_requests(evidence: Evidence, text: str) -> tuple[Setting, ...]:
    """Return the weight ``text`` of requests for the access points that weigh jobs differently."""
    value = requested(evidence, text)
    if not value:
        return ()
    found: list[Setting] = []
    for name, configuration in evidence.access.items():
        weight = ScheddWeight(configuration)
        if not weight.weighs:
            found += access(evidence, SWITCH, "True", [name])
        if not weight.weighs or not _same(weight.text(OWN_KNOB), value):
            found += access(evidence, OWN_KNOB, literal_text(value), [name])
    return tuple(found) if evidence.access else access(evidence, OWN_KNOB, literal_text(value))


def requested(evidence: Evidence, text: str) -> str:
    """Return a weight of slots as a weight of requests; empty where it is no number for a job."""
    if text.lower() == "cpus":
        return "RequestCpus ?: 1"
    assets = {
        CPUS,
        MEMORY,
        DISK,
        GPUS,
        *(asset for kind in evidence.offered for asset in kind.assets),
    }
    for asset in sorted(assets):
        name = attribute(asset)
        request = f"(Request{name} ?: {_UNASKED.get(asset, '0')})"
        text = re.sub(
            rf"\({name} \?: 0\)|(?<![\w.\"])(?:MY\.)?{name}\b", request, text, flags=re.IGNORECASE
        )
    value = f"max({{1, ceiling({text})}})"
    expression = parsed(value)
    if expression is None or any(
        as_number(expression.evaluate(Ad(job))) is None for job in _SAMPLES
    ):
        return ""
    return value


def _same(one: str, other: str) -> bool:
    """Tell whether two weights of requests are equal for ordinary jobs."""
    first, second = parsed(one), parsed(other)
    if first is None or second is None:
        return False
    for job in _SAMPLES:
        values = [as_number(expression.evaluate(Ad(job))) for expression in (first, second)]
        if values[0] is None or values[1] is None or abs(values[0] - values[1]) > _CLOSE:
            return False
    return True
