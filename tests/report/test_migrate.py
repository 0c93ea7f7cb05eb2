"""The steps of a migration: their order, and what is left out where it is not needed."""

from __future__ import annotations

import io

from htcq.report.views.migrate_steps import Files, steps
from htcq.report.views.migrate_text import show_migration
from htcq.settings import settings_from
from htcq.simulate.models import MachineModel, with_models
from tests.audit.sites import negotiator, policy_slot, pool
from tests.simulate.migration.pools import (
    FLAT,
    LINEAR,
    claim,
    group_of,
    machine,
    migrated,
    site,
    used,
)

FILES = Files("new.toml", "groups.toml")
_HALF_TYPE = {"part": "50%", "model": "linear", "weights": {"cpus": 1, "memory": "0.25/GiB"}}
TWO_TYPES = {"slot_types": {"1": _HALF_TYPE, "2": _HALF_TYPE}}
HALF = {
    "Cpus": 4, "Memory": 16384, "TotalSlotCpus": 4, "TotalSlotMemory": 16384, "Disk": 10_000_000,
    "TotalSlotDisk": "10000000.0", "TotalCpus": "8.0",
}  # fmt: skip


def commands(given: str) -> list[str]:
    """Return all commands of the steps for a pool with one slot, in their order."""
    return [command for step in steps(migrated(site(given)), FILES) for command in step.commands]


def places(found: list[str], *beginnings: str) -> list[int]:
    return [
        next(place for place, command in enumerate(found) if command.startswith(each))
        for each in beginnings
    ]


def test_nodes_keep_their_weight_until_all_have_their_policy_and_then_everything_switches_at_once() -> (
    None
):
    found = commands(machine())
    order = places(
        found,
        "echo 'CLAIM_PARTITIONABLE_LEFTOVERS = False'",
        'echo "SLOT_WEIGHT',
        "htcq emit --role execute --config new.toml",
        "condor_drain -graceful -restart-on-completion",
        "rm /etc/condor/config.d/99-htcq-old-weight.config",
        "htcq emit --role access",
        "htcq quota emit --config groups.toml",
        "condor_reconfig -all",
        "condor_restart -daemon schedd",
    )

    assert order == sorted(order)


def test_access_points_stay_as_they_are_where_all_nodes_have_policies() -> None:
    assert not [
        command
        for command in commands(policy_slot())
        if "LEFTOVERS" in command or "leftovers" in command
    ]


def test_each_slot_type_keeps_its_weight() -> None:
    halves = [machine(f"slot{number}@node1", SlotTypeID=number, **HALF) for number in (1, 2)]
    found = migrated(site(*halves), TWO_TYPES)
    kept = [
        command
        for step in steps(found, FILES)
        for command in step.commands
        if "_SLOT_WEIGHT = " in command
    ]

    assert found.stay == ()
    assert [command.partition(" = ")[0] for command in kept] == [
        'echo "SLOT_TYPE_1_SLOT_WEIGHT', 'echo "SLOT_TYPE_2_SLOT_WEIGHT',
    ]  # fmt: skip


def test_there_is_nothing_to_do_where_the_model_is_there_already() -> None:
    settings = settings_from(LINEAR)
    there = with_models(site(machine()), [MachineModel("new.toml", settings.slot_types)])

    assert steps(migrated(there), FILES) == ()


def test_the_text_says_what_an_older_negotiator_does() -> None:
    published = used("bio", 1, group=True), used("bio.ann@site", 1)
    old = negotiator(CondorVersion='"$CondorVersion: 23.9.6 2024-08-08 $"')
    found = migrated(
        pool(machine(Cpus=7, NumDynamicSlots=1), claim(1), *published, old, jobs=[], config=FLAT)
    )
    stream = io.StringIO()
    show_migration(found, (), (), stream)

    assert group_of(found, "bio").charged == 1
    assert "this negotiator (23.9.6) charges running claims in the old unit" in stream.getvalue()
    assert "usage is 2 too low at first" in stream.getvalue()
