"""What HTCondor's bindings hand over, as it was meant."""

from __future__ import annotations

import classad2
import pytest
from htcondor2._negotiator import _convert_numbered_attributes_to_list_of_ads as as_the_bindings_do

from htcq.live.ads import records_in
from htcq.live.asked_startds import AskedStartds, Tries, starts_nothing
from htcq.live.long_form import LongForm
from htcq.pool.secrets import REMOVED


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
    "begun",
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        "<10.0.0.1:9618>#1795000000#12#[Integrity",
    ],
)
def test_a_secret_that_never_ends_takes_no_other_attribute_away(begun: str) -> None:
    """Whoever submits a job writes its attributes: one of them does not hide the others."""
    ad = classad2.ClassAd(
        {
            "Aims": f"see {begun}",
            "Cpus": 4,
            "List": classad2.ExprTree('{ "a", "]" }'),
            "Owner": "kim",
            "X": "ends in secret",
            "Y": "1",
        }
    )
    text = LongForm().text(ad)
    lines = text.strip().split("\n")

    assert begun not in text
    assert lines[0].startswith(f'Aims = "see {REMOVED}')
    assert lines[1:] == [
        "Cpus = 4", 'List = { "a","]" }', 'Owner = "kim"', 'X = "ends in secret"', 'Y = "1"',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("counted", "running", "starts_none"),
    [
        ((20, 20, 0), 0, True),
        ((4, 4, 4), 0, True),
        ((4, 4, 4), 4, False),
        ((2, 2, 0), 0, False),
        ((5, 0, 0), 0, True),
        ((160, 1, 1), 0, True),
        ((12, 9, 9), 9, False),
        ((None, None, None), 0, False),
    ],
)
def test_a_startd_that_starts_nothing_counts_more_claims_than_jobs_that_run(
    counted: tuple[int | None, int | None, int | None], running: int, starts_none: bool
) -> None:
    assert starts_nothing(Tries(*counted), running) is starts_none


def test_startds_that_vacate_jobs_or_whose_slots_leave_cores_out_are_asked() -> None:
    asked = AskedStartds()
    shapes = {"plain": (2, 2), "small": (4, 2), "leaving": (2, 2)}
    for machine, (cores, in_slot) in shapes.items():
        slot = {"TotalCpus": float(cores), "TotalSlotCpus": in_slot, "RecentClaimRequests": 1}
        where = {"MyAddress": f"<{machine}>", "Machine": machine}
        asked.look(classad2.ClassAd(slot), {**where, "Name": f"slot1@{machine}"})
        if machine == "leaving":
            claim = {"DynamicSlot": True, "TotalSlotCpus": 1, "Activity": "Vacating"}
            asked.look(classad2.ClassAd(claim), {**where, "Name": f"slot1_1@{machine}"})
    # The first of all is asked for its policy.
    assert {each["Machine"] for each in asked.locations()} == {"plain", "small", "leaving"}
    both = AskedStartds()
    for machine in ("plain", "other"):
        ad = classad2.ClassAd({"TotalCpus": 2, "TotalSlotCpus": 2, "RecentClaimRequests": 1})
        both.look(ad, {"MyAddress": "<x>", "Machine": machine, "Name": f"slot1@{machine}"})
    assert [each["Machine"] for each in both.locations()] == ["plain"]
