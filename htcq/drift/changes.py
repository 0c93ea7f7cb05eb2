"""Changes and disagreements: what changed when, and for how long two sources differed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from htcq.drift.compare import QuotaDifference, What, settings_differ
from htcq.drift.observation import Kept, QuotaSample, QuotaSetting
from htcq.drift.texts import setting_of
from htcq.poolquota.published import same

#: The kinds of texts whose changes are reported, in the order in which those of one moment are.
CHANGING = ("damage", "clock", "clock-step", "setting", "weight", "declared", "configured")

#: Those of them that happen at one moment, and last for none.
EVENTS = ("damage", "clock", "clock-step")
#: Amounts are kept in thousandths: two that are no further apart may have been the same.
KEPT_TO = 0.002


@dataclass(frozen=True)
class SettingChange:
    """A change observed at ``time``: the texts ``before`` and ``after`` (None: there was none).

    ``kind`` is one of :data:`CHANGING`, ``name`` the group, the knob or the weight expression.
    """

    time: int
    kind: str
    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Spell:
    """A time in which two sources differed, with the last values.

    It lasts from the first observation with the difference to the first one without; ``until`` is
    None if the last observation still has it.
    """

    difference: QuotaDifference
    since: int
    until: int | None = None


def changes(kept: Iterable[Kept], since: int, until: int, first: int) -> tuple[SettingChange, ...]:
    """Return what changed after ``since`` and up to ``until``, in the order of time.

    What the ``first`` observation of all has did not change.
    """
    by_name: dict[tuple[str, str], list[Kept]] = {}
    for each in kept:
        if each.kind in CHANGING:
            by_name.setdefault((each.kind, each.name), []).append(each)
    found: list[SettingChange] = []
    for known in by_name.values():
        found += [each for each in _changes_of(known, first) if since < each.time <= until]
    configured = {}
    for each_change in found:
        if each_change.kind == "configured":
            configured[each_change.time, each_change.name] = _policies(each_change)
    reported = [
        change
        for change in found
        if not _is_echo(change, configured.get((change.time, change.name)))
    ]
    return tuple(sorted(reported, key=_order))


def _order(change: SettingChange) -> tuple[int, int, str]:
    return (change.time, CHANGING.index(change.kind), change.name)


def _policies(change: SettingChange) -> tuple[object, ...] | None:
    """Return the policies of a group before and after; None if the group was added or removed."""
    old, new = setting_of(change.before or ""), setting_of(change.after or "")
    if old is None or new is None:
        return None
    return (old.accept_surplus, old.autoregroup), (new.accept_surplus, new.autoregroup)


def _is_echo(change: SettingChange, configured: tuple[object, ...] | None) -> bool:
    """Return whether a declaration changed only because the configuration of all groups did.

    That is so where the declaration leaves its policies to that configuration.
    """
    if change.kind != "declared":
        return False
    old, new = setting_of(change.before or ""), setting_of(change.after or "")
    if old is None or new is None:
        return False
    if (old.quota, old.static) != (new.quota, new.static):
        return False
    return _policies(change) == configured


def _changes_of(known: Sequence[Kept], first: int) -> Iterator[SettingChange]:
    """Yield the changes of one thing; ``first`` is the time of the first observation of all."""
    before: Kept | None = None
    for each in sorted(known, key=lambda each: each.since):
        if before is not None and before.until is not None and before.until < each.since:
            yield SettingChange(before.until, each.kind, each.name, before.text, None)
            before = None
        if before is not None and before.text != each.text and each.kind != "weight":
            yield SettingChange(each.since, each.kind, each.name, before.text, each.text)
        if before is None and (each.since > first or each.kind in EVENTS):
            yield SettingChange(each.since, each.kind, each.name, None, each.text)
        before = each
    if before is not None and before.until is not None and before.kind not in EVENTS:
        yield SettingChange(before.until, before.kind, before.name, before.text, None)


def setting_spells(kept: Iterable[Kept], until: int) -> tuple[Spell, ...]:
    """Return when the declared and the configured quotas differed, up to ``until``."""
    declared: dict[str, list[Kept]] = {}
    configured: dict[str, list[Kept]] = {}
    every: list[Kept] = []
    for each in kept:
        if each.since > until:
            continue
        if each.kind == "declared":
            declared.setdefault(each.name, []).append(each)
            every.append(each)
        elif each.kind == "configured":
            configured.setdefault(each.name, []).append(each)
    moments = _moments(every)
    # Whether the site declares anything, at each moment at which that can change.
    declares = [(moment, _at(every, moment) is not None) for moment in moments]
    found: list[Spell] = []
    for group in sorted({*declared, *configured}):
        of_group = (declared.get(group, []), configured.get(group, []))
        found += _setting_spells(group, *of_group, declares, until)
    return tuple(found)


def _setting_spells(
    group: str,
    declared: Sequence[Kept],
    configured: Sequence[Kept],
    declares: Sequence[tuple[int, bool]],
    until: int,
) -> Iterator[Spell]:
    moments = {*_moments([*declared, *configured]), *(moment for moment, _ in declares)}
    spells: dict[What, Spell] = {}
    for moment in sorted(each for each in moments if each <= until):
        any_declared = next(
            (any_then for at, any_then in reversed(declares) if at <= moment), False
        )
        one, other = _setting(_at(declared, moment)), _setting(_at(configured, moment))
        now = {each.what: each for each in settings_differ(group, one, other, any_declared)}
        yield from _ended(spells, now, moment)
        for what, difference in now.items():
            spells[what] = _lasting(spells.get(what), difference, moment)
    yield from spells.values()


def _ended(
    spells: dict[What, Spell], now: dict[What, QuotaDifference], moment: int
) -> Iterator[Spell]:
    """Yield the spells that are over, and forget them."""
    for what in [what for what in spells if what not in now]:
        over = spells.pop(what)
        yield replace(over, until=moment)


def _lasting(spell: Spell | None, difference: QuotaDifference, moment: int) -> Spell:
    if spell is None:
        return Spell(difference, moment)
    return Spell(difference, spell.since)


def _moments(kept: Iterable[Kept]) -> list[int]:
    """Return the times at which any of ``kept`` begins or ends, sorted."""
    moments = set()
    for each in kept:
        moments.add(each.since)
        if each.until is not None:
            moments.add(each.until)
    return sorted(moments)


def _at(kept: Iterable[Kept], moment: int) -> Kept | None:
    """Return the first of ``kept`` that holds at ``moment``."""
    for each in kept:
        if each.since <= moment and each.holds_after(moment):
            return each
    return None


def _setting(kept: Kept | None) -> QuotaSetting | None:
    if kept is None:
        return None
    return setting_of(kept.text)


def published_spells(samples: Iterable[QuotaSample]) -> tuple[Spell, ...]:
    """Return when the negotiator published other quotas than it should have.

    A difference in a single sample is left out once it is over: new quotas follow a new
    configuration by one cycle. ``samples`` include those of the root: times at which nothing is
    published do not count.
    """
    by_group: dict[str, list[QuotaSample]] = {}
    for sample in samples:
        by_group.setdefault(sample.group, []).append(sample)
    # Times at which nothing at all is published are reported elsewhere.
    publishing: set[int] = set()
    for of_group in by_group.values():
        publishing.update(each.time for each in of_group if each.effective is not None)
    found: list[Spell] = []
    for group in sorted(by_group):
        known = sorted(by_group[group], key=lambda sample: sample.time)
        spells = list(_published_spells(group, [each for each in known if each.time in publishing]))
        last = known[-1].time
        if last < max(publishing, default=0):
            # The group was removed: it no longer disagrees.
            spells = [replace(each, until=each.until or last) for each in spells]
        found += spells
    return tuple(found)


def disagrees(sample: QuotaSample) -> What | None:
    """Return how the published quota differs from the computed one; None where it does not."""
    if sample.computed is None:
        return None
    if sample.effective is None:
        return "not-published"
    apart = abs(sample.effective - sample.computed)
    if apart <= KEPT_TO or same(sample.effective, sample.computed):
        return None
    return "effective"


def _published_spells(group: str, samples: Sequence[QuotaSample]) -> Iterator[Spell]:
    spell: Spell | None = None
    seen = 0
    for sample in samples:
        what = disagrees(sample)
        if spell is not None and what != spell.difference.what:
            if seen > 1:
                yield replace(spell, until=sample.time)
            spell = None
        if what is not None:
            if spell is None:
                seen = 0
            seen += 1
            difference = QuotaDifference(group, what, sample.effective, sample.computed)
            spell = _lasting(spell, difference, sample.time)
    if spell is not None:
        yield spell
