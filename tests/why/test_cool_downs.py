"""Cool-downs by knobs of an access point, and CURB_MATCHMAKING: who keeps capacity, and what ends it.

The knobs are those of a 25.14.1 whose vacated jobs waited for a day: SYSTEM_ON_VACATE_COOL_DOWN ended in
(True), and SYSTEM_COOLDOWN_DURATION was 86400.
"""

from __future__ import annotations

import pytest

from htcq.balance.balance import Balance
from htcq.report.views.status import headline
from tests.audit.sites import Text, found
from tests.balance.pools import balanced
from tests.expected.pools import NOW, access_point, cycles, free, site, waiting

_DAY = "SYSTEM_ON_VACATE_COOL_DOWN = True\nSYSTEM_COOLDOWN_DURATION = 86400\n"


def _balance(config: str, left: int = 80000, **changes: Text | None) -> Balance:
    jobs = [
        waiting(
            f"1.{proc}", VacateReason='"Job vacated by schedd"', VacateReasonCode=1022,
            JobCoolDownExpiration=NOW + left, **changes,
        )
        for proc in range(2)
    ]  # fmt: skip
    return balanced(site(free(), access_point(), cycles(), jobs=jobs, access={"access1": config}))


def test_a_knob_that_keeps_vacated_jobs_for_a_day_is_a_fault() -> None:
    given = _balance(_DAY)
    (fault,) = given.faults
    assert fault.cause == "cool-down"
    assert fault.details[0][0] == "SYSTEM_COOLDOWN_DURATION of access1"
    assert fault.behind == 2
    (todo,) = given.todo
    assert todo.cure.startswith("SYSTEM_COOLDOWN_DURATION of access1, then condor_reconfig there")
    assert "condor_qedit -name access1 -constraint 'JobCoolDownExpiration > time()'" in todo.cure
    assert "kept by cool-down (SYSTEM_COOLDOWN_DURATION of access1)" in headline(given)
    (reason,) = given.demand.by if given.demand else ()
    assert "(JobCoolDownExpiration), since it left a machine: Job vacated by schedd" in reason.text
    assert "; by SYSTEM_COOLDOWN_DURATION = 86400 of access1 it lasts 1 d" in reason.text
    assert not given.is_sound


def test_an_expression_that_makes_it_long_is_named() -> None:
    (fault,) = _balance("SYSTEM_ON_VACATE_COOL_DOWN = VacateReasonCode * 10\n").faults
    assert fault.details[0][0] == "SYSTEM_ON_VACATE_COOL_DOWN of access1"


@pytest.mark.parametrize(
    "config",
    ["", "SYSTEM_ON_VACATE_COOL_DOWN = 600\n", "SYSTEM_COOLDOWN_DURATION = 60\n", "SYSTEM_ON_VACATE_COOL_DOWN = Foo\n"],
)  # fmt: skip
def test_a_usual_cool_down_passes_by_itself(config: str) -> None:
    """So does one that nobody but the job's owner can have set."""
    given = _balance(config)
    assert not given.faults
    assert given.is_sound


def test_the_access_point_that_offers_nothing_is_named() -> None:
    access = {"access1": "CURB_MATCHMAKING = RecentDaemonCoreDutyCycle < 0.98\n"}
    busy = access_point(RecentDaemonCoreDutyCycle=0.01)
    given = balanced(site(free(), busy, cycles(), jobs=[waiting()], access=access))
    assert "kept by curb-matchmaking (access1)" in headline(given)
    assert [each.cure for each in given.todo] == ["a CURB_MATCHMAKING of access1 that is false"]


def test_audit_tells_it() -> None:
    jobs = [waiting(JobCoolDownExpiration=NOW + 80000)]
    given = site(free(), access_point(), cycles(), jobs=jobs, access={"access1": _DAY})
    (finding,) = found("capacity-idle-while-jobs-wait", given)
    assert "kept by cool-down" in finding.message
