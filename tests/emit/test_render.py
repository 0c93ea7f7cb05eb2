"""The text of each role's configuration."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from htcq.capacity.choice import Choice
from htcq.capacity.layout import Slot, SlotType, lay_out
from htcq.capacity.presets import NAMES
from htcq.claims.planned import job_ad
from htcq.emit import ACCESS, CENTRAL, EXECUTE, ROLES
from htcq.emit.check import check_configuration
from htcq.emit.render import configuration
from htcq.live.configuration import read_configuration
from htcq.node import Node, Source

NODE = Node(8, 16384, 20_000_000, gpus=2)
SETTINGS: dict[str, dict[str, Any]] = {
    "minimum-charge": {},
    "whole charges": {"whole_charges": True},
    "half cpus": {"charges": {"cpus": Fraction(1, 2)}},
    "quantized": {"levels": {"cpus": 4, "memory": 32}},
    "quantized, max": {"levels": {"disk": 5, "memory": 8, "gpus": 2}, "rule": "max"},
    "fixed": {"claims": 3},
    "fixed, request": {"claims": 5, "share": "request"},
    "fixed, none": {"claims": 5, "share": "none", "forced": True},
    **{name: {"preset": name} for name in NAMES},
}
BY_SCHEDULER = ("minimum-charge", "quantized", "fixed", "fixed, request", "simple", "static-slot")


def _slots(name: str, literal: bool = False, **more: Any) -> tuple[Slot, ...]:
    return lay_out(NODE, (SlotType(Choice(**SETTINGS[name], **more)),), literal)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("role", ROLES)
def test_htcondor_reads_back_what_was_meant(role: str, name: str) -> None:
    """Through HTCondor's own parser, macros expanded: the same weight, consumption and demand, and no danger."""
    slots = _slots(name)
    charges, policy = slots[0].charges(), slots[0].policy
    text = configuration(role, NODE, slots)
    check_configuration(role, text, slots, read_configuration)
    consumed = [f"CONSUMPTION_{asset.upper()}" for asset in policy.consumption]
    values = read_configuration(
        text, ["SLOT_WEIGHT", "SCHEDD_SLOT_WEIGHT", "CONSUMPTION_POLICY", *consumed]
    )

    if role == ACCESS:
        assert values["SCHEDD_SLOT_WEIGHT"] == policy.schedd_weight
    else:
        assert _squeezed(values["SLOT_WEIGHT"]) == _squeezed(charges.weight_expr.text)
    if role == EXECUTE:
        assert values["CONSUMPTION_POLICY"] == "True"
        assert [_squeezed(values[knob]) for knob in consumed] == [
            _squeezed(expr.text) for expr in charges.consumption.values()
        ]


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("name", BY_SCHEDULER)
def test_the_access_points_split_without_consumption(name: str) -> None:
    slots = _slots(name, splitting="scheduler")
    text = configuration(EXECUTE, NODE, slots)
    check_configuration(EXECUTE, text, slots, read_configuration)
    values = read_configuration(text, ["CONSUMPTION_POLICY", "CLAIM_PARTITIONABLE_LEFTOVERS"])

    assert values == {"CONSUMPTION_POLICY": "false", "CLAIM_PARTITIONABLE_LEFTOVERS": "True"}
    assert "\nCONSUMPTION_CPUS" not in text


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("splitting", ["negotiator", "scheduler"])
def test_no_role_contradicts_another_about_leftovers(role: str, splitting: str) -> None:
    text = configuration(role, NODE, _slots("minimum-charge", splitting=splitting))
    values = read_configuration(text, ["CLAIM_PARTITIONABLE_LEFTOVERS"])

    if role == CENTRAL:
        assert "CLAIM_PARTITIONABLE_LEFTOVERS" not in text
    else:
        assert values["CLAIM_PARTITIONABLE_LEFTOVERS"] == str(splitting == "scheduler")


def test_what_htcondor_cannot_see_is_configured() -> None:
    """A cgroup's cpu limit is invisible to it; memory and disk are written in the literal form alone."""
    limited = Node(4, 8192, 10_000_000, condor_cpus=8, condor_memory_mb=16384)
    slots = lay_out(limited, (SlotType(Choice()),))

    assert "\nNUM_CPUS = 4\n" in configuration(EXECUTE, limited, slots)
    assert "\nNUM_CPUS" not in configuration(EXECUTE, NODE, _slots("minimum-charge"))
    literal = configuration(EXECUTE, limited, slots, literal=True)
    assert "\nMEMORY = 8192 + $(RESERVED_MEMORY:0)\n" in literal
    assert "\nDISK = 10000000\n" in literal


@pytest.mark.parametrize("literal", [False, True])
def test_what_the_sites_configuration_sets_is_not_repeated(literal: bool) -> None:
    """It would hide the site's value from the next probe, and the next file would be another one."""
    sources = tuple(Source(knob.lower(), 1, knob) for knob in ("NUM_CPUS", "MEMORY", "DISK"))
    facts = Node(16, 8192, 10_000_000, condor_cpus=32, condor_memory_mb=16384, sources=sources)
    text = configuration(EXECUTE, facts, lay_out(facts, (SlotType(Choice()),)), literal=literal)

    assert not re.search(r"^(NUM_CPUS|MEMORY|DISK) =", text, re.MULTILINE)


def test_half_a_cpu_scales_the_cpus_of_any_node() -> None:
    text = configuration(EXECUTE, NODE, _slots("half cpus"))

    assert re.search(r"^NUM_CPUS = .*\* 2\)$", text, re.MULTILINE)


def test_several_slot_types_have_knobs_of_their_own() -> None:
    parts = dict.fromkeys(("cpus", "memory", "disk", "gpus"), Fraction(1, 2))
    types = (SlotType(Choice(), 1, 1, parts), SlotType(Choice(model="quantized"), 2, 1, parts))
    slots = lay_out(NODE, types)
    text = configuration(EXECUTE, NODE, slots)
    check_configuration(EXECUTE, text, slots, read_configuration)

    assert "\nSLOT_TYPE_1_CONSUMPTION_CPUS = " in text
    assert "\nSLOT_TYPE_2_SLOT_WEIGHT = " in text
    assert "\nSLOT_WEIGHT = " not in text


def test_an_access_point_expects_the_dearest_slot_type() -> None:
    parts = dict.fromkeys(("cpus", "memory", "disk", "gpus"), Fraction(1, 2))
    types = (
        SlotType(Choice(claims=2), 1, 1, parts),
        SlotType(Choice(preset="simple"), 2, 1, parts),
    )
    slots = lay_out(NODE, types)
    text = configuration(ACCESS, NODE, slots)
    demand = read_configuration(text, ["SCHEDD_SLOT_WEIGHT"])["SCHEDD_SLOT_WEIGHT"]

    assert demand == f"max({{1, {slots[1].policy.schedd_weight}}})"


@pytest.mark.parametrize("name", ["extensible", "fixed, request"])
def test_a_declared_resource_joins_those_that_a_site_names(name: str) -> None:
    slots = _slots(name)
    resource = next(iter(slots[0].policy.provides))
    text = "MACHINE_RESOURCE_NAMES = GPUs\n" + configuration(EXECUTE, NODE, slots)
    values = read_configuration(text, ["MACHINE_RESOURCE_NAMES", f"MACHINE_RESOURCE_{resource}"])

    assert values["MACHINE_RESOURCE_NAMES"].split() == ["GPUs", resource]
    assert values[f"MACHINE_RESOURCE_{resource}"] == str(slots[0].policy.provides[resource])


@pytest.mark.parametrize("name", ["minimum-charge", "quantized", "fixed", "simple"])
def test_one_portable_file_suits_nodes_of_any_size(name: str) -> None:
    """The text rendered for one node charges a job on another node as that node's own text would."""
    if name == "minimum-charge":
        settings: dict[str, Any] = {"charges": {"cpus": Fraction(1), "memory": Fraction(1000)}}
    else:
        settings = SETTINGS[name]
    other = Node(32, 200_000, 500_000_000, gpus=2)
    there = lay_out(other, (SlotType(Choice(**settings)),))[0]
    here = lay_out(NODE, (SlotType(Choice(**settings)),))[0]
    travelled = type(there.charges())(here.policy, there.total)
    job = job_ad({"cpus": 2, "memory": 1500, "disk": 5000})
    left = {asset: amount // 2 for asset, amount in there.total.items()}

    assert there.charges().consumed(there.charges().pslot(left), job) == travelled.consumed(
        travelled.pslot(left), job
    )
    assert there.charges().weight(there.charges().pslot(left)) == travelled.weight(
        travelled.pslot(left)
    )
