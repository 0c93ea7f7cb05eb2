"""The complete explanation of a group's quota, and the search for a group by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.errors import InputError
from htcq.poolquota.explanation.negotiation import (
    limit_story,
    rounds_story,
    shares_story,
    turn_story,
)
from htcq.poolquota.explanation.quota import allocation_story, demand_story, quota_story
from htcq.poolquota.explanation.sections import (
    MAX_NAMES,
    PUBLISHED,
    ExplainedQuotas,
    Sentence,
    few,
    listed,
)
from htcq.poolquota.explanation.surplus import surplus_story
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.report import PoolQuotaReport
from htcq.spelling import meant, near_names
from htcq.units import show_number

_PARTS = (
    quota_story,
    demand_story,
    allocation_story,
    surplus_story,
    turn_story,
    limit_story,
    shares_story,
    rounds_story,
)


def stories(look: PoolQuotaReport) -> Mapping[str, tuple[Sentence, ...]]:
    """Return the explanation of every group by its name."""
    scene = ExplainedQuotas(look)
    return {standing.name: tuple(_sentences(scene, standing)) for standing in look.standings}


def story(look: PoolQuotaReport, name: str) -> tuple[Sentence, ...]:
    """Return the explanation of the group ``name``; case does not matter.

    Raises:
        InputError: there is no such group; the hint has the near names.
    """
    return tuple(_sentences(ExplainedQuotas(look), group_named(look, name)))


def _sentences(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    for part in _PARTS:
        yield from part(scene, group)
    for mark in group.marks:
        published, computed = _shown(mark.published), _shown(mark.computed)
        text = (
            f"the negotiator published {mark.attribute} {published}, where {computed} is computed"
        )
        yield Sentence(PUBLISHED, text)


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return show_number(value)


def group_named(look: PoolQuotaReport, name: str) -> GroupStatus:
    """Return the group ``name``, whatever its case.

    Raises:
        InputError: there is no such group; the hint has the near names.
    """
    found = look.find(name)
    if found is None:
        raise InputError(f"{look.source} has no group {name}", _near(look, name))
    return found


def _near(look: PoolQuotaReport, name: str) -> str:
    names = [standing.name for standing in look.standings]
    wanted = name.lower()
    near = [each for each in names if _last_part(each) == _last_part(wanted)]
    if not near:
        whole = {each.lower(): each for each in names}
        last = {_last_part(each): each for each in names}
        for known in (whole, last):
            near += [known[each] for each in near_names(wanted, known, 3)]
    return meant(list(dict.fromkeys(near))[:MAX_NAMES], f"its groups are {listed(few(names))}")


def _last_part(name: str) -> str:
    """Return what stands after the last dot of a group's name, in lower case."""
    return name.lower().rpartition(".")[2]
