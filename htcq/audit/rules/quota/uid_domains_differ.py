"""Access points append different domains to the names of one site's users."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity


def _find(evidence: Evidence) -> Iterator[Found]:
    domains: dict[str, list[str]] = {}
    for schedd, configuration in evidence.access.items():
        domain = configuration.value("UID_DOMAIN").strip()
        if domain:
            domains.setdefault(domain.lower(), []).append(schedd)
    if len(domains) < 2:
        return
    most = max(domains, key=lambda domain: (len(domains[domain]), domain))
    for domain, schedds in domains.items():
        if domain == most:
            continue
        yield Found(
            cause=domain,
            subject=f"access point {schedds[0]}",
            message=(
                f"UID_DOMAIN is {domain} on {', '.join(schedds)} and {most} on "
                f"{', '.join(domains[most])}: a user of both is two submitters"
            ),
            facts=(Fact("UID_DOMAIN", domain), Fact("UID_DOMAIN", most)),
            count=len(schedds),
            examples=tuple(schedds[:3]),
        )


RULE = Rule(
    id="uid-domains-differ",
    severity=Severity.WARNING,
    needs=(Input.ACCESS,),
    summary="UID_DOMAIN differs between access points",
    consequence=(
        "The submitter's name is the user with this domain. One person then has two accounting "
        "records, with two priorities and two ceilings, and twice the share of the pool. Groups "
        "that are assigned by user name see only one of them."
    ),
    advice="The same UID_DOMAIN on all access points where user names mean the same people.",
    source="src/condor_schedd.V6/schedd.cpp, src/condor_negotiator.V6/Accountant.cpp, 25.14",
    find=_find,
)
