"""What there is to say, on standard error, of a pool that was changed in thought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.pool.pool import Pool
    from htcq.simulate.what_if import WhatIf


def tell_knobs(before: Pool, after: Pool) -> None:
    """Say which of the changed knobs are none, or are those of a group that is none."""
    from htcq.audit.catalog import rule
    from htcq.audit.engine import audit
    from htcq.audit.evidence import Evidence

    rules = [rule(id_) for id_ in ("quota-for-unknown-group", "unknown-knob")]
    known = {finding.message for finding in audit(Evidence(before), rules).findings}
    for finding in audit(Evidence(after), rules).findings:
        if finding.message not in known:
            tell(f"htcq: --set: {finding.subject}: {finding.message}")


def tell_omissions(before: Pool, after: Pool) -> None:
    """Report what could not be changed in ``after``, such as machines that cannot carry a model."""
    for sentence in after.damage[len(before.damage) :]:
        tell(f"htcq: {sentence}")


def tell_unit(before: Pool, after: Pool, what: WhatIf) -> None:
    """Report that quotas stay amounts of the old unit, where a model changes the pool's weight.

    Nothing is reported where no group has a static quota.
    """
    if not what.models or what.scale_quotas:
        return
    from htcq.pool.weights import Weights
    from htcq.poolquota.pool_quotas import PoolQuotas
    from htcq.units import show_number

    was, now = (PoolQuotas(pool, Weights(), pool.negotiator) for pool in (before, after))
    static = [group.name for group in now.groups if group.static and group.configured]
    if not static or was.supply.pool_weight == now.supply.pool_weight:
        return
    weights = [show_number(float(each.supply.pool_weight)) for each in (was, now)]
    tell(
        f"htcq: the pool weighs {weights[1]} instead of {weights[0]}, and quotas such as that of "
        f"{static[0]} "
        "stay as they are (--scale-quotas: of the same share of the pool)"
    )
