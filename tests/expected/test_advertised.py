"""Jobs of whose submitter the collector has no ad.

Seen on 25.14.1 with COLLECTOR_REQUIREMENTS = MyType =!= "Submitter": the schedd's own ad says
TotalIdleJobs, the collector has no submitter at all, and the negotiator's cycles consider nothing.
"""

from __future__ import annotations

from dataclasses import replace

from htcq.expected.unmet import MISSING
from htcq.pool.pool import Pool
from tests.audit.sites import found, pool, submitter
from tests.expected.pools import LATELY, NOW, access_point, cycles, free, observed, only, waiting

REFUSES = 'NEGOTIATOR_INTERVAL = 60\nCOLLECTOR_REQUIREMENTS = MyType =!= "Submitter"\n'


def site(*ads: str, since: int = NOW - 9000) -> Pool:
    """Return a pool whose collector has no ad of a submitter but those that are given."""
    jobs = [waiting(f"6.{proc}", since) for proc in range(5)]
    whole = pool(free(), access_point(), cycles(considered=0), *ads, jobs=jobs, config=REFUSES)
    return replace(whole, taken_at="2027-01-15T08:00:00+00:00")


def test_the_access_point_is_named_and_the_knob_that_refuses() -> None:
    finding = only(MISSING, site())
    assert finding.subject == "access point access1"
    assert "never asks for 5 idle jobs of access1, such as 6.0" in finding.message
    assert observed(finding)["COLLECTOR_REQUIREMENTS"] == 'MyType =!= "Submitter"'


def test_a_submitter_that_is_new_is_advertised_soon() -> None:
    assert not found(MISSING, site(since=LATELY))


def test_a_schedd_without_an_ad_is_another_matter() -> None:
    jobs = [waiting()]
    whole = pool(free(), cycles(considered=0), jobs=jobs, config=REFUSES)
    given = replace(whole, taken_at="2027-01-15T08:00:00+00:00")
    assert not found(MISSING, given)


def test_with_the_submitters_ad_the_jobs_are_asked_for() -> None:
    texts = [each.message for each in found(MISSING, site(submitter()))]
    assert not any("never asks" in text for text in texts)


def test_an_access_point_that_sends_its_ads_once_a_day_is_told_by_its_interval() -> None:
    """Seen on 25.14.1 with SCHEDD_INTERVAL and SCHEDD_MIN_INTERVAL of 100,000."""
    access = {"access1": "SCHEDD_INTERVAL = 100000\n"}
    jobs = [waiting()]
    whole = pool(free(), access_point(), cycles(considered=0), jobs=jobs, access=access, config="")
    finding = only(MISSING, replace(whole, taken_at="2027-01-15T08:00:00+00:00"))
    assert next(iter(observed(finding).items())) == ("SCHEDD_INTERVAL", "100000")
    assert "SCHEDD_INTERVAL = 100000 of access1 lets it send them every 1.2 d" in finding.message
    assert finding.advice.startswith("A smaller SCHEDD_INTERVAL of access1, then condor_reconfig")


def test_an_interval_may_be_an_expression() -> None:
    access = {"access1": "SCHEDD_INTERVAL = 24 * 3600\n"}
    ads = (free(), access_point(), cycles(considered=0))
    whole = pool(*ads, jobs=[waiting()], access=access, config="")
    finding = only(MISSING, replace(whole, taken_at="2027-01-15T08:00:00+00:00"))
    assert "SCHEDD_INTERVAL = 24 * 3600 of access1 lets it send them every 1 d" in finding.message
