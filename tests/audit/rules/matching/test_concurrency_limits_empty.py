"""Read in matchmaker.cpp:rejectForConcurrencyLimits of 23.9 and 25.14, and seen on both."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, pool, slot

RULE = "concurrency-limits-empty"
SLOTS = [slot("slot1@node1", KFlops=5), slot("slot1@node2", KFlops=50)]


@pytest.mark.parametrize(
    ("limits", "where"),
    [
        ('""', "every slot"),
        ('ifThenElse(TARGET.KFlops > 10, "licence", "")', "slots such as slot1@node1"),
    ],
)
def test_limits_that_are_an_empty_string_are_found(limits: str, where: str) -> None:
    (finding,) = found(RULE, pool(*SLOTS, jobs=[job("5.0", ConcurrencyLimits=limits)]))

    assert finding.subject == "job 5.0"
    assert finding.message.startswith(
        f"ConcurrencyLimits of 1 idle job are an empty string in {where}: "
    )


@pytest.mark.parametrize(
    "limits",
    [
        '"licence"',
        "undefined",
        'ifThenElse(TARGET.KFlops > 10, "licence", undefined)',
        'ifThenElse(TARGET.KFlops > 100, "", "licence")',
        'strcat("licence:", MY.RequestCpus)',
    ],
)
def test_other_limits_are_sound(limits: str) -> None:
    assert found(RULE, pool(*SLOTS, jobs=[job("5.0", ConcurrencyLimits=limits)])) == ()


def test_slots_that_do_not_suit_do_not_count() -> None:
    asked = {
        "Requirements": "TARGET.KFlops > 10",
        "ConcurrencyLimits": 'ifThenElse(TARGET.KFlops > 10, "licence", "")',
    }
    assert found(RULE, pool(*SLOTS, jobs=[job("5.0", **asked)])) == ()
    assert found(RULE, pool(*SLOTS, jobs=[job("5.0")])) == ()
