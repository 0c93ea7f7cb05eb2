"""Claims that go on with further jobs of one user while another, with the better priority, has none.

Seen on 25.14.1 with CLAIM_WORKLIFE = -1 of one machine, 200 short jobs of greedy and four of patient.
"""

from __future__ import annotations

from htcq.expected.unmet import OUTLASTING, Unmet
from htcq.pool.pool import Pool
from tests.audit.sites import accounting, submitter
from tests.balance.pools import balanced
from tests.expected.pools import LONG_AGO, NOW, access_point, claim, cycles, free, site, waiting

_EVER = {"node1": "CLAIM_WORKLIFE = -1\n"}


def _pool(
    execute: dict[str, str] | None = None,
    patient: float = 500.0,
    requirements: str = "true",
    began: int = NOW - 20,
    limits: str | None = None,
    config: str = "NEGOTIATOR_INTERVAL = 60\n",
) -> Pool:
    """Return a pool where eve, with a job to go on with, has the only claim of node1, and ada waits."""
    slots = [
        free(Cpus=0, Memory=0, TotalSlotCpus=1, TotalSlotMemory=1024),
        claim(
            EnteredCurrentActivity=began, AccountingGroup='"eve@site"', RemoteUser='"eve@site"',
            RemoteOwner='"eve@site"',
        ),
    ]  # fmt: skip
    jobs = [
        waiting("1.0", NOW - 300, Requirements=requirements, ConcurrencyLimits=limits),
        waiting("2.0", User='"eve@site"', Owner='"eve"'),
    ]
    ads = (
        submitter("eve@site", IdleJobs=1),
        accounting("eve@site", Priority=900.0),
        accounting("ada@site", Priority=patient),
    )
    whole = (*slots, *ads, access_point(), cycles())
    return site(*whole, jobs=jobs, execute=execute or _EVER, config=config)


def _found(given: Pool) -> list[Unmet]:
    return [each for each in balanced(given).unmet if each.id == OUTLASTING]


def test_a_claim_without_end_keeps_who_has_the_better_priority() -> None:
    (found,) = _found(_pool())
    assert (found.subject, found.severity) == ("submitter ada@site", "warning")
    assert "though ada@site has the better priority: 1 claim of eve@site with 1 core" in found.text
    assert found.text.endswith("on node1 goes on with further jobs for ever (CLAIM_WORKLIFE)")
    assert [(each.name, each.value) for each in found.observed] == [("CLAIM_WORKLIFE", "-1")]


def test_who_waits_for_other_reasons_is_not_told_so() -> None:
    assert not _found(_pool({"node1": "CLAIM_WORKLIFE = 1200\n"}))
    assert not _found(_pool(patient=1500.0))
    assert not _found(_pool(requirements='TARGET.Machine == "node7"'))
    # No further job has begun in the claim since ada came.
    assert not _found(_pool(began=LONG_AGO))


def test_who_waits_for_a_limit_waits_for_no_claim() -> None:
    closed = "NEGOTIATOR_INTERVAL = 60\nLICENCE_LIMIT = 0\n"
    given = _pool(limits='"licence"', config=closed)
    assert not _found(given)
    assert _found(_pool(limits='"licence"', config=closed.replace("= 0", "= 5")))
