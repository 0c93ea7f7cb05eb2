"""Dangers of a policy to the daemons that read it; htcq never writes such a policy.

Evaluates every expression on the full slot, on the empty one, on slots where a single asset is
gone, on dynamic slots, and for a grid of jobs that includes those with missing and fractional
requests. Rules: a weight that is no number makes the negotiator exit (consumption_policy.cpp), an
undefined consumption makes the slot unmatchable, a fraction is refused by the startd forever
(Resource.cpp), 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.claims.planned import Charges, job_ad
from htcq.classads import Ad, as_number
from htcq.policy.consumption import NEGOTIATOR, Number
from htcq.units import BUILT_IN_ASSETS, CPUS, MEMORY

#: NUM_CLAIMS beyond this costs the startd more memory than any node has claims for.
MAX_CLAIMS = 1_000_000
#: Claims of one job that are tried on a slot, one after the other.
_CLAIMS_TRIED = 3
#: Attributes of slots: the schedd evaluates its weight in the job alone.
_NOT_IN_A_JOB = ("cpus", "memory", "disk", "target", "gpus")


def dangers(charges: Charges) -> list[str]:
    """Return what would crash or stall a daemon, as sentences; empty for a sound policy."""
    found = [*_weight_dangers(charges), *_schedd_dangers(charges)]
    if charges.policy.splitting == NEGOTIATOR:
        found += _missing_consumption(charges)
        found += _consumption_dangers(charges)
        found += _consumed_again(charges)
        if not 1 <= charges.policy.num_claims <= MAX_CLAIMS:
            found.append(
                f"NUM_CLAIMS is {charges.policy.num_claims}: the slot would never match or "
                "exhaust the startd"
            )
    return found


def job_grid(total: Mapping[str, Number]) -> Iterator[dict[str, Number]]:
    """Yield requests of jobs.

    No request, each asset alone, fractions, everything, and multiples of one core's part.
    """
    yield {}
    yield dict.fromkeys(total, 0)
    yield {CPUS: 1.5, MEMORY: 100.5}
    for asset, amount in total.items():
        yield {asset: 1}
        yield {**dict.fromkeys(BUILT_IN_ASSETS, 1), asset: amount}
    cores = max(1, int(total[CPUS]))
    for part in (1, 2, 4, cores):
        yield {asset: max(1, int(total[asset]) * part // cores) for asset in BUILT_IN_ASSETS}


def _states(charges: Charges) -> Iterator[tuple[str, Ad]]:
    total = charges.total
    yield "the full slot", charges.pslot(total)
    yield "the empty slot", charges.pslot(dict.fromkeys(total, 0))
    for asset in total:
        yield f"a slot without {asset}", charges.pslot({**total, asset: 0})
    yield "a dynamic slot", charges.dynamic_ad(dict.fromkeys(total, 1))
    yield "a dynamic slot of everything", charges.dynamic_ad(total)


def _weight_dangers(charges: Charges) -> list[str]:
    found = []
    for where, slot in _states(charges):
        weight = charges.weight(slot)
        if weight is None:
            found.append(
                f"SLOT_WEIGHT is no number on {where}: the negotiator would exit at the first match"
            )
        elif weight < 0:
            found.append(f"SLOT_WEIGHT is {weight:g} on {where}: a weight must not be negative")
    charges.pslot(charges.total)
    return found[:3]


def _missing_consumption(charges: Charges) -> list[str]:
    why = "the negotiator would take the slot for an ordinary one"
    missing = [asset for asset in charges.total if asset not in charges.consumption]
    return [f"CONSUMPTION_{asset.upper()} is missing: {why}" for asset in missing]


def _consumption_dangers(charges: Charges) -> list[str]:
    found: dict[str, str] = {}
    slot = charges.pslot(charges.total)
    for shape in job_grid(charges.total):
        for asset, amount in charges.consumed(slot, job_ad(shape)).items():
            danger = _danger_of(amount)
            if danger and asset not in found:
                shown, why = danger
                found[asset] = (
                    f"CONSUMPTION_{asset.upper()} is {shown} for a job that asks for "
                    f"{_request_text(shape)}: {why}"
                )
    return list(found.values())


def _consumed_again(charges: Charges) -> Iterator[str]:
    """Yield the assets of which a claim consumes more once it was carved.

    The startd carves the dynamic slot, evaluates the consumption again on what is left of the
    partitionable slot, puts it in place of the request, and refuses the dynamic slot whose
    WithinResourceLimits finds less than that (command.cpp:request_claim, 25.14).
    """
    found: set[str] = set()
    for shape in [*job_grid(charges.total), *_near_parts(charges.total)]:
        job = job_ad(shape)
        for left, taken in _claims(charges, job):
            after = {asset: amount - taken[asset] for asset, amount in left.items()}
            again = charges.consumed(charges.pslot(after), job)
            # The startd puts nothing in place of a request that the job does not make.
            for asset in shape.keys() - found:
                amount = again.get(asset)
                if amount is None or amount <= taken[asset]:
                    continue
                found.add(asset)
                yield (
                    f"CONSUMPTION_{asset.upper()} is {taken[asset]:g} for a job that asks for "
                    f"{_request_text(shape)}, and {amount:g} on what that leaves: the startd "
                    "would refuse what the negotiator matches, in every cycle"
                )
    charges.pslot(charges.total)


def _claims(charges: Charges, job: Ad) -> Iterator[tuple[dict[str, Number], dict[str, Number]]]:
    """Yield what is left of a slot and what a claim takes of it: the first claims, and the last.

    Between them lies what fits of claims as the third one is.
    """
    left: dict[str, Number] = dict(charges.total)
    for number in range(2 * _CLAIMS_TRIED):
        taken = _taken(charges.consumed(charges.pslot(left), job), left)
        if not taken:
            return
        yield left, taken
        more = 1
        if number == _CLAIMS_TRIED - 1:
            more = max(1, _fitting(left, taken) - _CLAIMS_TRIED)
        left = {asset: amount - more * taken[asset] for asset, amount in left.items()}


def _fitting(left: Mapping[str, Number], taken: Mapping[str, Number]) -> int:
    """Return how many claims that take the same fit into what is left."""
    return int(min(left[asset] // amount for asset, amount in taken.items() if amount))


def _taken(consumed: Mapping[str, Number | None], left: Mapping[str, Number]) -> dict[str, Number]:
    """Return what a claim takes; empty where the negotiator would not match it."""
    taken = {asset: amount for asset, amount in consumed.items() if amount is not None}
    sound = len(taken) == len(left) and not any(map(_danger_of, taken.values()))
    if not sound or not any(taken.values()):
        return {}
    return taken if all(taken[asset] <= left[asset] for asset in left) else {}


def _near_parts(total: Mapping[str, Number]) -> Iterator[dict[str, Number]]:
    """Yield requests just below and above the parts of cores, where roundings differ."""
    cores = max(1, int(total[CPUS]))
    for part in {1, 2, (cores + 2) // 3, cores}:
        for more in (-41, -1, 1):
            yield {asset: max(1, int(total[asset]) * part // cores + more) for asset in total}


def _danger_of(amount: Number | None) -> tuple[str, str] | None:
    """Return a consumption as text and why it is dangerous; None where it is not."""
    if amount is None:
        return "undefined", "no match, ever"
    if amount < 0:
        return f"{amount:g}", "no match, ever"
    if amount != int(amount):
        return f"{amount:g}", "the startd hands out whole units and refuses fractions forever"
    return None


def _request_text(shape: Mapping[str, Number]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in shape.items()) or "nothing"


def _schedd_dangers(charges: Charges) -> list[str]:
    expression = charges.schedd_expr
    words = expression.words()
    for name in _NOT_IN_A_JOB:
        if name in words:
            return [f"SCHEDD_SLOT_WEIGHT mentions {name}, which no job has"]
    for shape in job_grid(charges.total):
        demand = as_number(expression.evaluate(job_ad(shape)))
        if demand is not None and int(demand) >= 1:
            continue
        shown = "no number" if demand is None else f"{demand:g}"
        return [
            f"SCHEDD_SLOT_WEIGHT is {shown} for a job that asks for {_request_text(shape)}: "
            "its group would starve"
        ]
    return []
