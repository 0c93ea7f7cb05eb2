"""A captured pool as if its daemons were of another version of HTCondor.

Knobs and expressions that are HTCondor's defaults become those of the other version. Jobs and
claims stay as they were captured: what condor_submit writes into jobs, and what an older startd
carved, is not changed. What a version changes is in :mod:`htcq.htcondor.releases`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from htcq.claims.startds import modifier
from htcq.classad.substitution import substituted
from htcq.classad.tree import MY, TARGET, Binary, Reference, Tree
from htcq.errors import InputError
from htcq.htcondor.defaults import expanded_default
from htcq.htcondor.releases import (
    ACCESS,
    CATALOGS,
    CENTRAL,
    CHANGES,
    EXECUTE,
    NEWEST,
    OLDEST,
    ROLES,
    STATIC_LIMITS,
    USER_LIMITS,
    Change,
    Version,
)
from htcq.policy.defaults import MODIFIED, catalog_space, default_modifications
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.pool import Pool
from htcq.pool.record import COLLECTOR, NEGOTIATOR, SCHEDD, Record
from htcq.pool.resource_limits import limits_without_policy
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import STATIC, Slot
from htcq.pool.versions import version
from htcq.poolquota.access.significant_lists import REMOVED
from htcq.simulate.publishing import resources_of
from htcq.units import whole_number

_WRITTEN = "condorversion"
#: Stands for the last release of a series.
_LAST = 999
#: How WithinResourceLimits of a slot without a consumption policy compares disk, before startds
#: knew catalogs and since.
_WITHOUT_CATALOGS = "TARGET.RequestDisk <= MY.Disk"
#: What a startd that knows catalogs says of the files that jobs share; seen with 25.14.1.
_MAPPING, _MAPPED = "MappingMethod", '"Hardlink"'
_LIMITS = "withinresourcelimits"
_SPACE = re.compile(r"\s+")
#: The records whose daemons have a role.
_RECORDS = {CENTRAL: (NEGOTIATOR, COLLECTOR), ACCESS: (SCHEDD,)}


@dataclass(frozen=True)
class AsVersion:
    """All daemons of a role are of this version; ``text`` is the version as it was asked for."""

    role: str
    version: Version
    text: str


@dataclass(frozen=True)
class VersionChange:
    """A change of HTCondor that some daemons of a role would get, or lose where ``gone``.

    ``since`` is the first version that has it. ``rule`` is the audit rule that finds the harm,
    empty where there is none; ``followed`` tells whether the simulation follows it.
    """

    role: str
    since: str
    effect: str
    gone: bool
    rule: str
    followed: bool

    @property
    def sentence(self) -> str:
        """The change in one sentence, with what to know of it in brackets."""
        when = f"{ROLES[self.role]}, since {self.since}"
        if self.gone:
            when = f"{ROLES[self.role]}, no longer before {self.since}"
        notes = []
        if not self.followed:
            notes.append("not simulated")
        if self.rule:
            notes.append(f"rule {self.rule}")
        text = f"{when}: {self.effect[:-1]}"
        if notes:
            text += f" ({', '.join(notes)})"
        return text


def as_version_of(text: str) -> AsVersion:
    """Return what ``ROLE=VERSION`` says; a version of two numbers is the last of its series.

    Raises:
        InputError: it is none, or the version is not known.
    """
    role, _, written = text.partition("=")
    numbers = [whole_number(part) for part in written.split(".")]
    if role not in ROLES or len(numbers) not in (2, 3) or None in numbers:
        raise InputError(
            f"--as-version {text}: not ROLE=VERSION",
            f"a role is {', '.join(ROLES)}; such as access=25.14.1",
        )
    found = tuple(number for number in numbers if number is not None)
    if not OLDEST <= found[:2] <= NEWEST:
        known = " to ".join(".".join(map(str, each)) for each in (OLDEST, NEWEST))
        raise InputError(
            f"--as-version {text}: changes of this version are not known",
            f"htcq knows those of HTCondor {known}",
        )
    if len(found) == 2:
        found = (*found, _LAST)
    return AsVersion(role, found, written)


def pool_as_version(pool: Pool, asked: Iterable[AsVersion]) -> Pool:
    """Return ``pool`` with the daemons of some roles as if they were of other versions."""
    for each in asked:
        if each.role == EXECUTE:
            pool = _with_startds(pool, each)
        else:
            pool = _with_daemons(pool, each)
    return pool


def version_changes(pool: Pool, asked: Iterable[AsVersion]) -> Iterator[VersionChange]:
    """Yield what those versions change for the daemons of ``pool``, in the order of releases."""
    targets = {each.role: each.version for each in asked}
    for change in CHANGES:
        target = targets.get(change.role)
        if target is None:
            continue
        then = change.holds(target)
        if any(change.holds(now) is not then for now in versions_of(pool, change.role)):
            yield _told(change, then)


def versions_of(pool: Pool, role: str) -> frozenset[Version]:
    """Return the versions that daemons of a role have; ``()`` where one is not known."""
    if role == EXECUTE:
        return frozenset(version(frame.value(_WRITTEN)) for frame in _frames(pool))
    records = pool.negotiators if role == CENTRAL else pool.schedds
    return frozenset(version(record.value(_WRITTEN)) for record in records)


def _told(change: Change, then: bool) -> VersionChange:
    since = ".".join(map(str, change.since))
    return VersionChange(change.role, since, change.effect, not then, change.rule, change.followed)


def _frames(pool: Pool) -> Iterable[SharedAttributes]:
    return {id(slot.frame): slot.frame for slot in pool.slots or ()}.values()


def _condor_version(found: Version) -> str:
    return f"$CondorVersion: {'.'.join(map(str, found))} $"


# Configuration
# --------------------------------------------------------------------------------------------------


def _without_defaults(own: Configuration) -> Configuration:
    """Return a configuration without the defaults that differ between versions.

    What is not configured has the default of the version.
    """
    return own.changed(_unless_default)


def _unless_default(knob: Knob) -> Knob | None:
    defaults = _FORMER.get(knob.bare.upper())
    if defaults is not None and _plain(knob.raw or knob.value) in defaults:
        return None
    return knob


def _plain(text: str) -> str:
    return _SPACE.sub("", text).lower()


def _defaults() -> Mapping[str, frozenset[str]]:
    """Return the defaults of all versions, by the knobs for which they differ."""
    versions = {bound for change in CHANGES for bound in (change.since, *change.before.values())}
    found = {REMOVED: frozenset((_plain(expanded_default(REMOVED)),))}
    for asset in MODIFIED:
        texts = {_plain(default_modifications(each)[asset]) for each in (OLDEST, *versions)}
        if len(texts) > 1:
            found[modifier(asset)] = frozenset(texts)
    return found


_FORMER = _defaults()


def _configured(
    configurations: Mapping[str, Configuration],
) -> dict[str, Configuration]:
    return {name: _without_defaults(own) for name, own in configurations.items()}


# Daemons
# --------------------------------------------------------------------------------------------------


def _with_daemons(pool: Pool, asked: AsVersion) -> Pool:
    """Return ``pool`` with another version of its central manager or access points."""
    central = None if pool.central is None else _without_defaults(pool.central)
    changed = replace(pool, central=central, access=_configured(pool.access))
    if asked.role == ACCESS and not USER_LIMITS.holds(asked.version):
        changed = replace(changed, users=())
    if pool.records is None:
        return changed
    records = dict(pool.records)
    for kind in _RECORDS[asked.role]:
        records[kind] = tuple(_written(each, asked.version) for each in records.get(kind, ()))
    return replace(changed, records=records)


def _written(record: Record, by: Version) -> Record:
    return replace(record, values={**record.values, _WRITTEN: _condor_version(by)})


def _with_startds(pool: Pool, asked: AsVersion) -> Pool:
    """Return ``pool`` with startds of another version."""
    expressions, frames = Expressions(), dict[tuple[int, bool], SharedAttributes]()
    slots = []
    for slot in pool.slots or ():
        key = (id(slot.frame), slot.type == STATIC)
        if key not in frames:
            frames[key] = slot.frame.changed(_texts(slot, asked.version), expressions)
        slots.append(slot._replace(frame=frames[key]))
    return replace(
        pool,
        slots=tuple(slots),
        slot_frames=tuple(frames.values()),
        execute=_configured(pool.execute),
    )


def _texts(slot: Slot, by: Version) -> dict[str, str]:
    """Return the attributes that a startd of another version publishes otherwise."""
    frame = slot.frame
    texts = {"CondorVersion": f'"{_condor_version(by)}"'}
    limits = frame.text(_LIMITS)
    requirements = frame.text("Requirements")
    changed = limits
    if slot.type == STATIC and not STATIC_LIMITS.holds(by):
        texts["Requirements"] = _without_limits(requirements)
    elif slot.type == STATIC and _without_limits(requirements) == requirements:
        changed = limits or " && ".join(limits_without_policy(resources_of(slot)))
        texts["Requirements"] = f"({requirements}) && WithinResourceLimits"
    if not CATALOGS.holds(by):
        changed = _with_disk(changed, _WITHOUT_CATALOGS, Binary)
    else:
        with_catalogs = f"(TARGET.RequestDisk - {catalog_space()}) <= MY.Disk"
        changed = _with_disk(changed, with_catalogs, Reference)
        if _MAPPING.lower() not in frame.texts:
            texts[_MAPPING] = _MAPPED
    if changed != limits:
        texts["WithinResourceLimits"] = changed
    return texts


def _without_limits(requirements: str) -> str:
    """Return Requirements without the clause of the startd (src/condor_startd.V6/Reqexp.cpp)."""

    def replaced(part: Tree) -> str | None:
        if not isinstance(part, Binary) or part.operator != "&&":
            return None
        if not isinstance(part.right, Reference) or part.right.name != _LIMITS:
            return None
        left = part.left.span
        rest = requirements[left.start : left.end]
        return rest if left.start == part.span.start else f"({rest})"

    return substituted(requirements, replaced)


def _with_disk(limits: str, comparison: str, asked_as: type[Binary | Reference]) -> str:
    """Return WithinResourceLimits with another comparison of the disk that a request asks for.

    That is a difference, with the space of catalogs, or the attribute of the request alone; it
    stands behind the condition that the slot has a disk.
    """
    behind: set[int] = set()

    def replaced(part: Tree) -> str | None:
        if not isinstance(part, Binary):
            return None
        if part.operator == "&&" and _has_disk(part.left):
            behind.add(id(part.right))
        if id(part) in behind and _compares_disk(part, asked_as):
            return comparison
        return None

    return substituted(limits, replaced)


def _has_disk(tree: Tree) -> bool:
    """Return whether ``tree``, or the last condition of it, is ``MY.Disk > 0``."""
    while isinstance(tree, Binary) and tree.operator == "&&":
        tree = tree.right
    return isinstance(tree, Binary) and tree.operator == ">" and _is_disk(tree.left, MY)


def _compares_disk(part: Binary, asked_as: type[Binary | Reference]) -> bool:
    if part.operator != "<=" or not _is_disk(part.right, MY) or not isinstance(part.left, asked_as):
        return False
    asked: Tree = part.left
    if isinstance(asked, Binary) and asked.operator == "-":
        asked = asked.left
    return _is_disk(asked, TARGET)


def _is_disk(tree: Tree, scope: str) -> bool:
    name = "disk" if scope == MY else "requestdisk"
    return isinstance(tree, Reference) and (tree.scope, tree.name) == (scope, name)
