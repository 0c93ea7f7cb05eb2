"""Policies of plain texts, for what is not one of htcq's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from htcq.claims.planned import Charges
from htcq.policy.consumption import Policy


def charges_of(case: Mapping[str, Any], **changed: Any) -> Charges:
    """Return the policy that a golden case spells out, on the slot it names."""
    total = case.get("total", case.get("slot"))
    texts = {
        "consumption": case.get("consumption", dict.fromkeys(total, "0")),
        "weight": case.get("weight", "Cpus"),
        "modify": case.get("modify", {}),
        "schedd_weight": "1",
        "num_claims": 20,
        **changed,
    }
    return Charges(Policy(name=str(case.get("name", "")), **texts), total)
