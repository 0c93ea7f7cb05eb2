"""Changed knobs: ``KNOB=VALUE`` on a command line or in a sweep's file.

They are the central manager's; ``access:KNOB=VALUE`` and ``execute:KNOB=VALUE`` are those of all
access points or execution points, ``access:NAME:KNOB=VALUE`` of those whose names match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from htcq.errors import InputError
from htcq.pool.configuration import LEGAL_NAME

#: Knobs with their new values.
Changes = tuple[tuple[str, str], ...]
_ROLE = re.compile(r"\s*(access|execute):(?:([^=]*):)?([^:]+)", re.DOTALL)
_KNOB = re.compile(r"\s*([^\s=]+)\s*=(.*)", re.DOTALL)


def read_changes(texts: Sequence[str] | None) -> Changes:
    """Return the knobs with their new values.

    Raises:
        InputError: a text is no knob with a value.
    """
    return tuple(_change(each) for each in texts or ())


class MachineChange(NamedTuple):
    """A knob of access points or execution points (``role``) with its new value.

    ``machine`` is a shell pattern of their names; empty for all.
    """

    role: str
    machine: str
    knob: str
    value: str

    @property
    def named(self) -> str:
        """The knob as it is given."""
        return ":".join(filter(None, (self.role, self.machine, self.knob)))


def read_all_changes(texts: Sequence[str] | None) -> tuple[Changes, tuple[MachineChange, ...]]:
    """Return the knobs of the central manager, and those of other machines.

    Raises:
        InputError: a text is no knob with a value.
    """
    central: list[tuple[str, str]] = []
    others: list[MachineChange] = []
    for text in texts or ():
        of_machines = _ROLE.fullmatch(text.partition("=")[0]) if "=" in text else None
        if of_machines is None and ":" in text.partition("=")[0]:
            raise InputError(
                f"--set {text!r}: neither KNOB=VALUE nor access:KNOB=VALUE nor execute:KNOB=VALUE",
                "such as --set access:MAX_JOBS_RUNNING=100, or --set execute:MACHINE:START=true",
            )
        if of_machines is None:
            central.append(_change(text))
        else:
            role, machine, knob = of_machines.groups()
            value = text.partition("=")[2]
            others.append(MachineChange(role, machine or "", *_change(f"{knob}={value}")))
    return tuple(central), tuple(others)


def _change(text: str) -> tuple[str, str]:
    match = _KNOB.fullmatch(text)
    if not match or not LEGAL_NAME.match(match.group(1)) or not match.group(2).isprintable():
        raise InputError(f"--set {text!r}: not KNOB=VALUE", "such as --set GROUP_QUOTA_physics=20")
    return match.group(1), match.group(2).strip()
