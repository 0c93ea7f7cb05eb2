"""The schemas of ``htcq elastic plan --json`` and ``htcq elastic reclaim plan --json``."""

from __future__ import annotations

from htcq.elastic.gates import GateRefusal
from htcq.elastic.quota_plan import GroupPlan
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.reclaim.reclaim_plan import (
    Ceiling,
    Eviction,
    Exemption,
    ExpectedStart,
    GroupInNeed,
    GroupOver,
    ReclaimPlan,
)
from htcq.report.schemas.elastic import MIN_BACK, PROTECTED
from htcq.report.schemas.pool import health, version
from htcq.report.schemas.shape import (
    Shape,
    any_number,
    keys_of,
    listing,
    maybe,
    number,
    record,
    table,
    text,
    texts,
    truth,
    whole,
)
from htcq.report.views.reclaim import PLAN_KEYS

_LOST = "The hours of slot weight that all jobs lose."
_TAKEN = "When the pool was captured (ISO 8601)."
_JOB = {
    "group": "The group of the job.",
    "schedd": "The schedd of the job.",
    "job": "The id of the job.",
}


def plan() -> Shape:
    """Return the schema of the next step of the quotas."""
    refused = keys_of(
        GateRefusal,
        gate="The name of the check.",
        message="What is wrong.",
        hint="What would help.",
    )
    keys = {
        "schema": version(),
        "plan": text("The id of the plan, which 'htcq elastic apply --plan' wants."),
        "inputs": text("A digest of what the plan was made from."),
        "taken": text(_TAKEN),
        "health": health(),
        "negotiator": text("The negotiator whose quotas these are."),
        "pool_weight": number("What the pool weighs."),
        "changes": truth("Whether there is anything to write."),
        "groups": listing("The groups.", record("A group.", _group())),
        "static": table(
            "By group, the quota that 'htcq elastic disable' writes.", {"type": "number"}
        ),
        "victims": listing("The jobs that a reclaim would take back.", record("A job.", _victim())),
        "lost_weight_hours": number(_LOST),
        "unpaid": _unpaid(),
        "mins_back": table(
            "By group, in what time a min that is not all in use is back.",
            record("A min.", MIN_BACK),
        ),
        "ceilings": table(
            "By submitter, the ceiling that it has; none is touched.", {"type": "number"}
        ),
        "problems": texts("What could not be counted, one sentence each."),
        "refused": listing("Why the plan must not be applied now.", record("A refusal.", refused)),
    }
    return record("What 'htcq elastic plan --json' prints.", keys)


def reclaim() -> Shape:
    """Return the schema of what is taken back."""
    lists = keys_of(
        ReclaimPlan, "taken_at", "ending",
        negotiator="The negotiator whose pool it is.",
        over=listing("The groups that use more than they may.", record("A group.", _over())),
        needs=listing("The groups that wait for what is theirs.", record("A group.", _need())),
        evictions=listing("The jobs to take back, in order.", record("A job.", _victim())),
        uses=listing("The idle jobs that would run then.", record("A job.", _use())),
        ceilings=listing("The ceilings to set.", record("A ceiling.", _ceiling())),
        release="The submitters whose ceiling goes.",
        renew="The submitters whose ceiling is set anew.",
        exemptions=listing("The jobs that are not taken back.", record("A job.", _spared())),
        kept="Whose other ceilings stay as they are, one sentence each.",
        unpaid=_unpaid(),
        stopped="Why nothing is done until a person says so; empty where something is.",
        waiting="Why nothing is done for now; empty where something is.",
        measured=table(
            "By earlier action, whether those for whom it was took what it freed.",
            {"type": "boolean"},
        ),
    )  # fmt: skip
    keys = {
        "schema": version(),
        "taken": text(_TAKEN),
        **{PLAN_KEYS.get(name, name): shape for name, shape in lists.items()},
        "withdrawn": table(
            "By earlier action whose groups do not wait for what it freed, what they withdrew.",
            table("By submitter, how many jobs.", {"type": "integer"}),
        ),
        "lost_weight_hours": number(_LOST),
        "refused": texts("Why nothing may be done, one sentence each."),
        "done": maybe(record("What was done; null unless --apply was given.", _done())),
        "health": health(),
    }
    return record("What 'htcq elastic reclaim plan --json' prints.", keys)


def _unpaid() -> Shape:
    return listing(
        "The groups of which more jobs ask for protection than have it.",
        record("A group.", PROTECTED),
    )


def ceilings() -> Shape:
    """Return the schema of the list of ceilings."""
    ceiling = {
        "submitter": text("The submitter."),
        "ceiling": whole("The ceiling, in slot weight."),
        "until": whole("When it ends, in seconds since 1970; 0 where it does not."),
        "whose": text("Who set it."),
    }
    return listing(
        "What 'htcq elastic reclaim ceilings --json' prints.", record("A ceiling.", ceiling)
    )


def _group() -> dict[str, Shape]:
    target = keys_of(
        QuotaTarget, "quota", "accept_surplus",
        group="The name of the group.",
        parent="The group above it; empty for a top-level group.",
        leaf="Whether no group is below it.",
        headroom="What the quota has beyond the runtime, for jobs to come.",
        binding="The dimension of the runtime that is used up first; empty where none is.",
        runtime="The weight of the runtime.",
        least="The weight of the min in effect.",
        guaranteed="The weight of the declared min.",
        priority=whole("Where mins exceed what there is, a higher priority comes first."),
        most="The weight of the max; null where none is below the pool.",
        hungry="Whether the group asks for more than its runtime.",
        in_need="Whether its idle jobs wait for a part of its runtime.",
        held="Why it should accept no surplus: max, unlent or turns; empty where it should.",
    )  # fmt: skip
    found = keys_of(
        GroupPlan,
        "written",
        before="The quota now; null where there is none.",
        target=any_number("What the quota should be."),
        rule="The rule by which the quota is written or kept; empty where it stays.",
        used="What its jobs and the groups below it use.",
        over="What it would use beyond the quota.",
        drains="The seconds until it may be over no longer; null where that may never be.",
    )
    return {
        **target,
        **found,
        "quota": any_number("What would be written now."),
        "accept_surplus": truth("Whether the group may use what others leave."),
        "change": any_number("What the quota grows by."),
    }


def _victim() -> dict[str, Shape]:
    return keys_of(
        Eviction,
        **_JOB,
        submitter="The submitter of the job.",
        slot="The slot that it runs in.",
        machine="The machine of the slot.",
        amounts="By dimension, what is taken back.",
        ran="The seconds that it has run.",
        started="When it started, in seconds since 1970.",
        lost_weight_hours="The hours of slot weight that it loses by its own word.",
        hours="The hours of slot weight that it loses, which limits count; 0 where it checkpoints.",
        helps="The dimensions that its group uses too much of.",
        why="Why this job.",
    )


def _over() -> dict[str, Shape]:
    return keys_of(
        GroupOver,
        group="The name of the group.",
        amounts="By dimension, what it uses beyond its runtime.",
        seconds="For how many seconds that has been so.",
        ready="Whether that is long enough.",
    )


def _need() -> dict[str, Shape]:
    return keys_of(
        GroupInNeed,
        group="The name of the group.",
        jobs="How many idle jobs it has for which its runtime has room and no free slot has.",
        seconds="For how many seconds that has been so.",
        ready="Whether that is long enough.",
    )


def _use() -> dict[str, Shape]:
    return keys_of(
        ExpectedStart, **_JOB, submitter="The submitter of the job.", place="Where it would run."
    )


def _ceiling() -> dict[str, Shape]:
    return keys_of(
        Ceiling,
        submitter="The submitter.",
        group="Its group.",
        ceiling="The ceiling, in slot weight.",
        used="What it uses now.",
        reclaimed="What of that is taken back.",
    )


def _spared() -> dict[str, Shape]:
    return keys_of(Exemption, **_JOB, why="Why it stays.")


def _done() -> dict[str, Shape]:
    job = {name: text(about) for name, about in _JOB.items()}
    failed = {**job, "why": text("Why it failed.")}
    return {
        "vacated": listing("The jobs that were taken back.", record("A job.", job)),
        "failed": listing("The jobs that could not be taken back.", record("A job.", failed)),
        "told": texts("What became of ceilings, one sentence each."),
    }
