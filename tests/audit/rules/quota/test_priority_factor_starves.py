"""A submitter whose factor somebody set to 10^12, as on 25.14.1 (condor_userprio -setfactor)."""

from __future__ import annotations

from htcq.pool.pool import Pool
from tests.audit.sites import accounting, found, job, pool, slot

RULE = "priority-factor-starves"


def given(factor: float, user: str = "bob@site", config: str = "", used: float = 0) -> Pool:
    return pool(
        slot(),
        accounting("ada@site", PriorityFactor=1000.0, WeightedResourcesUsed=4.0),
        accounting(user, PriorityFactor=factor, WeightedResourcesUsed=used),
        jobs=[job("7.0", AccountingGroup=f'"{user.partition("@")[0]}"', User=f'"{user}"')],
        config=config,
    )


def test_a_factor_that_nobody_meant_is_found() -> None:
    (finding,) = found(RULE, given(1e12))
    assert finding.subject == "submitter bob@site"
    assert finding.message == (
        "bob@site has a priority factor of 1e+12, ada@site one of 1000: nothing of bob@site runs "
        "while others such as ada@site have jobs, and 1 job of it waits"
    )


def test_what_the_configuration_means_or_what_runs_is_not() -> None:
    assert not found(RULE, given(1e5))
    assert not found(RULE, given(1e12, used=1))
    assert not found(RULE, given(1e12, config="GROUP_PRIO_FACTOR_<none> = 1000000000000\n"))
    assert not found(RULE, given(1e10, user="nice-user.bob@site"))
