"""Cores, memory or GPUs that are free on slots which fit no waiting job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.mix import Taking, takings, waiting
from htcq.audit.policies import number
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.shortage import ShortSlot, demand, short_slots
from htcq.pool.slot import PARTITIONABLE, Number
from htcq.pool.slot_class import EXAMPLES
from htcq.units import CPUS, GPUS, MEMORY, amount_name

#: Less than this part of what the pool has is left over in every pool that is full.
_NOTEWORTHY = 0.1
_UNITS: Mapping[str, str] = {CPUS: "cores", MEMORY: "MB of memory", GPUS: "GPUs"}

_FREE: Mapping[str, str] = {CPUS: "few free", GPUS: "few free"}


@dataclass
class _Stranded:
    """Assets that are free and of no use for one reason.

    ``short`` are the assets of which there is too little beside them.
    """

    short: tuple[str, ...]
    free: dict[str, Number] = field(default_factory=lambda: dict.fromkeys(_UNITS, 0))
    names: list[str] = field(default_factory=list)

    def add(self, slot: ShortSlot) -> None:
        """Add one more slot."""
        self.names.append(str(slot.slot.name))
        for asset, amount in slot.stranded.items():
            self.free[asset] += amount


def _find(evidence: Evidence) -> Iterator[Found]:
    classes = waiting(evidence)
    found: dict[tuple[str, ...], _Stranded] = {}
    whole: dict[str, Number] = dict.fromkeys(_UNITS, 0)
    wanted: dict[int, Taking] = {}
    for kind in evidence.slot_classes_by_frame:
        for asset in _UNITS:
            whole[asset] += kind.count * kind.total.get(asset, 0)
        if kind.type == PARTITIONABLE:
            jobs = tuple(takings(evidence, kind, classes))
            wanted.update({id(each.jobs): each for each in jobs})
            for each in short_slots(kind, jobs):
                found.setdefault(each.short, _Stranded(each.short)).add(each)
    demanded = demand(wanted.values())
    for one in sorted(found.values(), key=lambda each: -len(each.names)):
        # What is free and nobody would use is not stranded, but idle.
        lost: dict[str, Number] = {}
        for asset, free in one.free.items():
            least = _NOTEWORTHY * whole[asset]
            if free and min(free, demanded[asset]) >= least:
                lost[asset] = free
        if lost:
            yield _found(one, lost, whole, sum(sum(jobs.idle.values()) for jobs in classes))


def _found(
    one: _Stranded, lost: Mapping[str, Number], whole: Mapping[str, Number], idle: int
) -> Found:
    too_few = [f"too {_FREE.get(asset, 'little free')} {amount_name(asset)}" for asset in one.short]
    parts = [
        f"{number(free)} of {number(whole[asset])} {_UNITS[asset]}" for asset, free in lost.items()
    ]
    severity = None
    if CPUS in lost or GPUS in lost:
        severity = Severity.WARNING
    return Found(
        cause=f"too little {listed(one.short)}",
        subject=f"slot {one.names[0]}",
        message=(
            f"{listed(parts)} are free on {counted(len(one.names), 'slot')}, and none of the "
            f"{idle} idle jobs can use them: those slots have {listed(too_few)}"
        ),
        facts=tuple(Fact(f"free {asset}", number(free)) for asset, free in lost.items()),
        count=len(one.names),
        examples=tuple(one.names[:EXAMPLES]),
        severity=severity,
    )


RULE = Rule(
    id="stranded-assets",
    severity=Severity.INFO,
    needs=(Input.SLOTS, Input.JOBS),
    summary="Cores, memory or GPUs are free that none of the waiting jobs can use",
    consequence=(
        "A slot can run a job only if it has enough of every asset. If small jobs leave a few "
        "cores on every machine, or large memory requests leave cores without memory, the pool "
        "is full for the waiting jobs although a part of it is idle. Memory that is left when "
        "all cores are used is normal."
    ),
    advice=(
        "For fragmented cores: let condor_defrag drain some machines, or reserve some for large "
        "jobs in START. For cores without memory: check requests that are far above the actual "
        "use, and charge for memory in SLOT_WEIGHT. 'htcq plan --jobs' shows which asset is "
        "scarce for the mix of jobs."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:matchmakingAlgorithm, "
        "condor_utils/consumption_policy.cpp, 25.14"
    ),
    find=_find,
)
