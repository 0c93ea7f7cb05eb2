"""Whatever a snapshot holds, reading it ends, raises nothing but htcq's own errors, and keeps what is sound."""

from __future__ import annotations

import io
import time
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from htcq.claims.costs import costs
from htcq.classads import Expr, Missing, Value
from htcq.errors import HtcqError
from htcq.live.configuration import read_dump
from htcq.pool.autocluster import autoclusters_of
from htcq.pool.configuration import configuration_from
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.pool.slot_class import slot_classes
from htcq.pool.weights import Weights
from htcq.report.views.cost import cost_json, write_csv
from tests.audit.sites import dynamic_slot, job, policy_slot, slot, static_slot, submitter
from tests.pool.negotiations import CYCLES

#: Seconds; most take some milliseconds.
PATIENCE = 20
#: Ads of a real pool, and made-up ones of every type.
RECORDED = [
    ad + "\n"
    for cycle in CYCLES[:6]
    for name in ("collector.ads", "jobs.ads")
    for ad in (cycle / name).read_text().strip().split("\n\n")
]
ADS = [*RECORDED[::7], slot(), policy_slot(), dynamic_slot(), static_slot(), job(), submitter()]
UNTOUCHED = slot("slot1@untouched", Cpus=5)


def no_configuration(text: str, names: object) -> tuple[dict[str, str], dict[str, str]]:
    return {}, {}


def read(collector: Iterable[bytes], jobs: Iterable[bytes] | None = None) -> Pool | HtcqError:
    """Return the pool, or the refusal; anything else that is raised is a failure."""
    first, second = list(collector), None if jobs is None else list(jobs)
    began = time.monotonic()
    try:
        return read_pool(
            Texts("fuzz", lambda: first, None if second is None else lambda: second),
            no_configuration,
        )
    except HtcqError as error:
        return error
    finally:
        assert time.monotonic() - began < PATIENCE


def look(found: Pool | HtcqError) -> None:
    """Do with a pool what ``htcq cost`` does."""
    if isinstance(found, Pool) and found.slots:
        audit = costs(
            found, slot_classes(found.slots), autoclusters_of(found.jobs or ()), Weights()
        )
        assert cost_json(audit, found)["schema"] == 1
        write_csv(audit, io.StringIO())


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Some ads of a pool with lines taken out, doubled, cut, moved, exchanged, or with rubbish in them."""
    ads = draw(st.lists(st.sampled_from(ADS), min_size=1, max_size=4))
    lines = "\n".join(ads).encode().split(b"\n")
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(lines) - 1))
        way = draw(st.sampled_from(("delete", "double", "cut", "move", "rubbish", "value")))
        if way == "delete":
            lines[place] = b""
        elif way == "double":
            lines.insert(draw(st.integers(0, len(lines))), lines[place])
        elif way == "cut":
            lines[place] = lines[place][: draw(st.integers(0, len(lines[place])))]
        elif way == "move":
            lines.append(lines.pop(place))
        elif way == "rubbish":
            at = draw(st.integers(0, len(lines[place])))
            lines[place] = lines[place][:at] + draw(st.binary(max_size=12)) + lines[place][at:]
        else:
            lines[place] = lines[place].partition(b"=")[0] + b"= " + draw(VALUES).encode()
    return b"\n".join(lines)


#: What no sound ad says of itself.
VALUES = st.sampled_from(
    (
        *("", "undefined", "error", "true", "-1", "1e308", "1e999", "-0.0", "9" * 30),
        *(
            '""',
            '"',
            '"\\377"',
            "{1,2}",
            "[a=1]",
            "Cpus",
            "Memory",
            "SlotWeight",
            "TARGET.RequestCpus",
        ),
        *(
            "MY.Cpus + TARGET.Cpus",
            "(" * 300,
            "1" + "+1" * 9000,
            'eval(strcat("C", "pus"))',
            "TARGET.'*'",
            "'a b'",
        ),
        *('"Cpus Memory Disk ( 9 x"', "time() - time()", "Requirements && Start"),
        *(
            "WithinResourceLimits",
            "ifThenElse(Cpus > 3, 1/0, error)",
            "\x00",
            "é",
            "a.b.c",
            "1 ? : 2",
        ),
    )
)


@given(st.binary(max_size=600), st.one_of(st.none(), st.binary(max_size=300)))
def test_any_bytes_are_a_pool_or_one_error(collector: bytes, jobs: bytes | None) -> None:
    look(read([collector], None if jobs is None else [jobs]))


@given(damaged(), damaged())
def test_damaged_ads_are_a_pool_or_one_error(collector: bytes, jobs: bytes) -> None:
    look(read([collector], [jobs]))


@given(damaged(), damaged())
def test_an_untouched_ad_among_damaged_ones_is_read(before: bytes, after: bytes) -> None:
    found = read([before, b"\n\n", UNTOUCHED.encode(), b"\n", after])

    assert isinstance(found, Pool)
    (one,) = [each for each in found.slots or () if each.name == "slot1@untouched"]
    assert (one.cpus, one.memory_mb, Weights().of(one)) == (5, 16384, 5)


def plain(found: Pool | HtcqError) -> object:
    """Return everything that was read, in a form that can be compared."""
    if isinstance(found, HtcqError):
        return str(found)
    slots = [(each.frame.lines, *each[1:]) for each in found.slots or ()]
    jobs = [(each.frame.lines, *each[1:]) for each in found.jobs or ()]
    records = [(each.type, sorted(each.values)) for each in found.submitters + found.accounting]
    return repr((slots, jobs, records, found.damage))


@given(damaged(), st.lists(st.integers(0, 20_000), max_size=8))
def test_where_the_bytes_are_cut_does_not_matter(text: bytes, places: list[int]) -> None:
    cuts = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    pieces = [text[start:end] for start, end in zip(cuts, cuts[1:])]

    assert plain(read(pieces, pieces)) == plain(read([text], [text]))


NAMES = (
    "Cpus",
    "Memory",
    "Disk",
    "GPUs",
    "Share",
    "Points",
    "NoSuchThing",
    "TotalSlotCpus",
    "Name",
)
EXPRESSIONS = st.recursive(
    st.one_of(
        st.sampled_from(NAMES),
        st.integers(0, 9).map(str),
        st.just("2.5"),
        st.just('"x"'),
        st.just("true"),
    ),
    lambda inner: st.one_of(
        st.builds(
            "({} {} {})".format, inner, st.sampled_from(("+", "-", "*", "/", "<", "=?=")), inner
        ),
        st.builds("ifThenElse({}, {}, {})".format, inner, inner, inner),
        st.builds("floor({})".format, inner),
        st.builds("min({{{}, {}}})".format, inner, inner),
        st.builds("({} ?: {})".format, inner, inner),
    ),
    max_leaves=8,
)
AMOUNTS = st.sampled_from(("0", "1", "2", "7", "7.0", "true", "1e3", '"7"', "undefined", None))


@given(
    EXPRESSIONS,
    EXPRESSIONS,
    EXPRESSIONS,
    st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS), min_size=1, max_size=8),
)
def test_weights_are_what_the_expression_says_of_each_slot(
    weight: str, share: str, points: str, amounts: list[tuple[str | None, str | None, str | None]]
) -> None:
    """Evaluated once for equal values, and never for values that only look equal."""
    texts = [
        slot(
            f"slot1@n{place}",
            SlotWeight=weight,
            Share=share,
            Points=points,
            Cpus=cpus,
            Memory=memory,
            GPUs=gpus,
        )
        for place, (cpus, memory, gpus) in enumerate(amounts)
    ]
    found = read(["\n".join(texts).encode()])
    assert isinstance(found, Pool)
    weights = Weights()

    for each in found.slots or ():
        assert same(weights.of(each), Expr("SlotWeight").evaluate(each.ad()))


def same(one: Value, other: Value) -> bool:
    if isinstance(one, Missing) or isinstance(other, Missing):
        return one is other
    return type(one) is type(other) and (one == other or one != one)


KNOB_LINES = st.one_of(
    st.text(max_size=30),
    st.builds(
        "{} {} {}".format,
        st.sampled_from(
            (
                "A",
                "B",
                "SLOT_WEIGHT",
                "if",
                "include",
                "use",
                "error",
                "LOCAL_CONFIG_FILE",
                "a-b",
                "@x",
                "é",
            )
        ),
        st.sampled_from(("=", "@=", ":", "+=", "")),
        st.one_of(
            st.sampled_from(
                (
                    "$(A)$(B)",
                    "$(B",
                    "$(A:$(B))",
                    "x \\",
                    "end",
                    "$ENV(HOME)",
                    "$INT(A)",
                    "$CHOICE(A,B)",
                    "$$(A)",
                )
            ),
            st.text(max_size=12),
        ),
    ),
    st.sampled_from(("@end", "# at: /etc/x, line 3", "", "endif", "else", "\\", "if true")),
)


@given(st.lists(KNOB_LINES, max_size=14))
def test_any_configuration_is_read_or_refused_in_time(lines: list[str]) -> None:
    began = time.monotonic()
    try:
        found = configuration_from("fuzz", "\n".join([*lines, "", "SOUND = 1"]), read_dump)
    except HtcqError:
        return
    finally:
        assert time.monotonic() - began < PATIENCE * 2
    assert found.value("NEGOTIATOR_USE_SLOT_WEIGHTS"), "HTCondor's own defaults stand behind it"
