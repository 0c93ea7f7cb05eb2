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
        "Quotas use up all of a group's quota, and nothing is left for the shares of their siblings",
        "Shares are fractions of what the sibling quotas leave, which is nothing.",
        "Lower the quotas, or give the groups with shares quotas of their own.",
        _SOURCE,
        _find,
    ),
    Rule(
        "quota-expired",
        Severity.WARNING,
        (Input.DECLARED,),
        "A quota is still declared after its last day",
        "The negotiator does not know dates: the quota stays in force until somebody removes it.",
        "Extend it or remove it.",
        _SITE,
        _find,
    ),
    Rule(
        "group-without-owner",
        Severity.INFO,
        (Input.DECLARED,),
        "A group has neither an owner nor a contact",
        "Nobody can be asked whether its quota is still needed.",
        "Add an owner, a contact, or both.",
        _SITE,
        _find,
    ),
)
