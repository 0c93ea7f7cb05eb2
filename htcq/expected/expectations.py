"""All expectations that a pool did not meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.expected.claims import standing_claims
from htcq.expected.cycles import negotiation
from htcq.expected.draining import endless_draining
from htcq.expected.machines import failing_starts
from htcq.expected.matchless import matchless
from htcq.expected.starts import missing_starts
from htcq.expected.submissions import submissions
from htcq.expected.unmet import ERROR, WARNING, Unmet
from htcq.why.verdict import Verdict, Verdicts

_ORDER = {ERROR: 0, WARNING: 1}


def unmet_of(verdicts: Verdicts, found: Iterable[Verdict]) -> tuple[Unmet, ...]:
    """Return what should have happened in the pool of ``verdicts`` and did not, the worst first.

    ``found`` are the verdicts on all idle jobs.
    """
    every = list(_every(verdicts, found))
    every.sort(key=lambda each: (_ORDER.get(each.severity, 2), -len(each.jobs), each.subject))
    return tuple(every)


def _every(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    pool = verdicts.pool
    if not verdicts.of_cycle:
        yield from missing_starts(pool, verdicts.trace)
    yield from failing_starts(pool)
    yield from standing_claims(pool)
    yield from submissions(pool)
    yield from negotiation(pool)
    yield from endless_draining(pool)
    yield from matchless(verdicts, found)
