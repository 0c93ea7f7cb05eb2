"""Who starves, who is over its quota, who lends it: by the definitions, group by group."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.drift.quota_state import QuotaState, quota_of, states_of
from tests.drift.looks import group, observation


@pytest.mark.parametrize(
    ("quota", "usage", "idle", "state"),
    [
        (20.0, 10.0, 5.0, QuotaState(starved=True)),
        (20.0, 10.0, 0.0, QuotaState()),
        (20.0, 20.0, 5.0, QuotaState()),
        (20.0, 25.0, 5.0, QuotaState(over=True)),
        (20.0, 25.0, 0.0, QuotaState(over=True)),
        (0.0, 0.0, 5.0, QuotaState()),
        (0.0, 1.0, 0.0, QuotaState(over=True)),
        (None, 10.0, 5.0, QuotaState()),
    ],
)
def test_a_group_alone(quota: float | None, usage: float, idle: float, state: QuotaState) -> None:
    assert states_of(observation(group("physics", quota, usage, idle))) == {"physics": state}


@pytest.mark.parametrize(
    ("quota", "usage", "starved", "over"),
    [
        # The negotiator lets nobody beyond the integer part of a limit, and no part of a slot is
        # claimed.
        (10.7, 10.0, False, False),
        (10.7, 11.0, False, False),
        (10.7, 9.0, True, False),
        (10.7, 12.0, False, True),
        # Below 1 it lets nobody through at all.
        (0.7, 0.0, True, False),
        (0.7, 1.0, False, False),
        # Of a large quota one part in a hundred comes and goes.
        (5000.0, 4960.0, False, False),
        (5000.0, 4940.0, True, False),
        (5000.0, 5040.0, False, False),
        (5000.0, 5060.0, False, True),
    ],
)
def test_what_is_nearly_the_quota_is_the_quota(
    quota: float, usage: float, starved: bool, over: bool
) -> None:
    assert states_of(observation(group("physics", quota, usage, idle=3)))["physics"] == QuotaState(
        starved, over
    )


def test_a_group_lends_only_while_another_is_over() -> None:
    idle, busy = group("physics", 20, 5), group("chem", 20, 30)

    assert states_of(observation(idle, group("chem", 20, 20)))["physics"] == QuotaState()
    assert states_of(observation(idle, busy))["physics"] == QuotaState(lending=True)
    assert states_of(observation(replace(idle, idle=1.0), busy))["physics"] == QuotaState(
        starved=True
    )
    assert states_of(observation(busy, group("bio", 20, 20)))["chem"] == QuotaState(over=True)


def test_without_a_published_quota_the_computed_one_counts() -> None:
    unpublished = replace(group("physics", 20, 10, 5), effective=None)

    assert states_of(observation(unpublished))["physics"] == QuotaState(starved=True)
    assert states_of(observation(replace(unpublished, effective=5.0)))["physics"] == QuotaState(
        over=True
    )


def test_the_root_s_quota_is_what_others_leave_however_large_it_is_published() -> None:
    """Where groups regroup, the negotiator publishes the whole pool as the root's quota."""
    root, chem = group("<none>", 100.0, 45.0), group("chem", 60.0, 10.0)
    look = observation(root, chem, weight=100.0)

    assert quota_of(root, look) == 40
    assert states_of(look) == {"<none>": QuotaState(over=True), "chem": QuotaState(lending=True)}
    assert quota_of(replace(root, effective=15.0), look) == 15
