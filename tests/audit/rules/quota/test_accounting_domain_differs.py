"""schedd.cpp puts ACCOUNTING_DOMAIN behind a submitter's name, claim.cpp the domain of the user."""

from __future__ import annotations

from tests.audit.rules.quota.groups import uses, wants
from tests.audit.sites import dynamic_slot, found, lines, look, pool, submitter

RULE = "accounting-domain-differs"


def test_slots_charged_at_another_domain_are_found() -> None:
    held = [dynamic_slot(f"slot1_{number}@node1", "phys.ada@site.example") for number in (1, 2)]
    (finding,) = found(RULE, pool(*held, submitter("phys.ada@accounts")))
    assert (
        "slots of weight 2 are charged to phys.ada@site.example, but the submitter is "
        "phys.ada@accounts"
    ) in finding.message


def test_a_configuration_with_two_domains_is_found() -> None:
    access = {"access1": "UID_DOMAIN = site.example\nACCOUNTING_DOMAIN = accounts\n"}
    (finding,) = found(RULE, pool(*uses("", 1), wants(""), access=access))
    assert finding.subject == "access point access1"
    assert lines(finding) == ["ACCOUNTING_DOMAIN = $(UID_DOMAIN)"]


def test_one_domain_is_not() -> None:
    access = {"access1": "UID_DOMAIN = site\nACCOUNTING_DOMAIN = $(UID_DOMAIN)\n"}
    assert not found(RULE, pool(*uses("phys", 2), wants("phys"), access=access))


def test_claims_of_people_who_submit_nothing_now_prove_nothing() -> None:
    assert not found(RULE, pool(*uses("phys", 2, user="bob"), wants("phys")))


def test_without_slots_the_ads_are_not_checked() -> None:
    outcome = look(RULE, pool(config=""))
    assert [each.missing for each in outcome.not_checked] == [
        "slot ads (collector.ads)",
        "submitter ads (collector.ads)",
    ]
