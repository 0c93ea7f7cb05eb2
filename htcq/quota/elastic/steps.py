"""Steps that made the runtime of a group, from what the computation kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from htcq.quota.elastic.declaration import Rounding
from htcq.quota.elastic.group_runtime import ElasticOutcome, GroupRuntime
from htcq.quota.elastic.kinds import MARK
from htcq.quota.elastic.share import RuntimeSharing, ShareGrant
from htcq.units import listed


class Step(NamedTuple):
    """One step: its kind, the amount that the group has after it, and a sentence.

    ``kind`` is one of: asks, max, min, scaled, kept, begins, pass, placed, taken, ends.
    """

    kind: str
    runtime: int
    text: str


class Trace:
    """The steps of every group of one outcome."""

    def __init__(self, outcome: ElasticOutcome) -> None:
        self.outcome = outcome
        self._grants: dict[tuple[str, str], list[dict[str, ShareGrant]]] = {}

    def steps(self, name: str, dimension: str) -> tuple[Step, ...]:
        """Return the steps that made the runtime of one group in one dimension.

        Raises:
            KeyError: there is no such group, or the dimension is not managed there.
        """
        group = self.outcome[name]
        runtime = group.runtime[dimension]
        sharing = self.outcome.sharings[group.parent, dimension]
        have, begins = self._begins(group, dimension)
        steps = [*_wants(group, dimension), *self._kept(group, dimension), begins]
        for number, grants in enumerate(self._grants_of(group.parent, dimension), 1):
            if name in grants:
                have, step = self._passed(group, dimension, have, (number, grants[name]), sharing)
                steps.append(step)
        if runtime > have:
            base = dimension.partition(MARK)[0]
            text = f"{runtime - have} more of its {base} may be of this model"
            steps.append(Step("placed", runtime, text))
        elif runtime < have:
            text = f"{have - runtime} are of models for which it has no quota"
            steps.append(Step("taken", runtime, text))
        bound = _bound(group, dimension, sharing)
        steps.append(Step("ends", runtime, f"runtime is {runtime}: {bound}"))
        return tuple(steps)

    def _grants_of(self, parent: str, dimension: str) -> list[dict[str, ShareGrant]]:
        key = (parent, dimension)
        if key not in self._grants:
            passes = self.outcome.sharings[key].passes
            self._grants[key] = [{grant.name: grant for grant in each.grants} for each in passes]
        return self._grants[key]

    def _kept(self, group: GroupRuntime, dimension: str) -> Iterator[Step]:
        declared, scaled = group.min[dimension], group.scaled_min[dimension]
        floor = group.floor[dimension]
        yield Step("min", 0, f"min is {declared}")
        if scaled != declared:
            total = self.outcome.sharings[group.parent, dimension].total
            text = f"only {total} are available, less than the sum of mins"
            order = self._order_of_mins(group, dimension)
            yield Step("scaled", 0, f"min shrinks to {scaled}: {text}; {order}")
        if floor > scaled:
            yield Step("kept", 0, f"{floor} are reserved for it: usage is guaranteed")
        elif floor < scaled:
            yield Step("kept", 0, f"{floor} are reserved for it: its max, which is below its min")

    def _order_of_mins(self, group: GroupRuntime, dimension: str) -> str:
        """Return whose min comes before that of a group, or how a site says so."""
        own, first = group.group.priority, []
        for each in self.outcome.groups:
            if each.parent != group.parent or not each.min.get(dimension) or each is group:
                continue
            if not self._scales(each):
                first.append(f"{each.name} (scale_min = false)")
            elif each.group.priority > own:
                first.append(f"{each.name} (priority {each.group.priority})")
        if first:
            return f"its priority is {own}, and first comes the min of {listed(first)}"
        return f"its priority is {own}: the mins of groups with a higher 'priority' come first"

    def _scales(self, group: GroupRuntime) -> bool:
        """Return whether the min of a group shrinks in a shortage."""
        own = group.group.scale_min
        return self.outcome.options.scale_min if own is None else own

    def _begins(self, group: GroupRuntime, dimension: str) -> tuple[int, Step]:
        """Return what the group began with.

        For a kind of cards, it is the runtime without what the passes granted.
        """
        floor, limited = group.floor[dimension], group.limited[dimension]
        have = floor
        if group.lends:
            have = min(limited, floor)
        if MARK in dimension:
            granted = 0
            for grants in self._grants_of(group.parent, dimension):
                if group.name in grants:
                    grant = grants[group.name]
                    granted += grant.share - grant.back
            have = min(have, group.runtime[dimension] - granted)
        if limited > have:
            text = f"begins with {have} and is hungry for {limited - have} more"
        elif have < floor and group.lends:
            text = f"begins with {have}, all that it asks for, and lends {floor - have}"
        elif have > limited:
            text = f"begins with {have}, which it does not lend"
        else:
            text = f"begins with {have}, all that it asks for"
        return have, Step("begins", have, text)

    def _passed(
        self,
        group: GroupRuntime,
        dimension: str,
        have: int,
        granted: tuple[int, ShareGrant],
        sharing: RuntimeSharing,
    ) -> tuple[int, Step]:
        number, grant = granted
        one = sharing.passes[number - 1]
        weight = group.weight[dimension]
        text = (
            f"pass {number}: {one.pool} to share, by weight {weight} of {one.weight}: {grant.share}"
        )
        if grant.remainder:
            text += ", one of them by largest remainder"
        elif self.outcome.options.rounding is Rounding.LEGACY:
            text += " when rounded by itself"
        if grant.back:
            text += f", of which {grant.back} go back"
        have += grant.share - grant.back
        return have, Step("pass", have, text)


def _wants(group: GroupRuntime, dimension: str) -> Iterator[Step]:
    asked, request = group.child_request[dimension], group.request[dimension]
    limited, cap = group.limited[dimension], group.max[dimension]
    text = f"the groups below it ask for {asked}"
    if group.leaf:
        text = f"asks for {asked}"
    yield Step("asks", 0, text)
    if request > asked:
        why = "its min, because it does not lend"
        if group.lends:
            why = f"because it lends no more than {group.group.max_lent.get(dimension, 0)}"
        yield Step("asks", 0, f"counts as asking for {request}, {why}")
    if cap is None:
        yield Step("max", 0, "has no max")
    if limited < request:
        why = "the maxes of the models and of gpus allow no more"
        if limited == cap:
            why = f"max is {cap}"
        yield Step("max", 0, f"is limited to {limited}: {why}")


def _bound(group: GroupRuntime, dimension: str, sharing: RuntimeSharing) -> str:
    """Return what keeps a group from more."""
    runtime, limited = group.runtime[dimension], group.limited[dimension]
    if runtime >= limited:
        if limited < group.request[dimension]:
            return "max"
        if runtime == group.child_request[dimension]:
            return "what it asks for"
        return "the amount reserved for it"
    if not group.weight[dimension]:
        return "a group of weight 0 borrows nothing"
    if sharing.total == 0:
        return "there is nothing to share"
    if sharing.left <= 0:
        return "nothing is left to share"
    return "it may not have the rest"
