"""Texts of a snapshot -> a :class:`Pool`. Pure: whoever calls brings the texts.

Which attributes of slots matter depends on what the jobs' and the slots' own expressions name, so a text is read again
when it turns out to name more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from htcq.errors import InputError
from htcq.pool.adtext import Chunks, Damage, Kind, Lines, RawAd, read_ads
from htcq.pool.configuration import Configuration, Parse, configuration_from
from htcq.pool.devices import nameless_devices
from htcq.pool.frame import Expressions, Frame
from htcq.pool.job import JOB, Job
from htcq.pool.past import PAST_JOB, Past, seconds_run
from htcq.pool.pool import Pool
from htcq.pool.priorities import read_priorities
from htcq.pool.record import RECORD, RECORD_TYPES, Record, record_of
from htcq.pool.slot import SLOT, Slot
from htcq.pool.values import Interned

_SLOT_TYPES = (b"Machine", b"Slot")
_JOB_TYPE = b"Job"
_OWN = len(JOB.own)
#: Names that turn up within so many ads make the reading start again at once; later ones when the text is at its end.
_SOON = 2000
#: How often a text is read to its end, and how often it may start again before that.
_MOST_READINGS, _MOST_STARTS = 8, 100
#: An attribute may name another that slots and jobs alike were not asked for yet, and so on.
_MOST_ROUNDS = 4
#: The name of an attribute that can stand in a long-form ad without quotes.
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")
#: Attributes that a job has only while the negotiator compares it with a slot.
_OF_A_MATCH = "_cp_orig_"
#: Knobs whose expressions the negotiator evaluates in slot ads.
_ABOUT_SLOTS = (
    "NEGOTIATOR_SLOT_CONSTRAINT", "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "GROUP_DYNAMIC_MACH_CONSTRAINT", "SLOT_WEIGHT",
    "NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK", "PREEMPTION_REQUIREMENTS",
)  # fmt: skip
#: Those that the schedds evaluate in job ads.
_ABOUT_JOBS = ("SCHEDD_SLOT_WEIGHT",)
Result = TypeVar("Result")


@dataclass
class Read:
    """What a text of ads held."""

    slots: list[Slot] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    past: list[Past] = field(default_factory=list)
    records: dict[str, tuple[Record, ...]] = field(default_factory=dict)
    frames: dict[Lines, Frame] = field(default_factory=dict)
    damage: Damage = field(default_factory=Damage)
    wanted: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Texts:
    """The texts of a snapshot; None stands for one that is missing.

    ``changes`` are knobs of the central manager with the values that they would have, for :attr:`Pool.changed`;
    ``past`` are the jobs of another file, for :attr:`Pool.past`.
    """

    source: str
    collector: Chunks | None = None
    jobs: Chunks | None = None
    central: str | None = None
    access: Mapping[str, str] = field(default_factory=dict)
    execute: Mapping[str, str] = field(default_factory=dict)
    taken_at: str = ""
    failed: tuple[tuple[str, str], ...] = ()
    negotiator: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    priorities: Chunks | None = None
    past: Chunks | None = None


def read_pool(texts: Texts, parse: Parse) -> Pool:
    """Return the pool that ``texts`` describe; ``parse`` is HTCondor's configuration parser.

    What cannot be read is told in ``damage``, and what depends on it is missing.
    """
    expressions, damage = Expressions(), _Damaged()
    text = texts.central
    central = damage.reading(
        "config.txt", lambda: None if text is None else configuration_from("config.txt", text, parse)
    )
    changed = damage.reading("config.txt", lambda: _changed(text, texts.changes, parse))
    access = damage.configurations("access", texts.access, parse)
    execute = damage.configurations("execute", texts.execute, parse)
    asked = _named_by((central, *access.values()), _ABOUT_JOBS, expressions)
    names = _named_by((central, changed), _ABOUT_SLOTS, expressions)
    jobs, past, ads = _read_both(texts, expressions, damage, asked, names)
    told = damage.reading("priorities.ads", lambda: read_priorities(texts.priorities) if texts.priorities else None)
    return Pool(
        source=texts.source,
        slots=tuple(ads.slots) if ads else None,
        jobs=tuple(jobs.jobs) if jobs else None,
        past=tuple(past.past) if past else (),
        records=ads.records if ads else None,
        priorities=told or (),
        central=central,
        changed=changed,
        access=access,
        execute=execute,
        failed=texts.failed,
        damage=tuple(damage.told(ads, jobs)),
        taken_at=texts.taken_at,
        negotiator=texts.negotiator,
        slot_frames=tuple(dict.fromkeys(ads.frames.values())) if ads else (),
        job_frames=tuple(jobs.frames.values()) if jobs else (),
    )


def _changed(text: str | None, changes: tuple[tuple[str, str], ...], parse: Parse) -> Configuration | None:
    if text is None or not changes:
        return None
    lines = "".join(f"{name} = {value}\n" for name, value in changes)
    return configuration_from("config.txt", f"{text}\n{lines}", parse)


def _read_both(
    texts: Texts, expressions: Expressions, damage: _Damaged, of_jobs: frozenset[str], of_slots: frozenset[str]
) -> tuple[Read | None, Read | None, Read | None]:
    """Return jobs, those of another file, and slots with every attribute that the other side's expressions name."""
    jobs = past = ads = None
    for _ in range(_MOST_ROUNDS):
        if jobs is None or (ads and _passed_over(ads.wanted, jobs.kept)):
            of_jobs |= ads.wanted if ads else frozenset()
            jobs = damage.reading("jobs.ads", partial(_read_if, read_jobs, texts.jobs, expressions, of_jobs))
            past = _read_if(read_past, texts.past, expressions, of_jobs)
        wanted = (jobs.wanted if jobs else frozenset()) | (past.wanted if past else frozenset())
        if ads is not None and (not jobs or not _passed_over(wanted, ads.kept)):
            break
        of_slots |= wanted
        ads = damage.reading("collector.ads", partial(_read_if, read_collector, texts.collector, expressions, of_slots))
        if ads is None or not jobs:
            break
    return jobs, past, ads


def _read_if(
    read: Callable[[Chunks, Expressions, frozenset[str]], Read],
    chunks: Chunks | None,
    expressions: Expressions,
    names: frozenset[str],
) -> Read | None:
    return None if chunks is None else read(chunks, expressions, names)


def _passed_over(names: frozenset[str], kept: frozenset[str]) -> bool:
    """Tell whether any of ``names`` was not read; ``*`` ends the beginning of those that were."""
    beginnings = (_OF_A_MATCH, *(name[:-1] for name in kept if name.endswith("*")))
    return any(name not in kept and not name.startswith(beginnings) and _PLAIN_NAME.match(name) for name in names)


def _named_by(found: Iterable[Configuration | None], knobs: Iterable[str], expressions: Expressions) -> frozenset[str]:
    """Return the attributes that the expressions in ``knobs`` name: those of slots, or those of jobs."""
    names: set[str] = set()
    for text in {each.value(knob) for each in found if each is not None for knob in knobs}:
        expression = expressions.parsed(text) if text else None
        names |= expression.references().own if expression is not None else frozenset()
    return frozenset(names)


class _Damaged:
    """Collects what cannot be read."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}

    def reading(self, name: str, read: Callable[[], Result | None]) -> Result | None:
        """Return what ``read`` returns; None where the text ``name`` cannot be read."""
        try:
            return read()
        except InputError as error:
            self._told[name] = f"{name} {error}"
            return None

    def configurations(self, directory: str, found: Mapping[str, str], parse: Parse) -> dict[str, Configuration]:
        """Return the configurations of ``directory`` by name, as far as they can be read."""
        read = {}
        for name, text in found.items():
            read[name] = self.reading(f"{directory}/{name}.txt", partial(configuration_from, name, text, parse))
        return {name: each for name, each in read.items() if each is not None}

    def told(self, ads: Read | None, jobs: Read | None) -> list[str]:
        """Return every damage as a sentence."""
        parts = [f"{name} {each}" for name, read in (("collector.ads", ads), ("jobs.ads", jobs)) if read
                 for each in read.damage.told()]  # fmt: skip
        return [*self._told.values(), *parts]


class _NamesMoreError(Exception):
    """A text names attributes that were passed over."""


def read_jobs(chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()) -> Read:
    """Return the jobs of ``chunks``; ``named`` are attributes that the slots' expressions ask of jobs.

    Raises:
        InputError: there is text, and no job in it.
    """
    kind = _with(JOB, named)
    return _closed(lambda extra, again: _read_jobs(chunks, _with(kind, extra), expressions, again))


def read_past(chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()) -> Read:
    """Return the jobs of a history, with how long they ran; otherwise as :func:`read_jobs`.

    Raises:
        InputError: there is text, and no job in it.
    """
    kind = _with(PAST_JOB, named)
    return _closed(lambda extra, again: _read_jobs(chunks, _with(kind, extra), expressions, again))


def read_collector(chunks: Chunks, expressions: Expressions, named: frozenset[str] = frozenset()) -> Read:
    """Return the slots and records of ``chunks``; ``named`` are attributes that the jobs' expressions ask of slots.

    Raises:
        InputError: there is text, and no ad in it.
    """
    kind = _with(SLOT, named)
    return _closed(lambda extra, again: _read_collector(chunks, _with(kind, extra), expressions, again))


def _with(kind: Kind, extra: frozenset[str]) -> Kind:
    plain = frozenset(name for name in extra if _PLAIN_NAME.match(name))
    return replace(kind, shared=kind.shared | (plain - set(kind.own)))


def _closed(read: Callable[[frozenset[str], set[str] | None], Read]) -> Read:
    """Read until no expression names an attribute that was passed over."""
    extra: frozenset[str] = frozenset()
    starts = readings = 0
    while starts < _MOST_STARTS and readings < _MOST_READINGS:
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

    def __init__(self, kind: Kind, expressions: Expressions, named: set[str] | None) -> None:
        self.known: dict[Lines, Frame] = {}
        self.target: set[str] = set()
        self.wanted = kind.shared | frozenset(kind.own)
        self._prefixes = tuple(name[:-1] for name in kind.shared if name.endswith("*"))
        self._expressions, self._named, self._count = expressions, named, 0
        self._own = frozenset(kind.own)

    def of(self, raw: RawAd) -> Frame:
        self._count += 1
        frame = self.known.get(raw.shared)
        if frame is None:
            # GPUs have a name each; without it, slots with equal GPUs are equal.
            lines = nameless_devices(raw.shared, self.wanted)
            frame = self.known[raw.shared] = self.known.setdefault(lines, Frame(lines, self._expressions))
            self._note(frame)
        return frame

    def _note(self, frame: Frame) -> None:
        references = frame.references()
        # What the ad itself lacks is looked up on the other side, with or without TARGET.
        self.target |= references.target | {name for name in references.own - self._own if name not in frame}
        if self._named is None:
            return
        named = references.own | _assets(frame)
        new = {name for name in named if name not in self.wanted and not name.startswith(self._prefixes)}
        if not new <= self._named:
            self._named |= new
            if self._count <= _SOON:
                raise _NamesMoreError


def _assets(frame: Frame) -> frozenset[str]:
    """Return the attributes that MachineResources of a slot lists: HTCondor looks them up by name."""
    resources = frame.value("MachineResources")
    return frozenset(resources.replace(",", " ").lower().split()) if isinstance(resources, str) else frozenset()


def _read_jobs(chunks: Chunks, kind: Kind, expressions: Expressions, named: set[str] | None) -> Read:
    read, interned, frames = Read(), Interned(), _Frames(kind, expressions, named)
    value = interned.value
    for raw in read_ads(chunks(), {_JOB_TYPE: kind}, read.damage, untyped=_JOB_TYPE):
        own = [value(text) for text in raw.own]
        read.jobs.append(Job(frames.of(raw), *own[:_OWN]))
        if len(own) > _OWN:
            read.past.append(Past(read.jobs[-1], seconds_run(read.jobs[-1], own[_OWN:])))
    return _finished(read, frames, "job", bool(read.jobs))


def _read_collector(chunks: Chunks, kind: Kind, expressions: Expressions, named: set[str] | None) -> Read:
    read, interned, frames = Read(), Interned(), _Frames(kind, expressions, named)
    records: dict[str, list[Record]] = {name: [] for name in RECORD_TYPES}
    kinds = {**dict.fromkeys(_SLOT_TYPES, kind), **{name.encode(): RECORD for name in RECORD_TYPES}}
    value = interned.value
    for raw in read_ads(chunks(), kinds, read.damage):
        if raw.type in _SLOT_TYPES:
            read.slots.append(Slot(frames.of(raw), *[value(text) for text in raw.own]))
        else:
            records[raw.type.decode()].append(record_of(raw, interned))
    read.records = {name: tuple(found) for name, found in records.items()}
    return _finished(read, frames, "ad", bool(read.slots or any(records.values())))


def _finished(read: Read, frames: _Frames, what: str, any_: bool) -> Read:
    if not any_ and (read.damage.lines or read.damage.cut or read.damage.untyped):
        raise InputError(f"holds no {what} that could be read: it {'; it '.join(read.damage.told())}")
    read.frames = frames.known
    read.wanted, read.kept = frozenset(frames.target), frames.wanted
    return read
