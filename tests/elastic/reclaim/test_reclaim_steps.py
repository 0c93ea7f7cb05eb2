"""Which negotiator reclaim acts on: without one there is no record of what was done before."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import PoolError
from htcq.live.captured import Captured
from htcq.operations import reclaim_steps
from htcq.operations.plan_reclaim import ReclaimRequest, priorities_of
from htcq.operations.pool_source import Source
from htcq.settings.elastic_write import WriteSettings
from htcq.store.reclaim_journal import ReclaimJournal
from tests.elastic.reclaim.scenes import AT_ONCE, HALVES

SOURCE = Source(pool="cm.example.org")


def test_a_pool_without_a_negotiators_ad_is_not_acted_on(tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    wanted = ReclaimRequest(HALVES, AT_ONCE, WriteSettings(), journal)
    with pytest.raises(PoolError, match=r"cm.example.org: the collector has no ad of a negotiator"):
        reclaim_steps._reclaimer_of(SOURCE, wanted, Captured("cm.example.org", "", {}))


def test_an_ad_without_a_name_is_not_the_negotiators() -> None:
    places = ({"MyAddress": "<1>"}, {"Name": "mine", "CondorVersion": "$CondorVersion: 25.14.1 $"})
    daemons = Captured("cm.example.org", "", {}, negotiators=places)
    assert priorities_of(SOURCE, daemons, "mine").leases
