"""Read in Resource.cpp:compute_rank and publish_static of 25.14: without RANK, the Rank of the job is that of its claim."""

from __future__ import annotations

import pytest

from tests.audit.sites import dynamic_slot, found, job, lines, look, policy_slot, pool, slot

RULE = "negative-rank-preempted"
CENTRAL = "NEGOTIATOR_CONSIDER_PREEMPTION = True\n"


def claim(current: str, rank: str = "0.0") -> str:
    return dynamic_slot(Rank=rank, CurrentRank=current)


@pytest.mark.parametrize("rank", ["0.0", "0", "2 - 1"])
def test_a_claim_with_a_rank_below_that_of_its_slot_is_found(rank: str) -> None:
    (finding,) = found(
        RULE, pool(slot(Rank="0.0"), claim("-16384.0", rank), jobs=[], config=CENTRAL)
    )

    assert finding.subject == "slot slot1_1@node1"
    assert lines(finding) == ["RANK = 0"]
    assert "such as -16384.0 of ada@site" in finding.message
    assert [fact.attribute for fact in finding.evidence][:2] == ["CurrentRank", "Rank"]


def test_many_claims_are_one_finding() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1", Rank="0.0", CurrentRank="-1.0") for n in range(1, 6)]
    (finding,) = found(RULE, pool(slot(Rank="0.0"), *claims, jobs=[], config=CENTRAL))

    assert finding.count == 5
    assert finding.message.startswith("5 claims have")


@pytest.mark.parametrize(
    "rank", ["-Memory", "-1.0", "0 - TARGET.Cpus", "ifThenElse(Cpus > 100, 1, -1)"]
)
@pytest.mark.parametrize("state", [{}, {"JobStatus": 2, "CurrentHosts": 1}])
def test_jobs_whose_rank_is_negative_are_found(rank: str, state: dict[str, int]) -> None:
    for of in (slot, policy_slot):
        (finding,) = found(
            RULE, pool(of(Rank="0.0"), jobs=[job("7.0", Rank=rank, **state)], config=CENTRAL)
        )
        assert finding.subject == "job 7.0"
        assert "which has no RANK" in finding.message


def test_jobs_with_the_same_rank_are_one_finding() -> None:
    jobs = [job(f"{n}.0", Rank="-Memory", RequestMemory=512 * n) for n in range(1, 4)]
    (finding,) = found(RULE, pool(slot(Rank="0.0"), jobs=jobs, config=CENTRAL))

    assert finding.count == 3


@pytest.mark.parametrize("rank", ["0.0", "Memory", "1.0 / (1 + Memory)", "TARGET.Nothing", None])
def test_a_rank_that_is_not_negative_is_fine(rank: str | None) -> None:
    given = pool(slot(Rank="0.0"), claim("0.0"), jobs=[job(Rank=rank)], config=CENTRAL)

    assert not found(RULE, given)


@pytest.mark.parametrize(
    ("rank", "execute"),
    [
        ("0", ""),
        ('TARGET.Owner == "ann"', ""),
        ("0.0", "RANK = 0.0\n"),
        ("0.0", "SLOT_TYPE_1_RANK = 0.0\n"),
    ],
)
def test_where_the_startd_has_a_rank_that_of_the_job_is_not_taken(rank: str, execute: str) -> None:
    given = pool(
        slot(Rank=rank),
        jobs=[job(Rank="-Memory")],
        config=CENTRAL,
        execute={"node1": execute},
    )

    assert not found(RULE, given)


def test_without_preemption_nothing_happens() -> None:
    given = pool(
        slot(Rank="0.0"),
        claim("-5.0"),
        jobs=[job(Rank="-Memory")],
        config="NEGOTIATOR_CONSIDER_PREEMPTION = False\n",
    )

    assert not found(RULE, given)


def test_jobs_that_no_slot_takes_have_no_rank_there() -> None:
    given = pool(slot(Rank="0.0"), jobs=[job(Rank="-Memory", RequestCpus=64)], config=CENTRAL)

    assert not found(RULE, given)


def test_what_it_could_not_look_at_is_said() -> None:
    outcome = look(RULE, pool(slot(Rank="0.0"), claim("-1.0"), config=CENTRAL))
    assert len(outcome.findings) == 1
    assert [each.missing for each in outcome.not_checked] == ["job ads (jobs.ads)"]
    assert look(RULE, pool(slot(Rank="0.0"), jobs=[job()])).not_checked
