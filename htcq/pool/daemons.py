"""The daemons of a machine that look knobs up, as its configuration names them.

A daemon looks knobs up by its local name first, then by its subsystem. One that the master starts
with the program of another one gets its own name as local name, unless its arguments have
-local-name (src/condor_master.V6/masterDaemon.cpp and master.cpp, HTCondor 25.13).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from htcq.htcondor.knob_names import stem_of

if TYPE_CHECKING:
    from htcq.pool.config_statements import Assignment

NEGOTIATOR, SCHEDD, STARTD = "NEGOTIATOR", "SCHEDD", "STARTD"
#: The knob that names the daemons which the master starts.
DAEMON_LIST = "DAEMON_LIST"
#: The daemons whose configuration decides which job gets which part of which slot.
SUBSYSTEMS = (NEGOTIATOR, SCHEDD, STARTD)
#: Subsystems whose knobs htcq does not look up; no local name is one of these.
_OTHERS = frozenset((
    "annexd", "collector", "credd", "defrag", "gangliad", "gridmanager", "had", "job_router",
    "kbdd", "master", "my", "placementd", "replication", "rooster", "shadow", "shared_port",
    "starter", "submit", "target", "tool",
))  # fmt: skip
#: A daemon's program, as a path or as the knob of another daemon.
_PROGRAM = re.compile(
    rf"(?:.*[/\\]condor_({'|'.join(SUBSYSTEMS)})(?:\.exe)?|\$\(({'|'.join(SUBSYSTEMS)})\))\Z",
    re.IGNORECASE,
)
_LOCAL_NAME = re.compile(r"(?:.*\s)?-local-name\s+([^\s$]+)", re.DOTALL)
_PREFIX = re.compile(r"([A-Z_][A-Z0-9_]*)\.(?=.)", re.IGNORECASE)


class Daemon(NamedTuple):
    """A daemon by its subsystem, such as NEGOTIATOR, and the local name that it runs with.

    Without a subsystem it is none: what nobody's prefix changes.
    """

    subsystem: str = ""
    local: str = ""


NOBODY = Daemon()


def listed_daemons(text: str) -> tuple[str, ...]:
    """Return the daemons that the value of DAEMON_LIST names, in upper case."""
    return tuple(text.upper().replace(",", " ").split())


def asked_daemon(found: Iterable[Assignment]) -> Daemon:
    """Return the daemon that a text is the dump of; NOBODY where it is no daemon's.

    SUBSYSTEM and LOCALNAME are in every dump.
    """
    names = {}
    for each in found:
        key = each.name.upper()
        if key in ("SUBSYSTEM", "LOCALNAME"):
            names[key] = each.raw.strip()
    subsystem, local = names.get("SUBSYSTEM", "").upper(), names.get("LOCALNAME", "")
    if subsystem not in SUBSYSTEMS or "$" in local:
        return NOBODY
    # A daemon without a local name has its subsystem there.
    if local.upper() == subsystem:
        local = ""
    return Daemon(subsystem, local)


def daemons_of(found: Iterable[Assignment], wanted: str) -> tuple[Daemon, ...]:
    """Return the daemons that a text may be looked up by, the likeliest of each subsystem first.

    A dump need not say which programs the machine runs: what looks like a local name counts as one
    of the subsystem ``wanted``.
    """
    found = tuple(found)
    daemons = [asked_daemon(found)]
    daemons += (Daemon(subsystem) for subsystem in SUBSYSTEMS)
    daemons += _started(found)
    known = {each.local.upper() for each in daemons}
    for each in found:
        prefix = prefix_of(each.name)
        if prefix.upper() not in known and wanted:
            known.add(prefix.upper())
            daemons.append(Daemon(wanted, prefix))
    unique: dict[tuple[str, str], Daemon] = {}
    for daemon in daemons:
        if daemon.subsystem:
            unique.setdefault((daemon.subsystem, daemon.local.upper()), daemon)
    return tuple(unique.values())


def before_dot(name: str) -> str:
    """Return what stands before a knob for one daemon alone; empty where nothing does.

    The dots in GROUP_QUOTA_a.b are those of a group.
    """
    found = _PREFIX.match(name)
    if found is None or stem_of(name):
        return ""
    return found.group(1)


def prefix_of(name: str) -> str:
    """Return what may be the local name before a knob; empty where there is none."""
    prefix = before_dot(name)
    if prefix.lower() in _OTHERS or prefix.upper() in SUBSYSTEMS:
        return ""
    return prefix


def _started(found: Iterable[Assignment]) -> Iterator[Daemon]:
    """Yield the daemons with local names, by the knobs with their programs and arguments."""
    raws = {each.name.upper(): (each.name, each.raw.strip()) for each in found}
    for key, (name, raw) in raws.items():
        program = _PROGRAM.match(raw)
        if program is None:
            continue
        subsystem = (program.group(1) or program.group(2)).upper()
        arguments = _LOCAL_NAME.match(raws.get(f"{key}_ARGS", ("", ""))[1])
        if arguments is not None:
            yield Daemon(subsystem, arguments.group(1).strip("\"'"))
        elif key != subsystem:
            yield Daemon(subsystem, name)
    for subsystem in SUBSYSTEMS:
        arguments = _LOCAL_NAME.match(raws.get(f"{subsystem}_ARGS", ("", ""))[1])
        if arguments is not None:
            yield Daemon(subsystem, arguments.group(1).strip("\"'"))
