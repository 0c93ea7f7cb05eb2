"""Jobs with catalogs of common files on slots with a consumption policy."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import execute
from htcq.audit.nodes import modifications
from htcq.audit.policies import consumption_fact, on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.claims.startds import modifier
from htcq.htcondor.releases import CATALOGS
from htcq.pool.slot_class import SlotClass
from htcq.pool.versions import version
from htcq.units import DISK

#: The attributes of a job with catalogs.
_CATALOGS = ("RequestedCatalogIDs", "RequestedCatalogs")


def _find(evidence: Evidence) -> Iterator[Found]:
    jobs = [each for each in evidence.autoclusters if any(one in each.frame for one in _CATALOGS)]
    if not jobs:
        return
    frame, name = jobs[0].frame, evidence.pool.job_name(jobs[0].first)
    facts = [Fact(one, frame.text(one)) for one in _CATALOGS if one in frame]
    for kind in evidence.with_policy:
        if _subtracts(evidence, kind):
            yield on_slots(
                kind,
                cause="catalogs",
                message=(
                    f"job {name} has catalogs of common files: the negotiator charges its "
                    "whole RequestDisk, the startd subtracts the catalogs that are already there"
                ),
                settings=execute(evidence, kind.places, modifier(DISK), "UNDEFINED"),
                facts=(consumption_fact(kind, DISK), *facts),
            )


def _subtracts(evidence: Evidence, kind: SlotClass) -> bool:
    """Return whether a startd of the kind subtracts catalogs; HTCondor's default does."""
    running = version(kind.first.frame.value("CondorVersion"))
    if not running or not CATALOGS.holds(running):
        return False
    for each in modifications(evidence, kind):
        disk = each.startd.modify.get(DISK)
        if disk is not None and "requestedcatalogs" in disk.words():
            return True
    return False


RULE = Rule(
    id="catalog-space-with-policy",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Jobs with catalogs of common files run on slots with a consumption policy",
    consequence=(
        "The startd subtracts the space of catalogs that are already on the machine from "
        "RequestDisk, but the negotiator does not: it deducts more disk from the slot than the "
        "claim gets, and sees less free disk than there is."
    ),
    advice="Do not modify the disk request on nodes with a policy: then both charge it in full.",
    source=(
        "src/condor_utils/param_info.in (CATALOG_SPACE, since 25.12.2), "
        "Resource.cpp:create_dslot, 25.14"
    ),
    find=_find,
)
