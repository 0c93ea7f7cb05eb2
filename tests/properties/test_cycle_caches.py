"""What a cycle keeps and takes apart to be fast is what plain evaluation of the full ads says, whatever they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq import columns
from htcq.claims.matching import Mismatch, wall
from htcq.classads import Ad, as_number, named, parsed
from htcq.columns.row_engine import RowEngine
from htcq.pool.autocluster import Autocluster
from htcq.pool.job import OWN
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.weights import Weights
from htcq.poolquota.supply import Supply
from htcq.quota.cpp_float import as_float
from htcq.simulate.cycle.candidates import MatchLevel
from htcq.simulate.cycle.job_table import DECIDES, JobTable, Ranking, TableContext
from htcq.simulate.cycle.matchlist import MatchList, Ranks
from htcq.simulate.cycle.offers import Offers
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.rows import Rows, SlotAnswer
from htcq.simulate.cycle.slot_table import Offer

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


class OwnWeights(Supply):
    """Slots that the negotiator weighs by their own SlotWeight, also where that is no number."""

    def weighs_centrally(self, slot: Slot) -> bool:
        """Tell that it does not."""
        return False


def offers_of(pool: Pool, by_rows: bool, pre: str = "0", post: str = "0") -> Offers:
    """Return the slots of ``pool`` in tables, of the engine by columns or of that by rows."""
    links = links_of(pool, pre, post)
    frames = (*pool.slot_frames, *pool.job_frames)
    texts = (parsed(pre), parsed(post))
    words = {word for each in texts if each is not None for word in each.words()}
    words = words.union(DECIDES, *(frame.words() for frame in frames))
    names = frozenset(name for frame in pool.job_frames for name in frame.texts)
    ranking = Ranking(pre, post, names | {each.lower() for each in OWN}, links)
    engine = RowEngine() if by_rows else columns.new_engine()
    context = TableContext(engine, links, sorted(words), ranking)  # type: ignore[arg-type]
    return Offers(OwnWeights(pool.slots or (), Weights(), {}), context, {})


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


def assert_costs_are_plain(slots: str, jobs: str, by_rows: bool) -> None:
    """Compare what matches cost with what full ads say, for each job on each slot.

    And again for the same slots after a match each, and after another.
    """
    pool = read(slots, jobs)
    offers = offers_of(pool, by_rows)
    for request in [Request(job) for job in pool.jobs or ()]:
        for table in offers.tables:
            job = table.context.job(request)
            assert (table.answer(job) is None) == (not table.whole().answer(job).fits.any())
            standing, matched = table.whole(), [True] * table.rows
            for _ in range(3):
                answer = standing.answer(job)
                assert_answer_is_plain(table.offers, standing, answer, job, matched)
                if standing.takes_all or not answer.fits.any():
                    break
                fits = table.arrays.listed_truths(answer.fits, table.rows)
                matched = [one and other for one, other in zip(matched, fits)]
                standing = standing.after(job)


def assert_answer_is_plain(
    offers: Sequence[Offer],
    standing: Rows,
    answer: SlotAnswer,
    job: JobTable,
    rows: Sequence[bool],
) -> None:
    """Compare an answer with what full ads say of some of the slots."""
    request = job.request
    arrays, count = standing.arrays, standing.rows
    fits = arrays.listed_truths(answer.fits, count)
    costs = arrays.listed(answer.cost, count)
    for row, offer in enumerate(offers):
        if not rows[row]:
            continue
        kind, amounts = SlotClass((offer.slot,)), standing.amounts(row)
        expected = plain_cost(offer.slot, request, amounts, kind)
        if not fits[row]:
            assert expected is None, (amounts, request.frame.texts)
            continue
        if answer.crashes is not None and answer.crashes[row]:
            assert expected == "no number"
            continue
        assert (costs[row], type(costs[row])) == (expected, type(expected))
        if not standing.takes_all:
            taken = kind.consumed(request.first.ad(), amounts)
            left = {asset: each - (taken[asset] or 0) for asset, each in amounts.items()}
            assert standing.after(job).amounts(row) == left


@given(st.lists(slot_ads(), min_size=1, max_size=2), job_ads(), st.booleans())
def test_a_match_costs_what_the_full_ads_say(slots: list[str], jobs: str, by_rows: bool) -> None:
    assert_costs_are_plain("".join(slots), jobs, by_rows)


#: Where a compiler could take a short cut, or must not.
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


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize(
    "consumption", ["Cpus / 2", "TARGET.RequestCpus ?: 1", "TotalCpus / 4", "max({1, Cpus - 1})"]
)
def test_consumption_may_depend_on_slots_that_are_all_equal(
    consumption: str, by_rows: bool
) -> None:
    shared = {
        "MyType": '"Machine"', "MachineResources": '"Cpus Memory Disk"', "SlotWeight": "Cpus + 1",
        "PartitionableSlot": "true", "SlotType": '"Partitionable"', "Requirements": "true",
        "ConsumptionCpus": consumption, "ConsumptionMemory": "1", "ConsumptionDisk": "0",
        "Cpus": 8, "Memory": 100, "Disk": 10, "TotalCpus": 8,
    }  # fmt: skip
    slots = [{**shared, "Name": f'"slot1@node{number}"'} for number in range(3)]
    job = {
        "MyType": '"Job"', "JobStatus": 1, "ProcId": 0, "ClusterId": 1, "Owner": '"ann"',
        "Requirements": "true", "RequestCpus": 2,
    }  # fmt: skip

    assert_costs_are_plain("".join(map(_ad, slots)), _ad(job), by_rows)


def test_delicate_conditions_are_evaluated_exactly() -> None:
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
            asking = "".join(map(_ad, jobs if text == "true" else jobs[:1]))
            assert_costs_are_plain(slots, asking, by_rows=False)


@given(slot_ads(), job_ads(), EXPRESSIONS, st.sampled_from(_RANKS), st.booleans())
def test_ranks_are_those_of_the_full_ads(
    slots: str, jobs: str, pre: str, post: str, by_rows: bool
) -> None:
    pool = read(slots, jobs)
    for table in offers_of(pool, by_rows, pre, post).tables:
        for request in (Request(job) for job in pool.jobs or ()):
            asking, arrays = table.context.job(request), table.arrays
            before, after = table.ranks(asking)
            all_ranks = (before, table.whole().job_rank(asking), after)
            found = zip(*(arrays.listed_numbers(each, table.rows) for each in all_ranks))
            for offer, ranks in zip(table.offers, found):
                assert ranks == plain_ranks(offer.ad(), request.first.ad(), (pre, post))


def plain_ranks(slot: Ad, job: Ad, texts: tuple[str, str]) -> Ranks:
    """Return the ranks of a match by evaluating full ads."""
    first, last = -1.7976931348623157e308, -1.7976931348623157e308
    found = [as_number(each.evaluate(slot, job)) for each in map(parsed, texts) if each]
    if found[0] is not None:
        first = as_float(found[0])
    if found[1] is not None:
        last = as_float(found[1])
    wanted = as_number(named("Rank").evaluate(job, slot))
    return (first, 0.0 if wanted is None else float(wanted), last)


@given(
    slot_ads(),
    job_ads(),
    st.lists(st.tuples(st.integers(0, 4), _AMOUNTS, st.booleans(), st.booleans()), max_size=8),
)
def test_what_was_found_for_a_request_follows_the_slots(
    slots: str, jobs: str, changes: list[tuple[int, float, bool, bool]]
) -> None:
    """A request that fits nowhere is compared with the slots that have changed alone.

    Ranks and weights of a slot that were worked out before it changed are used again.
    """
    pool = read(slots, jobs)
    (table,) = offers_of(pool, by_rows=False, pre="Cpus", post="Memory - Disk").tables
    requests = [Request(job) for job in pool.jobs or ()]
    for row, cpus, is_ranked, is_weighed in [(0, None, False, False), *changes]:
        if cpus is not None and row < table.rows:
            left = {**table.offers[row].amounts, "cpus": cpus}
            columns = {asset: table.engine.column([amount]) for asset, amount in left.items()}
            places = table.arrays.places([0])
            rows = table.whole().at(table.arrays.places([row])).with_left(columns)
            level = MatchLevel(rows, table.context.job(requests[0]))
            assert not is_ranked or level.by_negotiator
            assert not is_weighed or rows.weight()
            table.change([row], level, places)
        whole = table.whole()
        anew = whole.with_left(whole.left).weight()
        kept, weights = [table.arrays.listed(each, table.rows) for each in (whole.weight(), anew)]
        assert list(zip(kept, map(type, kept))) == list(zip(weights, map(type, weights)))
        for request in requests:
            job = table.context.job(request)
            found, fresh = table.answer(job), table.whole().answer(job)
            assert (found is not None) == bool(fresh.fits.any())
            if found is not None:
                assert found.fits.tolist() == fresh.fits.tolist()
                costs = [table.arrays.listed(each.cost, table.rows) for each in (found, fresh)]
                for fits, cost, anew in zip(found.fits.tolist(), *costs):
                    assert not fits or cost == anew
            for kept, anew in zip(table.ranks(job), table.whole().ranks(job)):
                spread = table.arrays.full(table.rows, anew)
                assert kept.tolist() == spread.tolist()


_SOME_RANKS: st.SearchStrategy[Ranks] = st.tuples(*[st.sampled_from((0.0, 1.0, 2.0))] * 3)


@given(
    st.lists(_SOME_RANKS, max_size=300),
    st.lists(st.one_of(st.none(), st.tuples(_SOME_RANKS, st.booleans())), max_size=300),
)
def test_a_match_list_is_a_plain_list_that_is_put_back_into_the_wrong_way_round(
    begin: list[Ranks], then: list[tuple[Ranks, bool] | None]
) -> None:
    """HTCondor's own way: at the head, then behind every entry that the new one beats, up to the first it does not.

    What fits no more is not put back.
    """
    entries = [(-pre, -rank, -post, index) for index, (pre, rank, post) in enumerate(begin)]
    plain = [(begin[index], index) for *_, index in sorted(entries)]
    # The list asks for more, a few at a time.
    parts = iter([plain[at : at + 7] for at in range(0, len(plain), 7)])

    def more() -> tuple[list[Ranks], list[int]]:
        part = next(parts, [])
        return [ranks for ranks, _ in part], [item for _, item in part]

    fits: dict[int, bool] = {}
    fast = MatchList(more, lambda item: fits[item])
    for again in [*then, *[None] * len(begin)]:
        item = plain.pop(0)[1] if plain else None
        assert fast.pop() == item
        if item is None or again is None:
            continue
        ranks, fits[item] = again
        fast.give_back(ranks, item)
        if fits[item]:
            at = next(
                (place for place, (each, _) in enumerate(plain) if not ranks > each), len(plain)
            )
            plain.insert(at, (ranks, item))
