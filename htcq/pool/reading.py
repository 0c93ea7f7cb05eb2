"""A :class:`Pool` from the texts of a snapshot, which the caller provides.

The attributes of slots that matter depend on the names in the expressions of jobs and slots, so a
text is read again when it turns out to name more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from htcq.classads import UNDEFINED
from htcq.errors import InputError, UnreadableError
from htcq.htcondor.releases import NOOP_JOBS
from htcq.pool.ads import PLAIN_NAME, Read, read_collector, read_jobs, read_past
from htcq.pool.adtext import Chunks
from htcq.pool.configuration import Configuration, Parse, configuration_from
from htcq.pool.daemons import NEGOTIATOR, SCHEDD, STARTD
from htcq.pool.files import CHANGED, CONFIG
from htcq.pool.job import Job
from htcq.pool.left_out import LeavingOut, LeftOut, together
from htcq.pool.pool import AccountantLog, Pool
from htcq.pool.priorities import read_priorities
from htcq.pool.record import Record
from htcq.pool.shared_attributes import Expressions
from htcq.pool.users import read_users
from htcq.pool.versions import version

#: How many attributes are named in one sentence.
_MAX_SHOWN = 5
#: An attribute may name another that has not been read of slots and jobs, and so on.
_MAX_ROUNDS = 4
#: How many bytes of the slots' text are read before the jobs.
_FIRST = 4 * 1024 * 1024
#: Attributes that a job has only while the negotiator compares it with a slot.
_OF_A_MATCH = "_cp_orig_"
#: Knobs whose expressions the negotiator evaluates in slot ads.
_ABOUT_SLOTS = (
    "NEGOTIATOR_SLOT_CONSTRAINT", "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT",
    "GROUP_DYNAMIC_MACH_CONSTRAINT", "SLOT_WEIGHT", "NEGOTIATOR_PRE_JOB_RANK",
    "NEGOTIATOR_POST_JOB_RANK", "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK",
    "DEFRAG_CANCEL_REQUIREMENTS", "DEFRAG_RANK", "DEFRAG_REQUIREMENTS", "DEFRAG_WHOLE_MACHINE_EXPR",
)  # fmt: skip
#: Those that the negotiator and the schedds evaluate in job ads.
_ABOUT_JOBS = (
    "SCHEDD_SLOT_WEIGHT", "START_VANILLA_UNIVERSE", "NEGOTIATOR_JOB_CONSTRAINT",
    "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK",
)  # fmt: skip
#: Lists of attributes of jobs.
_LISTS = ("SIGNIFICANT_ATTRIBUTES", "ADD_SIGNIFICANT_ATTRIBUTES")
#: What access points evaluate in ads of jobs to decide when they run; the first begins names.
_ABOUT_LIVES = ("SYSTEM_PERIODIC_", "SYSTEM_ON_VACATE_COOL_DOWN")
_NOOP = "IsNoopJob"
Result = TypeVar("Result")


@dataclass(frozen=True)
class Texts:
    """Texts of a snapshot; None stands for one that is missing.

    ``changes`` are knobs of the central manager with the values that they would have, for
    :attr:`Pool.changed`; ``past`` are the jobs of another file, for :attr:`Pool.past`.
    ``job_attributes`` are read of jobs even where no expression names them. ``in_parts`` says that
    slots stand by the names of machines, not as the collector handed them out.
    """

    source: str
    collector: Chunks | None = None
    jobs: Chunks | None = None
    central: str | None = None
    access: Mapping[str, str] = field(default_factory=dict)
    execute: Mapping[str, str] = field(default_factory=dict)
    taken_at: str = ""
    in_parts: bool = False
    anonymous: bool = False
    failed: tuple[tuple[str, str], ...] = ()
    negotiator: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    priorities: Chunks | None = None
    users: Chunks | None = None
    past: Chunks | None = None
    left_out: tuple[LeftOut, ...] = ()
    accountant_log: AccountantLog | None = None
    job_attributes: frozenset[str] = frozenset()


def read_pool(texts: Texts, parse: Parse) -> Pool:
    """Return the pool that ``texts`` describe; ``parse`` is HTCondor's configuration parser.

    ``damage`` of the pool has a sentence about each part that cannot be read; what depends on such
    a part is missing.
    """
    expressions, damage = Expressions(), _Damaged()
    central = damage.reading(CONFIG, lambda: _central(texts.central, parse))
    changed = damage.reading(CHANGED, lambda: _changed(texts.central, texts.changes, parse))
    access = damage.configurations("access", texts.access, parse, SCHEDD)
    execute = damage.configurations("execute", texts.execute, parse, STARTD)
    of_jobs = _named_by((central, *access.values()), _ABOUT_JOBS, expressions)
    of_jobs |= _listed_by((central, *access.values()))
    of_lives = _named_by_lives((central, *access.values()), expressions)
    # What somebody wants to know of jobs besides does not tell them apart.
    of_lives |= {name.lower() for name in texts.job_attributes}
    of_slots = _named_by((central, changed), _ABOUT_SLOTS, expressions)
    jobs, past, ads = _read_both(texts, expressions, damage, of_jobs, of_slots, of_lives)
    unusable = LeavingOut()
    priorities = damage.reading(
        "priorities.ads", lambda: _records(read_priorities, texts.priorities, unusable)
    )
    users = damage.reading("users.ads", lambda: _records(read_users, texts.users, unusable))
    left_out = [*texts.left_out, *unusable.found()]
    for read in (jobs, past, ads):
        if read is not None:
            left_out += read.damage.left_out.found()
    pool = Pool(
        source=texts.source,
        priorities=priorities or (),
        users=users,
        central=central,
        changed=changed,
        access=access,
        execute=execute,
        failed=texts.failed,
        damage=tuple(damage.sentences(ads, jobs)),
        unread=tuple(damage.unread.items()),
        left_out=together(left_out),
        taken_at=texts.taken_at,
        # A capture says when it was made; what condor_status prints does not.
        in_order=bool(texts.taken_at) and not texts.in_parts,
        anonymous=texts.anonymous,
        negotiator=texts.negotiator,
        accountant_log=texts.accountant_log,
    )
    pool = _with_ads(pool, jobs, past, ads, expressions)
    expressions.moment = pool.moment
    for frame in (*pool.slot_frames, *pool.job_frames):
        frame.renew()
    return pool


def _with_ads(
    pool: Pool, jobs: Read | None, past: Read | None, ads: Read | None, expressions: Expressions
) -> Pool:
    """Return ``pool`` with the jobs, slots and records that were read.

    Jobs with noop_job are like others to a schedd that runs them.
    """
    if ads is not None:
        frames = tuple(dict.fromkeys(ads.frames.values()))
        pool = replace(pool, slots=tuple(ads.slots), records=ads.records, slot_frames=frames)
    known = {each.name for each in pool.schedds}
    if jobs is not None:
        frames = tuple(jobs.frames.values())
        noops = [each for each in frames if each.value(_NOOP) is True]
        plain = {id(each): each.changed({_NOOP: "false"}, expressions) for each in noops}
        run_noops = {
            each.name
            for each in pool.schedds
            if NOOP_JOBS.holds(version(each.value("CondorVersion")))
        }
        # One after the other: two of each would be a lot of memory.
        for place, job in enumerate(jobs.jobs):
            read = jobs.jobs[place] = _with_schedd(job, known)
            if id(job.frame) in plain and read.schedd in run_noops:
                jobs.jobs[place] = read._replace(frame=plain[id(job.frame)])
        frames += tuple(plain.values())
        pool = replace(pool, jobs=tuple(jobs.jobs), job_frames=frames)
    if past is not None:
        with_schedds = (each._replace(job=_with_schedd(each.job, known)) for each in past.past)
        pool = replace(pool, past=tuple(with_schedds))
    return pool


def _with_schedd(job: Job, known: AbstractSet[str]) -> Job:
    """Return ``job`` with the name of its schedd, which HTCondor's tools do not print.

    The global id of a job begins with that name. Where no schedd of the pool has it, it is that of
    the only schedd, else unknown.
    """
    if isinstance(job.schedd, str):
        return job
    name = job.access_point
    if known and name not in known:
        name = ""
        if len(known) == 1:
            (name,) = known
    return job._replace(schedd=name or UNDEFINED)


def _central(text: str | None, parse: Parse) -> Configuration | None:
    if text is None:
        return None
    return configuration_from(CONFIG, text, parse, NEGOTIATOR)


def _records(
    read: Callable[[Chunks, LeavingOut], tuple[Record, ...]],
    chunks: Chunks | None,
    left_out: LeavingOut,
) -> tuple[Record, ...] | None:
    return None if chunks is None else read(chunks, left_out)


def _changed(
    text: str | None, changes: tuple[tuple[str, str], ...], parse: Parse
) -> Configuration | None:
    if text is None or not changes:
        return None
    lines = "".join(f"{name} = {value}\n" for name, value in changes)
    return configuration_from(CONFIG, f"{text}\n{lines}", parse, NEGOTIATOR)


def _read_both(
    texts: Texts,
    expressions: Expressions,
    damage: _Damaged,
    of_jobs: frozenset[str],
    of_slots: frozenset[str],
    of_lives: frozenset[str],
) -> tuple[Read | None, Read | None, Read | None]:
    """Return jobs, jobs of the history, and slots.

    They have every attribute that the other side's expressions name.
    """
    jobs = past = ads = None
    if texts.jobs is not None:
        of_jobs |= _named_at_first(texts.collector, expressions, of_slots)
    for _ in range(_MAX_ROUNDS):
        asked_of_jobs = _wanted(ads)
        if jobs is None or _any_unread(asked_of_jobs, jobs.kept):
            of_jobs |= asked_of_jobs
            of_queue = partial(read_jobs, apart=of_lives)
            read = partial(_read_if, of_queue, texts.jobs, expressions, of_jobs)
            jobs = damage.reading("jobs.ads", read)
            past = _read_if(read_past, texts.past, expressions, of_jobs)
        asked_of_slots = _wanted(jobs) | _wanted(past)
        if ads is not None and (jobs is None or not _any_unread(asked_of_slots, ads.kept)):
            break
        of_slots |= asked_of_slots
        read = partial(_read_if, read_collector, texts.collector, expressions, of_slots)
        ads = damage.reading("collector.ads", read)
        if ads is None or jobs is None:
            break
    return jobs, past, ads


def _named_at_first(
    collector: Chunks | None, expressions: Expressions, of_slots: frozenset[str]
) -> frozenset[str]:
    """Return the attributes of jobs that the first slots name.

    Most slots name the same ones: with these, the jobs are seldom read a second time.
    """
    if collector is None:
        return frozenset()

    def first() -> Iterator[bytes]:
        left = _FIRST
        for chunk in collector():
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                return

    try:
        return _wanted(read_collector(first, expressions, of_slots))
    except InputError:
        # The whole text is read later, and says what is wrong with it.
        return frozenset()


def _wanted(read: Read | None) -> frozenset[str]:
    """Return the attributes that the expressions of one side name in ads of the other."""
    if read is None:
        return frozenset()
    return read.wanted


def _read_if(
    read: Callable[[Chunks, Expressions, frozenset[str]], Read],
    chunks: Chunks | None,
    expressions: Expressions,
    names: frozenset[str],
) -> Read | None:
    if chunks is None:
        return None
    return read(chunks, expressions, names)


def _any_unread(names: frozenset[str], kept: frozenset[str]) -> bool:
    """Return whether any of ``names`` was not read; ``*`` ends the beginning of those that were."""
    beginnings = (_OF_A_MATCH, *(name[:-1] for name in kept if name.endswith("*")))
    unread = [name for name in names - kept if not name.startswith(beginnings)]
    return any(PLAIN_NAME.match(name) for name in unread)


def _named_by(
    configurations: Iterable[Configuration | None],
    knobs: Iterable[str],
    expressions: Expressions,
) -> frozenset[str]:
    """Return every word of the expressions in ``knobs``, attributes of slots or jobs among them."""
    texts: set[str] = set()
    for configuration in configurations:
        if configuration is not None:
            texts.update(configuration.value(knob) for knob in knobs)
    names: set[str] = set()
    for text in texts:
        expression = None
        if text:
            expression = expressions.parsed(text)
        if expression is not None:
            # START_VANILLA_UNIVERSE has scopes of its own: JOB and SLOT.
            names.update(expression.words())
    return frozenset(names)


def _listed_by(configurations: Iterable[Configuration | None]) -> frozenset[str]:
    """Return the attributes that lists of significant ones name."""
    names: set[str] = set()
    for configuration in configurations:
        if configuration is not None:
            for knob in _LISTS:
                names.update(configuration.value(knob).replace(",", " ").lower().split())
    return frozenset(names)


def _named_by_lives(
    configurations: Iterable[Configuration | None], expressions: Expressions
) -> frozenset[str]:
    """Return every word of the policies of jobs that access points have."""
    names: set[str] = set()
    for configuration in configurations:
        for knob in configuration or ():
            if knob.bare.upper().startswith(_ABOUT_LIVES):
                expression = expressions.parsed(knob.value) if knob.value else None
                names.update(() if expression is None else expression.words())
    return frozenset(names)


class _Damaged:
    """Collects what cannot be read."""

    def __init__(self) -> None:
        self._sentences: dict[str, str] = {}
        #: The configurations among it, by file, with the reason.
        self.unread: dict[str, str] = {}

    def reading(self, name: str, read: Callable[[], Result | None]) -> Result | None:
        """Return what ``read`` returns; None where the text ``name`` cannot be read."""
        try:
            return read()
        except InputError as error:
            self._sentences[name] = f"{name} {error}"
            if isinstance(error, UnreadableError):
                self.unread[name] = str(error)
            return None

    def configurations(
        self, directory: str, texts: Mapping[str, str], parse: Parse, subsystem: str
    ) -> dict[str, Configuration]:
        """Return the configurations of ``directory`` by name, as far as they can be read.

        Each is as the daemon of that name sees it.
        """
        found = {}
        for name, text in texts.items():
            read = partial(configuration_from, name, text, parse, subsystem)
            configuration = self.reading(f"{directory}/{name}.txt", read)
            if configuration is not None:
                found[name] = configuration.of(subsystem, name)
        return found

    def sentences(self, ads: Read | None, jobs: Read | None) -> list[str]:
        """Return every damage as a sentence."""
        of_ads, refused = [], []
        for file, read in (("collector.ads", ads), ("jobs.ads", jobs)):
            if read is not None:
                of_ads += [f"{file} {sentence}" for sentence in read.damage.sentences()]
                refused += _refused(file, read)
        return [*self._sentences.values(), *of_ads, *refused]


def _refused(file: str, read: Read) -> list[str]:
    """Return a sentence about the attributes that are not evaluated; none where there are none.

    Each of these attributes counts as an error.
    """
    found: set[str] = set()
    for frame in read.frames.values():
        found.update(frame.refused())
    if not found:
        return []
    names = ", ".join(sorted(found)[:_MAX_SHOWN])
    text = f"{file} has {len(found)} attributes that would take too long or grow too large"
    return [f"{text}: {names}"]
