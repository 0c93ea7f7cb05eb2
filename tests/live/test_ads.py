"""What HTCondor's bindings hand over, as it was meant."""

from __future__ import annotations

import classad2
import pytest
from htcondor2._negotiator import _convert_numbered_attributes_to_list_of_ads as as_the_bindings_do

from htcq.live.ads import records_in
from htcq.live.asked_startds import Tries, starts_nothing


@pytest.mark.parametrize("count", [1, 9, 10, 11, 37, 120])
def test_every_accounting_record_is_one_again(count: int) -> None:
    """The negotiator answers with one ad whose attributes are numbered from 1 on."""
    answer = classad2.ClassAd({"NumSubmittors": count})
    for number in range(1, count + 1):
        answer[f"Name{number}"] = f"user{number}@site"
        answer[f"Priority{number}"] = 500.0 + number
        answer[f"IsAccountingGroup{number}"] = False
    records = [record for ad in as_the_bindings_do(answer) for record in records_in(ad)]

    assert {record["Name"]: record["Priority"] for record in records} == {
        f"user{number}@site": 500.0 + number for number in range(1, count + 1)
    }
    assert {len(record) for record in records} == {3}


@pytest.mark.parametrize(
    ("counted", "running", "starts_none"),
    [
        ((20, 20, 0), 0, True),
        ((4, 4, 4), 0, True),
        ((4, 4, 4), 4, False),
        ((2, 2, 0), 0, False),
        ((5, 0, 0), 0, True),
        ((None, None, None), 0, False),
    ],
)
def test_a_startd_that_starts_nothing_counts_more_claims_than_jobs_that_run(
    counted: tuple[int | None, int | None, int | None], running: int, starts_none: bool
) -> None:
    assert starts_nothing(Tries(*counted), running) is starts_none
