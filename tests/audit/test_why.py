"""The first wall between an idle job and a match; each case has one wall only, unless it says so.

The facts are those of the negotiator's own source (matchmaker.cpp, 25.14): an allocation of 0 skips a group, a limit is
truncated, a ceiling is an integer, shares go by 1/priority.
"""

from __future__ import annotations

import pytest

from htcq.audit.clauses import clauses
from htcq.audit.evidence import Evidence
from htcq.audit.why import WhyIdle, why_idle
from htcq.errors import InputError
from htcq.pool.pool import Pool
from tests.audit.sites import accounting, dynamic_slot, job, policy_slot, pool, slot, submitter


def why(given: Pool, who: str = "ada") -> WhyIdle:
    (answer,) = why_idle(Evidence(given), who)
    return answer


def walls(given: Pool, who: str = "ada") -> list[str]:
    return [reason.wall for reason in why(given, who).reasons]


def test_nothing_stands_in_the_way_of_a_job_that_fits() -> None:
    assert walls(pool(slot(), submitter(), jobs=[job()])) == []


def test_requirements_name_the_clause_that_holds_nowhere() -> None:
    needs = 'TARGET.Cpus >= RequestCpus && (TARGET.OpSys == "AIX" && true)'
    answer = why(pool(slot(), slot("slot1@node2"), submitter(), jobs=[job(Requirements=needs)]))
    (reason,) = answer.reasons
    assert reason.wall == "requirements"
    assert reason.facts[0].value == '(TARGET.OpSys == "AIX" && true): false on 2 of 2 slots'


def test_the_slots_own_start_expression_is_a_wall() -> None:
    assert walls(pool(slot(Start='TARGET.Owner == "bob"'), submitter(), jobs=[job()])) == ["requirements"]


def test_more_than_the_largest_slot_has_is_a_wall_of_assets() -> None:
    (reason,) = why(pool(slot(), submitter(), jobs=[job(RequestMemory=20000)])).reasons
    assert reason.wall == "assets"
    assert reason.facts[0].value == "20000; the largest slot has 16384"


def test_no_room_at_the_moment_is_told_apart_from_never() -> None:
    full = slot(Cpus=0, Memory=8192)
    (reason,) = why(pool(full, submitter(), jobs=[job()])).reasons
    assert (reason.wall, "at the moment" in reason.message) == ("assets", True)


def test_a_consumption_that_is_no_number_is_a_wall() -> None:
    broken = policy_slot(ConsumptionGPUs="TARGET.RequestGpu")
    (reason,) = why(pool(broken, submitter(), jobs=[job()])).reasons
    assert reason.wall == "consumption"
    assert reason.facts[0].value == "TARGET.RequestGpu"


def test_a_consumption_of_nothing_is_a_wall() -> None:
    free = policy_slot(ConsumptionCpus=0, ConsumptionMemory=0, ConsumptionDisk=0)
    assert walls(pool(free, submitter(), jobs=[job()])) == ["consumption"]


def test_a_weight_that_is_no_number_is_the_last_wall() -> None:
    assert walls(pool(policy_slot(SlotWeight="Cpus/NoSuch"), submitter(), jobs=[job()])) == ["no slot weight"]


GROUPS = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 4\nGROUP_QUOTA_b = 4\n"


def test_a_weighted_demand_of_zero_skips_the_group() -> None:
    starved = submitter("a.ada@site", IdleJobs=14, WeightedIdleJobs=0)
    mine = job(AccountingGroup='"a.ada"')
    assert walls(pool(slot(), starved, jobs=[mine], config=GROUPS), "a.ada") == ["zero demand"]
    assert walls(pool(slot(), submitter("a.ada@site"), jobs=[mine], config=GROUPS), "a.ada") == []


def test_without_groups_a_weighted_demand_of_zero_does_no_harm() -> None:
    assert walls(pool(slot(), submitter(IdleJobs=14, WeightedIdleJobs=0), jobs=[job()])) == []


def test_jobs_that_no_submitter_ad_tells_of_are_unknown_to_the_negotiator() -> None:
    assert walls(pool(slot(), submitter("bob@site"), jobs=[job()])) == ["zero demand"]


def test_a_group_at_its_limit_is_a_wall() -> None:
    claims = [dynamic_slot(f"slot1_{n}@node1", "a.ada@site") for n in range(1, 5)]
    ads = [slot(Cpus=4), *claims, submitter("a.ada@site", RunningJobs=4, WeightedRunningJobs="4.0")]
    (reason,) = why(pool(*ads, jobs=[job(AccountingGroup='"a.ada"')], config=GROUPS), "a.ada").reasons
    assert reason.wall == "group limit"
    assert "uses 4 of its limit of 4" in reason.message


def test_a_fraction_of_a_quota_is_truncated_to_nothing() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = 0.9\n"
    answer = why(pool(slot(), submitter("a.ada@site"), jobs=[job(AccountingGroup='"a.ada"')], config=config), "a.ada")
    assert [reason.wall for reason in answer.reasons] == ["group limit"]


def test_a_ceiling_that_is_reached_is_a_wall() -> None:
    ads = [slot(), submitter(), accounting("ada@site", Ceiling=2, WeightedResourcesUsed="2.0")]
    assert walls(pool(*ads, jobs=[job()])) == ["ceiling"]
    ads[-1] = accounting("ada@site", Ceiling=4, WeightedResourcesUsed="2.0")
    assert walls(pool(*ads, jobs=[job()])) == ["ceiling"], "8 cpus weigh more than the 2 that are left"
    ads[-1] = accounting("ada@site", Ceiling=-1, WeightedResourcesUsed="2.0")
    assert walls(pool(*ads, jobs=[job()])) == []


def test_a_share_that_is_used_up_is_a_wall() -> None:
    ads = [
        slot(),
        submitter(),
        submitter("bob@site"),
        accounting("ada@site", Priority="1000.0", WeightedResourcesUsed="4.0"),
        accounting("bob@site", Priority="1000.0", WeightedResourcesUsed="0.0"),
    ]
    (reason,) = why(pool(*ads, jobs=[job()])).reasons
    assert reason.wall == "submitter limit"
    assert "uses 4, and its share is 4 of 8" in reason.message
    ads[3] = accounting("ada@site", Priority="1000.0", WeightedResourcesUsed="3.0")
    assert walls(pool(*ads, jobs=[job()])) == []


def test_several_walls_come_in_the_order_in_which_a_job_meets_them() -> None:
    ads = [slot(), submitter("a.ada@site", WeightedIdleJobs=0)]
    given = pool(*ads, jobs=[job(AccountingGroup='"a.ada"', RequestMemory=99999)], config=GROUPS)
    assert walls(given, "a.ada@site") == ["assets", "zero demand"]


def test_one_answer_for_each_kind_of_job() -> None:
    given = pool(slot(), submitter(), jobs=[job("1.0"), job("1.1"), job("2.0", RequestMemory=99999)])
    answers = why_idle(Evidence(given), "ada@site")
    assert [(answer.job, answer.idle, len(answer.reasons)) for answer in answers] == [("1.0", 2, 0), ("2.0", 1, 1)]
    assert [answer.job for answer in why_idle(Evidence(given), "1")] == ["1.0"]


@pytest.mark.parametrize(("changes", "told"), [({"JobStatus": 5}, "on hold"), ({"JobStatus": 2}, "not idle"),
                                               ({"JobUniverse": 7}, "no negotiator")])  # fmt: skip
def test_a_job_that_does_not_wait_is_told(changes: dict[str, int], told: str) -> None:
    (reason,) = why(pool(slot(), jobs=[job(**changes)]), "1.0").reasons
    assert reason.wall == "not idle"
    assert told in reason.message


def test_unknown_names_are_refused_with_the_near_one() -> None:
    evidence = Evidence(pool(slot(), jobs=[job()]))
    with pytest.raises(InputError) as refused:
        why_idle(evidence, "adda")
    assert "ada@site" in refused.value.hint
    with pytest.raises(InputError, match=r"no job 9\.0"):
        why_idle(evidence, "9.0")
    with pytest.raises(InputError, match="needs job ads"):
        why_idle(Evidence(pool(slot())), "ada")


def test_clauses_are_split_outside_of_brackets_and_strings() -> None:
    assert clauses('A && (B && C) && "x && y" == D && f(E && F)') == ["A", "(B && C)", '"x && y" == D', "f(E && F)"]
