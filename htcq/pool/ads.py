"""Slots, jobs and records from texts of ads, with every attribute that their expressions name.

The attributes that matter depend on the names in the expressions, so a text is read again when it
turns out to name more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from htcq.classads import UNDEFINED, parsed
from htcq.errors import InputError
from htcq.pool.ad_lines import AdSchema, Lines, RawAd
from htcq.pool.adtext import Chunks, Damage, read_ads
from htcq.pool.devices import nameless_devices
from htcq.pool.job import JOB, Job
from htcq.pool.left_out import ASSET
from htcq.pool.left_out import JOB as A_JOB
from htcq.pool.left_out import SLOT as A_SLOT
from htcq.pool.past import PAST_JOB, Past, seconds_run
from htcq.pool.record import RECORD, RECORD_TYPES, Record, record_of
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import SLOT, SLOT_TYPES, Slot
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
from htcq.pool.values import Interned, text_of

_JOB_TYPE = b"Job"
_OWN = len(JOB.own)
#: Of a job's own attributes: PreJobPrio1 to PostJobPrio2.
_PRIORITIES = slice(JOB.own.index("prejobprio1"), JOB.own.index("postjobprio2") + 1)
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
    """Contents of a text of ads."""

    slots: list[Slot] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    past: list[Past] = field(default_factory=list)
    records: dict[str, tuple[Record, ...]] = field(default_factory=dict)
    frames: dict[Lines, SharedAttributes] = field(default_factory=dict)
    damage: Damage = field(default_factory=Damage)
    wanted: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()


class _NamesMoreError(Exception):
    """A text names attributes that were not read."""


def read_jobs(
    chunks: Chunks,
    expressions: Expressions,
    named: frozenset[str] = frozenset(),
    apart: frozenset[str] = frozenset(),
) -> Read:
    """Return the jobs of ``chunks``.

    ``named`` are attributes of jobs that the slots' expressions name, ``apart`` those that policies
    of access points name.

    Raises:
        InputError: there is text, and no job in it.
    """
    schema = _with(JOB, named, apart)
    return _read_until_complete(partial(_read_jobs, chunks, expressions), schema)


def read_past(
    chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()
) -> Read:
    """Return the jobs of a history, with how long they ran; otherwise as :func:`read_jobs`.

    Raises:
        InputError: there is text, and no job in it.
    """
    return _read_until_complete(partial(_read_jobs, chunks, expressions), _with(PAST_JOB, named))


def read_collector(
    chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()
) -> Read:
    """Return the slots and records of ``chunks``.

    ``named`` are attributes of slots that the jobs' expressions name.

    Raises:
        InputError: there is text, and no ad in it.
    """
    return _read_until_complete(partial(_read_collector, chunks, expressions), _with(SLOT, named))


def _with(schema: AdSchema, extra: frozenset[str], apart: frozenset[str] = frozenset()) -> AdSchema:
    """Return ``schema`` with more shared attributes, and more that are ``apart``."""
    shared, others = (
        {name for name in names if PLAIN_NAME.match(name)} for names in (extra, apart)
    )
    return replace(
        schema,
        shared=schema.shared | shared.difference(schema.own),
        apart=schema.apart | others.difference(schema.own),
    )


@dataclass
class _Named:
    """What expressions name: in lower case, those of attributes that are apart by themselves."""

    shared: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)

    def within(self, shared: frozenset[str], apart: frozenset[str]) -> bool:
        return self.shared <= shared and self.apart <= apart


def _read_until_complete(read: Callable[[AdSchema, _Named | None], Read], schema: AdSchema) -> Read:
    """Read until no expression names an attribute that was ignored."""
    extra: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    starts = readings = 0
    while starts < _MAX_STARTS and readings < _MAX_READINGS:
        named = _Named(set(extra), set(apart))
        try:
            found = read(_with(schema, extra, apart), named)
        except _NamesMoreError:
            starts += 1
        else:
            if named.within(extra, apart):
                return found
            readings += 1
        extra, apart = frozenset(named.shared), frozenset(named.apart)
    return read(_with(schema, extra, apart), None)


class _Frames:
    """Shared attributes of one reading, and the names that their expressions use."""

    def __init__(self, schema: AdSchema, expressions: Expressions, named: _Named | None) -> None:
        self.known: dict[Lines, SharedAttributes] = {}
        self.target: set[str] = set()
        self.wanted = schema.shared | frozenset(schema.own)
        self._prefixes = tuple(name[:-1] for name in schema.shared if name.endswith("*"))
        self._apart, self._lives = schema.apart, dict[Lines, SharedAttributes]()
        self._split: dict[Lines, tuple[Lines, Lines]] = {}
        self._expressions, self._named, self._count = expressions, named, 0
        self._own = frozenset(schema.own)
        self.too_many = False

    def of(self, raw: RawAd) -> SharedAttributes:
        """Return what ``raw`` shares with others."""
        self._count += 1
        shared = self._parts(raw)[0]
        frame = self.known.get(shared)
        if frame is None:
            # GPUs have a name each; without it, slots with equal GPUs are equal.
            lines = nameless_devices(shared, self.wanted)
            frame = self.known.setdefault(lines, SharedAttributes(lines, self._expressions))
            self.known[shared] = frame
            self._note(frame)
        return frame

    def apart(self, raw: RawAd) -> SharedAttributes | None:
        """Return those attributes of ``raw`` that are apart; None where it has none."""
        lines = self._parts(raw)[1]
        if not lines:
            return None
        frame = self._lives.get(lines)
        if frame is None:
            frame = self._lives[lines] = SharedAttributes(lines, self._expressions)
            if self._named is not None:
                names = frame.references().own - self._own - self._apart
                self._add(self._not_read(names), self._named.apart)
        return frame

    def _parts(self, raw: RawAd) -> tuple[Lines, Lines]:
        """Return the lines of ``raw`` that are shared, and those that are apart."""
        if not self._apart:
            return raw.shared, ()
        parts = self._split.get(raw.shared)
        if parts is None:
            named = [(text_of(line[0]).lower(), line) for line in raw.shared]
            shared = tuple(line for name, line in named if self._is_read(name))
            apart = tuple(line for name, line in named if name in self._apart)
            parts = self._split[raw.shared] = (shared, apart)
        return parts

    def _note(self, frame: SharedAttributes) -> None:
        """Note the attributes that the expressions of ``frame`` name.

        Raises:
            _NamesMoreError: some of them were not read, and little has been read so far.
        """
        references = frame.references()
        # An attribute that the ad lacks is looked up on the other side, with or without TARGET.
        self.target |= references.target
        self.target.update(name for name in references.own - self._own if name not in frame)
        if self._named is not None:
            self._add(self._not_read(references.own | _assets(frame)), self._named.shared)

    def _add(self, names: set[str], named: set[str]) -> None:
        new = names - named
        free = max(0, _MAX_NAMED - len(named))
        if len(new) > free:
            self.too_many = True
            new = set(sorted(new)[:free])
        named |= new
        if new and self._count <= _SOON:
            raise _NamesMoreError

    def _not_read(self, names: Iterable[str]) -> set[str]:
        """Return those of ``names`` that are not read as shared ones."""
        return {name for name in names if not self._is_read(name)}

    def _is_read(self, name: str) -> bool:
        return name in self.wanted or name.startswith(self._prefixes)


def _assets(frame: SharedAttributes) -> frozenset[str]:
    """Return the attributes that the slot's MachineResources lists.

    HTCondor looks them up by name.
    """
    resources = frame.value("MachineResources")
    if not isinstance(resources, str):
        return frozenset()
    return frozenset(resources.replace(",", " ").lower().split())


def _with_priorities(job: Job, texts: Sequence[bytes | None]) -> Job:
    """Return ``job`` with the priorities that are expressions of its other attributes."""
    changed: list[Any] = list(job)
    for place in range(_PRIORITIES.start, _PRIORITIES.stop):
        text, here = texts[place], place + 1
        if text is not None and changed[here] is UNDEFINED:
            expression = parsed(text_of(text))
            if expression is not None:
                changed[here] = expression.evaluate(job.ad())
    return Job._make(changed)


def _read_jobs(
    chunks: Chunks, expressions: Expressions, schema: AdSchema, named: _Named | None
) -> Read:
    read, interned, frames = Read(), Interned(), _Frames(schema, expressions, named)
    flaws = _Flaws(expressions_of_job_flaw)
    for raw in read_ads(chunks(), {_JOB_TYPE: schema}, read.damage, interned, untyped=_JOB_TYPE):
        job = Job._make((frames.of(raw), *raw.own[:_OWN], frames.apart(raw)))
        if any(raw.texts[_PRIORITIES]):
            job = _with_priorities(job, raw.texts)
        times = raw.own[_OWN:]
        # A job of a history may lack what a queued one must have.
        flaw = ""
        if not times:
            flaw = job_flaw(job)
        flaw = flaw or flaws.of(job)
        if flaw:
            read.damage.left_out.add(A_JOB, job_name(job), flaw)
            continue
        read.jobs.append(job)
        if times:
            read.past.append(Past(job, seconds_run(job, times)))
    return _finished(read, frames, "job", bool(read.jobs))


def _read_collector(
    chunks: Chunks, expressions: Expressions, schema: AdSchema, named: _Named | None
) -> Read:
    read, interned, frames = Read(), Interned(), _Frames(schema, expressions, named)
    records: dict[str, list[Record]] = {name: [] for name in RECORD_TYPES}
    schemas = {name.encode(): RECORD for name in RECORD_TYPES}
    schemas.update(dict.fromkeys(SLOT_TYPES, schema))
    flaws, left_out = _Flaws(expressions_of_slot_flaw), read.damage.left_out
    for raw in read_ads(chunks(), schemas, read.damage, interned):
        if raw.type not in SLOT_TYPES:
            record = record_of(raw, interned)
            flaw = record_flaw(record)
            if flaw:
                left_out.add(WORDS[record.type], "", flaw)
            else:
                records[record.type].append(record)
            continue
        slot = Slot(frames.of(raw), *raw.own)
        flaw = slot_flaw(slot) or flaws.of(slot)
        if flaw:
            left_out.add(A_SLOT, slot_name(slot), flaw)
            continue
        for asset in flaws.assets(slot):
            name = f"{asset} of {slot_name(slot)}"
            left_out.add(ASSET, name, "no attribute can be called so")
        read.slots.append(slot)
    read.records = {name: tuple(found) for name, found in records.items()}
    found_any = bool(read.slots) or any(records.values())
    return _finished(read, frames, "ad", found_any)


class _Flaws(Generic[Ad]):
    """Reasons why ads cannot be evaluated, found once for each set of shared attributes."""

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
        """Return the words of MachineResources that cannot be assets."""
        key = id(slot.frame)
        if key not in self._assets:
            self._assets[key] = odd_assets(slot)
        return self._assets[key]


def _finished(read: Read, frames: _Frames, what: str, found_any: bool) -> Read:
    damage = read.damage
    if not found_any:
        problems = [f"it {sentence}" for sentence in damage.sentences()]
        problems += [each.sentence for each in damage.left_out.found()]
        if problems:
            raise InputError(f"holds no {what} that could be read: {'; '.join(problems)}")
    damage.names = 0
    if frames.too_many:
        damage.names = _MAX_NAMED
    read.frames = frames.known
    read.wanted, read.kept = frozenset(frames.target), frames.wanted
    return read
