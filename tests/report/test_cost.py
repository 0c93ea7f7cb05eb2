"""The match-cost audit as it is shown: what stands where a number is missing, and rows against their columns."""

from __future__ import annotations

import csv
import io
import json

from htcq.claims.costs import Costs, costs
from htcq.pool.autocluster import autoclusters_of
from htcq.pool.pool import Pool
from htcq.pool.slot_class import slot_classes
from htcq.pool.weights import Weights
from htcq.report.column import names
from htcq.report.views.cost import COLUMNS, cost_json, missing, write_csv
from htcq.report.views.cost_text import show_costs
from tests.audit.sites import accounting, dynamic_slot, job, policy_slot, pool, slot, static_slot


def audit(*texts: str, jobs: tuple[str, ...] | None = ()) -> tuple[Costs, Pool]:
    found = pool(*texts, jobs=jobs)
    return costs(
        found, slot_classes(found.slots or ()), autoclusters_of(found.jobs or ()), Weights()
    ), found


def shown(found: Costs, everything: bool = False) -> list[str]:
    stream = io.StringIO()
    show_costs(found, stream, everything)
    return stream.getvalue().splitlines()


def written(found: Costs) -> list[dict[str, str]]:
    stream = io.StringIO()
    write_csv(found, stream)
    return list(csv.DictReader(stream.getvalue().splitlines()))


def test_every_row_has_every_column() -> None:
    found, _ = audit(
        policy_slot(), static_slot("slot2@node1"), jobs=(job(), job("2.0", RequestCpus=99))
    )
    rows = written(found)

    assert [list(row) for row in rows] == [names(COLUMNS)] * 4
    assert [(row["job"], row["matches"], row["why"]) for row in rows[:2]] == [
        ("1.0", "yes", ""),
        ("2.0", "no", "the slot has too little: cpus"),
    ]
    assert [rows[1][name] for name in ("match_cost", "standing_charge", "gap", "held")] == [""] * 4


def test_json_is_json_and_numbers_that_are_missing_are_null() -> None:
    found, given = audit(policy_slot(SlotWeight="NoSuchThing"), jobs=(job(),))
    told = json.loads(json.dumps(cost_json(found, given), allow_nan=False))

    assert told["charges"][0]["match_cost"] is None
    assert told["charges"][0]["standing_charge"] == 1
    assert told["slots"][0]["full_weight"] == 1


def test_a_kind_is_shown_with_what_each_slot_had() -> None:
    found, _ = audit(policy_slot(Cpus=3), policy_slot("slot1@node2"))
    row = shown(found)[3]

    assert (
        " ".join(row.split())
        == "1 2 partitionable yes 8 cores, 16 GiB memory, 19.1 GiB disk 8 Cpus slot1@node1"
    )


def test_a_slot_without_a_weight_counts_as_one() -> None:
    found, _ = audit(static_slot(SlotWeight=None))
    lines = shown(found)

    assert lines[3].split()[-3:] == ["1", "(none)", "slot1@node1"]
    assert any(line.endswith("(none: counts as 1)") for line in lines)


def test_a_sound_pool_has_no_gap_and_no_table_of_submitters() -> None:
    found, _ = audit(
        slot(Cpus=7), dynamic_slot(), accounting("ada@site", WeightedResourcesUsed="1.0")
    )
    lines = shown(found)

    assert "1  8     7     1        0    none" in lines
    assert not any(line.startswith("submitters") for line in lines)


def test_a_submitter_that_the_accountant_does_not_publish_is_unknown() -> None:
    found, _ = audit(slot(Cpus=7), dynamic_slot())

    assert shown(found)[-1].split() == ["ada@site", "unknown", "1"]


def test_what_is_missing_is_told_once() -> None:
    assert missing(*audit(slot(), jobs=None)) == (
        "there is no jobs.ads: the jobs of the pool are not known",
    )
    assert missing(*audit(slot(), jobs=())) == ()
    assert [told[:20] for told in missing(*audit(slot(), jobs=("rubbish\n",)))] == [
        "jobs.ads holds no jo"
    ]


def test_only_the_largest_shares_are_shown() -> None:
    found, _ = audit(
        *[static_slot(f"slot{number}@n", SlotWeight=f"{number}") for number in range(1, 31)]
    )

    assert "10 more expressions; --all shows them" in shown(found)
    assert not any("more expressions" in line for line in shown(found, everything=True))


def test_each_job_stands_with_its_access_point() -> None:
    queue = (job(GlobalJobId='"ap1#1.0#1"'), job(GlobalJobId='"ap2#1.0#1"', RequestCpus=2))
    found, given = audit(policy_slot(), jobs=queue)
    lines = [line.split() for line in shown(found)]

    assert [line[:2] for line in lines if line[:1] == ["1.0"]] == [["1.0", "ap1"], ["1.0", "ap2"]]
    assert [row["access_point"] for row in written(found)] == ["ap1", "ap2"]
    told = cost_json(found, given)
    for key in ("jobs", "charges"):
        assert [(one["job"], one["access_point"]) for one in told[key]] == [
            ("1.0", "ap1"),
            ("1.0", "ap2"),
        ]


def test_a_pool_of_many_kinds_is_summed_up_unless_all_is_asked_for() -> None:
    kinds = [
        policy_slot(f"slot1@node{cpus}", Cpus=cpus, TotalSlotCpus=cpus, SlotWeight="Cpus / 2.0")
        for cpus in range(1, 31)
    ]
    found, _ = audit(*kinds, jobs=(job(RequestCpus=2), job("2.0", RequestCpus=1)))
    few, everything = shown(found), shown(found, everything=True)
    (two,) = (line.split() for line in few if line.startswith("1.0 "))

    assert "10 more kinds of slots; --all shows them" in few
    assert two[-4:] == ["29", "1", "1", "0"]
    assert len(few) < 70 < len(everything)
    assert sum(line.startswith("1.0 ") for line in everything) == 30
