"""negotiateWithGroup drops a submitter that is through; on 25.14.1 the second round finds "no submitters"."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, pool

RULE = "rounds-do-not-retry"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"


def test_more_rounds_than_usual_are_found() -> None:
    (finding,) = found(RULE, pool(config=f"{TREE}GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 10\n"))
    assert finding.subject == "knob GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"


@pytest.mark.parametrize(
    "config",
    [
        TREE,
        f"{TREE}GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 1\n",
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 10\n",
    ],
)
def test_the_default_fewer_rounds_or_no_groups_are_not(config: str) -> None:
    assert not found(RULE, pool(config=config))
