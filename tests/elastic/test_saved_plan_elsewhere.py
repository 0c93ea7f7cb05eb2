"""A saved plan on a central manager whose negotiator is not the one that it was made for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from htcq.elastic.serving import Serving
from htcq.errors import EXIT_UNKNOWN, RefusedError
from htcq.operations import quota_steps

ONE, OTHER = "cm1.site", "cm2.site"


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize(("made_for", "whose"), [(ONE, f"the negotiator {ONE}"), ("", "no negot")])
def test_a_plan_for_another_negotiator_than_the_one_that_serves_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, here: bool, made_for: str, whose: str
) -> None:
    declared = SimpleNamespace(negotiator=OTHER)
    found = (None, declared, Serving(OTHER, OTHER, here))
    monkeypatch.setattr(quota_steps, "at_serving", lambda *_: found)

    def nothing(*_: object) -> None:
        raise AssertionError("there is no writer of a refused plan")

    monkeypatch.setattr(quota_steps, "writer_for", nothing)
    given = SimpleNamespace(negotiator=made_for)
    anything = cast("Any", None)
    with pytest.raises(RefusedError) as refused:
        list(quota_steps.apply_handover(anything, anything, cast("Any", given)))
    assert f"nothing is written: the plan is for {whose}" in str(refused.value)
    assert f"{OTHER} serves" in str(refused.value)
    assert refused.value.hint == f"run 'htcq elastic plan --save' again on {OTHER}"
    assert refused.value.exit_status == EXIT_UNKNOWN
