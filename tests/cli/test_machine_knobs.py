"""Knobs of access points and execution points in thought: followed, or refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from htcq.errors import InputError
from htcq.operations.machine_knobs import check_central, with_machine_changes
from htcq.pool.pool import Pool
from htcq.settings.changes import MachineChange, read_all_changes
from htcq.simulate.cycle.cycle import run_cycle
from tests.audit.sites import job, negotiator, pool, schedd, static_slot, submitter


def given(access: Mapping[str, str] | None = None) -> Pool:
    return pool(
        *(static_slot(f"slot1@node{n}") for n in (1, 2)), submitter(IdleJobs=2), negotiator(),
        schedd(MaxJobsRunning=100, TotalRunningJobs=0),
        jobs=[job(f"1.{n}", ScheddName='"access1"') for n in (0, 1)],
        config="NEGOTIATOR_CONSIDER_PREEMPTION = False\n", access=access,
    )  # fmt: skip


def matched(changed: Pool) -> list[str]:
    return [each.slot for each in run_cycle(changed).matches]


def changed(text: str) -> Pool:
    central, others = read_all_changes([text])
    assert not central
    return with_machine_changes(given(), others)


def test_options_name_role_machine_and_knob() -> None:
    assert read_all_changes(["A=1", "access:B=x=y", "execute:n1*:START=true"]) == (
        (("A", "1"),),
        (MachineChange("access", "", "B", "x=y"), MachineChange("execute", "n1*", "START", "true")),
    )


def test_start_of_all_or_of_one_execution_point_is_followed() -> None:
    assert len(matched(given())) == 2
    assert matched(changed("execute:START=false")) == []
    assert matched(changed("execute:node1:START=false")) == ["slot1@node2"]


def test_limits_of_access_points_are_followed_though_the_ad_says_another() -> None:
    assert len(matched(changed("access:MAX_JOBS_RUNNING=1"))) == 1
    assert matched(changed("access:access*:CURB_MATCHMAKING=true")) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("execute:MEMORY=5", "no simulation follows MEMORY of execution points"),
        ("access:SHADOW=/bin/true", "no simulation follows SHADOW of access points"),
        ("execute:node9:START=true", "no execution point of that name"),
        ("access:MAX_JOBS_RUNNING=$(X)", "macros are not expanded"),
        ("access:MAX_JOBS_RUNNING=many", "not a plain value"),
    ],
)
def test_what_is_not_followed_is_refused(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        changed(text)


def test_a_knob_of_other_machines_is_refused_with_the_option_that_changes_it() -> None:
    for knob in ("START", "MAX_JOBS_RUNNING"):
        with pytest.raises(InputError, match="the central manager does not read it"):
            check_central(given(), ((knob, "0"),))
    # The central manager's configuration stands for access points that have none of their own.
    alone = (("GROUP_QUOTA_a", "1"), ("MAX_CONCURRENT_UPLOADS_PER_USER", "1"))
    check_central(given(), alone)
    with pytest.raises(InputError, match="MAX_CONCURRENT_UPLOADS_PER_USER"):
        check_central(given({"access1": "X = 1\n"}), alone)
