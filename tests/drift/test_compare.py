"""What differs between declared, configured, published and computed, and what does not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from htcq.drift.compare import QuotaDifference, differences
from htcq.drift.observation import GroupObservation, QuotaSetting
from tests.drift.looks import dynamic, group, observation, static


def declared(setting: QuotaSetting, configured: QuotaSetting | None = None) -> GroupObservation:
    """Return a group that is declared so and configured otherwise, or so too."""
    return replace(group("physics", 20.0), declared=setting, configured=configured or setting)


def test_what_agrees_is_no_difference() -> None:
    assert differences(observation(declared(static(20)), group("<none>", 80.0))) == ()


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (static(20), static(15), [("quota", 20.0, 15.0)]),
        (dynamic(0.2), static(0.2), [("kind", "dynamic", "static")]),
        (dynamic(0.2), static(20), [("kind", "dynamic", "static"), ("quota", 0.2, 20.0)]),
        (static(20, accept_surplus=True), static(20), [("accept-surplus", True, False)]),
        (static(20), static(20, autoregroup=True), [("autoregroup", False, True)]),
        (static(1 / 3), static(0.333333333), []),
    ],
)
def test_declared_and_configured(
    one: QuotaSetting, other: QuotaSetting, found: list[tuple[object, ...]]
) -> None:
    expected = tuple(QuotaDifference("physics", *each) for each in found)  # type: ignore[arg-type]

    assert differences(observation(declared(one, other))) == expected


def test_a_declared_group_may_not_be_configured() -> None:
    assert differences(observation(GroupObservation("bio", declared=static(7)))) == (
        QuotaDifference("bio", "not-configured", 7.0, None),
    )


def test_a_configured_group_must_be_declared_only_where_the_site_declares_any() -> None:
    chem = group("chem", 10.0)

    assert differences(observation(chem)) == ()
    assert differences(observation(chem, declared(static(20)), group("<none>", 70.0))) == (
        QuotaDifference("chem", "not-declared", None, 10.0),
    )


def test_a_declaration_of_nothing_is_a_declaration() -> None:
    nothing = GroupObservation("bio", declared=dynamic(0), configured=dynamic(0))

    assert QuotaDifference("chem", "not-declared", None, 10.0) in differences(
        observation(nothing, group("chem", 10.0))
    )


@pytest.mark.parametrize("effective", [19.0, 21.0, 0.0, 20.1])
def test_what_is_published_must_be_what_is_computed(effective: float) -> None:
    odd = replace(group("physics", 20.0), effective=effective, effective_subtree=effective)

    assert differences(observation(odd)) == (
        QuotaDifference("physics", "effective", effective, 20.0),
    )


def test_rounding_is_no_difference() -> None:
    near = 20 * (1 + 1e-8)

    assert (
        differences(
            observation(replace(group("physics", 20.0), effective=near, effective_subtree=near))
        )
        == ()
    )


def test_a_subtree_is_told_where_the_group_itself_does_not_say_it() -> None:
    parent = replace(group("physics", 5.0), effective_subtree=25.0, computed_subtree=30.0)

    assert differences(observation(parent)) == (QuotaDifference("physics", "subtree", 25.0, 30.0),)


def test_a_group_of_which_no_number_is_published_is_told_where_others_are_published() -> None:
    silent = replace(group("physics", 20.0), effective=None, effective_subtree=None)

    assert differences(observation(silent, group("chem", 10.0))) == (
        QuotaDifference("physics", "not-published", None, 20.0),
    )
    assert differences(observation(silent)) == ()


def test_a_computed_quota_that_is_unknown_is_compared_with_nothing() -> None:
    assert (
        differences(
            observation(GroupObservation("<none>", effective=math.pi, effective_subtree=math.pi))
        )
        == ()
    )
