"""The report on one pool over a time: its groups, changes and disagreements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from htcq.drift.accounts import Account, accounts
from htcq.drift.changes import SettingChange, Spell, changes, published_spells, setting_spells
from htcq.drift.ledger import Booking
from htcq.drift.observation import Kept, QuotaSample
from htcq.drift.windows import MAX_POINTS, Window, windows
from htcq.quota.group_tree import ROOT

#: The kinds of changes that are a group's.
_OF_GROUPS = ("declared", "configured")


@dataclass(frozen=True)
class DriftExplanation:
    """One pool from ``since`` to ``until``.

    ``windows`` are its groups, the one with most trouble first. ``spells`` are the disagreements in
    that time, ``doubts`` the incomplete or uncertain data of the last observation, ``last`` its
    time (None: there is none). ``first`` is the time of the first observation of all. ``ledger``
    has the accounts of elastic quotas, the root's first in every dimension; empty without any.
    """

    pool: str
    unit: str
    since: int
    until: int
    first: int
    last: int | None
    windows: tuple[Window, ...] = ()
    changes: tuple[SettingChange, ...] = ()
    spells: tuple[Spell, ...] = ()
    doubts: tuple[Kept, ...] = ()
    ledger: tuple[Account, ...] = ()

    @property
    def ongoing(self) -> tuple[Spell, ...]:
        """The disagreements in the last observation."""
        return tuple(spell for spell in self.spells if spell.until is None)

    @property
    def coverage(self) -> float:
        """The share of the time that was observed."""
        return max((window.coverage for window in self.windows), default=0.0)

    @property
    def changed(self) -> bool:
        """Whether anything changed, or a disagreement began or ended.

        What the first observation has did not begin then.
        """
        if self.changes:
            return True
        for spell in self.spells:
            if spell.since > self.first and self._contains(spell.since):
                return True
            if spell.until is not None and self._contains(spell.until):
                return True
        return False

    def _contains(self, moment: int) -> bool:
        return self.since < moment <= self.until


@dataclass(frozen=True)
class Remembered:
    """The history of ``pool``, first observed at ``first``; quotas are in ``unit``.

    ``samples`` are those of the reported time, of any resolution. ``fine`` are the finer ones, from
    the first observation on, of the root and of the groups whose published and computed quotas
    differ. ``kept`` are the texts that held at any moment of the time, and all texts of declared
    and configured quotas. ``ledger`` is that of the time.
    """

    pool: str
    unit: str
    first: int
    samples: Iterable[QuotaSample]
    kept: Iterable[Kept]
    fine: Iterable[QuotaSample] = ()
    ledger: Iterable[Booking] = ()


def tell(
    remembered: Remembered,
    since: int,
    until: int,
    groups: Sequence[str] = (),
    most: int = MAX_POINTS,
) -> DriftExplanation:
    """Return the report from ``since`` to ``until`` on groups that match a shell pattern.

    Without patterns it is that of all groups.
    """
    known = tuple(remembered.kept)
    samples = [sample for sample in remembered.samples if chosen(sample.group, groups)]
    doubts = [each for each in known if each.kind == "doubt" and each.since <= until]
    return DriftExplanation(
        pool=remembered.pool,
        unit=remembered.unit,
        since=since,
        until=until,
        first=remembered.first,
        last=max((sample.time for sample in samples), default=None),
        windows=windows(samples, since, until, most),
        changes=_changes(known, since, until, remembered.first, groups),
        spells=_spells(known, remembered.fine, since, until, groups),
        doubts=tuple(each for each in doubts if each.holds_after(until)),
        ledger=tuple(
            each
            for each in accounts(remembered.ledger, since, until)
            if each.group == ROOT or chosen(each.group, groups)
        ),
    )


def _changes(
    known: Iterable[Kept], since: int, until: int, first: int, groups: Sequence[str]
) -> tuple[SettingChange, ...]:
    """Return the changes of the chosen groups and of what is no group's."""
    return tuple(
        each
        for each in changes(known, since, until, first)
        if each.kind not in _OF_GROUPS or chosen(each.name, groups)
    )


def _spells(
    known: Iterable[Kept],
    fine: Iterable[QuotaSample],
    since: int,
    until: int,
    groups: Sequence[str],
) -> tuple[Spell, ...]:
    """Return the disagreements of the chosen groups that had not ended at ``since``."""
    found = []
    for each in (*setting_spells(known, until), *published_spells(fine)):
        ended = each.until is not None and each.until <= since
        if not ended and chosen(each.difference.group, groups):
            found.append(each)
    return tuple(sorted(found, key=lambda each: (each.difference.group, each.since)))


def chosen(group: str, patterns: Sequence[str]) -> bool:
    """Return whether ``group`` matches one of ``patterns`` or there are none, ignoring case."""
    if not patterns:
        return True
    return any(fnmatchcase(group.lower(), pattern.lower()) for pattern in patterns)
