"""Configuration files as a pool of which nothing else is known, but a node's hardware.

One configuration stands for each role of the machine that reads them: central manager, access
point, execution point.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from htcq.errors import InputError
from htcq.limits import Limits
from htcq.live.configuration import read_dump
from htcq.live.templates import read_templates
from htcq.node import Node
from htcq.operations.map_files import map_files
from htcq.pool.config_content import content_of, knob_test, looks_plain
from htcq.pool.configuration import (
    Configuration,
    Statement,
    assignments,
    configuration_of_files,
)
from htcq.pool.configured_slots import configured_slots, detected
from htcq.pool.daemons import NEGOTIATOR, SCHEDD, STARTD
from htcq.pool.files import IGNORED_NAMES
from htcq.pool.machine_roles import Role, roles_of
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Slot
from htcq.store.config_directory import Place, full_name
from htcq.store.snapshot import Member, Snapshot

_EXCLUDED = "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"
_WORD = re.compile(r"@?([A-Za-z]+)\b")
#: The lines that are named; the rest is counted.
_MAX_NAMED = 20
_REASONS = {
    "if": "HTCondor refuses the conditions: the assignments of all branches are read",
    "include": "is not followed: what it sets is not known",
    "use": "is not expanded: what it sets is not known",
}
_UNKNOWN = "is not evaluated"
#: Of a condition only the beginning is named.
_CONTINUES = ("elif", "else", "endif", "warning")
_READ_ANYWAY = "HTCondor would read it in a directory of LOCAL_CONFIG_DIR"


@dataclass(frozen=True)
class Given:
    """What is said of the machine: its roles (none: as its DAEMON_LIST says) and its hardware."""

    roles: tuple[Role, ...] = ()
    node: Node | None = None


UNKNOWN_MACHINE = Given()


def pool_of_files(places: Sequence[Place], source: str, limits: Limits, given: Given) -> Pool:
    """Return the pool of a machine that is configured by the files of ``places``.

    Files that cannot be read are its damage. ``include``, ``if`` and what else is not carried out
    is named, and so is what is no configuration and left out.

    Raises:
        InputError: none of the files can be used, or HTCondor's parser refuses their assignments.
    """
    files = _Files(limits)
    for place in places:
        files.read(place)
    if not files.texts:
        skipped = (f"{what} is no configuration: {why}" for what, why in files.skipped)
        reasons = [*files.damage, *skipped]
        raise InputError(
            "; ".join(reasons) or f"{source} holds no configuration file",
            "name configuration files, or a directory of them such as /etc/condor/config.d",
        )
    machine = detected(given.node) if given.node is not None else {}
    found = configuration_of_files(
        source, files.texts, read_dump, NEGOTIATOR, read_templates, machine
    )
    roles = given.roles or roles_of(found)
    name = source
    slots: tuple[Slot, ...] | None = None
    frames: tuple[SharedAttributes, ...] = ()
    if Role.EXECUTE in roles and given.node is not None:
        name = given.node.hostname or source
        slots, frames = configured_slots(found.of(STARTD), given.node, name)
    return Pool(
        source,
        slots=slots,
        slot_frames=frames,
        central=found if Role.CENTRAL in roles else None,
        access={name: found.of(SCHEDD)} if Role.ACCESS in roles else {},
        execute={name: found.of(STARTD)} if Role.EXECUTE in roles else {},
        damage=tuple(files.damage),
        failed=(
            *((f"{what} is no configuration and is skipped", why) for what, why in files.skipped),
            *_not_carried_out(found),
        ),
        only_files=True,
        map_files=map_files(found, [each.path for each in places if each.is_directory]),
    )


class _Files:
    """The texts of configuration files by full name, in the order in which they count."""

    def __init__(self, limits: Limits) -> None:
        self.texts: dict[str, str] = {}
        self.damage: list[str] = []
        #: What is no configuration, each with the reason.
        self.skipped: list[tuple[str, str]] = []
        self._limits = limits
        self._sizes: dict[str, int] = {}

    def read(self, place: Place) -> None:
        """Read the files of ``place``."""
        excluded = self._excluded()
        for name, member in place.members.items():
            if not place.is_directory or not excluded.match(name):
                self._read(place, name, member)

    def _read(self, place: Place, name: str, member: Member) -> None:
        above = place.path if place.is_directory else place.path.parent
        snapshot = Snapshot(above, {name: member}, limits=self._limits, _sizes=self._sizes)
        try:
            text = snapshot.text(name) or ""
        except InputError as error:
            self.damage.append(str(error))
            return
        full = full_name(place, name)
        reason = _other_kind(text)
        if not reason:
            self.texts[full] = text
            return
        would = f"; {_READ_ANYWAY}" if place.is_directory else ""
        self.skipped.append((full, f"{reason}{would}"))

    def _excluded(self) -> re.Pattern[str]:
        """Return the names that are left out of a directory, by what was read so far."""
        text = IGNORED_NAMES
        for each in self.texts.values():
            for assignment in assignments(each):
                if assignment.name.upper() == _EXCLUDED and "$(" not in assignment.raw:
                    text = assignment.raw
        try:
            return re.compile(text)
        except re.error:
            self.damage.append(f"{_EXCLUDED}, which Python cannot read: {text}")
            return re.compile(IGNORED_NAMES)


def _other_kind(text: str) -> str:
    """Return why a text is no configuration of HTCondor; empty where it is one."""
    if looks_plain(text):
        return ""
    content = content_of(text, _is_known())
    return "" if content.is_configuration else content.reason


@cache
def _is_known() -> Callable[[str], bool]:
    return knob_test(read_dump("", ())[1])


def _word(statement: Statement) -> str:
    """Return the first word of a statement in lower case; empty where it has none."""
    found = _WORD.match(statement.text)
    if found is None:
        return ""
    return found.group(1).lower()


def _not_carried_out(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Yield the statements that are not carried out, each with what that means."""
    evaluated = _CONTINUES if configuration.conditional else ("if", *_CONTINUES)
    found = (
        (f"{configuration.place_of(each)} ({_word(each)})", _REASONS.get(_word(each), _UNKNOWN))
        for each in configuration.statements
        if not (each.flaw or each.sets) and _word(each) not in evaluated
    )
    yield from islice(found, _MAX_NAMED)
    more = sum(1 for _ in found)
    if more:
        yield f"{more} more lines", _UNKNOWN
