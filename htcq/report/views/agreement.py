"""How far HTCondor's own reasons agree with the simulated cycle, as JSON.

htcq-simulate(1) lists the names.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from htcq.pool.pool import Pool
from htcq.why.agreement import Agreement

SCHEMA = 1


def agreement_json(found: Agreement, pool: Pool) -> dict[str, Any]:
    """Return what ``json.dumps`` takes; ``autoclusters`` are those that were compared."""
    return {
        "schema": SCHEMA,
        "source": pool.source,
        "taken": pool.taken_at,
        "percentage": found.percentage,
        "agree": found.agree,
        "compared": len(found.compared),
        "stale": found.stale,
        "of_other_negotiators": found.others,
        "without_reason": found.silent,
        "autoclusters": [{**asdict(each), "agrees": each.agree} for each in found.compared],
        "incomplete": list(pool.incomplete),
    }
