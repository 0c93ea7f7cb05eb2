"""The roles of a machine in a pool, by the daemons that it runs."""

from __future__ import annotations

import enum
import re

from htcq.htcondor.matching import NEGOTIATOR, SCHEDD, STARTD, readers_of
from htcq.pool.configuration import Configuration
from htcq.pool.daemons import DAEMON_LIST, listed_daemons


class Role(enum.Enum):
    """The role of a machine in a pool; the value is the word for it."""

    CENTRAL = "central manager"
    ACCESS = "access point"
    EXECUTE = "execution point"


_DAEMONS = {
    "COLLECTOR": Role.CENTRAL,
    "NEGOTIATOR": Role.CENTRAL,
    "SCHEDD": Role.ACCESS,
    "STARTD": Role.EXECUTE,
}
_READERS = {NEGOTIATOR: Role.CENTRAL, SCHEDD: Role.ACCESS, STARTD: Role.EXECUTE}
#: How the names of other knobs of one daemon begin.
_BEGIN = {
    Role.CENTRAL: re.compile(r"(?:GROUP_|NEGOTIATOR|ACCOUNTANT)"),
    Role.ACCESS: re.compile(
        r"(?:SCHEDD|SUBMIT_|JOB_|SYSTEM_(?:PERIODIC|ON|JOB)|IMMUTABLE_JOB|FLOCK_|MAX_JOBS)"
    ),
    Role.EXECUTE: re.compile(
        r"(?:STARTD|STARTER|SLOTS?_|NUM_(?:CPUS|SLOTS|CLAIMS)|MACHINE_RESOURCE|RESERVED_|MEMORY\Z)"
    ),
}


def roles_of(configuration: Configuration) -> tuple[Role, ...]:
    """Return the roles of the machine, by DAEMON_LIST, or else by whose knobs are set.

    They are all roles where the text says neither. A daemon under another name, as a second
    negotiator has, counts by its program.
    """
    if DAEMON_LIST not in configuration:
        return _by_knobs(configuration)
    found: set[Role] = set()
    for word in listed_daemons(configuration.value(DAEMON_LIST)):
        program = configuration.value(word).strip().rpartition("/")[2]
        role = _DAEMONS.get(word) or _DAEMONS.get(program.removeprefix("condor_").upper())
        if role is not None:
            found.add(role)
    return tuple(role for role in Role if role in found) or tuple(Role)


def _by_knobs(configuration: Configuration) -> tuple[Role, ...]:
    found: set[Role] = set()
    for knob in configuration:
        found.update(_READERS[daemon] for daemon in readers_of(knob.name))
        found.update(role for role, begin in _BEGIN.items() if begin.match(knob.name.upper()))
    return tuple(role for role in Role if role in found) or tuple(Role)
