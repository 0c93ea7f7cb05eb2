"""Each cause is proven by its counterfactual: lifted as a change of the pool, the next cycle starts what it claims.

A claim is a lower bound: what the order of submitters and of slots decides may start besides. Where
a lifted slot attracts jobs that started elsewhere a claim may miss; that is explained, and rare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from htcq.balance.balance import Balance, balance_of
from htcq.balance.capacity import Capacities
from htcq.balance.causes import STARTING
from htcq.balance.wanting import waiting_of
from htcq.pool.pool import Pool
from htcq.poolquota.ailment import ObservedPool
from htcq.why.choice import all_idle
from htcq.why.match_failure import SLOT_CONSTRAINT, START_VANILLA_UNIVERSE
from htcq.why.verdict import Verdicts
from tests.balance.faults import FAULTS
from tests.balance.lifts import LIFTS
from tests.balance.pools import GOLDEN, balanced, pool_at
from tests.why.random_pools import random_pool

#: Claims that the next cycle starts once their cause is lifted, of all, and of what starts then how
#: much they claim: nothing is claimed where nobody knows that it would start.
_STARTS, _CLAIMED = 0.95, 0.5
#: So many claims may miss where there are too few for a share.
_FEW = 2
#: The pools are drawn in so many parts: processes share them.
_PARTS = 4


def weight_started(balance: Balance) -> float:
    """Return the weight that the next cycle starts."""
    found = balance.of(STARTING)
    return 0.0 if found is None else float(found.amounts.weight)


def jobs_started(balance: Balance) -> int:
    """Return how many jobs the next cycle starts."""
    assert balance.demand is not None
    return balance.demand.starting


def standing_for(verdicts: Verdicts, cause: str) -> frozenset[str]:
    """Return the names of the slots with parts that stand for a cause."""
    now = ObservedPool(verdicts.pool).now
    waiting = waiting_of(verdicts, verdicts.on(all_idle(verdicts.pool.jobs or ())), now)
    parts = Capacities(verdicts, waiting, now).capacity().parts
    return frozenset(name for part in parts if part.cause == cause for name in part.slots)


def moved(before: Verdicts, after: Verdicts, names: frozenset[str]) -> bool:
    """Return whether a job that started before has another slot after, or none."""
    first, then = (
        {(each.job, each.slot) for each in verdicts.trace.matches} for verdicts in (before, after)
    )
    if first - then or set(before.after.leftovers) - set(after.after.leftovers):
        return True
    # Which slots jobs without a match of their own start in is told by what these have left.
    others = set(before.after.left) - names
    return any(before.after.left[name] != after.after.left.get(name) for name in others)


def outcomes(pool: Pool, causes: Iterator[str]) -> Iterator[tuple[str, int, int]]:
    """Yield of each cause that jobs stand behind what lifting it makes of the claim.

    That is a word, and the numbers of jobs that it claims and that start. Where less starts than
    it claims, jobs that started before have moved or are displaced (``moved``), or other jobs
    or slots are matched than those that it counts on (``order``), or no match tells (``cut``).
    """
    verdicts = Verdicts(pool)
    found = balance_of(verdicts)
    for cause in causes:
        claim = found.of(cause)
        if claim is None or not claim.gain.started:
            continue
        names = standing_for(verdicts, cause)
        lifted = Verdicts(LIFTS[cause](pool, names))
        after = balance_of(lifted)
        jobs = jobs_started(after) - jobs_started(found)
        weight = weight_started(after) - weight_started(found)
        gain = claim.gain
        word = "cut"
        if jobs >= gain.started or weight >= gain.starts.weight - 1e-6:
            word = "starts"
        elif moved(verdicts, lifted, names):
            word = "moved"
        elif set(lifted.trace.matches) - set(verdicts.trace.matches):
            word = "order"
        yield word, gain.started, max(0, jobs)


def check(found: Iterator[tuple[str, int, int]]) -> None:
    """Check the outcomes of many claims together."""
    counts, claimed, started = Counter[str](), 0, 0
    for word, jobs, more in found:
        counts[word] += 1
        claimed += jobs
        started += more
    every = sum(counts.values())
    assert not counts["cut"], counts
    assert every - counts["starts"] <= max(_FEW, (1 - _STARTS) * every), counts
    assert claimed >= _CLAIMED * started, (claimed, started)


def drawn(request: pytest.FixtureRequest, part: int) -> Iterator[tuple[int, Pool]]:
    """Yield a part of the random pools, those whose central manager is known."""
    for seed in range(part, request.config.getoption("--balance-cases"), _PARTS):
        pool = random_pool(seed)
        if pool.central is not None:
            yield seed, pool


def claims(request: pytest.FixtureRequest, part: int) -> Iterator[tuple[str, int, int]]:
    """Yield the outcome of each cause of a part of the pools, as drawn and with each fault."""
    for seed, pool in drawn(request, part):
        yield from outcomes(pool, iter(LIFTS))
        for fault, made in FAULTS.items():
            yield from outcomes(made(pool, Random(seed)), iter((fault,)))


@pytest.mark.parametrize("part", range(_PARTS))
def test_the_next_cycle_starts_what_causes_claim_once_they_are_lifted(
    part: int, request: pytest.FixtureRequest
) -> None:
    check(claims(request, part))


def test_a_ceiling_below_the_lightest_slot_leaves_nothing_of_hidden_slots_either() -> None:
    """The negotiator does not ask for jobs of a submitter whose ceiling leaves less than any slot weighs."""
    assert not list(outcomes(random_pool(266), iter((SLOT_CONSTRAINT,))))


def test_more_slots_do_not_make_the_ads_of_a_group_ask_for_more() -> None:
    """Its submitters ask for 1 in all and use 2: it is not negotiated, whatever its quota is."""
    hidden = FAULTS[SLOT_CONSTRAINT](random_pool(213), Random(213))
    assert not list(outcomes(hidden, iter((SLOT_CONSTRAINT,))))


@pytest.mark.parametrize("seed", [667, 849])
def test_groups_share_what_one_above_them_that_accepts_no_surplus_leaves(seed: int) -> None:
    """One group below it uses all: the others start nothing."""
    for fault in ("drained", SLOT_CONSTRAINT):
        given = FAULTS[fault](random_pool(seed), Random(seed))
        assert {word for word, _, _ in outcomes(given, iter((fault,)))} <= {"starts"}


def test_the_negotiator_counts_a_quota_below_1_as_none() -> None:
    hidden = FAULTS[SLOT_CONSTRAINT](random_pool(1402), Random(1402))
    assert not list(outcomes(hidden, iter((SLOT_CONSTRAINT,))))


def test_jobs_that_start_nowhere_use_up_the_offers_for_those_behind_them() -> None:
    """Its three larger jobs come first once START_VANILLA_UNIVERSE is true, and two are offered."""
    assert not list(outcomes(random_pool(1175), iter((START_VANILLA_UNIVERSE,))))


def test_the_recorded_drain_would_start_what_it_claims() -> None:
    """On the real pool the jobs started on b1.test after condor_drain -cancel.

    There wait 17, 10 and 46; an access point offers 20 jobs of a submitter in one cycle."""
    pool = pool_at(GOLDEN / "drained" / "half-the-weight-drained.tar.gz")
    found = balanced(pool)
    drained = found.of("drained")
    assert drained is not None
    assert (drained.amounts.weight, drained.amounts.cpus) == (192, 64)
    assert (drained.wanted.cpus, drained.jobs) == (64, 17 + 10 + 27)
    assert (drained.gain.starts.cpus, drained.gain.started) == (57, 17 + 10 + 20)
    assert list(outcomes(pool, iter(("drained",)))) == [("starts", 47, 47)]
    assert [each.cure for each in found.todo] == ["condor_drain -cancel b1.test"]
    assert {each.name for each in found.below} == {"physics.hep", "chem", "biology"}
    assert {each.held_by[0].name for each in found.below} == {"drained"}
