"""Changes and disagreements: what changed when, and for how long two sources differed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from htcq.drift.compare import QuotaDifference, What, settings_differ
from htcq.drift.observation import Kept, QuotaSetting, Sample
from htcq.drift.texts import setting_of
from htcq.poolquota.published import same

#: The kinds of what is kept that are told as changes, in the order in which those of one moment are
#: told.
CHANGING = ("damage", "setting", "weight", "declared", "configured")

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
    """A time in which two sides differed, with the last values.

    It is from the look that first saw it to the one that saw it over; ``until`` is None if the
    last look saw it still.
    """

    difference: QuotaDifference
    since: int
    until: int | None = None


def changes(kept: Iterable[Kept], since: int, until: int, first: int) -> tuple[SettingChange, ...]:
    """Return what changed after ``since`` and up to ``until``, in the order of time.

    What the ``first`` look of all saw did not change.
    """
    by_name: dict[tuple[str, str], list[Kept]] = {}
    for each in kept:
        if each.kind in CHANGING:
            by_name.setdefault((each.kind, each.name), []).append(each)
    found = [
        change
        for known in by_name.values()
        for change in _history(known, first)
        if since < change.time <= until
    ]
    turned = {(each.time, each.name): _turned(each) for each in found if each.kind == "configured"}
    told = (
        each
        for each in found
        if each.kind != "declared" or not _is_echo(each, turned.get((each.time, each.name)))
    )
    return tuple(sorted(told, key=lambda each: (each.time, CHANGING.index(each.kind), each.name)))


def _turned(change: SettingChange) -> tuple[object, ...] | None:
    """Return from what to what the policies of a group changed; None where it came or went."""
    old, new = (
        None if text is None else setting_of(text) for text in (change.before, change.after)
    )
    if old is None or new is None:
        return None
    return (old.accept_surplus, old.autoregroup), (new.accept_surplus, new.autoregroup)


def _is_echo(declared: SettingChange, configured: tuple[object, ...] | None) -> bool:
    """Tell whether only policies were left to the configuration of all groups."""
    old, new = (setting_of(text or "") for text in (declared.before, declared.after))
    if old is None or new is None or (old.quota, old.static) != (new.quota, new.static):
        return False
    return _turned(declared) == configured


def _history(known: Sequence[Kept], first: int) -> Iterator[SettingChange]:
    before: Kept | None = None
    for each in sorted(known, key=lambda each: each.since):
        if before is not None and before.until is not None and before.until < each.since:
            yield SettingChange(before.until, each.kind, each.name, before.text, None)
            before = None
        if before is not None and before.text != each.text and each.kind != "weight":
            yield SettingChange(each.since, each.kind, each.name, before.text, each.text)
        if before is None and (each.since > first or each.kind == "damage"):
            yield SettingChange(each.since, each.kind, each.name, None, each.text)
        before = each
    if before is not None and before.until is not None and before.kind != "damage":
        yield SettingChange(before.until, before.kind, before.name, before.text, None)


def setting_spells(kept: Iterable[Kept], until: int) -> tuple[Spell, ...]:
    """Return when what is declared and what is configured differed, up to ``until``."""
    declared: dict[str, list[Kept]] = {}
    configured: dict[str, list[Kept]] = {}
    for each in kept:
        if each.since <= until and each.kind in ("declared", "configured"):
            (declared if each.kind == "declared" else configured).setdefault(each.name, []).append(
                each
            )
    every = [each for known in declared.values() for each in known]
    moments = _moments(every)
    # Whether the site declares anything, at each moment at which that can change.
    declares = [(moment, _at(every, moment) is not None) for moment in moments]
    found: list[Spell] = []
    for group in sorted({*declared, *configured}):
        found += _setting_spells(
            group, declared.get(group, []), configured.get(group, []), declares, until
        )
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
        any_declared = next((told for at, told in reversed(declares) if at <= moment), False)
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
    since = moment if spell is None else spell.since
    return Spell(difference, since)


def _moments(kept: Iterable[Kept]) -> list[int]:
    return sorted({time for each in kept for time in (each.since, each.until) if time is not None})


def _at(kept: Iterable[Kept], moment: int) -> Kept | None:
    return next(
        (
            each
            for each in kept
            if each.since <= moment and (each.until is None or moment < each.until)
        ),
        None,
    )


def _setting(kept: Kept | None) -> QuotaSetting | None:
    return None if kept is None else setting_of(kept.text)


def published_spells(samples: Iterable[Sample]) -> tuple[Spell, ...]:
    """Return when the negotiator published other quotas than it should have.

    One that a single sample saw is left out once it is over: a cycle lies between new
    configuration and new quotas. Give samples of the root as well: nothing is told of times at
    which nobody publishes anything.
    """
    by_group: dict[str, list[Sample]] = {}
    for sample in samples:
        by_group.setdefault(sample.group, []).append(sample)
    # Where nothing at all is published that is another matter, told as a doubt.
    publishing = {
        sample.time
        for known in by_group.values()
        for sample in known
        if sample.effective is not None
    }
    found: list[Spell] = []
    for group in sorted(by_group):
        known = sorted(by_group[group], key=lambda sample: sample.time)
        spells = list(_published_spells(group, [each for each in known if each.time in publishing]))
        # A group that is gone disagrees no more.
        gone = known[-1].time < max(publishing, default=0)
        found += [
            replace(each, until=each.until or known[-1].time) if gone else each for each in spells
        ]
    return tuple(found)


def disagrees(sample: Sample) -> What | None:
    """Return in what the published quota is other than the computed one; None where it is not."""
    if sample.computed is None:
        return None
    if sample.effective is None:
        return "not-published"
    apart = abs(sample.effective - sample.computed)
    return None if apart <= KEPT_TO or same(sample.effective, sample.computed) else "effective"


def _published_spells(group: str, samples: Sequence[Sample]) -> Iterator[Spell]:
    spell: Spell | None = None
    seen = 0
    for sample in samples:
        what = disagrees(sample)
        if spell is not None and what != spell.difference.what:
            if seen > 1:
                yield replace(spell, until=sample.time)
            spell = None
        if what is not None:
            seen = 1 if spell is None else seen + 1
            difference = QuotaDifference(group, what, sample.effective, sample.computed)
            spell = _lasting(spell, difference, sample.time)
    if spell is not None:
        yield spell
