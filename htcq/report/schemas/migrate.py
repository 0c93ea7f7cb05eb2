"""The schema of ``htcq migrate --json``."""

from __future__ import annotations

from htcq.elastic.migration import ElasticMove
from htcq.report.schemas.pool import health, source, taken, version
from htcq.report.schemas.shape import (
    Shape,
    any_number,
    keys_of,
    listing,
    maybe,
    record,
    text,
    texts,
)
from htcq.report.views.migrate_steps import Step
from htcq.simulate.migration.records import Amount, GroupMove, Migration, SubmitterMove


def migration() -> Shape:
    """Return the schema."""
    elastic = keys_of(
        ElasticMove,
        group="The name of the group.",
        key="The key of the file of quotas: min or max.",
        before="Before the switch, in thousandths of slot weight.",
        after="After the switch, in thousandths of slot weight.",
    )
    step = keys_of(
        Step,
        where="The machines that it is for.",
        what="What to do there.",
        commands="The commands that do it.",
    )
    keys = {
        "schema": version(),
        **_pool(),
        "factor": any_number("What the weight of the pool is multiplied by."),
        "elastic": listing(
            "The amounts of elastic quotas in slot weight.", record("An amount.", elastic)
        ),
        "ceiling_commands": texts("The commands that put ceilings and floors into the new unit."),
        "priority_commands": texts("The commands that put stored priorities into the new unit."),
        "steps": listing("What to do, in order.", record("A step.", step)),
        "health": health(),
    }
    return record("What 'htcq migrate --json' prints.", keys)


def _amount(about: str) -> Shape:
    return record(about, keys_of(Amount, before="Before the switch.", after="After the switch."))


def _pool() -> dict[str, Shape]:
    return keys_of(
        Migration,
        source=source(),
        taken=taken(),
        version="The version of the negotiator.",
        pool_weight=_amount("The weight of the pool as it was captured."),
        empty_weight=_amount(
            "The weight of the same machines without claims, of which quotas are shares."
        ),
        weights="The weight expressions of the slots now.",
        new_weights="The weight expressions of the new model.",
        schedd_weights="The expressions by which access points weigh idle jobs now.",
        new_schedd_weight="The expression by which they weigh idle jobs in the new model.",
        nodes="The names of the nodes that change.",
        plain_nodes="The names of those nodes that have no consumption policy.",
        slot_types={**listing("The numbers of the slot types that change.", {"type": "integer"})},
        reweighs="Whether the negotiator weighs running claims anew.",
        preemption="Whether the negotiator considers preemption.",
        groups=listing("The groups, depth first.", record("A group.", _group())),
        submitters=listing("The submitters.", record("A submitter.", _submitter())),
        round_robin_rate=maybe(
            _amount("GROUP_QUOTA_ROUND_ROBIN_RATE; null where it has no bound.")
        ),
        halflife_seconds="PRIORITY_HALFLIFE in seconds.",
        stay="Which nodes keep their weight, and why, one sentence each.",
        missing="What could not be computed, one sentence each.",
    )


def _group() -> dict[str, Shape]:
    found = keys_of(
        GroupMove,
        name="The name of the group.",
        parent="The group above it; null for the root.",
        depth="How many groups are above it.",
        static="Whether the configured quota is an amount.",
        config_quota=maybe(_amount("The configured quota; null where there is none.")),
        quota=_amount("The group's own quota, as the negotiator computes it."),
        share=_amount("Its quota with the groups below it, as a share of the pool."),
        usage=_amount("What the group itself uses."),
        charged="What the negotiator counts right after the switch.",
        running=_amount("What its running jobs take."),
        idle=_amount("What its idle jobs weigh to their access points."),
        idle_jobs="How many idle jobs it has.",
        cheapest=(
            "The cheapest match of its idle jobs on an empty slot; null where there is none or "
            "none is known."
        ),
        allocated="What it is allocated in the first round right after the switch.",
        limit="Its limit right after the switch; null where it is not negotiated in this cycle.",
        accept_surplus="Whether the group may use what others leave.",
        autoregroup="Whether its submitters have another turn with those of no group.",
        starves="Why it starves right after the switch; empty where it does not.",
        starves_later=(
            "Why it starves when access points report in the new unit; empty where it does not."
        ),
    )
    over = any_number("What it uses beyond its quota right after the switch.")
    return {**found, "over": over, "verdict": text("What the switch means for the group.")}


def _submitter() -> dict[str, Shape]:
    found = keys_of(
        SubmitterMove,
        name="The name of the submitter.",
        group="Its group.",
        usage=_amount("What it uses."),
        ceiling=maybe(_amount("Its ceiling; null where there is none.")),
        floor=maybe(_amount("Its floor; null where there is none.")),
        priority=maybe(
            _amount(
                "Its real priority as it is stored and as it would be in the new unit; null if "
                "unknown."
            )
        ),
        factor="Its priority factor.",
        until_seconds=(
            "The seconds until the stored priority is within a tenth of the right one; 0: it is."
        ),
    )
    return {
        **found,
        "too_good": any_number(
            "How much too good its priority is, as a factor; below 1 it is too bad."
        ),
    }
