"""Texts of a snapshot -> a :class:`Pool`. Pure: whoever calls brings the texts.

Which attributes of slots matter depends on what the jobs' and the slots' own expressions name,
so a text is read again when it turns out to name more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from htcq.errors import InputError
from htcq.pool.ads import PLAIN_NAME, Read, read_collector, read_jobs, read_past
from htcq.pool.adtext import Chunks
from htcq.pool.configuration import Configuration, Parse, configuration_from
from htcq.pool.left_out import LeavingOut, LeftOut, together
from htcq.pool.pool import AccountantLog, Pool
from htcq.pool.priorities import read_priorities
from htcq.pool.record import Record
from htcq.pool.shared_attributes import Expressions
from htcq.pool.users import read_users

#: How many attributes are named in one sentence.
_MAX_TOLD = 5
#: An attribute may name another that slots and jobs alike were not asked for yet, and so on.
_MAX_ROUNDS = 4
#: Attributes that a job has only while the negotiator compares it with a slot.
_OF_A_MATCH = "_cp_orig_"
#: Knobs whose expressions the negotiator evaluates in slot ads.
_ABOUT_SLOTS = (
    "NEGOTIATOR_SLOT_CONSTRAINT", "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT",
    "GROUP_DYNAMIC_MACH_CONSTRAINT", "SLOT_WEIGHT", "NEGOTIATOR_PRE_JOB_RANK",
    "NEGOTIATOR_POST_JOB_RANK", "PREEMPTION_REQUIREMENTS",
)  # fmt: skip
#: Those that the schedds evaluate in job ads.
_ABOUT_JOBS = ("SCHEDD_SLOT_WEIGHT", "START_VANILLA_UNIVERSE", "NEGOTIATOR_JOB_CONSTRAINT")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Texts:
    """The texts of a snapshot; None stands for one that is missing.

    ``changes`` are knobs of the central manager with the values that they would have, for
    :attr:`Pool.changed`; ``past`` are the jobs of another file, for :attr:`Pool.past`.
    """

    source: str
    collector: Chunks | None = None
    jobs: Chunks | None = None
    central: str | None = None
    access: Mapping[str, str] = field(default_factory=dict)
    execute: Mapping[str, str] = field(default_factory=dict)
    taken_at: str = ""
    anonymous: bool = False
    failed: tuple[tuple[str, str], ...] = ()
    negotiator: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    priorities: Chunks | None = None
    users: Chunks | None = None
    past: Chunks | None = None
    left_out: tuple[LeftOut, ...] = ()
    accountant_log: AccountantLog | None = None


def read_pool(texts: Texts, parse: Parse) -> Pool:
    """Return the pool that ``texts`` describe; ``parse`` is HTCondor's configuration parser.

    What cannot be read is told in ``damage``, and what depends on it is missing.
    """
    expressions, damage = Expressions(), _Damaged()
    text = texts.central
    central = damage.reading(
        "config.txt",
        lambda: None if text is None else configuration_from("config.txt", text, parse),
    )
    changed = damage.reading("config.txt", lambda: _changed(text, texts.changes, parse))
    access = damage.configurations("access", texts.access, parse)
    execute = damage.configurations("execute", texts.execute, parse)
    asked = _named_by((central, *access.values()), _ABOUT_JOBS, expressions)
    names = _named_by((central, changed), _ABOUT_SLOTS, expressions)
    jobs, past, ads = _read_both(texts, expressions, damage, asked, names)
    priorities = LeavingOut()
    told = damage.reading("priorities.ads", lambda: _priorities(texts.priorities, priorities))
    of_users = LeavingOut()
    users = damage.reading(
        "users.ads", lambda: None if texts.users is None else read_users(texts.users, of_users)
    )
    left_out = [*texts.left_out, *priorities.found(), *of_users.found()]
    for read in (jobs, past, ads):
        left_out += read.damage.left_out.found() if read else ()
    return Pool(
        source=texts.source,
        slots=tuple(ads.slots) if ads else None,
        jobs=tuple(jobs.jobs) if jobs else None,
        past=tuple(past.past) if past else (),
        records=ads.records if ads else None,
        priorities=told or (),
        users=users,
        central=central,
        changed=changed,
        access=access,
        execute=execute,
        failed=texts.failed,
        damage=tuple(damage.told(ads, jobs)),
        left_out=together(left_out),
        taken_at=texts.taken_at,
        anonymous=texts.anonymous,
        negotiator=texts.negotiator,
        accountant_log=texts.accountant_log,
        slot_frames=tuple(dict.fromkeys(ads.frames.values())) if ads else (),
        job_frames=tuple(jobs.frames.values()) if jobs else (),
    )


def _priorities(chunks: Chunks | None, left_out: LeavingOut) -> tuple[Record, ...] | None:
    return read_priorities(chunks, left_out) if chunks else None


def _changed(
    text: str | None, changes: tuple[tuple[str, str], ...], parse: Parse
) -> Configuration | None:
    if text is None or not changes:
        return None
    lines = "".join(f"{name} = {value}\n" for name, value in changes)
    return configuration_from("config.txt", f"{text}\n{lines}", parse)


def _read_both(
    texts: Texts,
    expressions: Expressions,
    damage: _Damaged,
    of_jobs: frozenset[str],
    of_slots: frozenset[str],
) -> tuple[Read | None, Read | None, Read | None]:
    """Return jobs, jobs of the history, and slots.

    They have every attribute that the other side's expressions name.
    """
    jobs = past = ads = None
    for _ in range(_MAX_ROUNDS):
        if jobs is None or (ads and _passed_over(ads.wanted, jobs.kept)):
            of_jobs |= ads.wanted if ads else frozenset()
            jobs = damage.reading(
                "jobs.ads", partial(_read_if, read_jobs, texts.jobs, expressions, of_jobs)
            )
            past = _read_if(read_past, texts.past, expressions, of_jobs)
        wanted = (jobs.wanted if jobs else frozenset()) | (past.wanted if past else frozenset())
        if ads is not None and (not jobs or not _passed_over(wanted, ads.kept)):
            break
        of_slots |= wanted
        ads = damage.reading(
            "collector.ads",
            partial(_read_if, read_collector, texts.collector, expressions, of_slots),
        )
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
    return any(
        name not in kept and not name.startswith(beginnings) and PLAIN_NAME.match(name)
        for name in names
    )


def _named_by(
    found: Iterable[Configuration | None], knobs: Iterable[str], expressions: Expressions
) -> frozenset[str]:
    """Return every word of the expressions in ``knobs``, attributes of slots or jobs among them."""
    names: set[str] = set()
    for text in {each.value(knob) for each in found if each is not None for knob in knobs}:
        expression = expressions.parsed(text) if text else None
        # START_VANILLA_UNIVERSE has scopes of its own: JOB and SLOT.
        names.update(expression.words() if expression is not None else ())
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

    def configurations(
        self, directory: str, found: Mapping[str, str], parse: Parse
    ) -> dict[str, Configuration]:
        """Return the configurations of ``directory`` by name, as far as they can be read."""
        read = {}
        for name, text in found.items():
            read[name] = self.reading(
                f"{directory}/{name}.txt", partial(configuration_from, name, text, parse)
            )
        return {name: each for name, each in read.items() if each is not None}

    def told(self, ads: Read | None, jobs: Read | None) -> list[str]:
        """Return every damage as a sentence."""
        parts = [f"{name} {each}" for name, read in (("collector.ads", ads), ("jobs.ads", jobs)) if read
                 for each in read.damage.sentences()]  # fmt: skip
        return [*self._told.values(), *parts, *_refused(ads, jobs)]


def _refused(ads: Read | None, jobs: Read | None) -> list[str]:
    """Return sentences about the attributes of both files that are not evaluated.

    Each of these attributes counts as an error.
    """
    told = []
    for file, read in (("collector.ads", ads), ("jobs.ads", jobs)):
        found = {
            name for frame in (read.frames.values() if read else ()) for name in frame.refused()
        }
        if found:
            names = ", ".join(sorted(found)[:_MAX_TOLD])
            told.append(
                f"{file} has {len(found)} attributes that would take too long or grow too large: "
                f"{names}"
            )
    return told
