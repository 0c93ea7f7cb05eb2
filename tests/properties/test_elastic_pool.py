"""Elastic quotas on pools of any kind: nothing is lost, nothing is more than there is, and no order matters."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from htcq.elastic.invariants import bad_quotas
from htcq.elastic.observation import ElasticObservation, observe
from htcq.elastic.quota_targets import jobs_by_group, targets
from htcq.elastic.records import PARTS, WEIGHT
from htcq.elastic.status import status_of
from htcq.elastic.weight_of_runtime import ClaimShape, GroupJobs, runtime_weight
from htcq.quota.elastic.runtime import compute
from tests.audit.sites import job, pool
from tests.elastic.quotas import claimed, group, node, quotas, running

AMOUNT = st.integers(0, 24)
CUSTOMERS = ("a.ada@site", "a.x.bob@site", "b.eve@site", "joe@site", "c.z@site", "a.y.new@site", "")
WEIGHTS = ("Cpus", "Memory / 2048.0", "Cpus + 2 * GPUs", "max({Cpus, Memory / 4096.0})", "1")


@st.composite
def declared(draw: st.DrawFn) -> object:
    found = []
    for name in ("a", "a.x", "b", "c"):
        least, more = (
            {"cpus": draw(AMOUNT), "memory": 1024 * draw(AMOUNT)},
            {"cpus": draw(AMOUNT), "memory": 1024},
        )
        most = {each: least[each] + more[each] for each in least}
        if draw(st.booleans()):
            least["gpus"], most["gpus"] = 0, draw(st.integers(0, 3))
        found.append(
            group(
                name, least, most, lend=draw(st.booleans()), users=("joe",) if name == "b" else ()
            )
        )
    return quotas(*found)


@st.composite
def ads(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Return slots and jobs of up to three machines of 8 cpus and 16 GiB."""
    slots, jobs = [], []
    for number in range(draw(st.integers(1, 3))):
        weight = draw(st.sampled_from(WEIGHTS))
        has_gpus = draw(st.booleans())
        left, memory, gpus = 8, 16384, 2 * has_gpus
        for child in range(draw(st.integers(0, 4))):
            cpus, ram, cards = (
                draw(st.integers(1, left or 1)),
                1024 * draw(st.integers(1, 4)),
                draw(st.integers(0, gpus)),
            )
            if cpus > left or ram > memory:
                continue
            left, memory, gpus = left - cpus, memory - ram, gpus - cards
            customer, host = draw(st.sampled_from(CUSTOMERS)), f"node{number}"
            who = {} if customer else {"AccountingGroup": None, "RemoteUser": None}
            slots.append(
                claimed(child, customer, cpus, ram, host, SlotWeight=weight, GPUs=cards, **who)
            )
            jobs.append(
                running(
                    f"{number + 1}.{child}",
                    f"slot1_{child}@{host}",
                    RequestCpus=cpus,
                    RequestMemory=ram,
                )
            )
        slots.append(
            node(
                f"node{number}",
                left,
                memory,
                SlotWeight=weight,
                GPUs=gpus,
                TotalSlotGPUs=2 * has_gpus,
            )
        )
    for number in range(draw(st.integers(0, 4))):
        customer = draw(st.sampled_from(CUSTOMERS[:-1]))
        owner = f'"{customer.partition("@")[0]}"'
        asked = {
            "RequestCpus": draw(st.integers(1, 9)),
            "RequestMemory": draw(st.sampled_from((1000, 2048, 5000))),
        }
        if draw(st.booleans()):
            asked["RequestGPUs"] = 1
        jobs.append(
            job(
                f"{10 + number}.0",
                AccountingGroup=owner,
                MaxHosts=draw(st.integers(1, 30)),
                **asked,
            )
        )
    return slots, jobs


def look(slots: Sequence[str], jobs: Sequence[str], tree: object) -> ElasticObservation:
    return observe(pool(*slots, jobs=jobs), tree)  # type: ignore[arg-type]


@given(ads(), declared())
def test_every_claim_is_somebodys_and_nothing_of_it_is_lost(
    given_ads: tuple[list[str], list[str]], tree: object
) -> None:
    seen = look(*given_ads, tree)
    outside = (seen.demand.system_used, seen.demand.default_used)

    for name in seen.demand.total:
        held = sum(claim.amounts.get(name, 0) for claim in seen.claims)
        by_group = sum(amounts.get(name, 0) for amounts in seen.demand.used.values())
        assert (
            by_group + sum(amounts.get(name, 0) for amounts in outside)
            == held
            <= seen.demand.total[name]
        )
    weights = sum(seen.weights.values()) + sum(
        claim.amounts.get(WEIGHT, 0) / PARTS for claim in seen.claims if claim.group.startswith("<")
    )
    assert abs(weights - sum(claim.amounts.get(WEIGHT, 0) for claim in seen.claims) / PARTS) < 1e-6
    for name, used in seen.demand.used.items():
        assert all(seen.demand.request[name][each] >= amount for each, amount in used.items())


@given(ads(), declared(), st.randoms(use_true_random=False))
def test_the_order_of_ads_does_not_matter(
    given_ads: tuple[list[str], list[str]], tree: object, random: object
) -> None:
    slots, jobs = given_ads
    first = status_of(pool(*slots, jobs=jobs), tree)  # type: ignore[arg-type]
    random.shuffle(slots)  # type: ignore[attr-defined]
    random.shuffle(jobs)  # type: ignore[attr-defined]

    assert status_of(pool(*slots, jobs=jobs), tree) == first  # type: ignore[arg-type]


@given(ads(), declared())
def test_quotas_hold_the_mins_and_the_runtimes_and_stay_below_the_maxima(
    given_ads: tuple[list[str], list[str]], tree: object
) -> None:
    seen = look(*given_ads, tree)
    outcome = compute(tree, seen.demand)  # type: ignore[arg-type]
    found = {each.group: each for each in targets(outcome, seen)}

    quotas = {name: each.quota for name, each in found.items()}
    assert list(bad_quotas(found.values(), quotas)) == []
    outside = (
        sum(claim.amounts.get(WEIGHT, 0) for claim in seen.claims if claim.group.startswith("<"))
        / PARTS
    )
    runtimes = sum(each.runtime for each in found.values() if each.leaf)
    assert runtimes <= max(0.0, seen.pool_weight - outside) + 1e-6
    jobs = jobs_by_group(seen)
    for each in found.values():
        assert each.quota >= each.headroom >= 0
        if each.leaf:
            room = outcome[each.group].declared(outcome[each.group].runtime)
            most = runtime_weight(room, jobs.get(each.group, GroupJobs()), seen.unit_weights).parts
            assert each.runtime * PARTS <= most + 1e-6


SHAPES = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.integers(0, 4),
        st.integers(0, 2),
        st.integers(1, 3),
        st.integers(1, 20),
    ),
    max_size=4,
).map(
    lambda rows: tuple(
        ClaimShape({"cpus": cpus, "memory": memory, "gpus": gpus, "weight": 1000 * weight}, count)
        for cpus, memory, gpus, weight, count in rows
    )
)
ROOM = st.dictionaries(
    st.sampled_from(("cpus", "memory", "gpus", "weight")), st.integers(0, 60), min_size=1
).map(
    lambda room: {name: amount * (1000 if name == "weight" else 1) for name, amount in room.items()}
)


@given(ROOM, SHAPES)
def test_what_a_runtime_is_worth_fits_into_it(
    room: dict[str, int], idle: tuple[ClaimShape, ...]
) -> None:
    """No more weight than the scarcest asset has claims for, and all of it where all jobs fit."""
    jobs = GroupJobs((), idle)
    found = runtime_weight(room, jobs, {})
    if not idle:
        return
    needs = {name: sum(shape.amounts[name] * shape.count for shape in idle) for name in room}
    whole = sum(shape.weight * shape.count for shape in idle)
    fits = all(needs[name] <= amount for name, amount in room.items())
    assert (found.binding == "") == fits
    if fits:
        assert found.parts >= whole
    else:
        assert found.parts < whole
        assert found.binding in room
    for name, amount in room.items():
        dearest = [shape.weight / shape.amounts[name] for shape in idle if shape.amounts[name]]
        if len(dearest) == len(idle):
            assert found.parts <= amount * max(dearest) + 1e-6


@given(ROOM, SHAPES, st.sampled_from(("cpus", "memory", "gpus", "weight")), st.integers(0, 30))
def test_one_kind_of_claim_never_loses_by_more_room(
    room: dict[str, int], idle: tuple[ClaimShape, ...], name: str, more: int
) -> None:
    jobs = GroupJobs((), idle[:1])
    larger = (
        {**room, name: room[name] + more * (1000 if name == "weight" else 1)}
        if name in room
        else room
    )

    assert runtime_weight(larger, jobs, {}).parts >= runtime_weight(room, jobs, {}).parts
