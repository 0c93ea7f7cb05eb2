"""What a cycle keeps and takes apart to be fast is what plain evaluation of the full ads says, whatever they say."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from htcq.classads import as_number, named, parsed
from htcq.pool.autocluster import Autocluster
from htcq.pool.job import OWN
from htcq.pool.matching import Mismatch, wall
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.simulate.cycle.cached_expressions import ReferenceGraph
from htcq.simulate.cycle.matchlist import MatchList, Ranks
from htcq.simulate.cycle.offer_groups import DECIDES, CrashError, OfferGroups, Weighing
from htcq.simulate.cycle.offers import Offer
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.ranks import Ranker, as_float

_ATTRIBUTES = ("Cpus", "Memory", "Disk", "Tokens", "RequestCpus", "RequestMemory", "RequestDisk", "Machine", "SlotID",
               "KFlops", "Start", "Extra", "Other", "TotalCpus", "_cp_orig_RequestCpus", "Owner")  # fmt: skip
_SCOPES = ("", "MY.", "TARGET.", "my.", "Target.")
_LITERALS = (
    "0",
    "1",
    "2",
    "1.5",
    "100",
    "-1",
    "true",
    "false",
    "undefined",
    "error",
    '"node1"',
    '"a && b"',
)
#: Written as daemons and condor_submit write them.
_USUAL = (
    "true", "Start && WithinResourceLimits", "TARGET.Memory >= RequestMemory", "(TARGET.Disk >= RequestDisk) && true",
    ("ifThenElse(TARGET._cp_orig_RequestCpus =!= undefined,TARGET.RequestCpus <= "
    "MY.Cpus,MY.ConsumptionCpus <= MY.Cpus)"),
    "MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && (TARGET.RequestDisk - 1) <= MY.Disk",
    "TARGET.RequestTokens =?= undefined || MY.Tokens >= TARGET.RequestTokens", 'eval("Cp" + "us") > 1',
)  # fmt: skip
_CONSUMPTIONS = (
    "1", "TARGET.RequestCpus ?: 1", "quantize(TARGET.RequestMemory,{ 128 })", "TARGET.RequestCpus", "0", "Cpus / 2",
    "undefined", "-1", "ifThenElse(TARGET.RequestDisk is undefined,0,TARGET.RequestDisk)", "Other ?: 0",
)  # fmt: skip
_WEIGHTS = (
    "Cpus",
    "min({ Cpus,Memory / 128 })",
    "Extra",
    "1",
    "undefined",
    "Cpus * 0.5 + Tokens",
    "TotalCpus - Disk",
)
_RANKS = (
    "Memory",
    "TARGET.Cpus",
    "10 * Cpus - Memory",
    "RequestMemory",
    "0",
    "KFlops / 2 + SlotID",
    "KFlops / 2",
    "TARGET.Other",
)
_AMOUNTS = st.sampled_from((0, 1, 2, 3, 100, 129, 2.5, 1000))


def _atoms() -> st.SearchStrategy[str]:
    names = st.builds("{}{}".format, st.sampled_from(_SCOPES), st.sampled_from(_ATTRIBUTES))
    return st.one_of(names, names, st.sampled_from(_LITERALS))


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = (
        "&&",
        "&&",
        "||",
        ">=",
        "<=",
        ">",
        "<",
        "==",
        "=?=",
        "=!=",
        "+",
        "-",
        "*",
        "&",
        "?:",
    )
    return st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from(operators), inner),
        st.builds("({})".format, inner),
        st.builds("!{}".format, inner),
        st.builds("ifThenElse({},{},{})".format, inner, inner, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
    )


EXPRESSIONS = st.one_of(
    st.sampled_from(_USUAL), st.recursive(_atoms(), _larger, max_leaves=8)
).filter(parsed)
_COMPARED = st.builds(
    "{} {} {}".format,
    st.sampled_from(
        (
            "Cpus",
            "MY.Cpus",
            "TARGET.Cpus",
            "(Memory)",
            "TARGET.Memory",
            "Disk",
            "MY.Tokens",
            "RequestCpus",
        )
    ),
    st.sampled_from((">=", ">=", "<=", ">", "<")),
    st.sampled_from(
        (
            "0",
            "1",
            "2",
            "2.5",
            "100",
            "TARGET.RequestCpus",
            "RequestMemory",
            "Cpus",
            "TARGET.Disk",
            "Memory",
        )
    ),
)
#: Such as most Requirements are, and such as none are.
CONDITIONS = st.one_of(
    st.just("true"),
    st.lists(_COMPARED, min_size=1, max_size=4).map(" && ".join),
    st.lists(st.one_of(_COMPARED, EXPRESSIONS), min_size=1, max_size=3)
    .map(" && ".join)
    .filter(parsed),
    st.builds(
        "ifThenElse({},{},{})".format,
        st.sampled_from(("Start", "true", "TARGET.Other > 1")),
        _COMPARED,
        _COMPARED,
    ),
    st.builds("{} || {}".format, EXPRESSIONS, _COMPARED),
    EXPRESSIONS,
)


def _ad(attributes: dict[str, object]) -> str:
    return (
        "".join(f"{name} = {text}\n" for name, text in attributes.items() if text is not None)
        + "\n"
    )


@st.composite
def slot_ads(draw: st.DrawFn) -> str:
    """Slots of one startd, alike but for their names and what they have left; with a consumption policy or without."""
    shared: dict[str, object] = {
        "MyType": '"Machine"', "State": '"Unclaimed"', "PartitionableSlot": "true", "SlotType": '"Partitionable"',
        "MachineResources": '"Cpus Memory Disk Tokens"', "Tokens": draw(st.integers(0, 3)), "TotalCpus": 4,
        "Requirements": draw(CONDITIONS), "Start": draw(CONDITIONS), "WithinResourceLimits": draw(CONDITIONS),
        "Extra": draw(EXPRESSIONS), "SlotWeight": draw(st.sampled_from(_WEIGHTS)),
    }  # fmt: skip
    for asset in ("Cpus", "Memory", "Disk", "Tokens") if draw(st.booleans()) else ():
        shared[f"Consumption{asset}"] = draw(st.sampled_from(_CONSUMPTIONS))
    own = (
        {"Name": f'"slot{number}@node{number % 2}"', "Machine": f'"node{number % 2}"', "SlotID": number,
         "KFlops": draw(st.sampled_from((None, 1, "1.0", "true"))), "Cpus": draw(_AMOUNTS), "Memory": draw(_AMOUNTS),
         "Disk": draw(_AMOUNTS)}
        for number in range(draw(st.integers(1, 5)))
    )  # fmt: skip
    return "".join(_ad({**shared, **each}) for each in own)


@st.composite
def job_ads(draw: st.DrawFn) -> str:
    """Idle jobs that ask for different amounts of some assets."""
    texts = []
    for number in range(1, draw(st.integers(2, 4))):
        asked = {f"Request{asset}": draw(st.sampled_from((None, 0, 1, 2, 100, 1.5, "Other", "MY.ProcId + 1")))
                 for asset in ("Cpus", "Memory", "Disk", "Tokens")}  # fmt: skip
        texts.append(_ad({
            "MyType": '"Job"', "ClusterId": number, "ProcId": 0, "JobStatus": 1, "JobUniverse": 5, "Owner": '"ann"',
            "User": '"ann@test"', "Requirements": draw(CONDITIONS), "Rank": draw(st.sampled_from(_RANKS)),
            "Other": draw(st.sampled_from((None, 1, 3, "TARGET.Memory / 2"))), **asked,
        }))  # fmt: skip
    return "".join(texts)


def read(slots: str, jobs: str) -> Pool:
    """Return the pool of these ads."""
    texts = Texts("ads", lambda: [slots.encode()], lambda: [jobs.encode()])
    pool = read_pool(texts, lambda *_: ({}, {}))
    assert pool.slots
    assert pool.jobs
    return pool


def links_of(pool: Pool, *texts: str) -> ReferenceGraph:
    """Return what a cycle over ``pool`` knows of its expressions, and of ``texts``."""
    expressions = (parsed(text) for text in texts)
    words = {word for each in expressions if each is not None for word in each.words()} | set(
        DECIDES
    )
    return ReferenceGraph(
        words.union(*(frame.words() for frame in (*pool.slot_frames, *pool.job_frames)))
    )


def plain_cost(
    slot: Slot, request: Request, amounts: dict[str, Number], kind: SlotClass
) -> Number | str | None:
    """Return what a match costs by evaluating full ads; None where there is none."""
    jobs = Autocluster(request.frame, request.first, Counter(), Counter())
    if wall(kind, jobs, amounts)[0] is not Mismatch.NONE:
        return None
    if not kind.supports_policy:
        return kind.plain_weight(amounts)
    cost = kind.cost(kind.consumed(jobs.ad(), amounts), amounts)
    return "no number" if cost is None else cost


def assert_costs_are_plain(slots: str, jobs: str) -> None:
    """Compare what matches cost with what full ads say, for each job on each slot."""
    pool = read(slots, jobs)
    links = links_of(pool)
    words = sorted(
        set[str]().union(*(frame.words() for frame in (*pool.slot_frames, *pool.job_frames)))
    )
    states, weighing = OfferGroups(words, links), Weighing(links)
    requests = [Request(job) for job in pool.jobs or ()]
    # All at once, so that each is asked when much is known of the others.
    first = [states.first(slot, weighing) for slot in pool.slots or ()]
    for state, slot in zip(first, pool.slots or ()):
        kind, amounts = SlotClass((slot,)), dict(state.amounts)
        for request in requests:
            expected = plain_cost(slot, request, amounts, kind)
            try:
                found = state.cost(request)
            except CrashError:
                assert expected == "no number"
                continue
            assert found == expected, (amounts, request.frame.texts)
            after = state.after(request) if found is not None else None
            if after is not None:
                taken = kind.consumed(request.first.ad(), amounts)
                assert after.amounts == {
                    asset: left - (taken[asset] or 0) for asset, left in amounts.items()
                }


@given(st.lists(slot_ads(), min_size=1, max_size=2), job_ads())
def test_a_match_costs_what_the_full_ads_say(slots: list[str], jobs: str) -> None:
    assert_costs_are_plain("".join(slots), jobs)


#: Each is taken apart in a way of its own, or must not be.
_DELICATE = (
    "true", "Memory >= 100", "100 <= Memory", "100 < TARGET.Memory", "TARGET.Memory > 100 && Memory > 99",
    "101 > Memory",     "Memory <= 100 && TARGET.Memory <= 101", "Memory >= 100 || error",
    "error || Memory >= 100", "false || Memory > 99",
    "Memory > 99 || Cpus > 0 && Cpus < 2", "(Memory > 99 || Cpus > 0) && Cpus < 2", "Memory > 99 ? Cpus > 1 : true",
    "undefined || Cpus > 1", "Cpus", "Cpus && Memory", "!Cpus >= 0", "-Cpus <= -2", "Cpus >= undefined", "Cpus >= true",
    'Cpus >= "1"', "Cpus >= 1 && 2", 'Cpus > 1 && "a"', "Cpus > 0 == true", "Cpus >= 1 & 1", "Cpus > 1 =?= true",
    "ifThenElse(true,Cpus > 1,error)", "ifThenElse(undefined,true,Cpus > 1)", "ifThenElse(0,Cpus > 1,Cpus < 1)",
    "ifThenElse(1,Cpus > 1,Cpus < 1)", "ifThenElse(Cpus > 1,Memory > 99,true)", "Wish", "MY.Wish && TARGET.Start",
    "Circle", "KFlops / 2 >= 0.5", "KFlops >= 1 && Cpus > 0", 'Machine == "node1"', "RequestCpus <= TARGET.Cpus",
    'eval("Cp" + "us") > 1', "TARGET.RequestCpus is undefined", "Cpus / 2 >= 1", "Cpus >= 1.5", "MY.Cpus > 0",
)  # fmt: skip


def test_conditions_are_taken_apart_exactly() -> None:
    machines = [
        {"Name": f'"slot{number}@node1"', "Machine": f'"node{number % 2}"', "Cpus": cpus, "Memory": memory, "Disk": 10,
         "KFlops": speed}
        for number, (cpus, memory, speed) in enumerate(product((0, 1, 2, 3), (99, 100, 101), (None, 1, "1.0", "true")))
    ]  # fmt: skip
    shared = {"MyType": '"Machine"', "MachineResources": '"Cpus Memory Disk"', "PartitionableSlot": "true",
              "SlotType": '"Partitionable"', "SlotWeight": "Cpus * Cpus + Memory"}  # fmt: skip
    policy = {
        "ConsumptionCpus": "1",
        "ConsumptionMemory": "TARGET.RequestMemory ?: 1",
        "ConsumptionDisk": "0",
    }
    asks = {"JobStatus": 1, "ProcId": 0, "Owner": '"ada"',
            "Wish": "TARGET.Memory > 99 && Other", "Other": "TARGET.Cpus < 3",
            "Circle": "Circle && true", "RequestCpus": 2}  # fmt: skip
    jobs = [
        {**asks, "ClusterId": number, "Requirements": text} for number, text in enumerate(_DELICATE)
    ]
    for slot in ({}, policy):
        for text in _DELICATE:
            start = {
                "Requirements": "Start",
                "Start": text,
                "Wish": "Memory > 99",
                "Circle": "Circle || true",
            }
            few = machines if text == "true" else machines[::5]
            slots = "".join(_ad({**shared, **slot, **start, **machine}) for machine in few)
            assert_costs_are_plain(slots, "".join(map(_ad, jobs if text == "true" else jobs[:1])))


@given(slot_ads(), job_ads(), EXPRESSIONS, st.sampled_from(_RANKS))
def test_ranks_are_those_of_the_full_ads(slots: str, jobs: str, pre: str, post: str) -> None:
    pool = read(slots, jobs)
    links = links_of(pool, pre, post)
    names = frozenset(name for frame in pool.job_frames for name in frame.texts) | {
        each.lower() for each in OWN
    }
    words = sorted(
        set[str]().union(*(frame.words() for frame in (*pool.slot_frames, *pool.job_frames)))
    )
    states, weighing, ranker = (
        OfferGroups(words, links),
        Weighing(links),
        Ranker(pre, post, names, links),
    )
    offers = [
        Offer(index, slot, states.first(slot, weighing))
        for index, slot in enumerate(pool.slots or ())
    ]

    for _ in range(2):
        for offer in offers:
            for request in (Request(job) for job in pool.jobs or ()):
                slot, job = offer.slot.ad(dict(offer.state.amounts)), request.first.ad()
                ranks = [
                    as_number(each.evaluate(slot, job))
                    for each in map(parsed, (pre, post))
                    if each is not None
                ]
                wanted = as_number(named("Rank").evaluate(job, slot))
                first, last = (
                    -1.7976931348623157e308 if rank is None else as_float(rank) for rank in ranks
                )
                expected = (first, 0.0 if wanted is None else float(wanted), last)
                assert ranker.of(offer, request) == expected
                entry = next(iter(ranker.entries(offer.state, [offer], request)))
                assert entry == (*(-rank for rank in expected), offer.index, offer)


_SOME_RANKS: st.SearchStrategy[Ranks] = st.tuples(*[st.sampled_from((0.0, 1.0, 2.0))] * 3)


@given(
    st.lists(_SOME_RANKS, max_size=300), st.lists(st.one_of(st.none(), _SOME_RANKS), max_size=300)
)
def test_a_match_list_is_a_plain_list_that_is_put_back_into_the_wrong_way_round(
    begin: list[Ranks], then: list[Ranks | None]
) -> None:
    """HTCondor's own way: at the head, then behind every entry that the new one beats, up to the first it does not."""
    entries = [(-pre, -rank, -post, index, index) for index, (pre, rank, post) in enumerate(begin)]
    fast = MatchList(entries)
    plain = [(begin[index], index) for *_, index in sorted(entries)]
    for ranks in [*then, *[None] * len(begin)]:
        item = plain.pop(0)[1] if plain else None
        assert fast.pop() == item
        if item is not None and ranks is not None:
            fast.give_back(ranks, item)
            at = next(
                (place for place, (each, _) in enumerate(plain) if not ranks > each), len(plain)
            )
            plain.insert(at, (ranks, item))
