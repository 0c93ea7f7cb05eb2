"""What of a pool's configuration and ads changes matching and is not followed by a simulation.

The table is in :mod:`htcq.htcondor.matching`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from htcq.classads import parsed
from htcq.htcondor.attributes import fixed_in_courses
from htcq.htcondor.defaults import former_defaults
from htcq.htcondor.matching import (
    NEGOTIATOR,
    SCHEDD,
    STARTD,
    MatchKnob,
    not_followed,
    unfollowed_attributes,
)
from htcq.pool.configuration import Configuration
from htcq.pool.daemons import SCHEDD as SCHEDD_DAEMON
from htcq.pool.pool import Pool
from htcq.pool.reference_graph import ReferenceGraph
from htcq.quota.knobs import number_of, truth_of
from htcq.simulate.cycle.clock import NEGOTIATORS_EXPRESSIONS
from htcq.simulate.cycle.time_limits import TIME_LIMITS

#: How much of a value a sentence has.
_MAX_LETTERS = 60
#: Values with which an attribute has no effect.
_OFF = ("undefined", "false")
_OF_SLOTS, _OF_JOBS = ("Requirements", "Rank", "SlotWeight"), ("Requirements", "Rank")


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
    yield from _of_slots(pool, unfollowed_attributes(courses))
    if courses:
        fixed = fixed_in_courses()
        for name, whose in sorted(_fixed(pool).items()):
            yield f"{fixed[name]} in {whose} is not followed: it stays as it was captured"


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
    if len(value) > _MAX_LETTERS:
        value = f"{value[: _MAX_LETTERS - 3]}..."
    return value


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
            subject = f"{attribute.name} of {len(slots)} slots, such as {min(slots)},"
            if len(slots) == 1:
                subject = f"{attribute.name} of {slots[0]}"
            yield _sentence(attribute, subject)


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
