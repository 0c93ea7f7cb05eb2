"""What groups used beyond their quotas was measured on 25.14.1: 112 of 40, and 48 to 64 of 20, by the same jobs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.audit.rule import Severity
from htcq.capacity.choice import Choice
from htcq.pool.pool import Pool
from tests.audit.emitted import mixed_pool
from tests.audit.sites import found, job, policy_slot, pool, submitter

RULE = "quotas-do-not-hold"
CLAIMS = Choice(charges={"cpus": Fraction(1), "memory": Fraction(4096)})
LINEAR = Choice(weights={"cpus": Fraction(1), "memory": Fraction(1, 4096), "gpus": Fraction(8)})
QUOTAS = "GROUP_NAMES = biology, chem\nGROUP_QUOTA_biology = 40\nGROUP_QUOTA_chem = 20\n"


def of_group(cluster: int, group: str, cpus: int, memory: int, count: int) -> list[str]:
    """Return ``count`` idle jobs of one user of a group."""
    who = {"User": '"ann@site"', "AccountingGroup": f'"{group}.ann"', "AcctGroup": f'"{group}"'}
    return [
        job(f"{cluster}.{proc}", **who, RequestCpus=cpus, RequestMemory=memory)
        for proc in range(count)
    ]


def wants(group: str, idle: int, weight: int) -> str:
    return submitter(f"{group}.ann@site", IdleJobs=idle, WeightedIdleJobs=weight)


def mixed(choice: Choice, groups: str = QUOTAS, biology: int = 60, chem: int = 30) -> Pool:
    jobs = [*of_group(1, "biology", 2, 32768, biology), *of_group(2, "chem", 16, 4096, chem)]
    return mixed_pool(choice, jobs=jobs, groups=groups)


def test_the_claim_model_on_mixed_nodes_is_an_error_that_names_the_worst_group() -> None:
    """On b1 10 matches cost 2 and one 4, on g1 2 cost 2 and one 4: 14 claims for 32, and one more for 8."""
    (finding,) = found(RULE, mixed(CLAIMS))
    assert finding.severity is Severity.ERROR
    assert finding.subject == "the pool"
    assert "group biology can use 120 with a quota of 40, a factor of 3" in finding.message
    assert (
        "jobs such as 1.0 with 1 slot such as slot1@b1 (cpus=64, memory=524288) cost"
        in finding.message
    )
    assert finding.message.endswith("2 groups can exceed their quotas")
    assert finding.examples == ("biology", "chem")


def test_what_was_measured_is_within_what_is_predicted() -> None:
    """48 in one run and 64 in another, where one match came above the quota: 16 for 1 on a1 and a2 each, 16 for 16."""
    (finding,) = found(RULE, mixed(CLAIMS, biology=0))
    assert "group chem can use 48 with a quota of 20, a factor of 2.4" in finding.message


def test_the_linear_model_holds_them() -> None:
    assert not found(RULE, mixed(LINEAR))


def test_few_jobs_cannot_exceed_a_quota() -> None:
    """5 jobs are charged 40."""
    assert not found(RULE, mixed(CLAIMS, biology=5, chem=1))


def test_the_pool_bounds_what_a_group_can_use() -> None:
    """b1 and g1 have room for 20 jobs that are charged 160, and the other slots for 32 that cost what they are."""
    jobs = of_group(1, "biology", 2, 32768, 60)
    given = mixed_pool(
        CLAIMS, wants("biology", 60, weight=480), jobs=jobs, groups=QUOTAS.replace("= 40", "= 120")
    )
    (finding,) = found(RULE, given)
    assert "group biology can use 192 with a quota of 120" in finding.message


@pytest.mark.parametrize("knob", ["GROUP_ACCEPT_SURPLUS = True", "GROUP_AUTOREGROUP = True"])
def test_groups_that_may_exceed_their_quotas_are_not(knob: str) -> None:
    assert not found(RULE, mixed(CLAIMS, f"{QUOTAS}{knob}\n"))


def test_a_group_above_that_accepts_none_holds_those_below_it() -> None:
    groups = (
        "GROUP_NAMES = science, science.biology\nGROUP_QUOTA_science = 40\n"
        "GROUP_QUOTA_science.biology = 40\n"
        "GROUP_ACCEPT_SURPLUS_science.biology = True\n"
    )
    given = mixed_pool(CLAIMS, jobs=of_group(1, "science.biology", 2, 32768, 60), groups=groups)
    (finding,) = found(RULE, given)
    assert "group science can use 120 with a quota of 40" in finding.message


def test_dynamic_quotas_are_held_to_their_share_of_the_pool() -> None:
    """A quarter of the 112 that the pool weighs: 12 matches for 24 on b1 and g1, one more for 4."""
    groups = "GROUP_NAMES = biology\nGROUP_QUOTA_DYNAMIC_biology = 0.25\n"
    (finding,) = found(RULE, mixed(CLAIMS, groups, chem=0))
    assert "group biology can use 104 with a quota of 28" in finding.message


def test_a_little_more_than_the_quota_is_a_warning() -> None:
    weight = "ifThenElse(DynamicSlot =?= true, 1.25 * Cpus, Cpus)"
    slots = policy_slot(
        SlotWeight=weight, Cpus=64, TotalSlotCpus=64, Memory=131072, TotalSlotMemory=131072
    )
    given = pool(slots, jobs=of_group(1, "biology", 1, 1024, 60), config=QUOTAS)
    (finding,) = found(RULE, given)
    assert finding.severity is Severity.WARNING
    assert "group biology can use 50 with a quota of 40, a factor of 1.2" in finding.message


def test_jobs_that_do_not_fit_the_slots_are_not() -> None:
    given = mixed_pool(CLAIMS, jobs=of_group(1, "biology", 128, 32768, 60), groups=QUOTAS)
    assert not found(RULE, given)


def test_a_pool_without_groups_has_no_quotas() -> None:
    assert not found(RULE, mixed(CLAIMS, groups=""))
