"""Fractional consumption: the negotiator takes a fraction, the startd hands out whole units."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import literal_text
from htcq.audit.nodes import modifications
from htcq.audit.policies import (
    consumption_fact,
    consumption_settings,
    number,
    on_slots,
    safe_request,
    whole_request,
)
from htcq.audit.rule import Found
from htcq.audit.trials import Trial
from htcq.policy.carved import handed_out
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, MEMORY, attribute

#: Fractions that users sometimes ask for; condor_submit accepts them.
_ODD = {CPUS: 1.5, MEMORY: 1000.5, DISK: 1048576}


def fractional(evidence: Evidence, concerned: Callable[[str], bool]) -> Iterator[Found]:
    """Yield the slots where a job takes a fraction of an asset, with one proof for each asset.

    ``concerned`` picks the assets.
    """
    for kind in evidence.with_policy:
        for asset in filter(concerned, kind.consumption):
            message = _proof(evidence, kind, asset)
            if message:
                yield on_slots(
                    kind,
                    cause=f"{attribute(asset)}: {kind.consumption[asset]}",
                    message=message,
                    facts=(consumption_fact(kind, asset),),
                    settings=consumption_settings(evidence, kind, asset, _whole(kind, asset)),
                    is_root=True,
                )


def _proof(evidence: Evidence, kind: SlotClass, asset: str) -> str:
    """Return the message on the first job that takes a fraction of ``asset``; empty without one."""
    for trial in _trials(evidence, kind, asset):
        message = _message(evidence, kind, trial, asset)
        if message:
            return message
    return ""


def _trials(evidence: Evidence, kind: SlotClass, asset: str) -> Iterator[Trial]:
    yield from evidence.trials.of(kind)
    if asset in _ODD:
        yield evidence.trials.made_up(kind, _ODD)


def _message(evidence: Evidence, kind: SlotClass, trial: Trial, asset: str) -> str:
    amount = trial.taken.get(asset)
    if amount is None or amount <= 0 or amount == int(amount):
        return ""
    for modification in modifications(evidence, kind):
        taken = modification.taken(kind, trial).get(asset)
        if taken is None or taken == int(taken):
            # The startd rounds the request before it carves: no fraction gets there.
            continue
        return _outcome(trial, asset, amount, handed_out({asset: taken})[asset])
    return ""


def _outcome(trial: Trial, asset: str, amount: Number, got: Number) -> str:
    text = f"{trial.job} takes {number(amount)} {asset}, but the startd hands out {number(got)}"
    if got < amount:
        return (
            f"{text}, which is not enough: it refuses the job, and the negotiator matches it "
            "again, forever"
        )
    return f"{text}: it refuses the claims for which the negotiator still sees room"


def _whole(kind: SlotClass, asset: str) -> str:
    """Return the slots' own consumption rounded up.

    Where it follows the request, a built-in asset is taken at least once, and a custom asset as
    asked.
    """
    if not _names_request(kind, asset):
        return f"ceiling({literal_text(kind.consumption[asset])})"
    if asset in BUILT_IN_ASSETS:
        return at_least_one(kind, asset)
    return safe_request(asset)


def at_least_one(kind: SlotClass, asset: str) -> str:
    """Return a consumption that follows the request, in whole units and at least 1.

    It is the slots' own rounded up where that names the request.
    """
    if not _names_request(kind, asset):
        return whole_request(asset)
    return f"max({{1, ceiling({literal_text(kind.consumption[asset])})}})"


def _names_request(kind: SlotClass, asset: str) -> bool:
    expression = kind.first.frame.expression(f"Consumption{asset}")
    if expression is None:
        return False
    words = [word.lower() for word in expression.words()]
    return f"request{asset}" in words
