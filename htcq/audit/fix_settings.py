"""Settings for the machines of a finding, under the names that their daemons look up first.

A daemon looks up ``DAEMON.KNOB`` before ``KNOB``, and the startd ``SLOT_TYPE_<N>_KNOB`` before
both (src/condor_utils/config.cpp, src/condor_startd.V6/Resource.cpp:SlotType::param, HTCondor
25.14).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Role, Setting
from htcq.pool.configuration import Configuration
from htcq.pool.pool import of_startd
from htcq.pool.slot import Slot

_LINE = re.compile(r":[0-9]+\Z")


def central(evidence: Evidence, knob: str, value: str) -> Setting:
    """Return ``knob = value`` for the central manager."""
    return _setting(Role.CENTRAL, evidence.pool.central, knob, value)


def access(
    evidence: Evidence, knob: str, value: str, names: Iterable[str] = ()
) -> tuple[Setting, ...]:
    """Return ``knob = value`` for the access points ``names``; without names, for all of them."""
    found = tuple(
        _setting(Role.ACCESS, evidence.access.get(name), knob, value, (name,)) for name in names
    )
    return found or (Setting(Role.ACCESS, knob, value),)


def node(evidence: Evidence, machine: str, knob: str, value: str) -> Setting:
    """Return ``knob = value`` for the startd of one machine, whatever its slot types."""
    return _setting(Role.EXECUTE, evidence.execute.get(machine), knob, value, (machine,))


def execute(
    evidence: Evidence, slots: Iterable[Slot], knob: str, value: str
) -> tuple[Setting, ...]:
    """Return ``knob = value`` for the slot types of ``slots``.

    There is one setting for all machines that set the same. A trial needs none.
    """
    if evidence.is_trial:
        return ()
    every = _slot_types(evidence)
    found: dict[tuple[str, str], dict[str, None]] = {}
    #: The places of slots of a frame, on machines of one or more types and of a configuration.
    known: dict[tuple[int, bool, int], tuple[str, str]] = {}
    configurations = evidence.execute
    for slot in slots:
        machine = str(slot.machine)
        several = len(every.get(machine, ())) > 1
        configuration = of_startd(configurations, slot)
        key = (id(slot.frame), several, id(configuration))
        place = known.get(key)
        if place is None:
            place = known[key] = _of_slot(slot, configuration, knob, several)
        found.setdefault(place, {})[machine] = None
    settings: list[Setting] = []
    for (name, file), machines in found.items():
        nodes = tuple(machines)
        if machines.keys() >= every.keys():
            # It is for every execution point.
            nodes = ()
        settings.append(Setting(Role.EXECUTE, name, value, file, nodes))
    return tuple(settings)


def settings_of(
    whose: str, configuration: Configuration, knobs: Iterable[tuple[str, str]]
) -> Iterator[Setting]:
    """Yield settings of ``knobs`` (names and values) for one machine.

    ``whose`` names the machine as Evidence.configurations does.
    """
    words = whose.removeprefix("the ")
    role = next(each for each in Role if words.startswith(each.value))
    name = words[len(role.value) + 1 :]
    nodes: tuple[str, ...] = ()
    if name:
        nodes = (name,)
    for knob, value in knobs:
        yield Setting(role, knob, value, file_of(configuration, knob), nodes)


def file_of(configuration: Configuration, knob: str) -> str:
    """Return the file that sets ``knob``; empty where none does or it is not known."""
    found = configuration.knob(knob)
    if found is None or not found.place.startswith("/"):
        return ""
    return _LINE.sub("", found.place)


def literal_text(text: str) -> str:
    """Return an expression of an ad as a value of a knob: on one line, without macros."""
    return " ".join(text.replace("$", "$(DOLLAR)").split())


def _setting(
    role: Role,
    configuration: Configuration | None,
    knob: str,
    value: str,
    nodes: tuple[str, ...] = (),
) -> Setting:
    if configuration is None:
        return Setting(role, knob, value, nodes=nodes)
    found, name = configuration.knob(knob), knob
    if found is not None and found.prefix:
        name = found.name
    return Setting(role, name, value, file_of(configuration, name), nodes)


def _of_slot(
    slot: Slot, configuration: Configuration | None, knob: str, several: bool
) -> tuple[str, str]:
    """Return the knob for the type of ``slot``, and its file.

    The knob is the general one where the machine has no other type.
    """
    number = slot.type_id
    typed = f"SLOT_TYPE_{number}_{knob}"
    if configuration is not None and typed in configuration:
        of_type = _setting(Role.EXECUTE, configuration, typed, "")
        return of_type.knob, of_type.file
    if number and several:
        return typed, ""
    found = _setting(Role.EXECUTE, configuration, knob, "")
    return found.knob, found.file


def _slot_types(evidence: Evidence) -> Mapping[str, frozenset[int]]:
    """Return the numbers of the slot types of each machine."""
    found: dict[str, set[int]] = {}
    for slot_class in evidence.offered:
        for slot in slot_class.places:
            found.setdefault(str(slot.machine), set()).add(slot.type_id)
    return {machine: frozenset(types) for machine, types in found.items()}
