"""How many waiting jobs the limits of access points, groups and submitters would still let start.

That is as the simulated cycle left them (:mod:`htcq.simulate.cycle.accounts`,
:mod:`htcq.poolquota.access.access_point`), if one cause alone were no limit: in the next cycle, or
in many. Where a match goes beyond what is left of a group or of a share, only the first one of a
submitter is counted, since others may come first.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from htcq.balance.causes import OTHER_NEGOTIATOR
from htcq.balance.queue_places import QueuePlaces
from htcq.balance.wanting import Waiting, keeps_from_all_slots
from htcq.pool.slot_causes import STALE
from htcq.pool.slot_state import OFFLINE, OWNER, OWNER_ACTIVE
from htcq.poolquota.access.access_point import AccessPoint
from htcq.quota.group_limits import strict_quota
from htcq.quota.group_tree import Group
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle import trace
from htcq.simulate.cycle.group_negotiation import SubmitterQueue
from htcq.simulate.cycle.search import limits_of
from htcq.why import match_failure as wall
from htcq.why.groups import subtree_usage
from htcq.why.verdict import Verdicts

#: Reasons for which the negotiator does not look at the jobs of a submitter.
_UNSEEN = frozenset({
    wall.NOT_ADVERTISED, wall.SKIP_MATCHMAKING, wall.SUBMITTER_CONSTRAINT, wall.NO_DEMAND,
})  # fmt: skip
#: Limits that are computed from the weight of the pool, here with what is lifted.
_BY_WEIGHT = frozenset({wall.SUBMITTER_SHARE, wall.GROUP_QUOTA})
#: What closes slots whose matches are given back for it.
_CLOSED = {
    trace.OFFLINE: (OFFLINE,), trace.SILENT: (STALE,), trace.OWNED: (OWNER, OWNER_ACTIVE),
}  # fmt: skip
#: Sums of fractions miss by less than this.
_DUST = 1e-6


class Limits:
    """What the limits of the cycle of ``verdicts`` leave, if ``lifted`` alone were none.

    If it ``lasts`` limits count that hold for many cycles: not how many jobs are offered in one.
    """

    def __init__(self, verdicts: Verdicts, lifted: str, lasts: bool, places: QueuePlaces) -> None:
        self._lifted, self._lasts, self._places = lifted, lasts, places
        self._cycle = cycle = verdicts.cycle
        self._asking: dict[tuple[str, str], SubmitterQueue] = {}
        for each in cycle.askers.every:
            self._asking[each.submitter.name, each.access.name] = each
            # Jobs whose schedd the pool does not name are asked for at any.
            self._asking.setdefault((each.submitter.name, ""), each)
        ignores = Knobs(cycle.quotas.knobs).boolean("NEGOTIATOR_IGNORE_USER_PRIORITIES", False)
        self._ignores_shares = ignores or lifted == wall.SUBMITTER_SHARE
        supply = cycle.quotas.supply
        #: What submitters share, and the lightest slot: a ceiling that leaves less leaves nothing.
        self._weight, self._lightest = cycle.weight, float(supply.min_weight)
        self._shows = lifted in (wall.SLOT_CONSTRAINT, OTHER_NEGOTIATOR)
        if self._shows:
            hidden = [float(supply.weight(slot)) for slot in supply.hidden]
            self._weight += sum(hidden)
            weights = [*(float(each.in_pool) for each in supply.weighed), *hidden]
            self._lightest = min(weights, default=0.0)
        self._stops = any(each.id != lifted for each in verdicts.of_cycle)
        self._matched = Counter(each.job.submitter for each in cycle.talks.made)
        #: What each submitter, and each group, is charged for matches that nobody uses.
        self._returned = self._charged_in_vain()
        #: What is left of each limit, by what it limits.
        self._left: dict[tuple[str, ...], float] = {}
        self._offers: dict[tuple[int, str, str], float] = {}
        self._asked_of: dict[str, float] = {}
        self._above: dict[str, list[tuple[str, str]]] = {}

    def _charged_in_vain(self) -> dict[str, float]:
        """Return the charges for matches that are given back, which last for one cycle."""
        charged = defaultdict[str, float](float)
        for _, match in self._cycle.talks.given_back:
            if self._lasts or self._lifted in _CLOSED.get(match.refusal, ()):
                charged[match.submitter] += match.cost
        return charged

    def widen(self, weight: float) -> None:
        """Add what slots weigh once the cause is lifted and not now: submitters share it."""
        self._weight += weight

    # One class of jobs
    # ----------------------------------------------------------------------------------------------

    def may_start(self, one: Waiting) -> bool:
        """Return whether nothing but slots, and the cause that is lifted, keeps any of the jobs."""
        if self._stops:
            return False
        for each in one.verdict.walls:
            is_lifted = each.id == self._lifted or (self._lasts and each.id == wall.OFFER_BUDGET)
            # What hidden slots weigh is no part of what these are computed from.
            is_lifted = is_lifted or (self._shows and each.id in _BY_WEIGHT)
            if not is_lifted and keeps_from_all_slots(each):
                return False
        asking = self._asking_of(one)
        if asking is None or asking.idle <= 0:
            return self._lifted in _UNSEEN
        return True

    def match(self, one: Waiting, most: int, cost: float) -> int:
        """Take matches for up to ``most`` jobs of a class, each at a cost; return how many."""
        limits = (self._startable(one), self._offered(one), self._concurrent(one))
        number = int(max(0, min(most, *limits, self._within_weight(one, most, cost))))
        if not number:
            return 0
        self._take(one, number)
        self._offers[_class(one)] -= number
        for key, value in self._concurrency(one).items():
            self._left["limit", key] -= number * value
        self._group(one)
        self._left["group", self._group_of(one)] -= number * cost
        for each in self._strict(one):
            self._left[each] -= number * cost
        self._left["submitter", one.meeting.submitter] -= number * cost
        self._left["share", one.meeting.submitter] -= number * cost
        self._matched[one.meeting.submitter] += number
        return number

    def start(self, one: Waiting, most: int) -> int:
        """Start up to ``most`` jobs of a class without a match of their own; return how many."""
        number = int(max(0, min(most, self._startable(one))))
        if number:
            self._take(one, number)
        return number

    def _take(self, one: Waiting, number: int) -> None:
        name, user = self._access(one).name, self._user(one)
        self._left["schedd", name] -= number
        if user:
            self._left["user", name, user] -= number

    def _asking_of(self, one: Waiting) -> SubmitterQueue | None:
        return self._asking.get((one.meeting.submitter, one.verdict.access_point))

    def _access(self, one: Waiting) -> AccessPoint:
        asking = self._asking_of(one)
        if asking is None:
            return self._cycle.askers.access[one.verdict.access_point]
        return asking.access

    # The access point
    # ----------------------------------------------------------------------------------------------

    def _startable(self, one: Waiting) -> float:
        """Return how many more jobs the access point, and the user's record, let start."""
        access = self._access(one)
        name = access.name
        if ("schedd", name) not in self._left:
            more = access.startable_now
            unlimited = more is None or self._lifted == wall.MAX_JOBS_RUNNING
            self._left["schedd", name] = math.inf if unlimited else float(more or 0)
        left = self._left["schedd", name]
        user = self._user(one)
        if user:
            left = min(left, self._left["user", name, user])
        return left

    def _user(self, one: Waiting) -> str:
        """Return the user whose record limits the jobs; empty where none does."""
        access = self._access(one)
        name, limit = access.name, access.user_limit(one.verdict.jobs[0])
        if limit is None or self._lifted == wall.USER_MAX_JOBS:
            return ""
        self._left.setdefault(("user", name, limit.user), limit.left - limit.started)
        return limit.user

    def _offered(self, one: Waiting) -> float:
        """Return for how many more jobs of the class the access point asks in one talk."""
        if _class(one) not in self._offers:
            self._offers[_class(one)] = self._within_offers(one)
        return self._offers[_class(one)]

    def _within_offers(self, one: Waiting) -> float:
        """Return how many jobs of the class are within the offers of one talk.

        Jobs before them in the queue count against it, whatever becomes of them.
        """
        if self._lasts:
            return math.inf
        access = self._access(one)
        limits = []
        if access.per_submitter is not None and self._lifted != wall.OFFER_BUDGET:
            limits.append(access.per_submitter)
        if access.startable is not None and self._lifted != wall.MAX_JOBS_RUNNING:
            limits.append(access.startable)
        if not limits:
            return math.inf
        before = self._places.before(one, access.name)
        return max(0, min(limits) - self._matched[one.meeting.submitter] - before)

    # Groups, submitters and concurrency limits
    # ----------------------------------------------------------------------------------------------

    def _group_of(self, one: Waiting) -> str:
        return self._cycle.accounts.group_of(one.meeting.submitter)

    def _within_weight(self, one: Waiting, most: float, cost: float) -> float:
        """Return how many matches of that cost the group and the submitter may have."""
        name = one.meeting.submitter
        # The negotiator cuts what they leave to a whole number.
        above = [math.floor(self._left[each] + _DUST) for each in self._strict(one)]
        limit, ceiling = min(self._group(one), self._share(one), *above), self._ceiling(one)
        if min(limit, ceiling) <= 0:
            return 0
        if cost <= 0:
            return most
        number = math.inf if math.isinf(limit) else (limit + _DUST) // cost
        if number < 1 and not self._matched[name]:
            number = 1
        # The last match may go beyond a ceiling.
        of_ceiling = math.inf if math.isinf(ceiling) else math.ceil((ceiling - _DUST) / cost)
        return min(number, of_ceiling, most)

    def _share(self, one: Waiting) -> float:
        """Return what is left of the share of a submitter, as its last talk found it."""
        name = one.meeting.submitter
        if ("share", name) not in self._left:
            self._left["share", name] = self._rest_of_share(one)
        return self._left["share", name]

    def _rest_of_share(self, one: Waiting) -> float:
        # As cycles go on, those who have no jobs left leave their shares to the others.
        if self._ignores_shares or self._lasts:
            return math.inf
        cycle, asking, name = self._cycle, self._asking_of(one), one.meeting.submitter
        base, turn = self._weight, cycle.turns.get(self._group_of(one))
        if turn is not None and cycle.quotas.grouped and self._lifted != wall.GROUP_QUOTA:
            base = min(base, turn.limit)
        part = 1.0 if asking is None or asking.talk is None else asking.talk.part
        return part / self._asked(self._group_of(one)) * base - self._usage(name)

    def _asked(self, group: str) -> float:
        """Return what part of a group's pie those have who ask for jobs.

        The others leave it to them after their first turn of the cycle.
        """
        if group not in self._asked_of:
            parts = {
                each.submitter.name: each.talk.part
                for each in self._cycle.askers.every
                if each.submitter.group == group and each.idle > 0 and each.talk is not None
            }
            self._asked_of[group] = min(sum(parts.values()), 1.0) or 1.0
        return self._asked_of[group]

    def _usage(self, submitter: str) -> float:
        return self._cycle.accounts.usage(submitter) - self._returned[submitter]

    def _group(self, one: Waiting) -> float:
        name = self._group_of(one)
        if ("group", name) not in self._left:
            self._left["group", name] = self._rest_of_group(one, name)
        return self._left["group", name]

    def _rest_of_group(self, one: Waiting, name: str) -> float:
        cycle, asking = self._cycle, self._asking_of(one)
        if not cycle.quotas.grouped or self._lifted == wall.GROUP_QUOTA:
            return math.inf
        talk = None if asking is None else asking.talk
        if talk is not None and talk.grant.negotiating != name:
            return math.inf
        turn = cycle.turns.get(name)
        limit = self._allocated(name) if turn is None else turn.limit
        returned = (
            cost for each, cost in self._returned.items() if cycle.accounts.group_of(each) == name
        )
        return limit - cycle.accounts.groups[name] + sum(returned)

    def _strict(self, one: Waiting) -> Sequence[tuple[str, str]]:
        """Return the limits of the groups on the way up that accept no surplus.

        What one group below them gets no other one does.
        """
        quotas, name = self._cycle.quotas, self._group_of(one)
        strict = quotas.grouped and quotas.settings.strict_enforce
        if not strict or self._lifted == wall.GROUP_QUOTA:
            return ()
        if name not in self._above:
            self._above[name] = keys = []
            group: Group | None = quotas.tree[name]
            while group is not None:
                if not group.accept_surplus:
                    key = "subtree", group.name
                    keys.append(key)
                    self._left.setdefault(key, self._rest_of_subtree(group))
                group = None if group.parent is None else quotas.tree[group.parent]
        return self._above[name]

    def _rest_of_subtree(self, group: Group) -> float:
        quota = strict_quota(group, self._cycle.quotas.quota(group.name).subtree_quota)
        return max(0.0, quota - subtree_usage(self._cycle, group.name))

    def _allocated(self, name: str) -> int:
        """Return the least that a group without a turn is allocated in a cycle that it comes to.

        The negotiator works with whole numbers.
        """
        quota = self._cycle.quotas.quota(name)
        # More slots make the quota larger, not what the ads of its submitters ask for.
        asked = math.inf if self._lifted in _UNSEEN else float(quota.requested)
        return math.floor(min(float(quota.quota), asked) + _DUST)

    def _ceiling(self, one: Waiting) -> float:
        name = one.meeting.submitter
        if ("submitter", name) not in self._left:
            left, ceiling = math.inf, self._cycle.quotas.ceiling(name)
            if ceiling is not None and self._lifted != wall.SUBMITTER_CEILING:
                left = ceiling - int(self._usage(name))
                if left < self._lightest:
                    left = 0
            self._left["submitter", name] = left
        return self._left["submitter", name]

    def _concurrent(self, one: Waiting) -> float:
        found = math.inf
        for name, asked in self._concurrency(one).items():
            found = min(found, (self._left["limit", name] + _DUST) // asked)
        return found

    def _concurrency(self, one: Waiting) -> dict[str, float]:
        """Return how much a job asks of each concurrency limit."""
        if self._lifted == wall.CONCURRENCY_LIMIT:
            return {}
        found = {}
        for each in self._cycle.limits.asked(limits_of(one.request)):
            self._left.setdefault(("limit", each.name), each.limit - each.used)
            found[each.name] = each.asked
        return found


def _class(one: Waiting) -> tuple[int, str, str]:
    return id(one.request), one.meeting.submitter, one.verdict.access_point
