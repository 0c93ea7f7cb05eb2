"""The negotiator's own report of a group and of its submitters, as that of 23.9.6 after groups were declared late."""

from __future__ import annotations

from tests.audit.sites import Text, accounting, found, pool

RULE = "group-usage-wrong"


def of(name: str, used: float, update: int = 100, **changes: Text | None) -> str:
    return accounting(name, WeightedResourcesUsed=used, LastUpdate=update, **changes)


def group(name: str, used: float, update: int = 100) -> str:
    return of(name, used, update, IsAccountingGroup="true")


def of_busy(name: str, used: float, update: int = 100) -> str:
    return of(name, used, update, AccountingGroup='"busy"')


def test_claims_that_began_before_their_group_was_known_are_no_usage_of_it() -> None:
    given = pool(
        group("<none>", 4),
        group("busy", 0),
        of_busy("busy.ann@test", 4),
        of_busy("busy.bob@test", 0),
    )
    (finding,) = found(RULE, given)
    assert finding.subject == "group busy"
    assert finding.message.startswith(
        "the negotiator counts 0 as used by busy, and 4 by its submitters: "
    )


def test_equal_sums_are_not_found() -> None:
    given = pool(group("busy", 6.3), of_busy("busy.ann@test", 4.2), of_busy("busy.bob@test", 2.1))
    assert not found(RULE, given)


def test_an_ad_of_an_earlier_report_does_not_count() -> None:
    given = pool(group("busy", 0), of_busy("busy.ann@test", 4, update=40))
    assert not found(RULE, given)


def test_a_submitter_that_is_in_no_report_is_no_evidence() -> None:
    assert not found(RULE, pool(group("busy", 4)))
