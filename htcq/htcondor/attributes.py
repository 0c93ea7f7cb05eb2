"""Attributes of ads: which HTCondor gives, which a snapshot asks for, and what changes them.

``attributes.tsv`` has them by the type of the ad: slot, job, match (only while the negotiator looks
for one), schedd, submitter, user, collector.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from htcq.htcondor.tables import rows

SLOT, JOB, MATCH, SCHEDD = "slot", "job", "match", "schedd"
SUBMITTER, USER, COLLECTOR = "submitter", "user", "collector"
#: HTCondor itself gives the attribute to such ads.
KNOWN = "known"
#: A snapshot asks for it; also where only the weight of slots matters, and whom it is charged to.
ASKED, WEIGHED = "asked", "weighed"
#: It is an expression that is evaluated against the other ad of a match.
EVALUATED = "evaluated"
#: It changes with the load and the user of the machine and with the hour, or with claims. Of a job:
#: its processes change it.
MACHINE, CLAIMS = "machine", "claims"
#: It decides when a job runs and for how long, not where.
LIFE = "life"


def names(ads: str, use: str) -> tuple[str, ...]:
    """Return the attributes of such ads that have this use."""
    return _names().get((ads, use), ())


@lru_cache(maxsize=1)
def _names() -> Mapping[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows("attributes.tsv"):
        ads, uses = row.rest.split("\t", 2)[:2]
        for use in uses.split():
            found.setdefault((ads, use), []).append(row.key)
    return {key: tuple(each) for key, each in found.items()}


@lru_cache(maxsize=2)
def fixed_in_courses(ads: str = SLOT) -> Mapping[str, str]:
    """Return what courses leave as it was captured, by the name in lower case."""
    return {name.lower(): name for use in (MACHINE, CLAIMS) for name in names(ads, use)}
