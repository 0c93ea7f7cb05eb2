"""How the startds of a pool change requests.

Their configuration decides where it is known, else their version.

A knob of a slot type comes before the general one (src/condor_startd.V6/slot_builder.cpp:
SlotType::param, 25.14).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from htcq.classads import Value, as_number, literal, parsed
from htcq.policy.carved import Amounts
from htcq.policy.claim import (
    Startd,
    Taken,
    Way,
    changed_requests,
    first_that_fits,
    refused,
    unjudged_ways,
)
from htcq.policy.defaults import ABSOLUTE_DISK, MODIFIED, default_modifications
from htcq.pool.autocluster import Autocluster
from htcq.pool.configuration import Configuration
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, PLACES, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.versions import version

_MUST_MODIFY = "MUST_MODIFY_REQUEST_EXPRS"
#: Can put any name together.
_ANY_NAME = "eval"


def modifier(asset: str) -> str:
    """Return the name of the knob by which a startd changes the request for ``asset``."""
    return f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}"


class StartdTable:
    """The startds of slots.

    ``configurations`` are those that are known, by machine.
    """

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
        """Return the words of the expressions by which the startds of ``slots`` change requests."""
        startds = {id(startd): startd for startd in map(self.of, slots)}
        return {
            word
            for startd in startds.values()
            for each in startd.modify.values()
            for word in each.words()
        }

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
    """Return MODIFY_REQUEST_EXPR_REQUEST<asset> by asset for ``slot``.

    An empty text leaves the request as it is.
    """
    known = version(slot.frame.value("CondorVersion")) or Startd.version
    texts = default_modifications(known)
    if configuration is not None:
        for asset in MODIFIED:
            typed = configuration.value(f"SLOT_TYPE_{slot.type_id}_{modifier(asset)}")
            general = configuration.knob(modifier(asset))
            texts[asset] = typed or (general.value if general is not None else texts[asset])
    return texts


def carve(
    kind: SlotClass,
    jobs: Autocluster,
    startd: Startd,
    left: Amounts | None = None,
    judged: bool = True,
) -> Way:
    """Return how a claim of ``jobs`` is carved from a slot of ``kind`` with ``left``.

    Without ``left``, the slot has all that it had at birth.

    A static slot is taken as a whole. Where nothing fits, ``refusal`` says why; whether the
    dynamic slot then takes its job is only told if ``judged``.
    """
    have = kind.total if left is None else left
    if kind.type != PARTITIONABLE:
        return Way(bag=have, got=have, consumed=have)
    tried = unjudged_ways(kind, jobs, have, startd, machine_disk_kb(kind.first))
    return _first(kind, jobs, tried, have, judged)


def _first(
    kind: SlotClass, jobs: Autocluster, tried: Iterable[Way], have: Amounts, judged: bool
) -> Way:
    if not judged:
        return first_that_fits(tried, have)
    return first_that_fits(tried, have, lambda way: refused(kind, jobs, way.got))


class Carver:
    """Claims of autoclusters on unused slots.

    Each of many autoclusters is tried on each of many slot classes.

    Without a consumption policy a claim depends on the slot only as far as the expressions look
    at it by which the startd changes the request; what is served for one kind is served for all
    that are the same to them. The kinds and the autoclusters must live as long as this.
    """

    def __init__(self) -> None:
        self._words: dict[tuple[int, int], frozenset[str]] = {}
        self._seen: dict[tuple[int, int, int], Hashable] = {}
        self._requests: dict[tuple[object, ...], tuple[Mapping[str, Value], ...]] = {}
        self._ways: dict[tuple[object, ...], tuple[Way, ...]] = {}

    def carve(
        self, kind: SlotClass, jobs: Autocluster, startd: Startd, by_policy: Taken, judged: bool
    ) -> Way:
        """Return what :func:`carve` returns for an unused slot.

        ``by_policy`` is what the job consumes by the slot's policy.
        """
        if kind.type != PARTITIONABLE:
            return carve(kind, jobs, startd)
        disk = machine_disk_kb(kind.first)
        seen = self._seen_by(kind.first.frame, jobs, startd)
        if seen is None:
            tried: Iterable[Way] = unjudged_ways(kind, jobs, kind.total, startd, disk, by_policy)
        elif kind.supports_policy:
            requests = self._changed(kind, jobs, startd, seen)
            tried = unjudged_ways(kind, jobs, kind.total, startd, disk, by_policy, requests)
        else:
            tried = self._without_policy(kind, jobs, startd, seen)
        return _first(kind, jobs, tried, kind.total, judged)

    def _changed(
        self, kind: SlotClass, jobs: Autocluster, startd: Startd, seen: Hashable
    ) -> tuple[Mapping[str, Value], ...]:
        key = (id(startd), id(jobs), seen)
        found = self._requests.get(key)
        if found is None:
            found = self._requests[key] = tuple(changed_requests(kind, jobs, kind.total, startd))
        return found

    def _without_policy(
        self, kind: SlotClass, jobs: Autocluster, startd: Startd, seen: Hashable
    ) -> tuple[Way, ...]:
        disk = machine_disk_kb(kind.first)
        share_of = 0 if startd.version >= ABSOLUTE_DISK else disk
        key = (id(startd), id(jobs), kind.assets, share_of, seen)
        found = self._ways.get(key)
        if found is None:
            found = self._ways[key] = tuple(unjudged_ways(kind, jobs, kind.total, startd, disk))
        return found

    def _seen_by(self, frame: SharedAttributes, jobs: Autocluster, startd: Startd) -> Hashable:
        """Return the values in ``frame`` that a changed request may depend on.

        None where some are no plain values.
        """
        key = (id(frame), id(jobs), id(startd))
        if key not in self._seen:
            self._seen[key] = _plain_values(frame, self._words_of(jobs, startd))
        return self._seen[key]

    def _words_of(self, jobs: Autocluster, startd: Startd) -> frozenset[str]:
        key = (id(jobs.frame), id(startd))
        if key not in self._words:
            self._words[key] = frozenset(_reached(startd, jobs.frame))
        return self._words[key]


def _reached(startd: Startd, job: SharedAttributes) -> set[str]:
    """Return every word that the expressions of ``startd`` lead to in the ad of a job."""
    found: set[str] = set()
    waiting = [word for each in startd.modify.values() for word in each.words()]
    while waiting:
        word = waiting.pop()
        if word in found:
            continue
        found.add(word)
        expression = job.expression(word) if literal(job.text(word) or "0") is None else None
        if expression is not None:
            waiting += expression.words()
    return found


def _plain_values(frame: SharedAttributes, words: frozenset[str]) -> Hashable:
    """Return those texts of ``frame`` that ``words`` name.

    None where one is an expression, or a slot's own value.
    """
    if _ANY_NAME in words or not words.isdisjoint(PLACES):
        return None
    texts = {word: frame.texts[word] for word in sorted(words & frame.texts.keys())}
    if any(literal(text) is None for text in texts.values()):
        return None
    return tuple(texts.items())


def machine_disk_kb(slot: Slot) -> int:
    """Return TotalDisk of the machine; 0 where its ad does not say."""
    return int(as_number(slot.total_disk_kb) or 0)
