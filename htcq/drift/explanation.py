"""The report on one pool over a time: its groups, changes and disagreements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from htcq.drift.accounts import Account, accounts
from htcq.drift.changes import SettingChange, Spell, changes, published_spells, setting_spells
from htcq.drift.ledger import Booking
from htcq.drift.observation import Kept, Sample
from htcq.drift.windows import MAX_POINTS, Window, windows
from htcq.quota.group_tree import ROOT

#: The kinds of changes that are a group's.
_OF_GROUPS = ("declared", "configured")


@dataclass(frozen=True)
class Story:
    """One pool from ``since`` to ``until``.

    ``windows`` are its groups, the one with most trouble first. ``spells`` are the disagreements
    that there were in that time, ``doubts`` what the last look could not take as it was,
    ``last`` the time of that look, None without. ``first`` is the time of the first look of all.
    ``ledger`` is that of elastic quotas, the root's first in every dimension; empty where none
    was kept.
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
    def standing(self) -> tuple[Spell, ...]:
        """The disagreements that the last look saw."""
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
        begun = {spell.since for spell in self.spells if spell.since > self.first}
        ended = {spell.until for spell in self.spells if spell.until is not None}
        return bool(self.changes) or any(
            self.since < moment <= self.until for moment in begun | ended
        )


@dataclass(frozen=True)
class Remembered:
    """The history of ``pool``, first observed at ``first``; quotas are in ``unit``.

    ``samples`` are those of the time that is told of, however coarse. ``fine`` are finer ones,
    from the first look on, of the root and of the groups of which other quotas are published
    than computed. ``kept`` is what held at any moment of that time, and of what is declared and
    configured all that ever held. ``ledger`` is that of the time.
    """

    pool: str
    unit: str
    first: int
    samples: Iterable[Sample]
    kept: Iterable[Kept]
    fine: Iterable[Sample] = ()
    ledger: Iterable[Booking] = ()


def tell(
    remembered: Remembered,
    since: int,
    until: int,
    groups: Sequence[str] = (),
    most: int = MAX_POINTS,
) -> Story:
    """Return the report from ``since`` to ``until`` on groups that match a shell pattern.

    Without patterns it is that of all groups.
    """
    known = tuple(remembered.kept)
    looks = tuple(sample for sample in remembered.samples if chosen(sample.group, groups))
    spells = [*setting_spells(known, until), *published_spells(remembered.fine)]
    changed = changes(known, since, until, remembered.first)
    chosen_spells = (each for each in spells if chosen(each.difference.group, groups))
    told = [each for each in chosen_spells if each.until is None or each.until > since]
    return Story(
        pool=remembered.pool,
        unit=remembered.unit,
        since=since,
        until=until,
        first=remembered.first,
        last=max((sample.time for sample in looks), default=None),
        windows=windows(looks, since, until, most),
        changes=tuple(
            each for each in changed if each.kind not in _OF_GROUPS or chosen(each.name, groups)
        ),
        spells=tuple(sorted(told, key=lambda each: (each.difference.group, each.since))),
        doubts=tuple(
            each
            for each in known
            if each.kind == "doubt" and each.since <= until and _holds(each, until)
        ),
        ledger=tuple(
            each
            for each in accounts(remembered.ledger, since, until)
            if each.group == ROOT or chosen(each.group, groups)
        ),
    )


def chosen(group: str, patterns: Sequence[str]) -> bool:
    """Tell whether ``group`` matches one of ``patterns`` or there are none, ignoring case."""
    return not patterns or any(fnmatchcase(group.lower(), pattern.lower()) for pattern in patterns)


def _holds(kept: Kept, moment: int) -> bool:
    return kept.until is None or kept.until > moment
