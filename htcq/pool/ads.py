"""Texts of ads -> slots, jobs and records, with every attribute that their own expressions name.

Which attributes matter depends on what the expressions name, so a text is read again when it
turns out to name more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from htcq.errors import InputError
from htcq.pool.adtext import AdSchema, Chunks, Damage, Lines, RawAd, read_ads
from htcq.pool.devices import nameless_devices
from htcq.pool.job import JOB, Job
from htcq.pool.left_out import ASSET
from htcq.pool.left_out import JOB as A_JOB
from htcq.pool.left_out import SLOT as A_SLOT
from htcq.pool.past import PAST_JOB, Past, seconds_run
from htcq.pool.record import RECORD, RECORD_TYPES, Record, record_of
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import SLOT, Slot
from htcq.pool.usable import (
    WORDS,
    expressions_of_job_flaw,
    expressions_of_slot_flaw,
    job_flaw,
    job_name,
    odd_assets,
    record_flaw,
    slot_flaw,
    slot_name,
)
from htcq.pool.values import Interned

_SLOT_TYPES = (b"Machine", b"Slot")
_JOB_TYPE = b"Job"
_OWN = len(JOB.own)
#: Names that turn up within so many ads make the reading start again at once; later ones when the
#: text is at its end.
_SOON = 2000
#: How often a text is read to its end, and how often it may start again before that.
_MAX_READINGS, _MAX_STARTS = 8, 100
#: How many attributes are read because expressions name them; those of real pools name some
#: hundred.
_MAX_NAMED = 2000
#: The name of an attribute that can stand in a long-form ad without quotes.
PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")
Ad = TypeVar("Ad", Job, Slot)


@dataclass
class Read:
    """What a text of ads held."""

    slots: list[Slot] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    past: list[Past] = field(default_factory=list)
    records: dict[str, tuple[Record, ...]] = field(default_factory=dict)
    frames: dict[Lines, SharedAttributes] = field(default_factory=dict)
    damage: Damage = field(default_factory=Damage)
    wanted: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()


class _NamesMoreError(Exception):
    """A text names attributes that were passed over."""


def read_jobs(
    chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()
) -> Read:
    """Return the jobs of ``chunks``.

    ``named`` are attributes of jobs that the slots' expressions name.

    Raises:
        InputError: there is text, and no job in it.
    """
    kind = _with(JOB, named)
    return _closed(lambda extra, again: _read_jobs(chunks, _with(kind, extra), expressions, again))


def read_past(
    chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()
) -> Read:
    """Return the jobs of a history, with how long they ran; otherwise as :func:`read_jobs`.

    Raises:
        InputError: there is text, and no job in it.
    """
    kind = _with(PAST_JOB, named)
    return _closed(lambda extra, again: _read_jobs(chunks, _with(kind, extra), expressions, again))


def read_collector(
    chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()
) -> Read:
    """Return the slots and records of ``chunks``.

    ``named`` are attributes of slots that the jobs' expressions name.

    Raises:
        InputError: there is text, and no ad in it.
    """
    kind = _with(SLOT, named)
    return _closed(
        lambda extra, again: _read_collector(chunks, _with(kind, extra), expressions, again)
    )


def _with(kind: AdSchema, extra: frozenset[str]) -> AdSchema:
    plain = frozenset(name for name in extra if PLAIN_NAME.match(name))
    return replace(kind, shared=kind.shared | (plain - set(kind.own)))


def _closed(read: Callable[[frozenset[str], set[str] | None], Read]) -> Read:
    """Read until no expression names an attribute that was passed over."""
    extra: frozenset[str] = frozenset()
    starts = readings = 0
    while starts < _MAX_STARTS and readings < _MAX_READINGS:
        named: set[str] = set(extra)
        try:
            found = read(extra, named)
        except _NamesMoreError:
            starts += 1
            extra = frozenset(named)
            continue
        if named <= extra:
            return found
        readings += 1
        extra = frozenset(named)
    return read(extra, None)


class _Frames:
    """The frames of one reading; notes the names that their expressions use."""

    def __init__(self, kind: AdSchema, expressions: Expressions, named: set[str] | None) -> None:
        self.known: dict[Lines, SharedAttributes] = {}
        self.target: set[str] = set()
        self.wanted = kind.shared | frozenset(kind.own)
        self._prefixes = tuple(name[:-1] for name in kind.shared if name.endswith("*"))
        self._expressions, self._named, self._count = expressions, named, 0
        self._own = frozenset(kind.own)
        self.too_many = False

    def of(self, raw: RawAd) -> SharedAttributes:
        self._count += 1
        frame = self.known.get(raw.shared)
        if frame is None:
            # GPUs have a name each; without it, slots with equal GPUs are equal.
            lines = nameless_devices(raw.shared, self.wanted)
            frame = self.known[raw.shared] = self.known.setdefault(
                lines, SharedAttributes(lines, self._expressions)
            )
            self._note(frame)
        return frame

    def _note(self, frame: SharedAttributes) -> None:
        references = frame.references()
        # What the ad itself lacks is looked up on the other side, with or without TARGET.
        self.target |= references.target | {
            name for name in references.own - self._own if name not in frame
        }
        if self._named is None:
            return
        named = references.own | _assets(frame)
        new = {
            name
            for name in named
            if name not in self.wanted and not name.startswith(self._prefixes)
        } - self._named
        if len(self._named) + len(new) > _MAX_NAMED:
            self.too_many = True
            new = set(sorted(new)[: max(0, _MAX_NAMED - len(self._named))])
        if new:
            self._named |= new
            if self._count <= _SOON:
                raise _NamesMoreError


def _assets(frame: SharedAttributes) -> frozenset[str]:
    """Return the attributes that the slot's MachineResources lists.

    HTCondor looks them up by name.
    """
    resources = frame.value("MachineResources")
    return (
        frozenset(resources.replace(",", " ").lower().split())
        if isinstance(resources, str)
        else frozenset()
    )


def _read_jobs(
    chunks: Chunks, kind: AdSchema, expressions: Expressions, named: set[str] | None
) -> Read:
    read, interned, frames = Read(), Interned(), _Frames(kind, expressions, named)
    value, flaws = interned.value, _Flaws(expressions_of_job_flaw)
    for raw in read_ads(chunks(), {_JOB_TYPE: kind}, read.damage, untyped=_JOB_TYPE):
        own = [value(text) for text in raw.own]
        job = Job(frames.of(raw), *own[:_OWN])
        past = len(own) > _OWN
        flaw = flaws.of(job) if past else job_flaw(job) or flaws.of(job)
        if flaw:
            read.damage.left_out.add(A_JOB, job_name(job), flaw)
            continue
        read.jobs.append(job)
        if past:
            read.past.append(Past(job, seconds_run(job, own[_OWN:])))
    return _finished(read, frames, "job", bool(read.jobs))


def _read_collector(
    chunks: Chunks, kind: AdSchema, expressions: Expressions, named: set[str] | None
) -> Read:
    read, interned, frames = Read(), Interned(), _Frames(kind, expressions, named)
    records: dict[str, list[Record]] = {name: [] for name in RECORD_TYPES}
    kinds = {**dict.fromkeys(_SLOT_TYPES, kind), **{name.encode(): RECORD for name in RECORD_TYPES}}
    value, flaws, left_out = interned.value, _Flaws(expressions_of_slot_flaw), read.damage.left_out
    for raw in read_ads(chunks(), kinds, read.damage):
        if raw.type in _SLOT_TYPES:
            slot = Slot(frames.of(raw), *[value(text) for text in raw.own])
            flaw = slot_flaw(slot) or flaws.of(slot)
            if flaw:
                left_out.add(A_SLOT, slot_name(slot), flaw)
                continue
            for asset in flaws.assets(slot):
                left_out.add(
                    ASSET, f"{asset} of {slot_name(slot)}", "no attribute can be called so"
                )
            read.slots.append(slot)
        else:
            record = record_of(raw, interned)
            flaw = record_flaw(record)
            if flaw:
                left_out.add(WORDS[record.type], "", flaw)
            else:
                records[record.type].append(record)
    read.records = {name: tuple(found) for name, found in records.items()}
    return _finished(read, frames, "ad", bool(read.slots or any(records.values())))


class _Flaws(Generic[Ad]):
    """Why the expressions of ads cannot be evaluated, found out once for each frame."""

    def __init__(self, flaw: Callable[[Ad], str]) -> None:
        self._flaw: Callable[[Ad], str] = flaw
        self._known: dict[int, str] = {}
        self._assets: dict[int, tuple[str, ...]] = {}

    def of(self, ad: Ad) -> str:
        """Return the flaw; empty where there is none."""
        key = id(ad.frame)
        if key not in self._known:
            self._known[key] = self._flaw(ad)
        return self._known[key]

    def assets(self, slot: Slot) -> tuple[str, ...]:
        """Return what the slot lists as assets and cannot be any."""
        key = id(slot.frame)
        if key not in self._assets:
            self._assets[key] = odd_assets(slot)
        return self._assets[key]


def _finished(read: Read, frames: _Frames, what: str, any_: bool) -> Read:
    if not any_:
        told = [f"it {each}" for each in read.damage.told()]
        told += [each.sentence for each in read.damage.left_out.found()]
        if told:
            raise InputError(f"holds no {what} that could be read: {'; '.join(told)}")
    read.damage.names = _MAX_NAMED if frames.too_many else 0
    read.frames = frames.known
    read.wanted, read.kept = frozenset(frames.target), frames.wanted
    return read
