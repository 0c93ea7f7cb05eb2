"""JSON Schemas of what ``--json`` prints and of the files that htcq reads: what every key is.

``schemas/`` of the distribution has them as files, for editors and other programs: ``htcq
explain --schema NAME`` makes each of them.
"""

from __future__ import annotations

import importlib
from typing import Any

from htcq.errors import InputError
from htcq.report.schemas.shape import DRAFT

#: The module and the function that make each schema.
_MADE: dict[str, tuple[str, str]] = {
    "probe": ("node", "node"),
    "plan": ("plan", "plan"),
    "cost": ("cost", "cost"),
    "quota": ("quota", "quota"),
    "quota-pools": ("quota", "pools"),
    "quota-what-if": ("quota", "what_if"),
    "simulate": ("simulate", "cycle"),
    "simulate-what-if": ("simulate", "what_if"),
    "simulate-cycles": ("cycles", "course"),
    "simulate-cycles-what-if": ("cycles", "what_if"),
    "simulate-agreement": ("simulate", "agreement"),
    "simulate-sweep": ("sweep", "sweep"),
    "why": ("why", "why"),
    "status": ("status", "status"),
    "migrate": ("migrate", "migration"),
    "audit": ("audit", "audit"),
    "explain": ("audit", "rules"),
    "elastic-compute": ("elastic", "computed"),
    "elastic-status": ("elastic", "status"),
    "elastic-plan": ("elastic_plan", "plan"),
    "elastic-reclaim": ("elastic_plan", "reclaim"),
    "elastic-ceilings": ("elastic_plan", "ceilings"),
    "drift-report": ("drift", "report"),
    "htcq.toml": ("site_file", "site_file"),
    "elastic.toml": ("quota_file", "quota_file"),
}
NAMES = tuple(_MADE)


def schema(name: str) -> dict[str, Any]:
    """Return the schema of that name as ``json.dumps`` takes it.

    Raises:
        InputError: there is none.
    """
    if name not in _MADE:
        raise InputError(f"there is no schema '{name}'", f"there are {', '.join(NAMES)}")
    module, function = _MADE[name]
    made: dict[str, Any] = getattr(
        importlib.import_module(f"htcq.report.schemas.{module}"), function
    )()
    return {"$schema": DRAFT, "title": f"htcq {name}", **made}
