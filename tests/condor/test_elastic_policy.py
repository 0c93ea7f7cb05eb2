"""The policy of elastic quotas on real pools: guarantees and lending as the negotiator enforces them.

8 slots of one cpu; the groups are nested, so that every level must let a job through.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from broken import UNHURRIED
from claims import claims, come_to, queued
from conftest import Site
from elastic_pool import Elastic, elastic_pool
from testpool import Pool

pytestmark = pytest.mark.condor
#: Two cycles, as a guarantee may take where there is free capacity.
CYCLES = 2
#: Of 8 cpus 4 are nobody's min: enough for every max below 8.
NESTED = {
    "busy": "min = {cpus = 2}\nmax = {cpus = 4}\n",
    "quiet": "min = {cpus = 2}\nmax = {cpus = 8}\n",
    '"quiet.one"': "min = {cpus = 1}\nmax = {cpus = 8}\n",
    '"quiet.two"': "min = {cpus = 1}\nmax = {cpus = 3}\n",
}
#: All 8 cpus are somebody's min.
FULL = {
    "busy": "min = {cpus = 4}\nmax = {cpus = 7}\n",
    "quiet": "min = {cpus = 4}\nmax = {cpus = 8}\n",
    '"quiet.one"': "min = {cpus = 2}\nmax = {cpus = 8}\n",
    '"quiet.two"': "min = {cpus = 2}\nmax = {cpus = 3}\n",
}


@pytest.fixture
def elastic(site: Site, tmp_path: Path) -> Elastic:
    found = elastic_pool(site, tmp_path, **UNHURRIED)
    found.declare(NESTED)
    return found


def started(pool: Pool, elastic: Elastic, wanted: dict[str, int]) -> int:
    """Wait until these claims are there and return how many cycles that took."""
    begun = elastic.cycles()
    pool.wait(
        lambda: all(claims(pool)[name] >= count for name, count in wanted.items()),
        60, f"claims {wanted}", ("NegotiatorLog",),
    )  # fmt: skip
    return elastic.cycles() - begun


def test_fault_3_and_6_idle_nested_leaves_start_without_a_step_and_borrow_up_to_their_max(
    elastic: Elastic,
) -> None:
    """Nobody asks for anything when the quotas are written, and nothing is written afterwards."""
    pool = elastic.pool
    elastic.step()
    text = elastic.path.read_text()
    queued(pool, {"quiet.two.cy": 9})
    # Its own max of 3, although its min is 2 and the pool is empty.
    assert started(pool, elastic, {"quiet.two.cy": 3}) <= CYCLES + 1
    queued(pool, {"busy.ann": 9})
    come_to(pool, {"quiet.two.cy": 3, "busy.ann": 4})
    assert elastic.path.read_text() == text
    assert elastic.published() == {
        "busy": (4.0, "no"),
        "quiet": (4.0, "byquota"),
        "quiet.one": (1.0, "byquota"),
        "quiet.two": (3.0, "no"),
    }


def test_a_max_holds_in_an_empty_pool_where_what_is_nobodys_min_suffices_for_it(
    elastic: Elastic,
) -> None:
    pool = elastic.pool
    elastic.step()
    queued(pool, {"busy.ann": 12})
    come_to(pool, {"busy.ann": 4})
    before = elastic.cycles()
    pool.wait(lambda: elastic.cycles() >= before + 3, 60, "three more cycles", ("NegotiatorLog",))
    assert claims(pool) == {"busy.ann": 4}


def test_fault_3_a_lender_has_its_min_before_a_borrower_has_more(elastic: Elastic) -> None:
    """What becomes free goes to the group that is below its min, whoever had it before.

    The borrower passes its max by what was free in one cycle, as the plan says, and then has no more.
    """
    elastic.declare(FULL)
    pool = elastic.pool
    assert (
        "busy accepts surplus until it has its max of 7: it can exceed it by up to 1"
        in (elastic.htcq("plan")[1])
    )
    elastic.step()
    queued(pool, {"busy.ann": 12})
    come_to(pool, {"busy.ann": 8})
    queued(pool, {"quiet.one.cy": 9})
    elastic.step()
    assert elastic.published()["busy"] == (4.0, "no")
    pool.tool("condor_rm", "-constraint", 'AcctGroup == "busy" && ProcId < 5')
    # All of its department's min without a step: the other group below quiet asks for nothing. A
    # schedd that offers no job of busy in the one cycle leaves quiet.one what busy lacks to its min.
    started(pool, elastic, {"quiet.one.cy": 4})
    assert claims(pool)["busy.ann"] <= 4
