"""Jobs that cannot start and use up what a schedd offers for a user.

The schedd never offers the jobs behind them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.fix_settings import access
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.configuration import Configuration
from htcq.simulate.cycle.group_negotiation import SubmitterQueue
from htcq.simulate.cycle.queues import Run

_EACH, _LIMITS = "MAX_CONCURRENT_UPLOADS_PER_USER", "SCHEDD_ENABLE_PER_USER_MATCH_LIMITS"


@dataclass(frozen=True)
class _Starved:
    """What stands before the jobs of one submitter that could start.

    ``never`` and ``now`` count the offers that go to jobs which fit nowhere, and to those which
    find no room now.
    """

    first: Run
    never: int
    now: int
    behind: int
    example: str


def _find(evidence: Evidence) -> Iterator[Found]:
    hopeless = {id(each.request) for each in evidence.unmatched}
    seen: set[int] = set()
    for asking in chain.from_iterable(evidence.askers.by_group.values()):
        if id(asking) in seen:
            continue
        seen.add(id(asking))
        budget = asking.access.max_offered
        if budget:
            starved = _starved(evidence, asking, budget, hopeless)
            if starved is not None:
                yield _found(evidence, asking, budget, starved)


def _configuration(evidence: Evidence, asking: SubmitterQueue) -> Configuration | None:
    return evidence.access.get(asking.access.name)


def _starved(
    evidence: Evidence, asking: SubmitterQueue, budget: int, hopeless: set[int]
) -> _Starved | None:
    """Return what stands before the jobs that could start.

    None where one of these jobs is offered, or where there is no such job.
    """
    runs = asking.queue.asked_for(asking.job_prios)
    never = now = place = 0
    while place < len(runs) and never + now < budget:
        run = runs[place]
        offered = min(len(run.jobs), budget - never - now)
        if id(run.request) in hopeless:
            never += offered
        elif evidence.unused.has_room_now(run.request):
            return None
        else:
            now += offered
        place += 1
    behind = [run for run in runs[place:] if id(run.request) not in hopeless]
    waiting = [run for run in behind if evidence.unused.has_room_now(run.request)]
    if not waiting:
        return None
    return _Starved(
        runs[0], never, now, sum(len(run.jobs) for run in waiting), waiting[0].jobs.first.id
    )


def _found(evidence: Evidence, asking: SubmitterQueue, budget: int, starved: _Starved) -> Found:
    configuration = _configuration(evidence, asking)
    severity: Severity | None = Severity.WARNING
    if starved.never >= budget:
        why, severity = "fit no slot of the pool", None
    elif starved.never > 0:
        why = (
            f"fit no slot of the pool ({starved.never}) or do not fit at the moment ({starved.now})"
        )
    else:
        why = "do not fit at the moment"
    are = "is" if starved.behind == 1 else "are"
    name = asking.submitter.name
    return Found(
        cause=f"{asking.access.name}: {name}",
        subject=f"submitter {name}",
        message=(
            f"schedd {asking.access.name} offers {counted(budget, 'job')} of {name} in a cycle, "
            f"and all of these {why}, such as {starved.first.jobs.first.id}; "
            f"{counted(starved.behind, 'job')} behind them that could start, such as "
            f"{starved.example}, {are} not offered"
        ),
        facts=_facts(configuration),
        settings=access(evidence, _LIMITS, "False", (asking.access.name,)),
        count=starved.behind,
        harm=Harm(jobs=starved.behind),
        examples=(starved.example,),
        severity=severity,
    )


def _facts(configuration: Configuration | None) -> tuple[Fact, ...]:
    if configuration is None:
        return ()
    names = (_EACH, "MAX_CONCURRENT_UPLOADS", "MAX_JOBS_RUNNING")
    knobs = (configuration.knob(name) for name in names)
    return tuple(Fact(knob.name, knob.value, knob.place) for knob in knobs if knob is not None)


RULE = Rule(
    id="offer-budget-used-up",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS, Input.SUBMITTERS, Input.SCHEDDS),
    summary="Jobs that cannot start use up the offers of a schedd, and the jobs behind them starve",
    consequence=(
        "Since 25.11 a schedd offers 20 jobs of a user per negotiation (a fifth of "
        "MAX_CONCURRENT_UPLOADS), and never more than MAX_JOBS_RUNNING allows. A whole "
        "autocluster is deducted before any match: 20 jobs of higher priority that fit no slot "
        "block all other jobs of the user in every cycle, even in an empty pool with HTCondor's "
        "defaults."
    ),
    advice=(
        "Hold or remove the jobs that fit no slot, or give the jobs behind them a higher "
        f"JobPrio. Turning {_LIMITS} off removes the limit per user."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:negotiate, schedd_negotiate.cpp:nextJob, 25.14 (since "
        "25.11)"
    ),
    find=_find,
)
