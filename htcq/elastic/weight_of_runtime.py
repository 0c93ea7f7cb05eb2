"""The weight of a runtime: the claim capacity of a vector, in slot weight.

The capacity of a slot is the number of claims that its assets suffice for. That of a runtime is the
weight of the group's claims that it suffices for, in every managed dimension. The claims that the
group has go in first, then those that its idle jobs would have, each in proportion to their count,
for as long as any still fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from htcq.elastic.capacity_of import usual_weight
from htcq.elastic.records import WEIGHT
from htcq.quota.elastic.declaration import Amounts


@dataclass(frozen=True)
class ClaimShape:
    """Equal claims, and how many there are; the weight among their amounts is in parts."""

    amounts: Amounts
    count: int

    @property
    def weight(self) -> int:
        """The weight of one of them, in parts."""
        return self.amounts.get(WEIGHT, 0)


@dataclass(frozen=True)
class GroupJobs:
    """The claims of a group, and those that its idle jobs would have."""

    running: tuple[ClaimShape, ...] = ()
    idle: tuple[ClaimShape, ...] = ()

    @property
    def shapes(self) -> tuple[ClaimShape, ...]:
        """Both."""
        return (*self.running, *self.idle)


class RuntimeWeight(NamedTuple):
    """Slot weight in parts, and the dimension that keeps claims out (empty: none does)."""

    parts: int
    binding: str = ""


def shapes_of(parts: Iterable[tuple[Amounts, int]]) -> tuple[ClaimShape, ...]:
    """Return amounts with their counts, equal ones together, sorted by amounts."""
    found: dict[tuple[tuple[str, int], ...], int] = {}
    for amounts, count in parts:
        key = tuple(sorted((name, amount) for name, amount in amounts.items() if amount > 0))
        found[key] = found.get(key, 0) + count
    return tuple(ClaimShape(dict(key), found[key]) for key in sorted(found) if found[key] > 0)


def runtime_weight(room: Amounts, jobs: GroupJobs, usual: Mapping[str, float]) -> RuntimeWeight:
    """Return the weight of ``room`` to a group with ``jobs``.

    ``room`` is by managed dimension; ``usual`` is the weight of a unit for a group without jobs.

    Nothing that the claims hold exceeds ``room``, and no claim of the group's jobs is left out
    that would still fit.
    """
    if not jobs.shapes:
        parts, binding = usual_weight(room, usual)
        if parts <= 0:
            binding = ""
        return RuntimeWeight(int(parts), binding)
    left = {name: max(0, amount) for name, amount in room.items()}
    total = 0
    binding = ""
    for shapes in (jobs.running, jobs.idle):
        short = _first_used_up(left, shapes)
        parts, all_in = _take(left, shapes)
        total += parts
        if not binding and not all_in:
            binding = short
    if binding:
        return RuntimeWeight(total, binding)
    # What nobody asks for is kept for jobs like the present ones.
    return RuntimeWeight(total + _more(left, jobs.shapes))


def fitting_amounts(room: Amounts, jobs: GroupJobs) -> tuple[dict[str, int], str]:
    """Return what the jobs that fit into ``room`` hold, and the dimension that keeps others out.

    The dimension is empty where none is kept out.
    """
    left = {name: max(0, amount) for name, amount in room.items()}
    there = dict(left)
    binding = ""
    for shapes in (jobs.running, jobs.idle):
        short = _first_used_up(left, shapes)
        _, all_in = _take(left, shapes)
        if not binding and not all_in:
            binding = short
    return {name: there[name] - left[name] for name in there}, binding


def _needs(shapes: Iterable[ClaimShape]) -> dict[str, int]:
    needs: dict[str, int] = {}
    for shape in shapes:
        for name, amount in shape.amounts.items():
            needs[name] = needs.get(name, 0) + amount * shape.count
    return needs


def _first_used_up(left: Mapping[str, int], shapes: Iterable[ClaimShape]) -> str:
    """Return the scarcest dimension for what all of ``shapes`` need.

    Of equally scarce ones it is the first by name.
    """
    needs = _needs(shapes)
    needed = (name for name in left if needs.get(name))
    return min(needed, key=lambda name: (Fraction(left[name], needs[name]), name), default="")


def _take(left: dict[str, int], shapes: Sequence[ClaimShape]) -> tuple[int, bool]:
    """Take as many of ``shapes`` out of ``left`` as fit.

    Return their weight, and whether all fit.
    """
    waiting = {index: shape.count for index, shape in enumerate(shapes)}
    weight = 0
    while True:
        # A claim that does not fit at all must not keep others out.
        active = []
        for index, count in waiting.items():
            if count and _fitting(left, shapes[index]) > 0:
                active.append(index)
        wanted = [ClaimShape(shapes[index].amounts, waiting[index]) for index in active]
        name = _first_used_up(left, wanted)
        have = need = 1
        if name:
            have, need = left[name], _needs(wanted)[name]
        counts = [shape.count * min(have, need) // need for shape in wanted]
        if not any(counts):
            counts = _one_by_one(left, wanted)
        if not any(counts):
            return weight, not any(waiting.values())
        for index, shape, count in zip(active, wanted, counts):
            _subtract(left, shape, count)
            waiting[index] -= count
            weight += shape.weight * count


def _one_by_one(left: Mapping[str, int], shapes: Sequence[ClaimShape]) -> list[int]:
    """Return how many of each shape fit if less than one of each would.

    The shapes with the most claims come first.
    """
    free = dict(left)
    counts = [0] * len(shapes)
    for index in sorted(range(len(shapes)), key=lambda each: -shapes[each].count):
        counts[index] = min(shapes[index].count, _fitting(free, shapes[index]))
        _subtract(free, shapes[index], counts[index])
    return counts


def _more(left: dict[str, int], shapes: Iterable[ClaimShape]) -> int:
    """Take claims like ``shapes`` out of ``left``, in proportion, while any fits.

    Return their weight.
    """
    bounded = [shape for shape in shapes if _holds_any(shape, left)]
    name = _first_used_up(left, bounded)
    if not name:
        return 0
    # So many more of all of them that no room is left for one.
    times = left[name] // _needs(bounded)[name] + 1
    more = [ClaimShape(shape.amounts, shape.count * times) for shape in bounded]
    weight, _ = _take(left, more)
    return weight


def _holds_any(shape: ClaimShape, names: Iterable[str]) -> bool:
    return any(shape.amounts.get(name) for name in names)


def _fitting(left: Mapping[str, int], shape: ClaimShape) -> int:
    """Return how many more of ``shape`` fit; its count where nothing that it holds is managed."""
    fits = []
    for name, amount in shape.amounts.items():
        if amount and name in left:
            fits.append(left[name] // amount)
    return min(fits, default=shape.count)


def _subtract(left: dict[str, int], shape: ClaimShape, count: int) -> None:
    for name, amount in shape.amounts.items():
        if name in left:
            left[name] -= amount * count
