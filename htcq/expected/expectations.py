"""All expectations that a pool did not meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.expected.advertised import unadvertised
from htcq.expected.claims import standing_claims
from htcq.expected.cycles import negotiation
from htcq.expected.draining import endless_draining
from htcq.expected.evicting import evicting
from htcq.expected.executing import unbegun
from htcq.expected.held import held_by_faults
from htcq.expected.held_by_one_code import held_by_one_code
from htcq.expected.in_vain import in_vain
from htcq.expected.incomplete_ads import incomplete_ads
from htcq.expected.lost_directories import lost_directories
from htcq.expected.machines import failing_starts
from htcq.expected.matchless import matchless
from htcq.expected.odd_machines import odd_machines
from htcq.expected.outlasting import outlasting
from htcq.expected.overtaken import overtaken
from htcq.expected.own_starts import down_resources, refused_by_schedds
from htcq.expected.preempting import preempted_again
from htcq.expected.removed import removed_by_policy
from htcq.expected.start_delay import delayed_starts
from htcq.expected.starts import missing_starts
from htcq.expected.submissions import submissions
from htcq.expected.twins import twin_startds
from htcq.expected.unasked import unasked_cores
from htcq.expected.unlike_others import unlike_others
from htcq.expected.unmanaged import unmanaged
from htcq.expected.unmet import ERROR, IDLE_CLAIMS, STARTS, WARNING, Unmet
from htcq.expected.vacating import endless_vacating
from htcq.expected.without_ads import without_ads
from htcq.why.verdict import Verdict, Verdicts

_ORDER = {ERROR: 0, WARNING: 1}


def unmet_of(verdicts: Verdicts, found: Iterable[Verdict]) -> tuple[Unmet, ...]:
    """Return what should have happened in the pool of ``verdicts`` and did not, the worst first.

    ``found`` are the verdicts on all idle jobs.
    """
    every = list(_every(verdicts, found))
    # Where no shadow starts, claims stand for that.
    failing = {each.subject for each in every if each.id == STARTS}
    every = [each for each in every if each.id != IDLE_CLAIMS or each.subject not in failing]
    every += held_by_faults(verdicts.pool, every)
    every += held_by_one_code(verdicts.pool, every)
    every.sort(key=lambda each: (_ORDER.get(each.severity, 2), -len(each.jobs), each.subject))
    return tuple(every)


def _every(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    pool, every = verdicts.pool, tuple(found)
    if not verdicts.of_cycle:
        yield from missing_starts(pool, verdicts.trace, verdicts.after.leftovers)
    failing = tuple(failing_starts(pool))
    yield from failing
    yield from in_vain(pool)
    yield from unbegun(pool)
    yield from evicting(pool, failing)
    yield from unlike_others(pool, failing)
    yield from preempted_again(pool)
    yield from standing_claims(pool)
    yield from endless_vacating(pool)
    yield from twin_startds(pool)
    yield from without_ads(pool)
    yield from submissions(pool)
    yield from removed_by_policy(pool)
    yield from unmanaged(pool)
    yield from lost_directories(pool)
    yield from negotiation(pool)
    yield from endless_draining(pool)
    yield from matchless(verdicts, every)
    yield from unadvertised(verdicts, every)
    yield from overtaken(verdicts, every)
    yield from outlasting(verdicts, every)
    yield from refused_by_schedds(verdicts, every)
    yield from down_resources(verdicts, every)
    yield from delayed_starts(verdicts, every)
    yield from incomplete_ads(verdicts, every)
    yield from unasked_cores(verdicts, every)
    yield from odd_machines(verdicts, every)
