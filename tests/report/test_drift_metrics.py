"""One look at a pool as metrics."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from htcq.drift.observation import DriftObservation
from htcq.report.views.audit import audit_metrics
from htcq.report.views.drift_record import drift_metrics
from tests.report.audits import SAMPLE as AUDIT
from tests.report.observations import AGREED, BIO, NOW, PHYSICS, SAMPLE, looked_at

POOL = 'pool="cm.example.net",negotiator="NEGOTIATOR"'


def values(observation: DriftObservation) -> dict[str, str]:
    """Return the samples by name and labels, without those that all of them have."""
    lines = drift_metrics(observation, NOW + 2.5, 1.25).splitlines()
    samples = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {
        name.replace(f"{POOL},", "").replace(f"{{{POOL}}}", ""): value for name, value in samples
    }


def names(text: str) -> set[str]:
    return set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))


def test_every_kind_of_quota_of_a_group_is_told() -> None:
    found = values(SAMPLE)

    assert {kind: found[f'htcq_group_quota_weight{{group="physics",kind="{kind}"}}'] for kind in (
        "declared", "configured", "effective", "subtree", "computed",
    )} == {"declared": "30", "configured": "25", "effective": "10", "subtree": "10", "computed": "25"}  # fmt: skip


def test_a_dynamic_quota_is_a_share_and_no_weight() -> None:
    found = values(SAMPLE)

    assert found['htcq_group_quota_share_ratio{group="bio",kind="declared"}'] == "0.25"
    assert found['htcq_group_quota_share_ratio{group="bio",kind="configured"}'] == "0.25"
    assert 'htcq_group_quota_weight{group="bio",kind="declared"}' not in found
    assert 'htcq_group_quota_share_ratio{group="chem",kind="declared"}' not in found


def test_usage_demand_and_allocation_of_a_group_are_told() -> None:
    found = values(SAMPLE)

    assert found['htcq_group_usage_weight{group="bio"}'] == "5"
    assert found['htcq_group_demand_weight{group="bio",state="idle"}'] == "30"
    assert found['htcq_group_demand_weight{group="bio",state="running"}'] == "5"
    assert found['htcq_group_requested_weight{group="bio"}'] == "35"
    assert found['htcq_group_allocated_weight{group="bio"}'] == "35"


def test_states_are_told_of_every_group() -> None:
    found = values(SAMPLE)
    states = {
        name: {
            group
            for group in ("chem", "bio", "physics", "geo")
            if found[f'{name}{{group="{group}"}}'] == "1"
        }
        for name in (
            "htcq_group_drift",
            "htcq_group_starved",
            "htcq_group_over_quota",
            "htcq_group_lending",
        )
    }

    assert states == {
        "htcq_group_drift": {"physics"},
        "htcq_group_starved": {"bio"},
        "htcq_group_over_quota": {"physics"},
        "htcq_group_lending": {"geo"},
    }
    assert found['htcq_group_drift{group="chem"}'] == "0"


def test_the_pool_and_the_look_are_told() -> None:
    found = values(SAMPLE)

    assert found["htcq_pool_weight"] == "100"
    assert found["htcq_slot_weight_expressions"] == "2"
    assert found["htcq_drift_doubts"] == "1"
    assert found["htcq_drift_observation_timestamp_seconds"] == str(NOW)
    assert found["htcq_drift_written_timestamp_seconds"] == str(NOW + 2)
    assert found["htcq_drift_duration_seconds"] == "1.25"


def test_what_nobody_published_is_left_out_and_nan_is_told() -> None:
    silent = replace(BIO, effective=None, effective_subtree=None)
    found = values(looked_at(silent, replace(PHYSICS, computed=math.nan)))

    assert not [
        name
        for name in found
        if 'group="bio"' in name and ("effective" in name or "subtree" in name)
    ]
    assert found['htcq_group_quota_weight{group="physics",kind="computed"}'] == "NaN"


def test_no_label_grows_with_the_jobs_the_slots_or_the_users() -> None:
    labels = set(re.findall(r'[{,](\w+)="', drift_metrics(SAMPLE, NOW, 1.0)))

    assert labels == {"pool", "negotiator", "group", "kind", "state"}


def test_metrics_have_the_same_names_whatever_the_pool_is_like() -> None:
    assert names(drift_metrics(AGREED, NOW, 1.0)) == names(drift_metrics(SAMPLE, NOW, 1.0))


def test_an_audit_in_the_same_directory_has_other_metrics() -> None:
    assert names(drift_metrics(SAMPLE, NOW, 1.0)) & names(audit_metrics(AUDIT, NOW)) == set()
