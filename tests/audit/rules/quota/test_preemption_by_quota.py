"""matchmakingAlgorithm ends what the expression holds for; cache_still_valid asks again only if it is not stable."""

from __future__ import annotations

import pytest

from htcq.emit.preemption import preemption_text
from tests.audit.sites import found, pool

RULE = "preemption-by-quota"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
OVER, UNDER = (
    "RemoteGroupResourcesInUse > RemoteGroupQuota",
    "SubmitterGroupResourcesInUse < SubmitterGroupQuota",
)
OLD, UNSTABLE = "time() - JobStart > 600", "PREEMPTION_REQUIREMENTS_STABLE = False\n"


def told(expression: str, more: str = UNSTABLE) -> list[str]:
    config = f"{TREE}PREEMPTION_REQUIREMENTS = {expression}\n{more}"
    return sorted(
        finding.message.partition(": ")[2] or finding.message
        for finding in found(RULE, pool(config=config))
    )


@pytest.mark.parametrize(
    ("expression", "more", "said"),
    [
        (
            f"{UNDER} && {OLD}",
            UNSTABLE,
            "preempts claims of groups whether or not they use more than their quota",
        ),
        (
            f"{OVER} && {OLD}",
            UNSTABLE,
            "preempts for groups whether or not they use less than their quota",
        ),
        (f"{OVER} && {UNDER}", UNSTABLE, "preempts jobs of any age"),
        (f"{OVER} && {UNDER} && {OLD}", "", "PREEMPTION_REQUIREMENTS_STABLE is not False"),
    ],
)
def test_each_bound_that_is_missing(expression: str, more: str, said: str) -> None:
    (finding,) = told(expression, more)
    assert said in finding


def test_what_is_emitted_is_bounded() -> None:
    assert not found(RULE, pool(config=TREE + preemption_text(600)))


@pytest.mark.parametrize(
    "config",
    [
        f"{TREE}PREEMPTION_REQUIREMENTS = False\n",
        f"{TREE}PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
        f"{TREE}PREEMPTION_REQUIREMENTS = {OVER}\nNEGOTIATOR_CONSIDER_PREEMPTION = False\n",
        f"PREEMPTION_REQUIREMENTS = {OVER}\n",
    ],
)
def test_without_quotas_in_it_without_preemption_and_without_groups_nothing_is(config: str) -> None:
    assert not found(RULE, pool(config=config))
