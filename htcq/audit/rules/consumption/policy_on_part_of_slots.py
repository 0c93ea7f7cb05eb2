"""Some slots have a consumption policy and others have none, and take whole slots for a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.fix_settings import execute
from htcq.audit.harm import part_of_pool
from htcq.audit.policies import consumption_settings, on_slots, sound_request, weight_fact
from htcq.audit.rule import HARMLESS, Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.slot_class import SlotClass
from htcq.quota.group_tree import ROOT


def _find(evidence: Evidence) -> Iterator[Found]:
    plain = [kind for kind in evidence.partitionable if not kind.consumption]
    if not plain or not evidence.with_policy:
        return
    split = sum(kind.count for kind in evidence.with_policy)
    quotas = _quotas_of_waiting(evidence)
    for kind in plain:
        yield _found(evidence, kind, split, quotas)


def _found(evidence: Evidence, kind: SlotClass, split: int, quotas: Mapping[str, float]) -> Found:
    weight = kind.plain_weight()
    kept_out = tuple(group for group, quota in quotas.items() if quota < weight)
    settings = list(execute(evidence, kind.places, "CONSUMPTION_POLICY", "True"))
    for asset in kind.assets:
        settings += consumption_settings(evidence, kind, asset, sound_request(asset))
    groups, harm = "", HARMLESS
    if kept_out:
        groups = f": {listed(kept_out)} may use less"
        harm = Harm(shut=part_of_pool(evidence, kind.slots))
    return on_slots(
        kind,
        cause="without a policy",
        message=(
            f"{counted(split, 'other slot has', 'other slots have')} a consumption policy but "
            f"this one does not: a match costs its whole weight of {weight:g}{groups}"
        ),
        facts=(weight_fact(kind), Fact("slots with a policy", str(split))),
        harm=harm,
        settings=tuple(settings),
        is_root=True,
    )


def _quotas_of_waiting(evidence: Evidence) -> Mapping[str, float]:
    """Return the quotas of the groups whose jobs wait and that get no surplus."""
    if evidence.lacks(Input.CENTRAL):
        return {}
    quotas = evidence.quotas
    found: dict[str, float] = {}
    for group in quotas.groups:
        if group.name == ROOT or group.accept_surplus:
            continue
        if quotas.waiting(group.name):
            found[group.name] = quotas.quota(group.name).quota
    return found


RULE = Rule(
    id="policy-on-part-of-slots",
    severity=Severity.INFO,
    needs=(Input.SLOTS,),
    summary="Some partitionable slots have a consumption policy, and others have none",
    consequence=(
        "With a policy a match costs what the job consumes; without one it costs the whole slot. "
        "Jobs of a group whose quota is smaller than a whole slot can use only the machines with "
        "a policy. Usually a rollout is not complete, or a startd has not been restarted. The "
        "finding is a warning if it keeps a group out of more than a tenth of the pool."
    ),
    advice=(
        "Give all execution points the same policy, and restart those startds whose "
        "configuration already has it."
    ),
    source="src/condor_utils/consumption_policy.cpp:cp_supports_policy, 25.14",
    find=_find,
)
