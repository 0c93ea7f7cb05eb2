"""What the startds of a pool make of requests, by their configuration where it is known, else by their version.

A knob of a slot type comes before the general one (src/condor_startd.V6/slot_builder.cpp: SlotType::param, 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from htcq.classads import as_number, parsed
from htcq.policy.claim import Amounts, Startd, Way, first_that_fits, ways
from htcq.policy.defaults import MODIFIED, default_modifications
from htcq.pool.autocluster import Autocluster
from htcq.pool.configuration import Configuration
from htcq.pool.slot import PARTITIONABLE, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.versions import version

_MUST_MODIFY = "MUST_MODIFY_REQUEST_EXPRS"


def modifier(asset: str) -> str:
    """Return the name of the knob by which a startd changes the request for ``asset``."""
    return f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}"


class StartdTable:
    """The startds by the slots that they advertise; ``configurations`` are those that are known, by machine."""

    def __init__(self, configurations: Mapping[str, Configuration]) -> None:
        self._configurations = configurations
        self._of: dict[tuple[int, object], Startd] = {}
        self._alike: dict[tuple[object, ...], Startd] = {}

    def of(self, slot: Slot) -> Startd:
        """Return the startd of ``slot``; the same one for all that do the same."""
        key = (id(slot.frame), slot.machine if self._configurations else "")
        found = self._of.get(key)
        if found is None:
            found = self._of[key] = self._read(slot)
        return found

    def words(self, slots: Iterable[Slot]) -> set[str]:
        """Return every word of the expressions that the startds of ``slots`` evaluate besides those in the ads."""
        startds = {id(startd): startd for startd in map(self.of, slots)}
        return {word for startd in startds.values() for each in startd.modify.values() for word in each.words()}

    def _read(self, slot: Slot) -> Startd:
        configuration = self._configurations.get(str(slot.machine))
        known = version(slot.frame.value("CondorVersion")) or Startd.version
        texts = modifications(slot, configuration)
        must = configuration is not None and configuration.truth(_MUST_MODIFY, False)
        key = (*texts.items(), known, must)
        if key not in self._alike:
            expressions = {asset: parsed(text) for asset, text in texts.items()}
            usable = {asset: each for asset, each in expressions.items() if each is not None}
            self._alike[key] = Startd(usable, known, must)
        return self._alike[key]


def modifications(slot: Slot, configuration: Configuration | None) -> dict[str, str]:
    """Return MODIFY_REQUEST_EXPR_REQUEST<asset> by asset as it counts for ``slot``; empty: the request stays."""
    known = version(slot.frame.value("CondorVersion")) or Startd.version
    texts = default_modifications(known)
    if configuration is not None:
        for asset in MODIFIED:
            typed = configuration.value(f"SLOT_TYPE_{slot.type_id}_{modifier(asset)}")
            general = configuration.knob(modifier(asset))
            texts[asset] = typed or (general.value if general is not None else texts[asset])
    return texts


def carve(kind: SlotClass, jobs: Autocluster, startd: Startd, left: Amounts | None = None, judged: bool = True) -> Way:
    """Return how a claim of ``jobs`` is served of a slot of ``kind`` with ``left`` (None: all it had at birth).

    A static slot is taken as a whole. Where nothing fits, ``refusal`` says why; whether the dynamic slot then takes its
    job is only told if ``judged``.
    """
    have = kind.total if left is None else left
    if kind.type != PARTITIONABLE:
        return Way(bag=have, got=have, consumed=have)
    return first_that_fits(ways(kind, jobs, have, startd, machine_disk_kb(kind.first), judged), have)


def machine_disk_kb(slot: Slot) -> int:
    """Return TotalDisk of the machine; 0 where its ad does not say."""
    return int(as_number(slot.total_disk_kb) or 0)
