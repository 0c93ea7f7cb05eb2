"""What stands in the file that the quota writer keeps for the negotiator: every group with its quota.

GROUP_NAMES is the whole tree, since a group that is not there is no group to the negotiator, and
parents come before those below them (src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14).
Quotas have at most three decimals, as the slot weights have that they are counted in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS
from htcq.quota.group_tree import name_key

#: What the digest of no file is.
ABSENT = ""
_LINE = 100


@dataclass(frozen=True)
class WrittenQuota:
    """The quota of one group in slot weight, that of the groups below it included."""

    group: str
    quota: float
    accept_surplus: bool


@dataclass(frozen=True)
class QuotaKnobs:
    """The groups of a file, parents before those below them."""

    groups: tuple[WrittenQuota, ...]

    def knobs(self) -> tuple[tuple[str, str], ...]:
        """Return the file's knobs in their order."""
        found = [("GROUP_NAMES", ", ".join(each.group for each in self.groups))]
        for each in self.groups:
            found.append((f"GROUP_QUOTA_{each.group}", number_text(each.quota)))
            found.append((f"GROUP_ACCEPT_SURPLUS_{each.group}", str(each.accept_surplus)))
        return tuple(found)

    def lines_of_names(self) -> tuple[str, ...]:
        """Return the names as lines of moderate length."""
        lines: list[str] = []
        for each in self.groups:
            if lines and len(lines[-1]) + len(each.group) <= _LINE:
                lines[-1] += f", {each.group}"
            else:
                lines.append(each.group)
        return tuple(lines)

    @property
    def quotas(self) -> dict[str, tuple[float, bool]]:
        """By group its quota, and whether it accepts surplus."""
        return {each.group: (each.quota, each.accept_surplus) for each in self.groups}


def number_text(amount: float) -> str:
    """Return ``amount`` as a knob has it, to a thousandth: ``4``, ``1.25``."""
    whole, part = divmod(round(amount * PARTS), PARTS)
    return f"{whole}.{part:03d}".rstrip("0") if part else str(whole)


def digest_of(text: str | None) -> str:
    """Return what tells one content of a file from another; :data:`ABSENT` for no file."""
    return (
        ABSENT
        if text is None
        else hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    )


def ordered(targets: Iterable[QuotaTarget]) -> tuple[QuotaTarget, ...]:
    """Return ``targets`` with parents before those below them, siblings by the negotiator's order of names."""
    below: dict[str, list[QuotaTarget]] = {}
    for each in targets:
        below.setdefault(each.parent, []).append(each)
    found: list[QuotaTarget] = []
    waiting = sorted(below.get("", ()), key=lambda each: name_key(each.group))
    for each in waiting:  # grows while it is read: breadth first
        found.append(each)
        waiting.extend(sorted(below.get(each.group, ()), key=lambda child: name_key(child.group)))
    return tuple(found)


def elastic_file(targets: Iterable[QuotaTarget], quotas: Mapping[str, float]) -> QuotaKnobs:
    """Return the file in which every group has the quota of ``quotas``."""
    return QuotaKnobs(
        tuple(
            WrittenQuota(each.group, quotas[each.group], each.accept_surplus)
            for each in ordered(targets)
        )
    )


def file_of(quotas: Mapping[str, tuple[float, bool]]) -> QuotaKnobs:
    """Return the file with ``quotas``: by group its quota and whether it accepts surplus, in their order."""
    return QuotaKnobs(
        tuple(WrittenQuota(name, quota, takes) for name, (quota, takes) in quotas.items())
    )
