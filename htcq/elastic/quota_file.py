"""The file that the quota writer keeps for the negotiator: every group with its quota.

GROUP_NAMES has the whole tree: the negotiator knows no other groups. Parents come before their
children (src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14). Quotas have at most three
decimals, like the slot weights that they are counted in.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS
from htcq.quota.group_tree import name_key

#: The digest of a missing file.
ABSENT = ""
_LINE = 100
#: A parent group keeps only what it does not pass on (GroupEntry::hgq_assign_quotas). If it kept
#: all, its quota would count twice, and the groups would be allocated more than the pool.
OVERSUBSCRIPTION = ("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "False")


@dataclass(frozen=True)
class WrittenQuota:
    """The quota of one group in slot weight, including the groups below it."""

    group: str
    quota: float
    accept_surplus: bool


@dataclass(frozen=True)
class QuotaKnobs:
    """The groups of a file, parents before their children."""

    groups: tuple[WrittenQuota, ...]

    def knobs(self) -> tuple[tuple[str, str], ...]:
        """Return the file's knobs in their order."""
        found = [("GROUP_NAMES", ", ".join(each.group for each in self.groups)), OVERSUBSCRIPTION]
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
    """Return ``amount`` as the text of a knob, to a thousandth: ``4``, ``1.25``."""
    whole, part = divmod(round(amount * PARTS), PARTS)
    if not part:
        return str(whole)
    return f"{whole}.{part:03d}".rstrip("0")


def digest_of(text: str | None) -> str:
    """Return the digest of a file's content; :data:`ABSENT` for no file."""
    if text is None:
        return ABSENT
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def ordered(targets: Iterable[QuotaTarget]) -> tuple[QuotaTarget, ...]:
    """Return ``targets`` with parents first, siblings in the negotiator's order of names."""
    below: dict[str, list[QuotaTarget]] = {}
    for each in targets:
        below.setdefault(each.parent, []).append(each)
    found: list[QuotaTarget] = []
    waiting = sorted(below.get("", ()), key=lambda each: name_key(each.group))
    for each in waiting:  # grows while it is read: breadth first
        found.append(each)
        waiting.extend(sorted(below.get(each.group, ()), key=lambda child: name_key(child.group)))
    return tuple(found)


def file_diff(present: str | None, text: str, name: str) -> Iterator[str]:
    """Yield the lines of a diff from the file as it is to ``text``; comments do not count.

    ``present`` is None where there is no file.
    """
    before, after = _statements(present or ""), _statements(text)
    yield from difflib.unified_diff(before, after, name, f"{name} (planned)")


def _statements(text: str) -> list[str]:
    lines = (line for line in text.splitlines() if line.strip())
    return [f"{line}\n" for line in lines if not line.startswith("#")]


def elastic_file(targets: Iterable[QuotaTarget], quotas: Mapping[str, float]) -> QuotaKnobs:
    """Return the file in which every group has the quota of ``quotas``."""
    written = [
        WrittenQuota(each.group, quotas[each.group], each.accept_surplus)
        for each in ordered(targets)
    ]
    return QuotaKnobs(tuple(written))


def file_of(quotas: Mapping[str, tuple[float, bool]]) -> QuotaKnobs:
    """Return the file with ``quotas``, in their order.

    They have by group the quota and whether it accepts surplus.
    """
    written = [WrittenQuota(name, quota, accepts) for name, (quota, accepts) in quotas.items()]
    return QuotaKnobs(tuple(written))
