"""Idle GPUs whose cores or memory jobs without GPUs hold, while jobs wait for GPUs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import execute, literal_text
from htcq.audit.mix import Taking, takings, waiting
from htcq.audit.policies import number
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.pool.slot_class import EXAMPLES, SlotClass
from htcq.simulate.course.claims import amounts_of
from htcq.units import CPUS, GPUS, MEMORY

#: What jobs without a GPU take from those that want one.
_BESIDE = (CPUS, MEMORY)


@dataclass
class _Blocked:
    """The slots whose GPUs idle, and of what there is too little beside them."""

    gpus: Number = 0
    slots: list[Slot] = field(default_factory=list)
    short: Counter[str] = field(default_factory=Counter)
    jobs: dict[int, Taking] = field(default_factory=dict)


def _find(evidence: Evidence) -> Iterator[Found]:
    classes = [jobs for jobs in waiting(evidence) if (jobs.request.get(GPUS) or 0) > 0]
    if not classes:
        return
    kinds = [kind for kind in evidence.slot_classes_by_frame if _has_gpus(kind)]
    blocked, held = _Blocked(), _held_without_gpus(evidence, kinds)
    whole: Number = 0
    for kind in kinds:
        whole += kind.count * kind.total[GPUS]
        wanted = tuple(takings(evidence, kind, classes))
        for slot in kind.slots:
            _look(slot, wanted, held.get(str(slot.name), {}), blocked)
    if blocked.slots:
        yield _found(evidence, blocked, whole)


def _has_gpus(kind: SlotClass) -> bool:
    return kind.type == PARTITIONABLE and bool(kind.total.get(GPUS, 0))


def _held_without_gpus(
    evidence: Evidence, kinds: Iterable[SlotClass]
) -> Mapping[str, dict[str, Number]]:
    """Return by slot of ``kinds`` what its claims without a GPU hold of cpus and memory."""
    found: dict[str, dict[str, Number]] = {}
    startds: set[str] = set()
    for kind in kinds:
        startds.update(slot.startd for slot in kind.slots)
    for slot in evidence.dynamic:
        if slot.startd not in startds:
            continue
        left = slot.left()
        if slot.claimed and not left.get(GPUS):
            held = found.setdefault(slot.parent, dict.fromkeys(_BESIDE, 0))
            for asset in _BESIDE:
                held[asset] += left.get(asset) or 0
    return found


def _look(
    slot: Slot, wanted: tuple[Taking, ...], held: Mapping[str, Number], blocked: _Blocked
) -> None:
    """Note ``slot`` if a job for its free GPUs lacks nothing but what claims without a GPU hold."""
    left = amounts_of(slot)
    if not left.get(GPUS, 0) or not any(held.values()):
        return
    shortages = [(each, each.short_of(left)) for each in wanted]
    if any(not short for _, short in shortages):
        return
    without = {asset: amount + held.get(asset, 0) for asset, amount in left.items()}
    kept_out = [(each, short) for each, short in shortages if not each.short_of(without)]
    if not kept_out:
        return
    blocked.gpus += left[GPUS]
    blocked.slots.append(slot)
    for each, short in kept_out:
        blocked.short.update(short)
        blocked.jobs[id(each.jobs)] = each


def _found(evidence: Evidence, blocked: _Blocked, whole: Number) -> Found:
    idle = sum(sum(each.jobs.idle.values()) for each in blocked.jobs.values())
    short = [asset for asset, _ in blocked.short.most_common()]
    example = evidence.pool.job_name(next(iter(blocked.jobs.values())).jobs.first)
    verb = "waits" if idle == 1 else "wait"
    return Found(
        cause="cpu jobs",
        subject=f"slot {blocked.slots[0].name}",
        message=(
            f"{number(blocked.gpus)} of {counted(int(whole), 'GPU')} idle on "
            f"{counted(len(blocked.slots), 'slot')}, where jobs without a GPU use the "
            f"{listed(short)}; {counted(idle, 'job')} such as {example} {verb} for GPUs"
        ),
        facts=(
            Fact("idle GPUs", number(blocked.gpus)),
            Fact("waiting jobs", f"{idle}, such as {example}"),
        ),
        count=len(blocked.slots),
        harm=Harm(jobs=idle),
        examples=tuple(str(slot.name) for slot in blocked.slots[:EXAMPLES]),
        settings=_settings(evidence, blocked.slots),
    )


def _settings(evidence: Evidence, slots: list[Slot]) -> tuple[Setting, ...]:
    """Return START as it is on each of ``slots``, for jobs that want a GPU alone."""
    found: dict[str, list[Slot]] = {}
    for slot in slots:
        found.setdefault(literal_text(slot.frame.text("Start") or "true"), []).append(slot)
    settings: list[Setting] = []
    for start, alike in found.items():
        settings += execute(evidence, alike, "START", f"({start}) && TARGET.RequestGPUs > 0")
    return tuple(settings)


RULE = Rule(
    id="gpus-behind-cpu-jobs",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary=(
        "GPUs are idle because jobs without GPUs use the cores or memory, while jobs wait for GPUs"
    ),
    consequence=(
        "The machines with GPUs accept all jobs. Jobs without GPUs use up the cores or the "
        "memory that a GPU job also needs. The most expensive part of the pool is idle as long "
        "as they run."
    ),
    advice=(
        "Reserve the machines with GPUs for GPU jobs: completely, as in the setting, or with a "
        "START that accepts other jobs while Cpus > 4 * GPUs. A high weight for GPUs in "
        "SLOT_WEIGHT does not keep other jobs away."
    ),
    source="src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, 25.14",
    find=_find,
)
