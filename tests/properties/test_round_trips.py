"""What is written is read back as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.capacity.plan import Shape
from htcq.errors import InputError
from htcq.node import Gpu, Node, Source, node_facts, node_from_facts
from htcq.settings import parse_shape
from htcq.units import parse_amount, show_amount

UNITS = {
    "B": 1,
    "KiB": 2**10,
    "KB": 2**10,
    "K": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "GB": 2**30,
    "TiB": 2**40,
}
SIZES = {"memory": 2**20, "disk": 2**10}


@given(st.sampled_from(sorted(SIZES)), st.integers(0, 10**9), st.sampled_from(sorted(UNITS)))
def test_an_amount_keeps_its_bytes(asset: str, number: int, unit: str) -> None:
    """Whatever the unit, the amount in HTCondor's unit is the same number of bytes, exactly."""
    assert number * UNITS[unit] == parse_amount(asset, f"{number}{unit}") * SIZES[asset]
    assert number * UNITS[unit] == parse_amount(asset, f" {number} {unit.lower()} ") * SIZES[asset]


@given(st.sampled_from(sorted(SIZES)), st.integers(1, 10**12))
def test_a_shown_amount_is_read_back(asset: str, amount: int) -> None:
    """Shown with two digits after the point, so exact up to half a hundredth of its unit (and of 1 unit at most)."""
    read = parse_amount(asset, show_amount(asset, amount))

    assert abs(read - amount) <= Fraction(amount, 199)


@given(st.sampled_from(("cpus", "gpus", "actuators")), st.integers(0, 10**5))
def test_a_shown_count_is_read_back(asset: str, amount: int) -> None:
    assert amount == parse_amount(asset, show_amount(asset, amount))


@st.composite
def _whole_nodes(draw: st.DrawFn) -> Node:
    text = st.text(st.characters(codec="utf-8"), max_size=12)
    gpu = st.builds(Gpu, text, text, st.integers(0, 10**6), text, st.booleans())
    other = st.tuples(text, st.integers(0, 10**6))
    source = st.builds(
        Source, text, st.integers(0, 10**6), text, text, st.lists(other, max_size=2).map(tuple)
    )
    return Node(
        cpus=draw(st.integers(1, 4096)),
        memory_mb=draw(st.integers(1, 10**8)),
        disk_kb=draw(st.integers(1, 10**12)),
        gpus=draw(st.integers(0, 64)),
        custom=draw(
            st.dictionaries(
                st.from_regex(r"x[a-z]{1,8}", fullmatch=True), st.integers(0, 100), max_size=3
            )
        ),
        physical_cpus=draw(st.integers(0, 4096)),
        swap_mb=draw(st.integers(0, 10**8)),
        condor_cpus=draw(st.integers(0, 4096)),
        condor_memory_mb=draw(st.integers(0, 10**8)),
        condor_version=draw(st.sampled_from(("", "23.9.6", "25.14.1"))),
        hostname=draw(text),
        gpu_devices=draw(st.lists(gpu, max_size=2).map(tuple)),
        sources=draw(st.lists(source, max_size=2).map(tuple)),
        notes=draw(st.lists(text, max_size=2).map(tuple)),
    )


@given(_whole_nodes())
def test_node_facts_are_read_back(node: Node) -> None:
    assert node == node_from_facts(json.loads(json.dumps(node_facts(node))))


def _or_refusal(read: Callable[[Any], Any], given: object) -> Any:
    """Return what ``read`` makes of ``given``, or its refusal; anything else it raises is a failure."""
    try:
        return read(given)
    except InputError as error:
        return error


ANY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers()),
)


@given(
    st.dictionaries(
        st.sampled_from(("cpus", "memory_mb", "disk_kb", "gpus", "custom", "hostname")), ANY
    )
)
def test_facts_of_any_kind_make_a_node_or_one_input_error(facts: dict[str, object]) -> None:
    node = _or_refusal(node_from_facts, facts)
    if isinstance(node, InputError):
        assert node.hint
        assert "\n" not in f"{node}{node.hint}"
    else:
        assert node == node_from_facts(node_facts(node))


@given(
    st.dictionaries(
        st.sampled_from(("cpus", "gpus", "actuators")),
        st.integers(0, 1000).map(lambda n: n / 4),
        min_size=1,
    ),
    st.integers(0, 10**6),
    st.integers(1, 500),
)
def test_a_shape_is_read_as_written(counts: dict[str, float], memory: int, count: int) -> None:
    written = ",".join(
        [f"{asset}={amount:g}" for asset, amount in counts.items()] + [f"memory={memory}MiB"]
    )

    assert Shape({**counts, "memory": memory}, count) == parse_shape(f"{written},count={count}")
    assert Shape({**counts, "memory": memory}) == parse_shape(written.replace(",", " , ").upper())


@given(st.text(alphabet="abcpusMGi=,. 0123456789-%\n", max_size=20))
def test_any_text_is_a_shape_or_one_input_error(text: str) -> None:
    shape = _or_refusal(parse_shape, text)
    if isinstance(shape, InputError):
        assert shape.hint
    else:
        assert shape.count >= 1
        assert all(amount >= 0 for amount in shape.amounts.values())


@pytest.mark.parametrize(
    "text", ["", "nan", "inf", "1e3", "-1", "0x10", "1GiBB", "1 2", "½", "٣GiB"]
)
def test_what_only_looks_like_an_amount_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="memory"):
        parse_amount("memory", text)
