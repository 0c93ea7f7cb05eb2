"""The settings of all groups: HTCondor's defaults and ranges (param_info.in, 25.14)."""

from __future__ import annotations

from htcq.quota.settings import SORT_EXPR, Settings, read_settings


def test_without_knobs_the_settings_are_those_of_htcondor() -> None:
    assert read_settings({}) == (Settings(True, True, True, True, 3, 1e100, SORT_EXPR), ())


def test_knobs_are_read_by_their_htcondor_names() -> None:
    knobs = {
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": "False",
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "false",
        "NEGOTIATOR_USE_SLOT_WEIGHTS": "0",
        "NEGOTIATOR_CONSIDER_PREEMPTION": "1 > 2",
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": "5",
        "GROUP_QUOTA_ROUND_ROBIN_RATE": "2.5",
        "GROUP_SORT_EXPR": "GroupResourcesInUse",
    }

    assert read_settings(knobs) == (
        Settings(False, False, False, False, 5, 2.5, "GroupResourcesInUse"),
        (),
    )


def test_the_older_names_of_the_rounds_and_the_rate_do_nothing() -> None:
    knobs = {"HFS_MAX_ALLOCATION_ROUNDS": "1", "HFS_ROUND_ROBIN_RATE": "1"}

    assert read_settings(knobs)[0] == Settings()


def test_what_the_negotiator_would_exit_on_is_reported_and_replaced() -> None:
    settings, problems = read_settings(
        {
            "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": "0",
            "GROUP_QUOTA_ROUND_ROBIN_RATE": "0.5",
            "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "perhaps",
            "GROUP_SORT_EXPR": "GroupQuota +",
        }
    )

    assert settings == Settings(max_rounds=1, round_robin_rate=1.0)
    assert {(problem.kind, problem.knob, problem.value) for problem in problems} == {
        ("not-an-expression", "GROUP_SORT_EXPR", "GroupQuota +"),
        ("out-of-range", "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "0"),
        ("not-a-boolean", "NEGOTIATOR_STRICT_ENFORCE_QUOTA", "perhaps"),
        ("out-of-range", "GROUP_QUOTA_ROUND_ROBIN_RATE", "0.5"),
    }
    assert all(problem.fatal for problem in problems)
