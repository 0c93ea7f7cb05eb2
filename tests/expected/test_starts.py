"""Jobs that should have started: matches without a claim, and what explains them otherwise."""

from __future__ import annotations

import pytest

from htcq.expected.unmet import MISSING
from tests.audit.sites import Text, found
from tests.expected.pools import LATELY, NOW, claim, cycles, free, observed, only, site, waiting

_REJECTED: dict[str, Text | None] = {
    "LastRejMatchReason": '"no match found"', "LastRejMatchTime": NOW - 60,
}  # fmt: skip


def test_matches_that_come_to_no_claim() -> None:
    """Seen on 25.14.1 with a startd that refuses REQUEST_CLAIM: a match each cycle, and nothing else happens."""
    execute = {"node1": "DENY_DAEMON = *\nNUM_CPUS = 8\n"}
    finding = only(MISSING, site(free(), cycles(1, 2), jobs=[waiting()], execute=execute))
    assert (
        "considered 6 requests and matched 3, of which no claim of slot1@node1" in finding.message
    )
    assert observed(finding)["DENY_DAEMON"] == "*"


def test_where_something_changes_the_negotiators_own_reason_decides() -> None:
    others = claim("slot1_1@node2", since=LATELY)
    begins = [free(), others, cycles(1, 2)]
    assert found(MISSING, site(*begins, jobs=[waiting(**_REJECTED)]))
    assert not found(MISSING, site(*begins, jobs=[waiting()])), "its turn may not have come"
    limited = {**_REJECTED, "LastRejMatchReason": '"submitter limit exceeded"'}
    assert not found(MISSING, site(*begins, jobs=[waiting(**limited)]))
    old = {**_REJECTED, "LastRejMatchTime": NOW - 4000}
    assert not found(MISSING, site(*begins, jobs=[waiting(**old)]))


def test_a_startd_that_answers_nobody() -> None:
    others = claim("slot1_1@node2", since=LATELY)
    silent = [("configuration of node1", "no answer within 60 s")]
    begins = [free(), others, cycles(1, 2)]
    finding = only(MISSING, site(*begins, jobs=[waiting()], failed=silent))
    assert observed(finding)["configuration of node1"] == "no answer within 60 s"


@pytest.mark.parametrize(
    "slot",
    [
        free(since=LATELY),
        free(NumDynamicSlots=1, NumDynamicSlotsTime=LATELY),
        free(NumDynamicSlots=1),
    ],
)
def test_a_slot_that_was_not_free_all_the_time_explains_it(slot: str) -> None:
    assert not found(MISSING, site(slot, cycles(1, 2), jobs=[waiting(**_REJECTED)]))


def test_a_slot_that_was_split_long_ago_does_not() -> None:
    split = free(NumDynamicSlots=1, NumDynamicSlotsTime=NOW - 9000)
    assert found(MISSING, site(split, cycles(1, 2), jobs=[waiting(**_REJECTED)]))
