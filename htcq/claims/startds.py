"""How the startds of a pool change requests.

Their configuration decides where it is known, else their version.

A knob of a slot type comes before the general one (src/condor_startd.V6/slot_builder.cpp:
SlotType::param, 25.14).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from htcq.claims.consumptions import Consumptions
from htcq.classads import Value, as_number, literal, parsed
from htcq.htcondor.releases import ABSOLUTE_DISK
from htcq.policy.carved import Amounts, Way, first_that_fits
from htcq.policy.claim import Startd, Taken, changed_requests, unjudged_ways
from htcq.policy.defaults import MODIFIED, default_modifications
from htcq.pool.autocluster import Autocluster
from htcq.pool.configuration import Configuration
from htcq.pool.pool import of_startd
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, PLACES, Slot
from htcq.pool.slot_class import SlotClass
from htcq.pool.versions import version

#: The attribute with which htcq marks the slots that it configured.
_MODEL = "HtcqModel"
_MUST_MODIFY = "MUST_MODIFY_REQUEST_EXPRS"
#: Can put any name together.
_ANY_NAME = "eval"


def modifier(asset: str) -> str:
    """Return the name of the knob by which a startd changes the request for ``asset``."""
    return f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}"


class StartdTable:
    """The startds of slots.

    ``configurations`` are those that are known, by machine or startd. Those that do the same as
    one of the table ``before`` are the same objects.
    """

    def __init__(
        self, configurations: Mapping[str, Configuration], before: StartdTable | None = None
    ) -> None:
        self._configurations = configurations
        #: With the frame: what is known by its id must live.
        self._of: dict[tuple[int, object], tuple[Startd, SharedAttributes]] = {}
        self._alike: dict[tuple[object, ...], Startd] = {}
        if before is not None:
            self._alike = before._alike

    def on(self, configurations: Mapping[str, Configuration]) -> StartdTable:
        """Return the table of the same pool with these configurations: this one if all are its."""
        own = self._configurations
        if configurations.keys() != own.keys():
            return StartdTable(configurations, self)
        for name, configuration in own.items():
            if configurations[name] is not configuration:
                return StartdTable(configurations, self)
        return self

    def of(self, slot: Slot) -> Startd:
        """Return the startd of ``slot``; the same object for all startds that do the same."""
        startd = ""
        if self._configurations:
            startd = slot.startd
        key = (id(slot.frame), startd)
        found = self._of.get(key)
        if found is None:
            found = self._of[key] = (self._read(slot), slot.frame)
        return found[0]

    def words(self, slots: Iterable[Slot]) -> set[str]:
        """Return the words of the expressions by which the startds of ``slots`` change requests."""
        if not self._configurations:
            slots = {slot.frame: slot for slot in slots}.values()
        startds = {id(startd): startd for startd in map(self.of, slots)}
        words: set[str] = set()
        for startd in startds.values():
            words.update(_words_of(startd))
        return words

    def _read(self, slot: Slot) -> Startd:
        configuration = of_startd(self._configurations, slot)
        known = version(slot.frame.value("CondorVersion")) or Startd.version
        texts = modifications(slot, configuration)
        must = configuration is not None and configuration.truth(_MUST_MODIFY, False)
        key = (*texts.items(), known, must)
        if key not in self._alike:
            usable = {}
            for asset, text in texts.items():
                expression = parsed(text)
                if expression is not None:
                    usable[asset] = expression
            self._alike[key] = Startd(usable, known, must)
        return self._alike[key]


def modifications(slot: Slot, configuration: Configuration | None) -> dict[str, str]:
    """Return MODIFY_REQUEST_EXPR_REQUEST<asset> by asset for ``slot``.

    An empty text leaves the request as it is. Where no configuration is known, the defaults hold,
    unless the slot says that htcq wrote its consumption policy: then the startd computes from the
    request that the negotiator saw (templates/condor/execute.config.j2).
    """
    known = version(slot.frame.value("CondorVersion")) or Startd.version
    texts = default_modifications(known)
    if configuration is None:
        if isinstance(slot.frame.value(_MODEL), str) and "ConsumptionCpus" in slot.frame:
            return {}
        return texts
    for asset in MODIFIED:
        typed = configuration.value(f"SLOT_TYPE_{slot.type_id}_{modifier(asset)}")
        general = configuration.knob(modifier(asset))
        if typed:
            texts[asset] = typed
        elif general is not None:
            texts[asset] = general.value
    return texts


def carve(
    slot_class: SlotClass, jobs: Autocluster, startd: Startd, left: Amounts | None = None
) -> Way:
    """Return how a claim of ``jobs`` is carved from a slot of ``slot_class`` with ``left``.

    Without ``left``, the slot has all that it had at birth. A static slot is taken as a whole.
    Where nothing fits, ``refusal`` says why. Whether the dynamic slot accepts its job is not
    checked.
    """
    have: Amounts = slot_class.total
    if left is not None:
        have = left
    if slot_class.type != PARTITIONABLE:
        return Way(bag=have, got=have, consumed=have)
    tried = unjudged_ways(slot_class, jobs, have, startd, machine_disk_kb(slot_class.first))
    return first_that_fits(tried, have)


class Carver:
    """Claims of autoclusters on unused slots.

    Each of many autoclusters is tried on each of many slot classes. Without a consumption policy,
    or with one that refers to nothing of its slot, a claim depends on the slot only through the
    attributes that the startd's expressions name when they change the request. A claim on one slot
    class is carved like that on all which have the same values of them.
    """

    def __init__(self, consumptions: Consumptions) -> None:
        self._consumptions = consumptions
        #: What is known by its id must live.
        self._alive: dict[int, object] = {}
        self._words: dict[tuple[int, int], frozenset[str]] = {}
        self._seen: dict[tuple[int, int, int], Hashable] = {}
        self._requests: dict[tuple[object, ...], tuple[Mapping[str, Value], ...]] = {}
        self._ways: dict[tuple[object, ...], tuple[Way, ...]] = {}

    def carve(
        self,
        slot_class: SlotClass,
        jobs: Autocluster,
        startd: Startd,
        by_policy: Taken,
    ) -> Way:
        """Return what :func:`carve` returns for an unused slot.

        ``by_policy`` is what the job consumes by the slot's policy.
        """
        if slot_class.type != PARTITIONABLE:
            return carve(slot_class, jobs, startd)
        for each in (slot_class.first.frame, jobs, startd):
            self._alive[id(each)] = each
        disk = machine_disk_kb(slot_class.first)
        seen = self._seen_by(slot_class.first.frame, jobs, startd)
        if seen is None:
            tried: Iterable[Way] = unjudged_ways(
                slot_class, jobs, slot_class.total, startd, disk, by_policy
            )
        elif slot_class.supports_policy and not self._consumptions.is_alone(slot_class, jobs.frame):
            requests = self._changed(slot_class, jobs, startd, seen)
            tried = unjudged_ways(
                slot_class, jobs, slot_class.total, startd, disk, by_policy, requests
            )
        else:
            tried = self._alike(slot_class, jobs, startd, seen)
        return first_that_fits(tried, slot_class.total)

    def _changed(
        self, slot_class: SlotClass, jobs: Autocluster, startd: Startd, seen: Hashable
    ) -> tuple[Mapping[str, Value], ...]:
        key = (id(startd), id(jobs), seen)
        found = self._requests.get(key)
        if found is None:
            found = self._requests[key] = tuple(
                changed_requests(slot_class, jobs, slot_class.total, startd)
            )
        return found

    def _alike(
        self, slot_class: SlotClass, jobs: Autocluster, startd: Startd, seen: Hashable
    ) -> tuple[Way, ...]:
        disk = machine_disk_kb(slot_class.first)
        share_of = disk
        if ABSOLUTE_DISK.holds(startd.version):
            share_of = 0
        policy: Hashable = None
        if slot_class.supports_policy:
            policy = tuple(slot_class.consumption.items())
        key = (id(startd), id(jobs), slot_class.assets, share_of, seen, policy)
        found = self._ways.get(key)
        if found is None:
            found = self._ways[key] = tuple(
                unjudged_ways(slot_class, jobs, slot_class.total, startd, disk)
            )
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
    waiting = _words_of(startd)
    while waiting:
        word = waiting.pop()
        if word in found:
            continue
        found.add(word)
        if literal(job.text(word) or "0") is None:
            expression = job.expression(word)
            if expression is not None:
                waiting += expression.words()
    return found


def _words_of(startd: Startd) -> list[str]:
    words: list[str] = []
    for expression in startd.modify.values():
        words += expression.words()
    return words


def _plain_values(frame: SharedAttributes, words: frozenset[str]) -> Hashable:
    """Return those texts of ``frame`` that ``words`` name.

    None where one is an expression, or a slot's own value.
    """
    if _ANY_NAME in words or not words.isdisjoint(PLACES):
        return None
    texts = []
    for word in sorted(words & frame.texts.keys()):
        text = frame.texts[word]
        if literal(text) is None:
            return None
        texts.append((word, text))
    return tuple(texts)


def machine_disk_kb(slot: Slot) -> int:
    """Return TotalDisk of the machine; 0 where its ad does not say."""
    return int(as_number(slot.total_disk_kb) or 0)
