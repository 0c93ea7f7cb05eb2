"""matchmakingProtocol copies RemoteAutoregroup within the slot's own ad, where it never was."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, pool

RULE = "preemption-uses-autoregroup"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
USES = "PREEMPTION_REQUIREMENTS = MY.RemoteAutoregroup =?= true\n"
QUOTAS = "PREEMPTION_REQUIREMENTS = SubmitterGroupResourcesInUse < SubmitterGroupQuota\n"


def test_remote_autoregroup_is_found() -> None:
    (finding,) = found(RULE, pool(config=TREE + USES))
    assert finding.severity is Severity.WARNING
    assert "PREEMPTION_REQUIREMENTS uses RemoteAutoregroup, which is never true" in finding.message


def test_quotas_where_groups_may_use_more_are_only_told() -> None:
    (finding,) = found(RULE, pool(config=f"{TREE}{QUOTAS}GROUP_ACCEPT_SURPLUS = True\n"))
    assert finding.severity is Severity.INFO
    assert "SubmitterGroupQuota" in finding.message


@pytest.mark.parametrize(
    "config",
    [
        TREE + QUOTAS,
        f"{TREE}{USES}NEGOTIATOR_CONSIDER_PREEMPTION = False\n",
        USES,
        f"{TREE}PREEMPTION_REQUIREMENTS = False\n",
    ],
)
def test_without_surplus_without_preemption_and_without_groups_nothing_is(config: str) -> None:
    assert not found(RULE, pool(config=config))
