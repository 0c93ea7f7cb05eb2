"""Faults that no rule knows by name: the negotiator's cycles and the jobs' own counts show that something is wrong."""

from __future__ import annotations

import json

import pytest
from broken import cycles
from claims import queued
from conftest import NEWEST, Site

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

#: What was done, and the rules that tell of it.
FAULTS = {
    "NEGOTIATOR_MAX_TIME_PER_SUBMITTER = 0": {"negotiation-time-limit"},
    "NEGOTIATOR_MAX_TIME_PER_CYCLE = 0": {"negotiation-time-limit"},
    "STARTER = /no/such": {"matched-jobs-do-not-start"},
    "SHADOW = /no/such": {"matched-jobs-do-not-start"},
    "": set(),
}
#: What follows from a time limit of 0 is listed under that; that it cuts off the negotiation is told
#: besides after some cycles.
FOLLOWS = {"capacity-idle-while-jobs-wait"}
ALL = FOLLOWS.union(*FAULTS.values())


@pytest.mark.parametrize("fault", FAULTS)
def test_three_cycles_are_enough(site: Site, fault: str) -> None:
    site.emptied()
    site.start(f"{fault}\n")
    queued(site.pool, {"ada": 3})
    cycles(site.pool, 5)
    found: dict[str, str] = {}

    def told() -> bool:
        # Its status is that of the findings.
        text = site.htcq("audit", "--pool", site.pool.collector, "--json", check=False)
        printed = json.loads(text)
        found.clear()
        found.update(
            {each["rule"]: each["severity"] for each in printed["findings"] if each["rule"] in ALL}
        )
        return set(found) == FAULTS[fault]

    # The collector has the negotiator's ad of each cycle a little later, and the schedd the jobs'.
    site.pool.wait(told, 60, f"findings {FAULTS[fault]}", ("NegotiatorLog", "SchedLog"))
    assert set(found.values()) <= {"error"}
