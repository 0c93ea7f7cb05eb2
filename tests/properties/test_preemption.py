"""Which claims a cycle preempts does not depend on the engine, and no claim is preempted that must not be.

Drawn are pools with claimed slots, and expressions that look at who has them."""

from __future__ import annotations

from typing import Any, NamedTuple
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from htcq import columns
from htcq.pool.pool import Pool
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import BY_PRIORITY, BY_RANK
from tests.audit.sites import (
    accounting,
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    pool,
    slot,
    static_slot,
    submitter,
)  # fmt: skip

_USERS = ("a.ada@site", "a.ben@site", "b.cyd@site")
_SEEN = (
    "RemoteUserPrio", "RemoteUserResourcesInUse", "RemoteGroupResourcesInUse", "RemoteGroupQuota",
    "SubmitterUserPrio", "SubmitterUserResourcesInUse", "SubmitterGroupResourcesInUse", "RemoteUserFloor",
    "TotalJobRunTime", "TARGET.ProcId", "MY.Rank", "CurrentRank", "SlotID", "2", "600",
)  # fmt: skip
_RANKS = ("PREEMPTION_RANK", "NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK")
_REQUIREMENTS = ("true", 'TARGET.RemoteUserPrio > 550 || TARGET.State == "Unclaimed"')
_ORDERS = ("<", ">", "<=", "=?=")
_VERSIONS = ("23.9.6", "25.8.1", "25.10.1", "25.14.1")
_KNOBS = (
    "PREEMPTION_REQUIREMENTS_STABLE = False", "PREEMPTION_RANK_STABLE = False", "NEGOTIATOR_MATCHLIST_CACHING = False",
    "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True", "NEGOTIATOR_CONSIDER_PREEMPTION = False", "LIC_LIMIT = 2",
    "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 2\nGROUP_QUOTA_b = 2\nGROUP_ACCEPT_SURPLUS = True",
    "NEGOTIATOR_USE_SLOT_WEIGHTS = False", "ALLOW_PSLOT_PREEMPTION = True",
)  # fmt: skip


@st.composite
def conditions(draw: st.DrawFn) -> str:
    """Return a condition on who has a slot."""
    one, other = draw(st.sampled_from(_SEEN)), draw(st.sampled_from(_SEEN))
    return f"{one} {draw(st.sampled_from(_ORDERS))} {other}"


@st.composite
def split_slots(draw: st.DrawFn, name: str, has: dict[str, Any]) -> str:
    """Return the ads of a partitionable slot and of its dynamic ones."""
    count = draw(st.integers(0, 3))
    rolled = {
        "PslotRollupInformation": draw(st.sampled_from(("true", "true", "false"))),
        "SlotWeight": "Cpus",
    }
    make = draw(st.sampled_from((slot, policy_slot)))
    told = count + draw(st.sampled_from((0, 0, 0, 1)))
    ads = [make(name, Cpus=draw(st.integers(0, 1)), NumDynamicSlots=told, **{**has, **rolled})]
    for number in range(1, count + 1):
        child = name.replace("@", f"_{number}@")
        own = {
            "CurrentRank": draw(st.sampled_from(("-1.0", "0.0", "1.0"))), "Cpus": draw(st.sampled_from((1, 2))),
            "RetirementTimeRemaining": draw(st.sampled_from((0, 0, 0, 60))),
            "State": draw(st.sampled_from(('"Claimed"', '"Claimed"', '"Preempting"'))),
        }  # fmt: skip
        ads.append(dynamic_slot(child, draw(st.sampled_from(_USERS)), **{**has, **rolled, **own}))
    return "\n".join(ads)


@st.composite
def slots(draw: st.DrawFn, number: int) -> str:
    """Return the ad of a static slot, claimed or not, or of a partitionable one with a policy."""
    name = f"slot{number}@node1"
    has: dict[str, Any] = {
        "SlotID": number, "Rank": draw(st.sampled_from(("0.0", "0.0", "TARGET.ProcId", 'TARGET.Owner == "ada"'))),
        "Requirements": draw(st.one_of(st.just("true"), conditions())),
    }  # fmt: skip
    if draw(st.integers(0, 4)) == 0:
        return policy_slot(name, Cpus=4, NumClaims=2, **has)
    if draw(st.integers(0, 3)) == 0:
        return draw(split_slots(name, has))
    has.update(Cpus=draw(st.sampled_from((1, 2))), SlotWeight="Cpus")
    if draw(st.booleans()):
        who = f'"{draw(st.sampled_from(_USERS))}"'
        has.update(
            State='"Claimed"', Activity='"Busy"', AccountingGroup=who, RemoteUser=who, RemoteOwner=who,
            CurrentRank=draw(st.sampled_from(("-1.0", "0.0", "1.0"))), TotalJobRunTime=draw(st.integers(0, 3)),
        )  # fmt: skip
        if draw(st.integers(0, 3)) == 0:
            has["RetirementTimeRemaining"] = 60
        if draw(st.integers(0, 3)) == 0:
            has["PreemptingUser"] = f'"{draw(st.sampled_from(_USERS))}"'
            has["PreemptingRank"] = draw(st.sampled_from(("0.0", "2.0")))
    return static_slot(name, **has)


class Drawn(NamedTuple):
    """The texts of a pool."""

    ads: list[str]
    jobs: list[str]
    config: str

    def pool(self) -> Pool:
        """Return the pool."""
        return pool(*self.ads, jobs=self.jobs, config=self.config)


@st.composite
def pools(draw: st.DrawFn) -> Drawn:
    """Return a pool with claimed slots."""
    ads = [draw(slots(number)) for number in range(1, draw(st.integers(1, 8)) + 1)]
    ads.append(
        negotiator(CondorVersion=f'"$CondorVersion: {draw(st.sampled_from(_VERSIONS))} 1 $"')
    )
    queue: list[str] = []
    for cluster, who in enumerate(_USERS, 1):
        idle = draw(st.integers(0, 4))
        priority, floor = (
            draw(st.sampled_from((500.0, 600.0, 900.0))),
            draw(st.sampled_from((0, 1))),
        )
        ads.append(submitter(who, IdleJobs=idle, WeightedIdleJobs=idle))
        ads.append(accounting(who, Priority=priority, PriorityFactor=1.0, Floor=floor))
        group, owner = who.partition("@")[0], who.partition("@")[0].partition(".")[2]
        own: dict[str, Any] = {
            "Owner": f'"{owner}"', "User": f'"{owner}@site"', "AccountingGroup": f'"{group}"',
            "AcctGroup": f'"{group[0]}"', "Requirements": draw(st.sampled_from(_REQUIREMENTS)),
        }  # fmt: skip
        if draw(st.booleans()):
            own["ConcurrencyLimits"] = '"lic"'
        if draw(st.booleans()):
            own["RequestCpus"] = draw(st.integers(1, 4))
        queue += [job(f"{cluster}.{proc}", **own) for proc in range(idle)]
    knobs = draw(st.lists(st.sampled_from(_KNOBS), max_size=3, unique=True))
    lines = [*knobs, f"PREEMPTION_REQUIREMENTS = {draw(st.one_of(st.just('True'), conditions()))}"]
    names = draw(st.sets(st.sampled_from(_RANKS)))
    lines += [f"{name} = {draw(st.sampled_from(_SEEN))}" for name in sorted(names)]
    return Drawn(ads, queue, "\n".join(lines) + "\n")


@given(pools())
def test_claims_are_preempted_alike_without_numpy(drawn: Drawn) -> None:
    with mock.patch.object(columns, "available", return_value=False):
        without = run_cycle(drawn.pool())

    # A limit may be no number, which equals nothing.
    assert repr(run_cycle(drawn.pool())) == repr(without)


@given(pools())
def test_no_claim_is_preempted_twice_or_by_its_own_submitter(drawn: Drawn) -> None:
    given_pool = drawn.pool()
    trace = run_cycle(given_pool)
    preempting = [each for each in trace.matches if each.preempts and not each.dynamic_slots]
    together = [name for each in trace.matches for name in each.dynamic_slots]
    claimed = {str(slot.name): slot for slot in given_pool.slots or () if slot.claimed}

    assert len({*(each.slot for each in preempting), *together}) == len(preempting) + len(together)
    assert {each.slot for each in trace.matches if each.slot in claimed} == {
        each.slot for each in preempting
    }
    for each in preempting:
        assert each.by in (BY_RANK, BY_PRIORITY)
        assert each.preempts == claimed[each.slot].customer
        assert each.by == BY_RANK or claimed[each.slot].occupant != each.submitter
