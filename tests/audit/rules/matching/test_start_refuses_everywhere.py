"""START of every machine that could run a job refuses it."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, pool, slot

RULE = "start-refuses-everywhere"
OTHERS = ("jobs-fit-no-machine", "requirements-met-nowhere")


@pytest.mark.parametrize(
    ("start", "clause"),
    [
        ('TARGET.Owner == "root"', 'TARGET.Owner == "root"'),
        ("TARGET.IsUrgent && TARGET.RequestCpus <= 8", "TARGET.IsUrgent"),
        ("TARGET.RequestGPUs > 0", "TARGET.RequestGPUs > 0"),
        ("Healthy && TARGET.RequestCpus > 0", "Healthy"),
    ],
)
def test_the_clause_of_start_is_named(start: str, clause: str) -> None:
    given = pool(slot(Start=start), jobs=[job()])
    (finding,) = found(RULE, given)
    assert clause in finding.message
    assert "1 idle job in 1 autocluster, such as 1.0" in finding.message
    assert not any(found(other, given) for other in OTHERS)


@pytest.mark.parametrize(
    "changes",
    [
        {"Start": "TARGET.RequestCpus <= 8"},
        {"Start": 'TARGET.Owner == "ada"'},
        {"Start": "KeyboardIdle > 900", "KeyboardIdle": 3},
        {"Start": "ClockMin < 480", "ClockMin": 700},
        {"Start": "LoadAvg < 0.3", "LoadAvg": "2.0"},
        {"Requirements": "false", "Draining": "true"},
        {"State": '"Drained"', "Start": "false"},
        {"State": '"Owner"', "Start": "false"},
        {
            "Requirements": "Healthy && Start",
            "Healthy": "min({HasScratch,1})",
            "HasScratch": "false",
        },
        {"Start": '"Directly attached to schedd access2"', "IsDirectAttach": '"access2"'},
        {
            "Requirements": '"Could not clean up"',
            "SlotBrokenCode": 4,
            "SlotBrokenReason": '"Could not clean up"',
        },
    ],
)
def test_machines_that_take_it_now_or_later_are_enough(changes: dict[str, str]) -> None:
    assert not any(found(rule, pool(slot(**changes), jobs=[job()])) for rule in (RULE, *OTHERS))


def test_a_machine_for_others_beside_one_for_all_is_sound() -> None:
    gpus = slot("slot1@gpu", Start="TARGET.RequestGPUs > 0", GPUs=4, TotalSlotGPUs=4)
    assert not found(RULE, pool(slot(), gpus, jobs=[job()]))
