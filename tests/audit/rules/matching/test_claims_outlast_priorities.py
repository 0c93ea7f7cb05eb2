"""One submitter keeps all claims for a day, another waits."""

from __future__ import annotations

from tests.audit.sites import dynamic_slot, found, lines, pool, slot, submitter

RULE = "claims-outlast-priorities"
ADS = (
    slot(Cpus=0), dynamic_slot(customer="bob@site"), submitter("bob@site", IdleJobs=5),
    submitter("ada@site", IdleJobs=1),
)  # fmt: skip


def test_claims_of_a_day_are_found() -> None:
    (finding,) = found(RULE, pool(*ADS, config="CLAIM_WORKLIFE = 86400\n"))
    assert "bob@site has 1 claim and more idle jobs; CLAIM_WORKLIFE is 1 d" in finding.message
    assert lines(finding) == ["CLAIM_WORKLIFE = 1200"]


def test_the_default_and_a_submitter_that_is_alone_are_not() -> None:
    assert not found(RULE, pool(*ADS, config="NEGOTIATOR_INTERVAL = 60\n"))
    assert not found(RULE, pool(*ADS[:3], config="CLAIM_WORKLIFE = 86400\n"))
