"""What of a pool's configuration and ads changes matching and is not followed by a simulation.

The table is in :mod:`htcq.htcondor.matching`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import cast

from htcq.classads import Expr, Value, parsed, spelled
from htcq.htcondor.attributes import JOB, SLOT, fixed_in_courses
from htcq.htcondor.defaults import former_defaults
from htcq.htcondor.matching import (
    NEGOTIATOR,
    SCHEDD,
    STARTD,
    MatchKnob,
    not_followed,
    unfollowed_attributes,
)
from htcq.htcondor.releases import COOL_DOWN_ENDS, EXECUTION_COUNTS
from htcq.pool.configuration import Configuration
from htcq.pool.daemons import SCHEDD as SCHEDD_DAEMON
from htcq.pool.job import OWN, Job
from htcq.pool.pool import Pool
from htcq.pool.reference_graph import ReferenceGraph
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE
from htcq.pool.versions import version
from htcq.quota.knobs import number_of, truth_of
from htcq.simulate.cycle.clock import NEGOTIATORS_EXPRESSIONS
from htcq.simulate.cycle.time_limits import TIME_LIMITS
from htcq.units import shortened

#: How much of a value a sentence has.
_MAX_LETTERS = 60
#: Values with which an attribute has no effect: on slots, on jobs.
_OFF = ("undefined", "false")
_OFF_JOBS = (*_OFF, "0", '""', '"on_exit"')
_OF_SLOTS, _OF_JOBS = ("Requirements", "Rank", "SlotWeight"), ("Requirements", "Rank")
#: What decides when a job leaves its slot or the queue, besides SYSTEM_PERIODIC_* of its schedd.
_POLICIES = (
    "PeriodicHold", "PeriodicRelease", "PeriodicRemove", "PeriodicVacate", "OnExitHold",
    "OnExitRemove",
)  # fmt: skip
_REQUIREMENTS = "requirements"
_COOL_DOWN = "SYSTEM_ON_VACATE_COOL_DOWN"
_DURATION = "AllowedExecuteDuration"
_SYSTEM_POLICIES = "SYSTEM_PERIODIC_"


def unmodelled(pool: Pool, courses: bool = False) -> Iterator[str]:
    """Yield a sentence on each knob and attribute of ``pool`` that a simulation does not follow.

    Knobs that have HTCondor's default are left out. With ``courses`` also what matters in
    courses alone.
    """
    if pool.central is not None:
        yield from _of_daemons(NEGOTIATOR, {"": pool.central}, courses)
    # A schedd without a configuration of its own is taken to have the central manager's.
    access: Mapping[str, Configuration] = pool.access
    if not access and pool.central is not None:
        access = {"": pool.central.of(SCHEDD_DAEMON)}
    yield from _of_daemons(SCHEDD, access, courses)
    yield from _of_daemons(STARTD, pool.execute, courses)
    yield from _of_slots(pool, unfollowed_attributes(SLOT, courses))
    yield from _of_jobs(pool, unfollowed_attributes(JOB, courses))
    if courses:
        for ads, found in ((SLOT, _fixed(pool)), (JOB, _fixed_of_jobs(pool, access))):
            fixed = fixed_in_courses(ads)
            for name, whose in sorted(found.items()):
                yield f"{fixed[name]} in {whose} is not followed: it stays as it was captured"
        yield from _counting_itself(pool)
        yield from _by_chance(pool)


def _of_daemons(
    daemon: str, configurations: Mapping[str, Configuration], courses: bool
) -> Iterator[str]:
    for knob in not_followed(daemon, courses):
        values: dict[str, list[str]] = {}
        for name, configuration in configurations.items():
            value = _effective(configuration, knob)
            if value:
                values.setdefault(value, []).append(name)
        for value, names in values.items():
            yield _sentence(knob, f"{knob.name} = {value}{_whose(names)}")


def _effective(configuration: Configuration, knob: MatchKnob) -> str:
    """Return the value of a knob that is not HTCondor's default; empty where it is."""
    found = configuration.knob(knob.name)
    if found is None:
        return ""
    value = _plain(found.value)
    if knob.name in TIME_LIMITS and _is_expired(value):
        # With such a limit nothing is matched, and that is followed.
        return ""
    if "$(" in value:
        # The text does not define what the value refers to: to the daemon it is empty.
        return ""
    defaults = (configuration.defaults.get(knob.name, ""), *former_defaults(knob.name))
    if any(_same(value, default) for default in defaults):
        return ""
    if knob.like and _same(value, configuration.value(knob.like)):
        return ""
    return shortened(value, _MAX_LETTERS)


def _is_expired(value: str) -> bool:
    number = number_of(value)
    return number is not None and number <= 0


def _plain(text: str) -> str:
    return " ".join(text.split())


def _same(value: str, default: str) -> bool:
    """Return whether a value does what the default does; what has no default is off."""
    default = _plain(default)
    if value.lower() == default.lower():
        return True
    truth = truth_of(value)
    if not default:
        return truth is False
    known = {"true": True, "false": False}.get(default.lower())
    return known is not None and truth is known


def _whose(names: list[str]) -> str:
    first = names[0]
    if not first:
        return ""
    if len(names) == 1:
        return f" of {first}"
    return f" of {len(names)} daemons, such as {first},"


def _sentence(knob: MatchKnob, subject: str) -> str:
    effect = knob.effect[:-1]
    if effect[1:2].islower() or effect[1:2] == " ":
        effect = effect[0].lower() + effect[1:]
    return f"{subject} is not followed: {effect}"


def _of_slots(pool: Pool, attributes: Iterable[MatchKnob]) -> Iterator[str]:
    """Yield a sentence on each attribute of slots that is not followed."""
    for attribute in attributes:
        name = attribute.name.lower()
        slots = [
            str(slot.name)
            for slot in pool.slots or ()
            if slot.frame.texts.get(name, _OFF[0]).lower() not in _OFF
        ]
        if slots:
            yield _of_ads(attribute, len(slots), min(slots), "slots")


def _counting_itself(pool: Pool) -> Iterator[str]:
    """Yield a sentence on what Requirements of partitionable slots say of their dynamic slots.

    Seen with 25.14.1 and 23.9.6: the startd refuses a claim by what these are by then. TotalSlots
    counts the dynamic slot that it makes for the claim.
    """
    links, seen = ReferenceGraph(), set[int]()
    for slot in pool.slots or ():
        if slot.type != PARTITIONABLE or id(slot.frame) in seen:
            continue
        seen.add(id(slot.frame))
        names = links.reached((_REQUIREMENTS,), slot.frame)
        named = [slot.frame.names.get(name, name) for name in sorted(names) if name[:5] == "child"]
        if "totalslots" in names:
            named.append("TotalSlots")
        if named:
            yield (
                f"{named[0]} in Requirements of {slot.name} is not followed where a startd looks "
                "at it once more when it is asked for a claim"
            )
            return


def _by_chance(pool: Pool) -> Iterator[str]:
    """Yield sentences on what older access points do or do not, depending on moments.

    They pass over an allowed_execute_duration where the job begins in the second in which its
    shadow does: that is followed. After a cool-down they offer a job once their list of jobs is
    made anew: it is offered at once.
    """
    for each in pool.schedds:
        configuration = pool.schedd_configuration(each.name)
        if COOL_DOWN_ENDS.holds(version(each.value("CondorVersion"))) or configuration is None:
            continue
        if configuration.value(_COOL_DOWN).strip():
            yield (
                f"{_COOL_DOWN} of {each.name} is not followed in all: it offers a job again once "
                "another job of it has become idle"
            )
            break
    older = {
        each.name
        for each in pool.schedds
        if not EXECUTION_COUNTS.holds(version(each.value("CondorVersion")))
    }
    for job in pool.jobs or () if older else ():
        life = {} if job.life is None else job.life.texts
        if job.schedd in older and life.get(_DURATION.lower(), _OFF[0]).lower() not in _OFF:
            yield (
                f"{_DURATION} of {job.id} is not followed where the job begins in a later "
                f"second than its shadow: {job.schedd} holds it then"
            )
            return


def _of_jobs(pool: Pool, attributes: Iterable[MatchKnob]) -> Iterator[str]:
    """Yield a sentence on each attribute of jobs that is not followed."""
    wanted = {attribute.name.lower(): attribute for attribute in attributes}
    places = {name.lower(): place for place, name in enumerate(OWN, 1)}
    own = [(name, places[name]) for name in wanted if name in places]
    set_in: dict[int, tuple[str, ...]] = {}
    found: dict[str, list[str]] = {}
    for job in pool.jobs or ():
        names: list[str] = []
        for frame in (job.frame, job.life):
            if frame is not None and id(frame) not in set_in:
                set_in[id(frame)] = tuple(_set(frame, wanted))
            names += set_in.get(id(frame), ())
        names += [name for name, place in own if _is_set(job, place)]
        for name in dict.fromkeys(names):
            found.setdefault(name, []).append(job.id)
    for name, jobs in sorted(found.items()):
        yield _of_ads(wanted[name], len(jobs), jobs[0], "jobs")


def _set(frame: SharedAttributes, wanted: Iterable[str]) -> Iterator[str]:
    return (name for name in wanted if frame.texts.get(name, _OFF[0]).lower() not in _OFF_JOBS)


def _is_set(job: Job, place: int) -> bool:
    value = cast("Value", job[place])
    return spelled(value).lower() not in _OFF_JOBS


def _of_ads(attribute: MatchKnob, count: int, first: str, noun: str) -> str:
    subject = f"{attribute.name} of {count} {noun}, such as {first},"
    if count == 1:
        subject = f"{attribute.name} of {first}"
    return _sentence(attribute, subject)


def _fixed_of_jobs(pool: Pool, access: Mapping[str, Configuration]) -> Mapping[str, str]:
    """Return a policy of jobs for each attribute of theirs that it names and no course follows."""
    fixed = fixed_in_courses(JOB).keys()
    found: dict[str, str] = {}
    for configuration in access.values():
        for knob in configuration:
            if knob.bare.upper().startswith(_SYSTEM_POLICIES):
                _note(found, fixed, parsed(knob.value), knob.bare)
    seen: set[int] = set()
    for job in pool.jobs or ():
        if job.life is not None and id(job.life) not in seen:
            seen.add(id(job.life))
            for policy in _POLICIES:
                _note(found, fixed, job.life.expression(policy), f"{policy} of {job.id}")
    return found


def _note(
    found: dict[str, str], names: AbstractSet[str], expression: Expr | None, whose: str
) -> None:
    """Note ``whose`` the first expression is that names each of ``names``."""
    for name in () if expression is None else names & set(expression.words()):
        found.setdefault(name, whose)


def _fixed(pool: Pool) -> Mapping[str, str]:
    """Return an expression for each attribute of slots that it names and courses do not follow.

    The attribute is in lower case. An expression of a slot stands for all, else one of a job.
    """
    found: dict[str, str] = {}
    for knob in pool.central or ():
        if knob.bare.upper() in NEGOTIATORS_EXPRESSIONS:
            expression = parsed(knob.value)
            words = () if expression is None else expression.words()
            found.update(dict.fromkeys(fixed_in_courses().keys() & words, knob.name))
    links = ReferenceGraph()
    jobs = {id(job.frame): (job.frame, job.id) for job in pool.jobs or ()}
    slots = {id(slot.frame): (slot.frame, str(slot.name)) for slot in pool.slots or ()}
    for ads, expressions in ((jobs, _OF_JOBS), (slots, _OF_SLOTS)):
        for frame, which in ads.values():
            if fixed_in_courses().keys().isdisjoint(frame.words()):
                continue
            for start in expressions:
                for name in fixed_in_courses().keys() & links.reached((start.lower(),), frame):
                    found[name] = f"{start} of {which}"
    return found
