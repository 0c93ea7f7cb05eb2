"""The steps from one unit of slot weight to another in which no group starves, with the commands.

The sequence was found on pools of HTCondor 25.14.1. Nodes get their policies first and keep the
old weight, so that quotas, demand and usage stay in one unit for as long as the work on the
nodes takes. The weight itself is switched last, for the whole pool at one moment, because a
reconfiguration is enough for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.report.views.migrate_sentences import amount, ceiling_commands, priority_commands
from htcq.simulate.migration.records import Migration

#: Where the files of the transition go: after what ``htcq emit`` writes, and easy to take away.
DIRECTORY = "/etc/condor/config.d"
KEEP_FILE, LEFTOVERS_FILE = (
    f"{DIRECTORY}/99-htcq-old-weight.config",
    f"{DIRECTORY}/99-htcq-no-leftovers.config",
)


@dataclass(frozen=True)
class Step:
    """One step: where it is done, what it is for, and its commands."""

    where: str
    what: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Files:
    """The site file with the new model, and the file with the new quotas.

    ``groups`` is empty where no file with the quotas is written.
    """

    model: str
    groups: str = ""


def steps(found: Migration, files: Files) -> tuple[Step, ...]:
    """Return the steps in their order; none where the pool has the model already."""
    if found.done:
        return ()
    return (
        *_access_points_first(found),
        _keep_weight(found),
        _nodes(files),
        _forget_old_weight(),
        _write_new(found, files),
        _switch(found),
        _restart_schedds(),
        *_priorities(found),
        _afterwards(files),
    )


def _access_points_first(found: Migration) -> Iterator[Step]:
    if found.plain_nodes:
        yield Step(
            "every access point",
            "Stop splitting leftovers. A node with a consumption policy would otherwise give one "
            "match to the negotiator's account and a whole node to the schedd. Nodes without a "
            "policy then start one job per slot and cycle until their turn comes: nobody starves, "
            "but the pool fills more slowly.",
            (
                f"echo 'CLAIM_PARTITIONABLE_LEFTOVERS = False' > {LEFTOVERS_FILE}",
                "condor_reconfig",
            ),
        )


def _keep_weight(found: Migration) -> Step:
    knobs = [f"SLOT_TYPE_{number}_SLOT_WEIGHT" for number in found.slot_types] or ["SLOT_WEIGHT"]
    commands = []
    redirection = ">"
    for knob in knobs:
        line = f"{knob} = $(condor_config_val SLOT_WEIGHT)"
        commands.append(f'echo "{line}" {redirection} {KEEP_FILE}')
        redirection = ">>"
    return Step(
        "every execution point",
        "Keep the old weight while the nodes are done one after another: quotas, usage and demand "
        "stay in one unit. Do this before the next step, since a reconfiguration alone already "
        "takes over a new SLOT_WEIGHT.",
        tuple(commands),
    )


def _nodes(files: Files) -> Step:
    return Step(
        "execution points, batch by batch",
        "Write the policy, let the jobs end, and restart the startd: jobs that still run at a "
        "restart die. -graceful gives them MAXJOBRETIREMENTTIME, which is 0 unless the site "
        "sets it.",
        (
            f"htcq emit --role execute --config {files.model} --write {DIRECTORY}",
            "condor_drain -graceful -restart-on-completion NODE",
        ),
    )


def _forget_old_weight() -> Step:
    return Step(
        "every execution point, when the last one is done",
        "Take the old weight away. Nothing happens yet: the startd reads its configuration in "
        "the step after the next.",
        (f"rm {KEEP_FILE}",),
    )


def _write_new(found: Migration, files: Files) -> Step:
    access = f"htcq emit --role access --config {files.model} --write {DIRECTORY}"
    central = f"htcq emit --role central --config {files.model} --write {DIRECTORY}"
    commands = []
    if found.plain_nodes:
        commands.append(f"rm {LEFTOVERS_FILE}    # on every access point")
    commands.append(f"{access}    # on every access point")
    commands.append(f"{central}   # on the central manager")
    if found.grouped:
        groups = files.groups or "GROUPS.toml"
        quotas = f"htcq quota emit --config {groups} --write {DIRECTORY}"
        commands.append(f"{quotas}   # on the central manager")
    if found.round_robin_rate is not None:
        rate = f"GROUP_QUOTA_ROUND_ROBIN_RATE = {amount(found.round_robin_rate.after)}"
        commands.append(f"# {rate} stands in the same file")
    return Step(
        "access points and central manager",
        "Write the new weights of jobs and the new quotas. Nothing happens yet, unless a daemon "
        "starts anew.",
        tuple(commands),
    )


def _switch(found: Migration) -> Step:
    return Step(
        "the central manager",
        "The switch, for the whole pool at one moment: slots weigh anew with their next ad, and "
        "running jobs go on. Ceilings and floors are amounts of slot weight too.",
        ("condor_reconfig -all", *ceiling_commands(found)),
    )


def _restart_schedds() -> Step:
    return Step(
        "every access point",
        "Restart the schedds: until then they report each running job in the weight that it was "
        "claimed with, and a group whose jobs weigh more now can seem to want less than it "
        "uses. Running jobs go on, and their shadows connect again.",
        ("condor_restart -daemon schedd",),
    )


def _priorities(found: Migration) -> Iterator[Step]:
    commands = priority_commands(found)
    if commands:
        yield Step(
            "the central manager, if stored priorities shall not count in the old unit",
            "Put stored priorities into the new unit, or wait: usage in the new unit replaces "
            "them with time.",
            commands,
        )


def _afterwards(files: Files) -> Step:
    again = f"htcq migrate --model {files.model}"
    return Step(
        "the central manager",
        "Look at it. The drift history has numbers of the new unit from the switch on: compare "
        "nothing across it.",
        (
            "htcq quota",
            f"{again}    # the factor is 1 now, and no group is foretold to starve",
            "htcq audit",
        ),
    )
