"""How the negotiator's log is read, on lines that a negotiator of HTCondor 25.14.1 wrote; no pool is needed."""

from __future__ import annotations

import pytest
from match_logs import used_at_first

#: The turns of three submitters in one cycle, the last of whom has two.
_RECORDED = """\
11/23/26 11:24:58   Negotiating with bio.cyd@test at <127.0.0.1:14915?addrs=127.0.0.1-14915&alias=node.test>
11/23/26 11:24:58 0 seconds so far for this submitter
11/23/26 11:24:58 0 seconds so far for this schedd
11/23/26 11:24:58    maxAllowed= 6.46875   groupQuota= 7   groupusage=  0.53125
11/23/26 11:24:58   Calculating submitter limit with the following parameters
11/23/26 11:24:58     SubmitterPrio       = 500.000000
11/23/26 11:24:58     SubmitterPrioFactor = 1000.000000
11/23/26 11:24:58     submitterShare      = 0.666667
11/23/26 11:24:58     submitterAbsShare   = 0.666667
11/23/26 11:24:58     submitterLimit    = 4.135417
11/23/26 11:24:58     submitterCeiling remaining   = 2147483647
11/23/26 11:24:58     submitterUsage    = 0.531250
11/23/26 11:24:58   Negotiating with ann@test at <127.0.0.1:14915?addrs=127.0.0.1-14915&alias=node.test>
11/23/26 11:24:58 0 seconds so far for this submitter
11/23/26 11:24:58 0 seconds so far for this schedd
11/23/26 11:24:58    maxAllowed= 1.46875   groupQuota= 3   groupusage=  1.53125
11/23/26 11:24:58   Calculating submitter limit with the following parameters
11/23/26 11:24:58     SubmitterPrio       = 500.000000
11/23/26 11:24:58     SubmitterPrioFactor = 1000.000000
11/23/26 11:24:58     submitterShare      = 0.666667
11/23/26 11:24:58     submitterAbsShare   = 0.666667
11/23/26 11:24:58     submitterLimit    = 1.468750
11/23/26 11:24:58     submitterCeiling remaining   = 2147483647
11/23/26 11:24:58     submitterUsage    = 0.531250
11/23/26 11:24:58   Negotiating with dan@test at <127.0.0.1:14915?addrs=127.0.0.1-14915&alias=node.test>
11/23/26 11:24:58 0 seconds so far for this submitter
11/23/26 11:24:58 0 seconds so far for this schedd
11/23/26 11:24:58    maxAllowed= 1.46875   groupQuota= 3   groupusage=  1.53125
11/23/26 11:24:58   Calculating submitter limit with the following parameters
11/23/26 11:24:58     SubmitterPrio       = 1000.000000
11/23/26 11:24:58     SubmitterPrioFactor = 2000.000000
11/23/26 11:24:58     submitterShare      = 0.333333
11/23/26 11:24:58     submitterAbsShare   = 0.333333
11/23/26 11:24:58     submitterLimit    = 0.000000
11/23/26 11:24:58     submitterCeiling remaining   = 2147483647
11/23/26 11:24:58     submitterUsage    = 1.000000
11/23/26 11:24:58   Negotiating with dan@test at <127.0.0.1:14915?addrs=127.0.0.1-14915&alias=node.test>
11/23/26 11:24:58 0 seconds so far for this submitter
11/23/26 11:24:58 0 seconds so far for this schedd
11/23/26 11:24:58    maxAllowed= 1.46875   groupQuota= 3   groupusage=  1.53125
11/23/26 11:24:58   Calculating submitter limit with the following parameters
11/23/26 11:24:58     SubmitterPrio       = 1000.000000
11/23/26 11:24:58     SubmitterPrioFactor = 2000.000000
11/23/26 11:24:58     submitterShare      = 1.000000
11/23/26 11:24:58     submitterAbsShare   = 1.000000
11/23/26 11:24:58     submitterLimit    = 2.000000
11/23/26 11:24:58     submitterCeiling remaining   = 2147483647
11/23/26 11:24:58     submitterUsage    = 1.000000
"""


def test_the_usage_before_the_first_turn_is_read_behind_date_and_time() -> None:
    assert used_at_first(_RECORDED) == {
        "bio.cyd@test": 0.53125,
        "ann@test": 0.53125,
        "dan@test": 1.0,
    }


def test_a_later_turn_does_not_count() -> None:
    later = _RECORDED.replace("submitterUsage    = 1.000000", "submitterUsage    = 2.000000")
    first, _, rest = later.rpartition("= 2.000000")

    assert used_at_first(f"{first}= 7.000000{rest}")["dan@test"] == 2.0


@pytest.mark.parametrize("lost", ["Negotiating with ann@test at", "Negotiating with dan@test at"])
def test_a_usage_is_never_that_of_the_submitter_before(lost: str) -> None:
    """The negotiator names no submitter whose time is over, and writes its usage all the same."""
    found = used_at_first(_RECORDED.replace(lost, "Somebody at"))

    assert found["bio.cyd@test"] == 0.53125
    assert len(found) == 2
