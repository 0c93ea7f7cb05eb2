"""Submitters whose domain differs from that of the slots that they hold.

The accountant then keeps two records of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import access
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    for schedd, configuration in evidence.access.items():
        accounting = configuration.value("ACCOUNTING_DOMAIN")
        uid = configuration.value("UID_DOMAIN")
        if accounting and uid and accounting.lower() != uid.lower():
            knob = configuration.knob("ACCOUNTING_DOMAIN")
            place = "" if knob is None else knob.place
            yield Found(
                cause=f"configured {accounting} {uid}",
                subject=f"access point {schedd}",
                message=(
                    f"submitters of {schedd} have the domain {accounting}, but their claims are "
                    f"charged to {uid}"
                ),
                facts=(
                    Fact("ACCOUNTING_DOMAIN", accounting, place),
                    Fact("UID_DOMAIN", uid),
                ),
                examples=(schedd,),
                settings=access(evidence, "ACCOUNTING_DOMAIN", "$(UID_DOMAIN)", [schedd]),
            )
    for need in (Input.SLOTS, Input.SUBMITTERS):
        if evidence.lacks(need):
            yield Unchecked(evidence.words(need))
    yield from _in_ads(evidence)


def _in_ads(evidence: Evidence) -> Iterator[Found]:
    submitters = {submitter.name for submitter in evidence.quotas.submitters}
    domains = {name.rpartition("@")[0]: name.rpartition("@")[2] for name in sorted(submitters)}
    for customer, weight in evidence.quotas.supply.charged.items():
        who, _, domain = customer.rpartition("@")
        if customer not in submitters and who in domains:
            yield Found(
                cause=f"charged to {domain}, submitted as {domains[who]}",
                subject=f"submitter {who}@{domains[who]}",
                message=(
                    f"slots of weight {weight:g} are charged to {customer}, but the submitter is "
                    f"{who}@{domains[who]}"
                ),
                facts=(Fact("AccountingGroup", customer), Fact("Name", f"{who}@{domains[who]}")),
                examples=(customer,),
                settings=access(evidence, "ACCOUNTING_DOMAIN", "$(UID_DOMAIN)"),
            )


RULE = Rule(
    id="accounting-domain-differs",
    severity=Severity.WARNING,
    needs=(),
    summary="Submitters have one domain and are charged under another",
    consequence=(
        "The schedd appends ACCOUNTING_DOMAIN to a submitter's name, the startd appends the "
        "user's domain. Usage and priority are kept in one accounting record, while ceilings, "
        "floors and factors set on the other apply to the next match."
    ),
    advice="Configure access points to append the domain of users to the names of submitters.",
    source="src/condor_schedd.V6/schedd.cpp, src/condor_startd.V6/claim.cpp, 25.14",
    find=_find,
)
