"""What gives a group whose quota is nothing more: with the cure its jobs start, and without none does."""

from __future__ import annotations

import pytest

from htcq.pool.pool import Pool
from htcq.why.choice import all_idle
from htcq.why.group_cures import shut_cure
from htcq.why.group_holders import group_sentences
from htcq.why.verdict import Verdicts
from tests.audit.sites import job, pool, schedd, slot, submitter
from tests.balance.pools import balanced

#: The quotas, and what each part of the cure is once somebody follows it.
CASES = {
    "nothing": (
        "a.x", "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 16\n",
        "GROUP_QUOTA_a.x of 1 or more, or GROUP_ACCEPT_SURPLUS_a.x = True",
        ("GROUP_QUOTA_a.x = 1", "GROUP_ACCEPT_SURPLUS_a.x = True"),
    ),
    "a share of nothing": (
        "a.x", "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 16\nGROUP_QUOTA_DYNAMIC_a.x = 0\n",
        "a larger GROUP_QUOTA_DYNAMIC_a.x, or GROUP_ACCEPT_SURPLUS_a.x = True",
        ("GROUP_QUOTA_DYNAMIC_a.x = 0.5", "GROUP_ACCEPT_SURPLUS_a.x = True"),
    ),
    "its parent has nothing": (
        "a.x", "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a.x = 10\nGROUP_ACCEPT_SURPLUS_a.x = True\n",
        "GROUP_QUOTA_a of 1 or more, or GROUP_ACCEPT_SURPLUS_a = True",
        ("GROUP_QUOTA_a = 1", "GROUP_ACCEPT_SURPLUS_a = True"),
    ),
    "its children have it all": (
        "a", "GROUP_NAMES = a, a.x\nGROUP_QUOTA_a = 8\nGROUP_QUOTA_a.x = 8\n"
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False\n",
        "GROUP_QUOTA_a above the sum of the quotas below a, or GROUP_ACCEPT_SURPLUS_a = True",
        ("GROUP_QUOTA_a = 16", "GROUP_ACCEPT_SURPLUS_a = True"),
    ),
    "a fraction": (
        "a", "GROUP_NAMES = a\nGROUP_QUOTA_a = 0.9\n",
        "GROUP_QUOTA_a of 1 or more (a quota below 1 counts as 0), or GROUP_ACCEPT_SURPLUS_a = "
        "True",
        ("GROUP_QUOTA_a = 1", "GROUP_ACCEPT_SURPLUS_a = True"),
    ),
    "the pool weighs nothing": (
        "a", "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.5\n"
        "GROUP_DYNAMIC_MACH_CONSTRAINT = Generation =?= 4\n",
        "GROUP_DYNAMIC_MACH_CONSTRAINT of the central manager, which is true for no slot",
        ("GROUP_DYNAMIC_MACH_CONSTRAINT =",),
    ),
}  # fmt: skip


def _pool(group: str, config: str) -> Pool:
    """Return four empty machines of 8 cpus, and a job of ``group``."""
    name = f'"{group}.ada"'
    jobs = [job(AccountingGroup=name, AcctGroup=f'"{group}"', AcctGroupUser='"ada"')]
    slots = [slot(f"slot1@node{number}") for number in range(4)]
    wanting = [submitter(f"{group}.ada@site")]
    if group == "a" and "a.x" in config:
        # Otherwise a group has what those below it leave.
        wanting.append(submitter("a.x.bob@site", IdleJobs=9, WeightedIdleJobs=9))
        jobs += [
            job(f"2.{proc}", AccountingGroup='"a.x.bob"', AcctGroup='"a.x"', Owner='"bob"')
            for proc in range(9)
        ]
    return pool(*slots, schedd(), *wanting, jobs=jobs, config=config)


@pytest.mark.parametrize("case", CASES)
def test_each_part_of_the_cure_starts_the_job(case: str) -> None:
    group, config, cure, lines = CASES[case]
    judged = Verdicts(_pool(group, config))
    found, *_ = judged.on(all_idle(judged.pool.jobs or ()))
    assert (found.starts, [each.lifted_by for each in found.walls]) == (False, [cure])
    for line in lines:
        judged = Verdicts(_pool(group, f"{config}{line}\n"))
        assert judged.on(all_idle(judged.pool.jobs or ()))[0].starts, line


@pytest.mark.parametrize("case", CASES)
def test_a_group_that_never_gets_anything_is_a_finding(case: str) -> None:
    group, config, cure, _ = CASES[case]
    found = balanced(_pool(group, config))
    assert not found.is_sound
    assert [(each.cause, each.cure) for each in found.todo] == [("group-quota", cure)]


def test_a_group_that_accepts_surplus_may_wait_for_it() -> None:
    config = "GROUP_NAMES = a, b\nGROUP_QUOTA_b = 32\nGROUP_ACCEPT_SURPLUS_a = True\n"
    quotas = Verdicts(_pool("a", config)).cycle.quotas
    cure = "GROUP_QUOTA_a of 1 or more, or the end of jobs of groups that use the surplus"
    assert (shut_cure(quotas, "a"), shut_cure(quotas, "b")) == (cure, "")


def test_the_sentence_on_a_group_has_what_it_hands_on_and_whether_it_accepts_surplus() -> None:
    given = _pool("a.x", CASES["its children have it all"][1])
    first, *_ = group_sentences(Verdicts(given).cycle, "a")
    assert first.startswith("group a uses 0 of its quota of 8;")
    given = _pool("a.x", CASES["nothing"][1])
    _, second = group_sentences(Verdicts(given).cycle, "a.x")
    assert second == "it has its whole quota and accepts no surplus; jobs of weight 1 wait"
