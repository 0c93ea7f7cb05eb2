"""One claim: what a job consumes of a slot, what that costs and weighs, and what the startd carves.

Follows src/condor_utils/consumption_policy.cpp, Accountant.cpp:GetSlotWeight, and of
src/condor_startd.V6 Resource.cpp:create_dslot and command.cpp:activate_claim, HTCondor 23.9 to
25.14. Everything is evaluated on ads: those of a pool, or ads that were made for a planned slot.
Amounts are in HTCondor's units: MB, KiB, counts.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Callable, Optional, Protocol

from htcq.classads import Ad, Expr, Value, as_number, holds, named
from htcq.htcondor.releases import MODIFIED_FRACTIONS
from htcq.policy.carved import Amounts, Number, Way, bag_of, published
from htcq.policy.defaults import MODIFIED, disk_slop
from htcq.units import CPUS, DISK, MEMORY, attribute

#: What a job takes of each asset; None where the expression yields no number.
Taken = Mapping[str, Optional[Number]]
#: What a startd reads as whole numbers of a request without a policy; the rest may be fractions
#: (create_dslot).
_WHOLE = (CPUS, MEMORY, DISK)
_LIMITS = "WithinResourceLimits"


class Attributes(Protocol):
    """What has values by attribute name: an ad."""

    def __contains__(self, name: str) -> bool: ...

    def value(self, name: str) -> Value:
        """Return the value of the attribute ``name``; UNDEFINED where there is none."""


class JobSide(Protocol):
    """A job."""

    def ad(self, changed: Mapping[str, Value] | None = None) -> Ad:
        """Return its ad with some attributes changed; valid until the next call."""


class SlotSide(Protocol):
    """A partitionable slot."""

    @property
    def assets(self) -> Sequence[str]:
        """The assets that it hands out."""

    @property
    def supports_policy(self) -> bool:
        """Whether HTCondor matches by consumption policy there."""

    def ad(self, amounts: Amounts) -> Ad:
        """Return its ad with ``amounts`` left; valid until the next call of this or dynamic_ad."""

    def dynamic_ad(self, amounts: Amounts) -> Ad:
        """Return the ad of a dynamic slot of it that has ``amounts``."""


class Lack(enum.Enum):
    """Why the negotiator finds a slot insufficient (cp_sufficient_assets)."""

    NO_NUMBER = "the consumption of an asset is no number, or below zero"
    TOO_LITTLE = "the slot has less of an asset than is consumed"
    NOTHING = "nothing at all is consumed"


# The negotiator
# --------------------------------------------------------------------------------------------------


def supports(slot: Ad) -> bool:
    """Return whether ``slot`` has a consumption policy to HTCondor (cp_supports_policy, strict)."""
    resources = named("MachineResources").evaluate(slot)
    if named("PartitionableSlot").evaluate(slot) is not True or not isinstance(resources, str):
        return False
    assets = resources.replace(",", " ").lower().split()
    return all(f"Consumption{asset}" in slot for asset in assets if asset != "swap")


@lru_cache(maxsize=1024)
def request_of(asset: str) -> str:
    """Return the name of the job attribute that asks for ``asset``."""
    return f"Request{attribute(asset)}"


def stand_in(job: Attributes, asset: str) -> Number | None:
    """Return what replaces the request for ``asset`` while its consumption is evaluated.

    None: the request itself counts.

    A number in _condor_Request<asset> comes before it, as a floating-point number, which
    divisions by whole numbers tell from a whole one; a request that the job does not make counts
    as 0.
    """
    name = request_of(asset)
    instead = as_number(job.value(f"_condor_{name}")) if f"_condor_{name}" in job else None
    if instead is not None:
        return float(instead)
    return None if name in job else 0


@lru_cache(maxsize=1024)
def _consumption_of(asset: str) -> Expr:
    return named(f"Consumption{attribute(asset)}")


def consumed(slot: Ad, job: Ad, assets: Iterable[str]) -> dict[str, Number | None]:
    """Return what ``job`` consumes of each of ``assets`` by the policy of ``slot``.

    Source: consumption_policy.cpp:cp_compute_consumption.
    """
    taken: dict[str, Number | None] = {}
    for asset in assets:
        expression, instead = _consumption_of(asset), stand_in(job, asset)
        if instead is None:
            taken[asset] = as_number(expression.evaluate(slot, job))
        else:
            with job.changed(request_of(asset), instead):
                taken[asset] = as_number(expression.evaluate(slot, job))
    return taken


def never_matched(taken: Taken) -> Lack | None:
    """Return why a consumption of ``taken`` never matches, whatever the slot; None where it may."""
    if any(amount is None or amount < 0 for amount in taken.values()):
        return Lack.NO_NUMBER
    return None if any(taken.values()) else Lack.NOTHING


def lack(left: Amounts, taken: Taken) -> tuple[Lack | None, str]:
    """Return why a slot that has ``left`` does not suffice, and the asset; None where it does."""
    for asset, amount in taken.items():
        if amount is None or amount < 0:
            return Lack.NO_NUMBER, asset
        if left[asset] < amount:
            return Lack.TOO_LITTLE, asset
    return never_matched(taken), ""


def overridden(job: Ad, taken: Taken) -> dict[str, Value]:
    """Return what the negotiator changes of a job for the match.

    The job asks for what it consumes, and _cp_orig_Request<asset> is what it asked for.
    """
    changed: dict[str, Value] = {}
    for asset, amount in taken.items():
        name = request_of(asset)
        if name in job and amount is not None:
            changed[f"_cp_orig_{name}"] = job.value(name)
            changed[name] = amount
    return changed


def deduct(left: Amounts, taken: Taken) -> dict[str, Number]:
    """Return ``left`` without ``taken``, whole where it is whole (assign_preserve_integers)."""
    return {asset: whole(amount - (taken.get(asset) or 0)) for asset, amount in left.items()}


def whole(amount: Number) -> Number:
    """Return ``amount`` as an integer if it is one: so the negotiator writes it back."""
    return amount if isinstance(amount, int) or amount != int(amount) else int(amount)


def match_cost(
    weigh: Callable[[Amounts], Number | None], left: Amounts, taken: Taken
) -> Number | None:
    """Return W(R) - W(R') of a match by policy; None where a weight is not a number.

    Source: consumption_policy.cpp:cp_deduct_assets.
    """
    before, after = weigh(left), weigh(deduct(left, taken))
    return None if before is None or after is None else before - after


def accounted(weight: Value) -> Number:
    """Return the weight that the accountant charges: 1 where there is none or a negative one.

    Source: Accountant.cpp:GetSlotWeight.
    """
    number = as_number(weight)
    return 1 if number is None or number < 0 else number


# The startd
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Startd:
    """What of a startd decides what it carves.

    ``modify`` are its MODIFY_REQUEST_EXPR_* by asset, without those that are no expressions.
    With ``must_modify`` it does not fall back on the request as it came.
    """

    modify: Mapping[str, Expr] = field(default_factory=dict)
    version: tuple[int, ...] = (999,)
    must_modify: bool = False


def modified(startd: Startd, slot: Ad, job: JobSide) -> dict[str, Value]:
    """Return the requests as MODIFY_REQUEST_EXPR_* change them, in whole numbers.

    An expression without a number changes nothing; to an older startd one with a fraction is none.
    """
    changed: dict[str, Value] = {}
    any_number = MODIFIED_FRACTIONS.holds(startd.version)
    for asset in MODIFIED:
        expression = startd.modify.get(asset)
        if expression is None:
            continue
        value = expression.evaluate(job.ad(changed), slot)
        amount = as_number(value)
        if amount is not None and (any_number or type(value) is int):
            changed[request_of(asset)] = int(amount)
    return changed


def ways(
    slot: SlotSide, job: JobSide, left: Amounts, startd: Startd, machine_disk_kb: Number = 0
) -> Iterator[Way]:
    """Yield what the startd tries, in turn: the request as it changes it, then as it came.

    ``machine_disk_kb`` is TotalDisk, of which startds before 25.4 give shares.
    """
    for way in unjudged_ways(slot, job, left, startd, machine_disk_kb):
        yield way if way.impossible else replace(way, refusal=refused(slot, job, way))


def unjudged_ways(
    slot: SlotSide,
    job: JobSide,
    left: Amounts,
    startd: Startd,
    machine_disk_kb: Number = 0,
    by_policy: Taken | None = None,
    requests: Iterable[Mapping[str, Value]] | None = None,
) -> Iterator[Way]:
    """Yield the same ways, without the check that the dynamic slot takes its job.

    That check is half of the work.

    Where it is known: ``by_policy`` is what the job as it is takes of the slot, ``requests`` are
    the changed requests.
    """
    for request in changed_requests(slot, job, left, startd) if requests is None else requests:
        yield _way(
            slot, job, left, startd, machine_disk_kb, request, None if request else by_policy
        )


def changed_requests(
    slot: SlotSide, job: JobSide, left: Amounts, startd: Startd
) -> Iterator[Mapping[str, Value]]:
    """Yield the changed requests of each try: first as the startd changes them, then none."""
    changed = modified(startd, slot.ad(left), job)
    asking = job.ad()
    if all(asking.says(name, value) for name, value in changed.items()):
        changed = {}
    again = not startd.must_modify and _changes(asking, changed)
    yield changed
    if again:
        yield {}


def _changes(job: Ad, changed: Mapping[str, Value]) -> bool:
    return any(job.value(name) != value for name, value in changed.items())


def _way(
    slot: SlotSide,
    job: JobSide,
    left: Amounts,
    startd: Startd,
    machine_disk_kb: Number,
    changed: Mapping[str, Value],
    by_policy: Taken | None,
) -> Way:
    request = job.ad(changed)
    policy = slot.supports_policy
    if not policy:
        taken: Taken = requested(request, slot.assets)
    elif by_policy is None:
        taken = consumed(slot.ad(left), request, slot.assets)
    else:
        taken = by_policy
    sure: dict[str, Number] = {}
    for asset, amount in taken.items():
        if amount is None or amount < 0:
            wrong = "undefined" if amount is None else "negative"
            return Way(impossible=f"{asset}: its consumption is {wrong}")
        sure[asset] = amount
    if policy and never_matched(sure):
        return Way(impossible="it consumes nothing at all, which HTCondor never matches")
    slop = disk_slop(machine_disk_kb, startd.version)
    bag = bag_of(sure, slop, machine_disk_kb)
    needs = dict(sure)
    for asset, amount in _by_limits(slot, request, left).items():
        if amount is None:
            return Way(impossible=f"{asset}: its consumption is undefined")
        needs[asset] = amount
    if not policy:
        # A slot that is out of cpus, memory or disk takes no job then, whatever that asks for.
        needs.update({asset: max(1, amount) for asset, amount in needs.items() if asset in _WHOLE})
    return Way(needs, bag, published(bag), sure, changed=changed)


def _by_limits(slot: SlotSide, request: Ad, left: Amounts) -> dict[str, Number | None]:
    """Return what WithinResourceLimits compares with what is left, where that is not what is taken.

    It looks at the request itself: a _condor_Request<asset> counts only for what is carved,
    unless the startd has STARTD_JOB_HAS_REQUEST_ATTRS (ResAttributes.cpp,
    withinLimitsExpression).
    """
    found: dict[str, Number | None] = {}
    for asset in slot.assets:
        name = request_of(asset)
        if f"_condor_{name}" not in request:
            continue
        if slot.supports_policy:
            found[asset] = as_number(_consumption_of(asset).evaluate(slot.ad(left), request))
        elif asset in _WHOLE:
            found[asset] = as_number(request.value(name))
    return found


def requested(job: Ad, assets: Iterable[str]) -> dict[str, Number | None]:
    """Return what a startd takes of each of ``assets`` for ``job`` without a policy.

    None for an asset: the startd refuses the job.

    A number in _condor_Request<asset> comes before the request for cpus, memory and disk.
    """
    taken: dict[str, Number | None] = {}
    for asset in assets:
        amount = as_number(job.value(request_of(asset)))
        if asset in _WHOLE:
            instead = as_number(job.value(f"_condor_{request_of(asset)}"))
            amount = amount if instead is None else instead
            amount = (1 if asset == CPUS else None) if amount is None else int(amount)
        taken[asset] = 0 if amount is None and asset not in _WHOLE else amount
    return taken


def refused(slot: SlotSide, job: JobSide, way: Way) -> str:
    """Return why the dynamic slot refuses the job that it was carved for; empty if it takes it.

    The startd asks it of the request as it changed it when it makes the slot (command.cpp:
    request_claim), and of the job as it is when that starts there (activate_claim).
    """
    why = ""
    if way.changed:
        why = _refused(slot, job, way.changed, way.got)
    return why or _refused(slot, job, {}, way.got)


def _refused(slot: SlotSide, job: JobSide, changed: Mapping[str, Value], got: Amounts) -> str:
    asking, dynamic = job.ad(changed), slot.dynamic_ad(got)
    if slot.supports_policy:
        taken = consumed(dynamic, asking, slot.assets)
        why, asset = lack(got, taken)
        if why is Lack.TOO_LITTLE:
            return f"{asset}: {taken[asset]:g} is consumed, but the startd hands out whole units"
        if why is not None:
            return f"{asset or 'consumption'}: {why.value}"
        asking = job.ad({**changed, **overridden(asking, taken)})
    if _LIMITS not in dynamic:
        return "" if slot.supports_policy else _less_than_asked(asking, got)
    if holds(named(_LIMITS).evaluate(dynamic, asking)):
        return ""
    return "it has less than its job asks for"


def _less_than_asked(job: Ad, got: Amounts) -> str:
    for asset, amount in got.items():
        asked = as_number(job.value(request_of(asset)))
        if asked is not None and asked > amount:
            return f"{asset}: {asked:g} asked for, but the startd hands out {amount:g}"
        if asset in _WHOLE and amount <= 0:
            return f"{asset}: a slot without any of it takes no job"
    return ""
