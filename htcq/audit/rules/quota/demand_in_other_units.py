"""The schedds weigh jobs in another unit than the slots weigh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from htcq.audit.access_points import Queue, queues
from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.audit.sound_weights import sound_weights
from htcq.pool.autocluster import Autocluster
from htcq.pool.demand import ScheddWeight
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.poolquota.demand import Submitter

#: Demand is stale by minutes and truncated for each job: less than this factor proves nothing.
_FACTOR = 2.0


class _Charges:
    """What jobs are charged by each policy and weight of the pool, at the match and later.

    It is computed once for each autocluster.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._known: dict[int, tuple[Number, ...]] = {}
        self._alike: dict[tuple[str, ...], list[SlotClass]] = {}
        for kind in evidence.offered:
            policy = (kind.type, kind.weight_text, *kind.consumption.values())
            self._alike.setdefault(policy, []).append(kind)

    def of(self, jobs: Autocluster) -> tuple[Number, ...]:
        """Return the charges of a job of ``jobs``; none where it fits no slot."""
        known = self._known.get(id(jobs.frame))
        if known is None:
            charges: list[Number] = []
            for alike in self._alike.values():
                fitting = (kind for kind in alike if self._evidence.fits(kind, jobs))
                kind = next(fitting, None)
                if kind is not None:
                    charges += self._evidence.claims.of(kind, jobs).charges
            known = tuple(charges)
            self._known[id(jobs.frame)] = known
        return known


class _Knobs:
    """What idle jobs weigh by the knobs of their access points, which the ads may not follow."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    @cached_property
    def _weights(self) -> Mapping[str, Sequence[tuple[int, Queue, ScheddWeight]]]:
        found: dict[str, list[tuple[int, Queue, ScheddWeight]]] = {}
        for (schedd, submitter), queue in queues(self._evidence).items():
            configuration = self._evidence.pool.schedd_configuration(schedd)
            if configuration is not None:
                weight = ScheddWeight(configuration)
                one = (queue.weighted_idle(weight), queue, weight)
                found.setdefault(submitter, []).append(one)
        return found

    def contradict(self, submitter: str, weighs: float) -> str:
        """Return what says that idle jobs do not weigh ``weighs`` each by the knobs.

        It is empty where they do, or it is not known.
        """
        found = self._weights.get(submitter, ())
        number = sum(queue.idle for _, queue, _ in found)
        if not number:
            return ""
        mean = sum(weight for weight, _, _ in found) / number
        if max(mean, weighs) <= _FACTOR * min(mean, weighs):
            return ""
        knobs = {f"{weight.decides} = {weight.expression}" for _, _, weight in found}
        return (
            f"; by {' and '.join(sorted(knobs))} each weighs {mean:.3g}: the ad of the submitter "
            "contradicts the knob, which the schedd has not read, or its jobs have changed since"
        )


def _idle(
    evidence: Evidence, charges_of: _Charges, submitter: Submitter
) -> tuple[float, float, float] | None:
    """Return the mean weight of an idle job, and the least and most mean charge.

    The schedd computes the weight, the slots would make the charge.
    """
    number, least, most = 0, 0.0, 0.0
    for jobs in evidence.waiting.get(submitter.name, ()):
        charges = charges_of.of(jobs)
        if charges:
            count = jobs.idle[submitter.name]
            number += count
            least += count * min(charges)
            most += count * max(charges)
    # A weight of 0 for jobs that wait is another story: the schedd truncates each job's weight.
    if not number or not submitter.idle or submitter.weighted_idle <= 0 or most < number:
        return None
    return submitter.weighted_idle / submitter.idle, least / number, most / number


def _running(evidence: Evidence, submitter: Submitter) -> tuple[float, float, float] | None:
    supply = evidence.quotas.supply
    claims = supply.claims.get(submitter.name, 0)
    if not claims or not submitter.running or submitter.weighted_running <= 0:
        return None
    charge = supply.charged[submitter.name] / claims
    return submitter.weighted_running / submitter.running, charge, charge


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    quotas = evidence.quotas
    if not quotas.grouped or not quotas.truth("NEGOTIATOR_USE_WEIGHTED_DEMAND", True):
        return
    if evidence.pool.jobs is None and quotas.settings.use_slot_weights:
        yield Unchecked(evidence.words(Input.JOBS))
    facts = (knob_fact(evidence, "SLOT_WEIGHT", "Cpus"), knob_fact(evidence, "SCHEDD_SLOT_WEIGHT"))
    charges = _Charges(evidence)
    knobs = _Knobs(evidence)
    for submitter in quotas.submitters:
        if not quotas.settings.use_slot_weights:
            yield from _counted_slots(evidence, submitter)
            continue
        idle = _idle(evidence, charges, submitter)
        if idle is not None:
            contradiction = knobs.contradict(submitter.name, idle[0])
            yield from _compared(evidence, submitter, "idle", idle, facts, contradiction)
        running = _running(evidence, submitter)
        if running is not None:
            yield from _compared(evidence, submitter, "running", running, facts)


def _compared(
    evidence: Evidence,
    submitter: Submitter,
    what: str,
    found: tuple[float, float, float],
    facts: tuple[Fact, ...],
    contradiction: str = "",
) -> Iterator[Found]:
    weighs, least, most = found
    severity: Severity | None
    if weighs * _FACTOR < least:
        cause, charge, size, severity = "too little", least, "small", None
    elif weighs > most * _FACTOR:
        cause, charge, size, severity = "too much", most, "large", Severity.WARNING
    else:
        return
    yield Found(
        cause=cause,
        subject=f"submitter {submitter.name}",
        message=(
            f"{what} jobs of {submitter.name} weigh {weighs:.3g} each in their schedd, but slots "
            f"charge {charge:.3g} for one: the demand of its group is too {size}{contradiction}"
        ),
        facts=facts,
        examples=(submitter.name,),
        severity=severity,
        # Another knob is no cure where the ad does not follow the knob.
        settings=() if contradiction else sound_weights(evidence),
    )


def _one_unit(evidence: Evidence) -> tuple[Setting, ...]:
    """Return what counts demand as usage is counted.

    Both count weights where slots are split, else both count slots.
    """
    if evidence.partitionable:
        return (central(evidence, "NEGOTIATOR_USE_SLOT_WEIGHTS", "True"),)
    return (central(evidence, "NEGOTIATOR_USE_WEIGHTED_DEMAND", "False"),)


def _counted_slots(evidence: Evidence, submitter: Submitter) -> Iterator[Found]:
    jobs = submitter.idle + submitter.running
    weight = submitter.weighted_idle + submitter.weighted_running
    if weight > jobs * _FACTOR or weight * _FACTOR < jobs:
        yield Found(
            cause="slots",
            subject=f"submitter {submitter.name}",
            message=(
                f"{jobs} jobs of {submitter.name} have a demand of {weight:g}, but usage and "
                "quotas count slots"
            ),
            facts=(knob_fact(evidence, "NEGOTIATOR_USE_SLOT_WEIGHTS"),),
            settings=_one_unit(evidence),
            examples=(submitter.name,),
            severity=Severity.WARNING,
        )


RULE = Rule(
    id="demand-in-other-units",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="Schedds and slots use different units of weight",
    consequence=(
        "A group's demand cannot be compared with its usage. If the schedd's weight of idle jobs "
        "is too small, their group gets too little surplus; if that of running jobs is too small "
        "as well, the group is allocated less than it uses and its idle jobs starve. If the "
        "weight is too large, the group takes surplus from others."
    ),
    advice=(
        "Set the schedd weight on every access point to the charge of the slots for the same "
        "request. Where the knob makes that charge already, run condor_reconfig -schedd there."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:guessJobSlotWeight, "
        "GroupEntry.cpp:hgq_prepare_for_matchmaking, 25.14"
    ),
    find=_find,
)
