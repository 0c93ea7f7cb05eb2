"""Configuration that fixes a finding, as data: machines, knobs and their values.

It has no prose: a site may copy it into its configuration, and HTCondor's parser reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from htcq.pool.configuration import LEGAL_NAME, STATEMENTS
from htcq.pool.machine_roles import Role as Role
from htcq.units import first_named

#: Characters that would break the line, or change the next one.
_BROKEN = re.compile(r"[\x00-\x1f\x7f]")
#: The largest number of machines that a sentence names.
_NAMED = 3


@dataclass(frozen=True)
class Setting:
    """One knob with its new value.

    ``file`` is the file that sets the knob now (empty: none does, or it is not known). ``nodes``
    are the names of the access points or execution points (none: all machines of that role). An
    empty value removes the knob.
    """

    role: Role
    knob: str
    value: str
    file: str = ""
    nodes: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether the line is one assignment, whatever names and texts of the pool went into it."""
        name = self.knob.rpartition(".")[2].lower()
        if not LEGAL_NAME.match(self.knob) or name in STATEMENTS:
            return False
        return not _BROKEN.search(self.value) and not self.value.endswith("\\")

    @property
    def line(self) -> str:
        """The line of configuration."""
        return f"{self.knob} = {self.value}".rstrip()

    @property
    def whose(self) -> str:
        """The machines in words, such as ``central manager`` or ``every execution point``."""
        if self.role is Role.CENTRAL:
            return str(self.role.value)
        if not self.nodes:
            return f"every {self.role.value}"
        if len(self.nodes) == 1:
            return f"{self.role.value} {self.nodes[0]}"
        return f"{self.role.value}s {first_named(self.nodes, _NAMED)}"


def united(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Return the sound ones of ``settings``, with one setting for all machines that set the same.

    They are in the order in which each first occurs.
    """
    found: dict[Setting, dict[str, None] | None] = {}
    for setting in settings:
        if not setting.is_sound:
            continue
        key = replace(setting, nodes=())
        nodes = found.setdefault(key, {})
        if not setting.nodes:
            # It is for all machines of the role, those that others name included.
            found[key] = None
        elif nodes is not None:
            nodes.update(dict.fromkeys(setting.nodes))
    return tuple(replace(key, nodes=tuple(nodes or ())) for key, nodes in found.items())


def by_place(settings: tuple[Setting, ...]) -> dict[tuple[str, str], list[Setting]]:
    """Return settings by machines (``whose``) and file, in the order in which each first occurs."""
    found: dict[tuple[str, str], list[Setting]] = {}
    for setting in settings:
        found.setdefault((setting.whose, setting.file), []).append(setting)
    return found
