"""A plan as tables and as JSON."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

from htcq.capacity.choice import Choice
from htcq.capacity.layout import SlotType, lay_out
from htcq.capacity.plan import Shape, SlotPlan, plan_slot
from htcq.node import Node
from htcq.report.views.plan import plan_json
from htcq.report.views.plan_text import show_plan

NODE = Node(8, 16384, 20_000_000)
JOB = Shape({"cpus": 1, "memory": 2048, "disk": 1000})


def _plans(*types: SlotType, jobs: tuple[Shape, ...] = (JOB,)) -> list[SlotPlan]:
    return [plan_slot(slot, jobs) for slot in lay_out(NODE, types or (SlotType(Choice()),))]


def _halves(**settings: Any) -> tuple[SlotType, SlotType]:
    parts = dict.fromkeys(("cpus", "memory", "disk"), Fraction(1, 4))
    return SlotType(Choice(**settings), 1, 2, parts), SlotType(
        Choice(model="quantized"), 2, 1, parts
    )


def _shown(plans: list[SlotPlan]) -> str:
    stream = io.StringIO()
    show_plan(plans, stream)
    return stream.getvalue()


def test_one_slot_type_needs_no_number() -> None:
    assert "slot type" not in _shown(_plans())


def test_several_slot_types_are_told_apart() -> None:
    shown = _shown(_plans(*_halves()))

    assert "slot type 1 (2): linear" in shown
    assert "slot type 2 (1): quantized" in shown


def test_sums_count_every_slot_of_a_type() -> None:
    found = plan_json(_plans(*_halves()))

    assert found["weight"] == 6
    assert found["jobs"][0]["fits"] == 6
    assert [each["weight"] for each in found["slot_types"]] == [2, 2]


def test_a_job_is_shown_on_the_first_type_that_takes_it() -> None:
    """The first type gives each claim half a slot, so that a job of two cpus fits the second type only."""
    job = plan_json(
        _plans(*_halves(claims=2), jobs=(Shape({"cpus": 2, "memory": 100, "disk": 1000}),))
    )["jobs"][0]

    assert job["fits"] == 1
    assert job["carved"]["cpus"] == 2


def test_problems_are_shown_with_the_number_of_the_job() -> None:
    shown = _shown(_plans(jobs=(JOB, Shape({"cpus": 99}))))

    assert "job 2: can never match: asks for 99 of cpus, the slot has 8" in shown


def test_all_jobs_at_once_are_summed_up() -> None:
    shown = _shown(_plans(jobs=(JOB, JOB)))

    assert (
        "1 of job 1, 1 of job 2 run; match costs 2, standing charges 2, weight left 6, demand 2"
        in shown
    )
