"""One dimension of one level: a group's runtime, shared in passes among the groups below it.

Follows pkg/scheduler/plugins/elasticquota/core/runtime_quota_calculator.go of
koordinator-sh/koordinator, commit a7a1b76: redistribution and iterationForRedistribution; the
split by largest remainder is that of its pull request 2876, the other that of its releases up to
1.8.0. Integers are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from htcq.quota.elastic.declaration import Rounding


class ShareClaim(NamedTuple):
    """One group's part in a level.

    ``limited`` is its request, at most its max; ``floor`` is what is kept for it.
    """

    name: str
    floor: int
    limited: int
    weight: int
    lends: bool = True


class ShareGrant(NamedTuple):
    """One group's gain in a pass.

    ``share`` has one unit by ``remainder`` if that is set; ``back`` is what the group does not
    need.
    """

    name: str
    share: int
    remainder: bool
    back: int


class Pass(NamedTuple):
    """One pass: ``pool`` was shared over the ``weight`` of all that were still hungry."""

    pool: int
    weight: int
    grants: tuple[ShareGrant, ...]


class RuntimeSharing(NamedTuple):
    """Sharing of one dimension at one level.

    ``started`` is what all began with, ``left`` what no group could take.

    ``left`` is negative where the floors exceed ``total``.
    """

    total: int
    started: int
    passes: tuple[Pass, ...]
    left: int


Split = Callable[[int, Sequence[ShareClaim], int], "list[tuple[int, bool]]"]


def split_hamilton(pool: int, hungry: Sequence[ShareClaim], weight: int) -> list[tuple[int, bool]]:
    """Return each one's share and whether it has a unit by remainder.

    The shares add up to ``pool`` exactly.
    """
    parts = [divmod(each.weight * pool, weight) for each in hungry]
    left = pool - sum(share for share, _ in parts)
    if not left:
        return [(share, False) for share, _ in parts]
    # Every greater remainder than the last one that gets a unit has one; equal ones get it by name.
    last = sorted(remainder for _, remainder in parts)[-left]
    sure = sum(remainder > last for _, remainder in parts)
    tied = sorted(each.name for each, (_, remainder) in zip(hungry, parts) if remainder == last)
    lucky = set(tied[: left - sure])
    shares = []
    for each, (amount, remainder) in zip(hungry, parts):
        one_more = remainder > last or (remainder == last and each.name in lucky)
        shares.append((amount + one_more, one_more))
    return shares


def split_legacy(pool: int, hungry: Sequence[ShareClaim], weight: int) -> list[tuple[int, bool]]:
    """Return each one's share rounded by itself; what the shares come to need not be ``pool``."""
    return [(int(float(each.weight) * float(pool) / float(weight) + 0.5), False) for each in hungry]


_SPLITS: dict[Rounding, Split] = {Rounding.HAMILTON: split_hamilton, Rounding.LEGACY: split_legacy}


def share(
    total: int, claims: Sequence[ShareClaim], rounding: Rounding = Rounding.HAMILTON
) -> tuple[dict[str, int], RuntimeSharing]:
    """Return each one's part of ``total``, and how it came about.

    A group that wants more than its floor begins with the floor and is hungry. One that wants less
    begins with what it wants, or with its floor where it does not lend. What is left goes to the
    hungry by weight; what a group does not need goes into the next pass. With amounts below 2**63
    there are no more than 126 passes, however many groups there are.
    """
    runtime: dict[str, int] = {}
    hungry: list[ShareClaim] = []
    for claim in claims:
        runtime[claim.name] = claim.floor
        if claim.limited <= claim.floor:
            if claim.lends:
                runtime[claim.name] = claim.limited
        elif claim.weight > 0:
            hungry.append(claim)
    started = sum(runtime.values())
    pool = total - started
    passes: list[Pass] = []
    split = _SPLITS[rounding]
    while pool > 0 and hungry:
        weight = sum(each.weight for each in hungry)
        grants = _grants(runtime, hungry, split(pool, hungry, weight))
        passes.append(Pass(pool, weight, tuple(grants)))
        # Exact shares add up to the pool; those rounded by themselves do not, and the difference
        # is nobody's.
        pool = sum(each.back for each in grants)
        hungry = [each for each in hungry if runtime[each.name] < each.limited]
    left = total - sum(runtime.values())
    return runtime, RuntimeSharing(total, started, tuple(passes), left)


def _grants(
    runtime: dict[str, int], hungry: Sequence[ShareClaim], shares: Sequence[tuple[int, bool]]
) -> list[ShareGrant]:
    grants = []
    for claim, (amount, lucky) in zip(hungry, shares):
        reached = runtime[claim.name] + amount
        back = max(0, reached - claim.limited)
        runtime[claim.name] = reached - back
        grants.append(ShareGrant(claim.name, amount, lucky, back))
    return grants
