"""Knobs that access points and execution points might have: ``--set access:KNOB=VALUE``.

Only what a simulation follows is changed in thought; all else is refused, so that nobody takes
"nothing changes" for an answer.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import replace

from htcq.audit.fix import Role, Setting
from htcq.audit.pool_with_settings import ADVERTISED, attribute_of, pool_with_settings
from htcq.classads import UNDEFINED, Value, as_number, literal
from htcq.errors import InputError
from htcq.htcondor.matching import (
    NEGOTIATOR,
    SCHEDD,
    STARTD,
    Following,
    knobs_of,
    readers_of,
    writes_as,
)
from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool
from htcq.pool.record import SCHEDD as RECORD
from htcq.settings.changes import Changes, MachineChange

_ROLES = {"access": Role.ACCESS, "execute": Role.EXECUTE}
_DAEMONS = {Role.ACCESS: SCHEDD, Role.EXECUTE: STARTD}
#: Startds and schedds both read it, each for itself.
_OF_BOTH = "CLAIM_PARTITIONABLE_LEFTOVERS"
_PREFIX = {SCHEDD: "access", STARTD: "execute"}


def with_machine_changes(pool: Pool, changes: Iterable[MachineChange]) -> Pool:
    """Return ``pool`` with these knobs on its access points and execution points.

    Raises:
        InputError: a knob is not followed there, or no machine has that name.
    """
    settings = [_setting(pool, each) for each in changes]
    if not settings:
        return pool
    complete = replace(pool, access=_access(pool), execute=_execute(pool))
    changed = pool_with_settings(complete, settings)
    advertised = [each for each in settings if _is_advertised(each.role, each.knob)]
    return _advertising(changed, advertised) if advertised else changed


def _is_advertised(role: Role, knob: str) -> bool:
    return role is Role.ACCESS and knob.upper() in ADVERTISED


def _advertising(pool: Pool, settings: Iterable[Setting]) -> Pool:
    """Return ``pool`` with the limits that schedds would advertise: the negotiation reads these."""
    schedds = []
    for record in pool.schedds:
        values = dict(record.values)
        for each in settings:
            if not each.nodes or record.name in each.nodes:
                values[ADVERTISED[each.knob.upper()]] = _value(each)
        schedds.append(replace(record, values=values))
    return replace(pool, records={**(pool.records or {}), RECORD: tuple(schedds)})


def _value(setting: Setting) -> Value:
    found = literal(setting.value)
    number = as_number(UNDEFINED if found is None else found)
    if number is None:
        raise InputError(
            f"--set access:{setting.knob}={setting.value}: not a plain value",
            "a number for MAX_JOBS_RUNNING, true or false for CURB_MATCHMAKING",
        )
    return bool(number) if setting.knob.upper() == "CURB_MATCHMAKING" else number


def check_central(pool: Pool, changes: Changes) -> None:
    """Refuse knobs of the central manager that it does not read, and that are read elsewhere.

    A configuration of the central manager stands for machines that have none of their own.

    Raises:
        InputError: there is such a knob.
    """
    for name, value in changes:
        readers = set(readers_of(name))
        if not readers or NEGOTIATOR in readers:
            continue
        own = {SCHEDD: pool.access, STARTD: pool.execute}
        unreached = [each for each in (SCHEDD, STARTD) if each in readers and own[each]]
        in_ads = [each for each in readers if _following(each, name) is Following.IN_ADS]
        if name.upper() in ADVERTISED:
            unreached = [SCHEDD]
        if unreached or len(in_ads) == len(readers):
            daemon = (unreached or sorted(in_ads))[0]
            role = _PREFIX.get(daemon, "execute")
            raise InputError(
                f"--set {name}: the central manager does not read it, the {daemon} does",
                f"--set {role}:{name}={value}",
            )


def _setting(pool: Pool, change: MachineChange) -> Setting:
    role, shown = _ROLES[change.role], f"--set {change.named}"
    if "$(" in change.value:
        raise InputError(f"{shown}: macros are not expanded", "write the value itself")
    if not _is_followed(role, change.knob):
        raise InputError(
            f"{shown}: no simulation follows {change.knob} of {role.value}s",
            "KNOBS THAT ARE NOT MODELLED in htcq-simulate(1) tells which are",
        )
    nodes: tuple[str, ...] = ()
    if change.machine:
        names = sorted(_access(pool) if role is Role.ACCESS else _machines(pool))
        nodes = tuple(name for name in names if fnmatch.fnmatchcase(name, change.machine))
        if not nodes:
            known = ", ".join(names[:3]) or "none"
            raise InputError(f"{shown}: no {role.value} of that name", f"there are {known}")
    return Setting(role, change.knob, change.value, nodes=nodes)


def _is_followed(role: Role, knob: str) -> bool:
    if role is Role.EXECUTE and attribute_of(knob.upper()):
        return True
    if knob.upper() == _OF_BOTH:
        return True
    return _following(_DAEMONS[role], knob) is Following.FOLLOWED


def _following(daemon: str, knob: str) -> Following | None:
    return next((each.following for each in knobs_of(daemon) if writes_as(each.name, knob)), None)


def _access(pool: Pool) -> Mapping[str, Configuration]:
    """Return a configuration for each access point: its own, or the central manager's."""
    found = dict(pool.access)
    for record in pool.schedds:
        configuration = pool.schedd_configuration(record.name)
        if configuration is not None:
            found.setdefault(record.name, configuration)
    return found


def _execute(pool: Pool) -> Mapping[str, Configuration]:
    """Return a configuration for each execution point: its own, or the central manager's."""
    found = dict(pool.execute)
    for slot in pool.slots or ():
        name = str(slot.machine)
        if name not in found:
            configuration = pool.startd_configuration(slot)
            if configuration is not None:
                found[name] = configuration
    return found


def _machines(pool: Pool) -> set[str]:
    return {str(slot.machine) for slot in pool.slots or ()}
