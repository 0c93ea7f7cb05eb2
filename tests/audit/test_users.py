"""accounting_group = G and accounting_group_user = U make AccountingGroup "G.U" (submit_utils.cpp, HTCondor 25.14)."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.audit.users import User, users
from tests.audit.sites import job, pool


def test_jobs_say_which_part_of_a_submitter_is_the_user() -> None:
    jobs = [
        job("1.0", AccountingGroup='"phys.hep.ada.byron"', AcctGroup='"phys.hep"'),
        job("2.0", AccountingGroup='"phys.hep.ada.byron"', AcctGroup='"phys.hep"'),
        job("3.0", Owner='"bob"', User='"bob@site"'),
    ]
    assert list(users(Evidence(pool(jobs=jobs)))) == [
        User("phys.hep.ada.byron@site", "ada.byron", "phys.hep"),
        User("bob@site", "bob", ""),
    ]


def test_an_accounting_group_of_somebody_s_own_writing_says_nothing() -> None:
    assert list(users(Evidence(pool(jobs=[job(AccountingGroup='"phys.ada"')])))) == []
