"""A healthy pool is quiet: these rules find nothing that somebody should mend."""

from __future__ import annotations

import pytest

from htcq.audit.catalog import family
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from tests.audit.rules.quota.groups import groups, machine, uses, wants
from tests.audit.sites import accounting, collector, job, negotiator, pool, schedd, slot

#: 60 of 100 are promised; surplus is accepted by groups that have none below them.
SOUND = """
GROUP_NAMES = atlas, cms, ops
GROUP_QUOTA_atlas = 30
GROUP_QUOTA_cms = 20
GROUP_QUOTA_DYNAMIC_ops = 0.2
GROUP_ACCEPT_SURPLUS_atlas = True
GROUP_ACCEPT_SURPLUS_cms = True
UID_DOMAIN = site
"""


def worrying(given: Pool) -> list[tuple[str, str]]:
    findings = audit(Evidence(given), family("quota")).findings
    return [
        (finding.rule, finding.message)
        for finding in findings
        if finding.severity is not Severity.INFO
    ]


def queue(*submitters: str) -> list[str]:
    return [
        job(
            f"{number}.0",
            User='"ada@site"',
            AccountingGroup=f'"{name}"',
            AcctGroup=f'"{name.rpartition(".")[0]}"',
        )
        for number, name in enumerate(submitters, 1)
    ]


def test_a_pool_without_groups_is_quiet() -> None:
    daemons = (schedd(), collector(), negotiator(), accounting("ada@site", Ceiling=-1, Floor=0))
    given = pool(
        slot(),
        slot("slot1@b"),
        wants(""),
        *uses("", 2),
        *daemons,
        config="UID_DOMAIN = site\n",
        jobs=[job()],
    )
    assert worrying(given) == []


@pytest.mark.parametrize("busy", [0, 10, 30])
def test_a_simple_tree_is_quiet_whether_it_is_empty_or_full(busy: int) -> None:
    ads = [negotiator(), collector(), schedd()]
    for group in ("atlas", "cms", "ops"):
        ads += [*uses(group, busy), wants(group, 40, busy)]
    assert (
        worrying(
            groups(
                SOUND, *ads, weight=100 - 3 * busy, jobs=queue("atlas.ada", "cms.ada", "ops.ada")
            )
        )
        == []
    )


def test_a_tree_without_submitters_is_quiet() -> None:
    assert worrying(pool(machine(100), negotiator(), config=SOUND, jobs=[])) == []
