"""Submitters and the slots that they hold name different domains, so that the accountant keeps two records."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import access
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    for schedd, configuration in evidence.access.items():
        accounting, uid = configuration.value("ACCOUNTING_DOMAIN"), configuration.value("UID_DOMAIN")
        if accounting and uid and accounting.lower() != uid.lower():
            knob = configuration.knob("ACCOUNTING_DOMAIN")
            yield Found(
                cause=f"configured {accounting} {uid}",
                subject=f"access point {schedd}",
                message=f"submitters of {schedd} are at {accounting}, their claims are charged at {uid}",
                facts=(
                    Fact("ACCOUNTING_DOMAIN", accounting, knob.place if knob is not None else ""),
                    Fact("UID_DOMAIN", uid),
                ),
                examples=(schedd,),
                settings=access(evidence, "ACCOUNTING_DOMAIN", "$(UID_DOMAIN)", [schedd]),
            )
    for need in (Input.SLOTS, Input.SUBMITTERS):
        if evidence.lacks(need):
            yield Unchecked(need.value)
    yield from _in_ads(evidence)


def _in_ads(evidence: Evidence) -> Iterator[Found]:
    submitters = {submitter.name for submitter in evidence.quotas.submitters}
    domains = {name.rpartition("@")[0]: name.rpartition("@")[2] for name in sorted(submitters)}
    for customer, weight in evidence.quotas.supply.charged.items():
        who, _, domain = customer.rpartition("@")
        if customer not in submitters and who in domains:
            yield Found(
                cause=f"charged {domain} for {domains[who]}",
                subject=f"submitter {who}@{domains[who]}",
                message=f"slots of weight {weight:g} are charged to {customer}, while {who}@{domains[who]} submits",
                facts=(Fact("AccountingGroup", customer), Fact("Name", f"{who}@{domains[who]}")),
                examples=(customer,),
                settings=access(evidence, "ACCOUNTING_DOMAIN", "$(UID_DOMAIN)"),
            )


RULE = Rule(
    id="accounting-domain-differs",
    severity=Severity.WARNING,
    needs=(),
    summary="Submitters are known at one domain and charged at another",
    consequence=(
        "The schedd puts ACCOUNTING_DOMAIN behind a submitter's name, the startd that of the user. Usage and priority "
        "grow on one accounting record, while ceilings, floors and factors set on the other hold for the next match."
    ),
    advice="Let access points put the domain of users behind the names of submitters.",
    source="src/condor_schedd.V6/schedd.cpp, src/condor_startd.V6/claim.cpp, 25.14",
    find=_find,
)
