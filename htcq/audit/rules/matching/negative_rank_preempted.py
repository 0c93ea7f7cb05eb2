"""Jobs with a negative Rank on slots without RANK, which any other job preempts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.audit.claims import taken
from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix_settings import execute
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.classads import as_number, named
from htcq.pool.autocluster import Autocluster
from htcq.pool.configuration import Configuration
from htcq.pool.pool import of_startd
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import PARTITIONABLE, Number, Slot
from htcq.pool.slot_class import SlotClass

_CONSIDER = "NEGOTIATOR_CONSIDER_PREEMPTION"
#: What a startd without RANK publishes (Resource.cpp).
_NO_RANK = "0.0"
_CLAIMED = "Claimed"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if not evidence.truth(_CONSIDER, True):
        return
    yield from _of_claims(evidence)
    if evidence.lacks(Input.JOBS):
        yield Unchecked(evidence.words(Input.JOBS))
    kinds = [kind for kind in evidence.slot_classes_by_frame if _without_rank(evidence, kind)]
    for alike in _by_rank(evidence.autoclusters):
        yield from _of_jobs(evidence, alike, kinds)


def _of_claims(evidence: Evidence) -> Iterator[Found]:
    """Yield one finding on the claims whose CurrentRank is below the Rank of every other job."""
    ranks: dict[int, Number | None] = {}
    found = [slot for slot in evidence.slots if _is_below(slot, ranks)]
    if not found:
        return
    first = found[0]
    what = f"{len(found)} claims have"
    if len(found) == 1:
        what = "the claim has"
    yield Found(
        cause="claims",
        subject=f"slot {first.name}",
        message=(
            f"{what} a CurrentRank below the slot's Rank, such as {first.current_rank} of "
            f"{first.remote_user}: any job that suits the slot preempts"
        ),
        facts=(
            Fact("CurrentRank", str(first.current_rank)),
            Fact("Rank", first.frame.text("Rank")),
            knob_fact(evidence, _CONSIDER),
        ),
        count=len(found),
        examples=tuple(str(slot.name) for slot in found[:3]),
        settings=execute(evidence, found, "RANK", "0"),
    )


def _is_below(slot: Slot, ranks: dict[int, Number | None]) -> bool:
    """Return whether any job preempts the claim; ``ranks`` keeps the Rank of each frame."""
    if slot.state != _CLAIMED:
        return False
    current = as_number(slot.current_rank)
    if current is None:
        return False
    key = id(slot.frame)
    if key not in ranks:
        ranks[key] = _plain_number(slot.frame)
    rank = ranks[key]
    return rank is not None and current < rank


def _plain_number(frame: SharedAttributes) -> Number | None:
    """Return Rank where it is a number; None for one that looks at attributes."""
    expression = frame.expression("Rank")
    if expression is None or any(expression.references()):
        return None
    return as_number(expression.evaluate())


def _without_rank(evidence: Evidence, kind: SlotClass) -> bool:
    """Return whether the slots have no RANK, as far as their ads and configurations say."""
    if kind.first.frame.text("Rank") not in ("", _NO_RANK):
        return False
    configuration = of_startd(evidence.execute, kind.first)
    return configuration is None or not _sets_rank(configuration, kind.first)


def _sets_rank(configuration: Configuration, slot: Slot) -> bool:
    names = ("RANK", f"SLOT_TYPE_{slot.type_id}_RANK")
    return any(configuration.value(name).strip() for name in names)


def _by_rank(autoclusters: Iterable[Autocluster]) -> Iterator[list[Autocluster]]:
    """Yield the autoclusters whose Rank may be negative; those with the same Rank together."""
    found: dict[tuple[str, ...], list[Autocluster]] = {}
    for jobs in autoclusters:
        frame = jobs.frame
        expression, rank = frame.expression("Rank"), _plain_number(frame)
        if expression is None or (rank is not None and rank >= 0):
            continue
        own = (f"{name} = {frame.text(name)}" for name in sorted(expression.references().own))
        found.setdefault((expression.text, *own), []).append(jobs)
    yield from found.values()


def _of_jobs(
    evidence: Evidence, alike: list[Autocluster], kinds: list[SlotClass]
) -> Iterator[Found]:
    """Yield the first slot on which jobs with the same Rank have a negative one."""
    for kind in kinds:
        jobs = next((jobs for jobs in alike if evidence.claims.fits(kind, jobs)), None)
        if jobs is None:
            continue
        rank = _rank_on(evidence, kind, jobs)
        if rank is None or rank >= 0:
            continue
        text = jobs.frame.text("Rank")
        yield Found(
            cause=f"Rank = {text}",
            subject=f"job {evidence.pool.job_name(jobs.first)}",
            message=(
                f"its Rank is {rank:g} on {kind.first.name}, which has no RANK: any job that suits "
                "the slot preempts it"
            ),
            facts=(Fact("Rank", text), Fact("Rank of the slot", kind.first.frame.text("Rank"))),
            count=sum(sum(each.idle.values()) + sum(each.running.values()) for each in alike),
            examples=tuple(f"job {evidence.pool.job_name(each.first)}" for each in alike[:3]),
            settings=execute(evidence, kind.places, "RANK", "0"),
        )
        return


def _rank_on(evidence: Evidence, kind: SlotClass, jobs: Autocluster) -> Number | None:
    """Return the Rank of a job on the slot that it gets of ``kind``; None if it is no number."""
    amounts = taken(evidence, kind, jobs)
    slot = kind.ad(kind.total)
    if amounts is not None and kind.type == PARTITIONABLE:
        slot = kind.dynamic_ad(amounts)
    return as_number(named("Rank").evaluate(jobs.ad(), slot))


RULE = Rule(
    id="negative-rank-preempted",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL),
    summary="Jobs with a negative Rank can be preempted by every other job",
    consequence=(
        "A startd without RANK publishes Rank = 0.0, but it takes the Rank of the job as the "
        "CurrentRank of the claim. To the negotiator the slot then prefers every other job to one "
        "with a negative Rank. It preempts by the rank of the startd, which neither "
        "PREEMPTION_REQUIREMENTS nor priorities nor quotas prevent, also for jobs of the same "
        "user, in every cycle; the work of the preempted job is lost."
    ),
    advice=(
        "Set RANK to 0 on the execution points: then the Rank of jobs is not taken. Or turn "
        "NEGOTIATOR_CONSIDER_PREEMPTION off, or let users write a Rank that is never negative, "
        "such as 1 / (1 + Memory) for -Memory."
    ),
    source=(
        "src/condor_startd.V6/Resource.cpp:compute_rank, publish_static; "
        "condor_utils/compat_classad.cpp:EvalFloat; condor_negotiator.V6/matchmaker.cpp: "
        "matchmakingAlgorithm (rankCondStd), 23.0 to 25.14"
    ),
    find=_find,
)
