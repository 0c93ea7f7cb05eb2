"""Jobs that were told to end and do not, as where MachineMaxVacateTime was ten days on 25.14.1."""

from __future__ import annotations

from htcq.balance.causes import RUNNING
from htcq.expected.unmet import VACATE_LONG
from htcq.pool.slot_state import RETIRING, VACATING
from htcq.report.views.status import headline, standing_text, use_of
from tests.audit.sites import Text, found
from tests.balance.pools import balanced
from tests.expected.pools import LATELY, NOW, claim, cycles, free, observed, only, site, waiting

_LEAVING: dict[str, Text | None] = {"State": '"Preempting"', "Activity": '"Vacating"'}
_TEN_DAYS: dict[str, Text | None] = {**_LEAVING, "MachineMaxVacateTime": "10 * 24 * 3600"}
_USUAL: dict[str, Text | None] = {**_LEAVING, "MachineMaxVacateTime": "10 * 60"}
_FULL = free(Cpus=0)


def test_jobs_that_may_take_ten_days_to_end() -> None:
    given = site(
        _FULL, claim(since=NOW - 400, **_TEN_DAYS), claim("slot1_2@node1", NOW - 400, **_TEN_DAYS),
        cycles(), jobs=[waiting()], execute={"node1": "MachineMaxVacateTime = 10 * 24 * 3600"},
    )  # fmt: skip
    finding = only(VACATE_LONG, given)
    assert finding.message == (
        "2 claims with 2 cores on node1 have been vacating since 2027-01-15 07:53 UTC: the jobs "
        "were told to end, and nobody else gets the cores until 2027-01-25 07:53 UTC at most"
    )
    assert finding.severity.word == "warning"
    assert observed(finding)["MachineMaxVacateTime"] == "10 * 24 * 3600"
    assert "condor_vacate -fast node1" in finding.advice
    assert "vacating since" in headline(balanced(given))


def test_a_job_that_hangs_for_an_hour_beyond_the_usual_time() -> None:
    given = site(_FULL, claim(since=NOW - 5000, **_USUAL), cycles(), jobs=[waiting()])
    assert "1 claim with 1 core on node1 has been vacating" in only(VACATE_LONG, given).message
    assert (
        only(VACATE_LONG, site(_FULL, claim(since=NOW - 5000, **_USUAL), cycles())).severity.word
        == "info"
    )


def test_what_ends_as_usual_is_no_finding() -> None:
    for since, times in ((NOW - 500, _USUAL), (LATELY, _TEN_DAYS), (NOW - 500, _LEAVING)):
        given = site(_FULL, claim(since=since, **times), cycles(), jobs=[waiting()])
        assert not found(VACATE_LONG, given), (since, times)
    retiring = claim(Activity='"Retiring"', MachineMaxVacateTime="10 * 24 * 3600")
    assert not found(VACATE_LONG, site(_FULL, retiring, cycles(), jobs=[waiting()]))


def test_a_job_that_is_vacated_is_not_counted_among_those_that_run() -> None:
    slots = (
        claim(since=LATELY, **_USUAL), claim("slot1_2@node1", Activity='"Retiring"'),
        claim("slot1_3@node1"),
    )  # fmt: skip
    balance = balanced(site(free(Cpus=5), *slots, cycles()))
    cores = {cause: standing.amounts.cpus for cause in (RUNNING, RETIRING, VACATING)
             if (standing := balance.of(cause))}  # fmt: skip
    assert cores == {RUNNING: 1, RETIRING: 1, VACATING: 1}
    assert (
        use_of(balance) == "2 of 8 cores run jobs (1 of them retiring), 1 is vacating, 0 jobs wait"
    )
    vacating = balance.of(VACATING)
    assert vacating is not None
    assert vacating.since == LATELY
    assert standing_text(vacating).endswith("until 2027-01-15 08:09 UTC at most (1)")
