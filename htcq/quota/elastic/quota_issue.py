"""What validation finds in quotas: data, never exceptions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QuotaIssue:
    """One thing that is wrong or odd: the id of the rule, the group that it is about, and the facts.

    ``facts`` are pairs of a key of the quotas or the demand and its value. ``fix`` is given where the rule's own advice
    can be made more precise.
    """

    rule: str
    group: str
    message: str
    facts: tuple[tuple[str, str], ...] = ()
    fix: str = ""
