"""What a confined process hands over to reclaim: a plan that is not of the declared groups, or beyond the limits, is refused."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from htcq.elastic.journal import PoolSeen
from htcq.elastic.reclaim.reclaim_events import IntentEvent, Origin
from htcq.elastic.reclaim.reclaim_fields import JobEntry
from htcq.elastic.reclaim.reclaim_history import DAY, Measured
from htcq.elastic.reclaim.reclaim_plan import Ceiling, ReclaimPlan
from htcq.errors import ConfinementError, RefusedError
from htcq.operations.handed_over import record_of, text_of
from htcq.operations.reclaim_record import ObservedReclaim, check_observed
from htcq.pool.literal_claims import LiteralClaim, LiteralClaims
from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from htcq.settings.pool_share import PoolShare
from htcq.settings.reclaim import ReclaimLimits
from htcq.store.reclaim_journal import ReclaimJournal
from tests.elastic.reclaim.scenes import AT_ONCE, HALVES, Scene, borrowed


def observed(plan: ReclaimPlan) -> ObservedReclaim:
    places = {each.slot: "slot1@node1" for each in plan.evictions}
    return ObservedReclaim(plan, places, 8, (), PoolSeen(1, 1, 8.0), (), ())


@pytest.fixture
def plan() -> ReclaimPlan:
    """Two jobs of the borrower are taken back."""
    found = borrowed(8, 2).plan(AT_ONCE)
    assert len(found.evictions) == 2
    return found


def claims_of(plan: ReclaimPlan, count: int = 8) -> LiteralClaims:
    """Return claims of which the jobs of ``plan`` are some."""
    evictions = plan.evictions
    claims = [
        LiteralClaim(each.slot, each.submitter, each.schedd, each.job, each.started)
        for each in evictions
    ]
    return LiteralClaims(count, frozenset(claims))


def check(
    found: ObservedReclaim,
    directory: Path,
    limits: ReclaimLimits = AT_ONCE,
    claims: LiteralClaims | None = None,
) -> None:
    journal = ReclaimJournal(directory / "reclaim")
    check_observed(found, HALVES.groups, limits, journal, claims or claims_of(found.plan))


def test_what_is_handed_over_is_the_plan(plan: ReclaimPlan, tmp_path: Path) -> None:
    plan = replace(plan, measured=(("a", Measured(True, {"bob@site": 1})), ("b", Measured(False))))
    told = observed(plan)
    found = record_of(ObservedReclaim, json.loads(text_of(told)))

    assert found == told
    check(found, tmp_path)


def test_a_user_that_names_no_group_may_have_a_ceiling_by_the_declaration(tmp_path: Path) -> None:
    """The catch-all group has him: nothing in his name says so."""
    guests = ElasticGroup("guests", max={"cpus": 2}, users=("*",))
    lender = ElasticGroup("lender", min={"cpus": 4}, max={"cpus": 8})
    scene = Scene(ElasticQuotas((guests, lender))).machine().waits("2.0", "lender", 6)
    for number in range(8):
        scene.runs(f"1.{number}", "")
    plan = scene.plan(AT_ONCE)
    assert [each.group for each in plan.evictions] == ["guests"] * 6
    assert [each.submitter for each in plan.ceilings] == ["bob@site"]

    journal = ReclaimJournal(tmp_path / "reclaim")
    check_observed(observed(plan), (guests, lender), AT_ONCE, journal, claims_of(plan))


def of_another_group(found: ObservedReclaim) -> ObservedReclaim:
    evictions = tuple(replace(each, group="other") for each in found.plan.evictions)
    return replace(found, plan=replace(found.plan, evictions=evictions))


def of_a_submitter_of_another(found: ObservedReclaim) -> ObservedReclaim:
    evictions = tuple(replace(each, submitter="lender.eve@site") for each in found.plan.evictions)
    return replace(found, plan=replace(found.plan, evictions=evictions))


def of_an_unknown_slot(found: ObservedReclaim) -> ObservedReclaim:
    return replace(found, places={})


def with_a_ceiling_of_another(found: ObservedReclaim) -> ObservedReclaim:
    ceiling = Ceiling("lender.eve@site", "lender", 0, 8.0, 8.0)
    return replace(found, plan=replace(found.plan, ceilings=(*found.plan.ceilings, ceiling)))


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        (of_another_group, "the group other of "),
        (of_a_submitter_of_another, "lender.eve@site of .* is not of the group borrower"),
        (of_an_unknown_slot, "nothing is known of the slot of "),
        (
            with_a_ceiling_of_another,
            "lender.eve@site would have a ceiling, and its group loses no job",
        ),
    ],
)
def test_a_plan_of_what_is_not_declared_is_refused(
    forged: Callable[[ObservedReclaim], ObservedReclaim],
    why: str,
    plan: ReclaimPlan,
    tmp_path: Path,
) -> None:
    with pytest.raises(RefusedError, match=why):
        check(forged(observed(plan)), tmp_path)


@pytest.mark.parametrize("limit", ["day_jobs", "group_jobs", "user_jobs"])
def test_more_jobs_than_a_limit_allows_are_refused(
    limit: str, plan: ReclaimPlan, tmp_path: Path
) -> None:
    check(observed(plan), tmp_path, replace(AT_ONCE, **{limit: 2}))
    with pytest.raises(RefusedError, match="2 jobs of "):
        check(observed(plan), tmp_path, replace(AT_ONCE, **{limit: 1}))


@pytest.mark.parametrize("limit", ["day_jobs", "group_jobs", "user_jobs", "pool_percent"])
def test_the_limits_are_shares_of_the_claims_that_slots_tell_of(
    limit: str, plan: ReclaimPlan, tmp_path: Path
) -> None:
    """A number that the confined process makes up raises none of them."""
    share = 25.0 if limit == "pool_percent" else PoolShare(25)
    limits = replace(AT_ONCE, **{limit: share})
    check(observed(plan), tmp_path, limits)
    with pytest.raises(RefusedError, match="2 jobs "):
        check(replace(observed(plan), claims=8000), tmp_path, limits, claims_of(plan, 7))


@pytest.mark.parametrize("field", ["submitter", "slot", "schedd", "job"])
def test_a_claim_is_what_its_slot_says(field: str, plan: ReclaimPlan, tmp_path: Path) -> None:
    """Else jobs of one user would count as those of several, and a limit for each would not hold."""
    true = claims_of(plan)
    other = replace(plan.evictions[0], **{field: "borrower.eve@site"})
    found = observed(replace(plan, evictions=(other, *plan.evictions[1:])))
    with pytest.raises(RefusedError, match="does not say that it has"):
        check(found, tmp_path, claims=true)


def test_a_snapshot_is_planned_by_what_was_found_in_it(plan: ReclaimPlan, tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    check_observed(observed(plan), HALVES.groups, AT_ONCE, journal, None)


def test_a_plan_of_another_day_or_negotiator_does_not_hide_what_was_vacated_today(
    plan: ReclaimPlan, tmp_path: Path
) -> None:
    now, plan = time.time(), replace(plan, negotiator="mine")
    lost = JobEntry("access1", "9.0", plan.evictions[0].group, plan.evictions[0].submitter)
    journal = ReclaimJournal(tmp_path / "reclaim")
    journal.append(IntentEvent(Origin(now - 60, "root", "mine"), "x", (lost,), (), ()))

    def checked(plan: ReclaimPlan) -> None:
        limits = replace(AT_ONCE, day_jobs=2)
        check_observed(observed(plan), HALVES.groups, limits, journal, claims_of(plan), "mine")

    for taken_at in (now, now + 2 * DAY):
        with pytest.raises(RefusedError, match="3 jobs of a day"):
            checked(replace(plan, taken_at=taken_at))
    with pytest.raises(RefusedError, match="it is of the negotiator other"):
        checked(replace(plan, taken_at=now, negotiator="other"))


def test_a_pair_has_two_parts(plan: ReclaimPlan) -> None:
    told = json.loads(text_of(observed(plan)))
    told["plan"]["ending"] = [["access1", "1.0", "1.1"]]

    with pytest.raises(ConfinementError, match="ending is not a list of 2"):
        record_of(ObservedReclaim, told)


def test_a_job_that_began_at_another_time_than_its_slot_says_is_refused(
    plan: ReclaimPlan, tmp_path: Path
) -> None:
    """Whoever took over the evaluation would make jobs young to lose more of their work than limits allow."""
    claims = claims_of(plan)
    young = [
        replace(each, started=plan.taken_at - 60, ran=60.0, hours=0.0) for each in plan.evictions
    ]

    with pytest.raises(RefusedError, match="does not say that it has"):
        check(observed(replace(plan, evictions=tuple(young))), tmp_path, claims=claims)


def test_hours_that_are_not_those_of_the_start_and_the_weight_are_refused(
    plan: ReclaimPlan, tmp_path: Path
) -> None:
    first, *others = plan.evictions
    assert first.hours > 0

    for less in (replace(first, hours=first.hours / 2), replace(first, ran=first.ran / 2)):
        with pytest.raises(RefusedError, match="would lose"):
            check(observed(replace(plan, evictions=(less, *others))), tmp_path)


@pytest.mark.parametrize("knob", ["day_hours", "group_hours", "user_hours"])
def test_more_lost_work_than_a_limit_allows_is_refused(
    knob: str, plan: ReclaimPlan, tmp_path: Path
) -> None:
    lost = sum(each.hours for each in plan.evictions)
    check(observed(plan), tmp_path, replace(AT_ONCE, **{knob: lost}))

    with pytest.raises(RefusedError, match=r"hours of .* would be lost"):
        check(observed(plan), tmp_path, replace(AT_ONCE, **{knob: lost * 0.9}))


def test_a_plan_that_was_made_long_before_the_ads_is_refused(
    plan: ReclaimPlan, tmp_path: Path
) -> None:
    """Its jobs would seem to have run for less than they have."""
    claims = replace(claims_of(plan), heard=plan.taken_at + 3600)

    with pytest.raises(RefusedError, match="before ads were received"):
        check(observed(plan), tmp_path, claims=claims)
