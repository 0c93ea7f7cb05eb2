"""Machines stand idle for one attribute in which they differ from all others."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import ODD


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, ODD)


RULE = Rule(
    id="machines-unlike-others",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary=(
        "A machine differs from all others in ARCH, FILESYSTEM_DOMAIN, UID_DOMAIN or an attribute "
        "of the site, and waiting jobs would fit there but for that"
    ),
    consequence=(
        "The machine stands idle while jobs wait that compare the attribute. Where it runs other "
        "jobs, or the attribute is the site's own, that is information: it may be meant."
    ),
    advice=(
        "Give the machine the value that the others have, unless it differs indeed. An Arch counts "
        "only if CondorPlatform of the same machine names the one of the others."
    ),
    source="src/condor_startd.V6/ResAttributes.cpp, ResMgr.cpp, 25.14",
    find=_find,
)
