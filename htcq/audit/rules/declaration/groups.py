"""What declared groups must keep, as the manual tells it: what breaks it is found where they are read."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity

_SOURCE = "src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14"
_SITE = "a convention of htcq.toml"


def _find(_: Evidence) -> Iterator[Found]:
    yield from ()


RULES = (
    Rule(
        "nothing-left-to-share",
        Severity.WARNING,
        (Input.DECLARED,),
        "Quotas take all that a group has, and shares of the rest stand beside them",
        "Shares are taken of what the quotas beside them leave, and that is nothing.",
        "Lower the quotas, or give the groups with shares quotas of their own.",
        _SOURCE,
        _find,
    ),
    Rule(
        "quota-expired",
        Severity.WARNING,
        (Input.DECLARED,),
        "A quota is still declared after its last day",
        "The negotiator knows no dates: the quota holds until somebody takes it away.",
        "Grant it anew or take it away.",
        _SITE,
        _find,
    ),
    Rule(
        "group-without-owner",
        Severity.INFO,
        (Input.DECLARED,),
        "A group has neither an owner nor a contact",
        "Nobody can be asked whether its quota is still needed.",
        "Say whose it is: owner, contact, or both.",
        _SITE,
        _find,
    ),
)
