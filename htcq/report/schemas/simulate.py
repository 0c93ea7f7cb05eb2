"""The schemas of ``htcq simulate --json`` for one cycle, and of ``--agreement``.

The agreement is that of the simulated cycle with HTCondor's own reasons.
"""

from __future__ import annotations

from htcq.htcondor.releases import ROLES
from htcq.report.schemas.pool import about_pool, changes, health, incomplete, source, taken, version
from htcq.report.schemas.shape import (
    Shape,
    any_number,
    keys_of,
    listing,
    maybe,
    record,
    same,
    text,
    texts,
    truth,
    whole,
)
from htcq.simulate.as_version import VersionChange
from htcq.simulate.course.machines import Fill, Machine
from htcq.simulate.cycle.outcome import CycleDifference, Pair
from htcq.simulate.cycle.trace import Crash, GroupUse, Match, Rejection, SubmitterUse
from htcq.why.agreement import Compared

UNIT = "What amounts are counted in: slot weight or slots."
UNMODELLED = "What the real negotiator might have done besides, one sentence each."


def cycle() -> Shape:
    """Return the schema for one cycle."""
    fill = {
        "before": _fill("The machines before the cycle."),
        "after": _fill("The machines with its matches claimed."),
    }
    keys = {
        **about_pool(),
        "unit": text(UNIT),
        "slots": whole("How many slots the negotiator knows."),
        "pool_weight": any_number("What these slots weigh."),
        "rejections": listing(
            "The requests that were rejected, in order.", record("A rejection.", _rejection())
        ),
        "groups": listing("The groups.", record("A group.", _group())),
        "submitters": listing("The submitters.", record("A submitter.", _submitter())),
        "crash": maybe(crash()),
        "skipped": listing("What would make the negotiator crash, but was left out.", crash()),
        "unmodelled": texts(UNMODELLED),
        "matches": listing("The matches, in order.", record("A match.", _match())),
        "fill": record("How full the machines are.", fill),
        "incomplete": incomplete(),
    }
    return record("What 'htcq simulate --json' prints.", keys)


def what_if() -> Shape:
    """Return the schema for a cycle before and after a change."""
    difference = keys_of(
        CycleDifference,
        kind=text("What it is about.", "group", "submitter"),
        name="The name of the group or submitter.",
        matches=pair("How many matches it has."),
        used=pair("What it uses after the cycle."),
        waiting=pair("How many of its jobs wait."),
        starved=_both(
            (
                "Whether its jobs wait though it uses less than its limit, a submitter nothing: "
                "before and after."
            ),
            "boolean",
        ),
        why=_both("The last reason of a rejection: before and after.", "string"),
        because="A sentence that says where the difference comes from.",
    )
    return before_and_after("What 'htcq simulate --json' prints of a what-if.", cycle(), difference)


def before_and_after(about: str, result: Shape, difference: dict[str, Shape]) -> Shape:
    """Return the shape of a what-if, of which ``result`` is either side."""
    keys = {
        "schema": version(),
        "health": health(),
        "changes": changes(),
        "versions": listing(
            "What changes with the versions of --as-version.",
            record("A change of HTCondor.", _version_change()),
        ),
        "before": same("What happens without the change.", "result"),
        "after": same("What happens with the change.", "result"),
        "differences": listing(
            "The groups and submitters that differ.", record("A difference.", difference)
        ),
    }
    return {**record(about, keys), "definitions": {"result": result}}


def _version_change() -> dict[str, Shape]:
    return keys_of(
        VersionChange,
        role=text("Whose daemons change.", *ROLES),
        since="The first version of HTCondor that has it.",
        effect="A sentence that says what daemons do since then.",
        gone="Whether the pool has it now and would lose it.",
        rule="The audit rule that finds the harm; empty where there is none.",
        followed="Whether the simulation follows it.",
    )


def pair(about: str) -> Shape:
    """Return the shape of an amount before and after."""
    return record(about, keys_of(Pair, before="Before the change.", after="After the change."))


def crash() -> Shape:
    """Return the shape of the end of a negotiator."""
    keys = keys_of(
        Crash,
        slot="The name of the slot; empty where there is none.",
        job="The id of the job; empty where the negotiator exits when it reads its configuration.",
        message="What the negotiator would write to its log.",
    )
    return record("What makes the negotiator crash.", keys)


def machines(about: str) -> Shape:
    """Return the shape of a list of machines."""
    keys = keys_of(
        Machine,
        name="The name of the machine.",
        cpus="How many cpus it has.",
        claimed_cpus="How many of them are in claims.",
        memory_mb="Its memory in MB.",
        claimed_memory_mb="How much of it is in claims.",
    )
    return listing(about, record("A machine.", keys))


def agreement() -> Shape:
    """Return the schema for HTCondor's own reasons beside those of the simulated cycle."""
    compared = keys_of(
        Compared,
        access_point="The access point.",
        autocluster="AutoClusterId; empty where the jobs do not say.",
        submitter="The submitter.",
        job="The job that has the reason.",
        idle="How many of its jobs are idle.",
        reason="HTCondor's reason.",
        simulated="The reason of the simulated cycle.",
    )
    one = {**compared, "agrees": truth("Whether the two agree.")}
    keys = {
        "schema": version(),
        "source": source(),
        "taken": taken(),
        "percentage": maybe(
            any_number("How many percent of the compared autoclusters agree; null where none was.")
        ),
        "agree": whole("How many autoclusters agree."),
        "compared": whole("How many autoclusters were compared."),
        "stale": whole("How many have a reason that is older than the last negotiation cycle."),
        "of_other_negotiators": whole("How many have the reason of another negotiator."),
        "without_reason": whole("How many have no reason."),
        "autoclusters": listing(
            "The autoclusters that were compared.", record("An autocluster.", one)
        ),
        "incomplete": incomplete(),
    }
    return record("What 'htcq simulate --agreement --json' prints.", keys)


def _both(about: str, kind: str) -> Shape:
    return {**listing(about, {"type": kind}), "minItems": 2, "maxItems": 2}


def _fill(about: str) -> Shape:
    keys = keys_of(
        Fill,
        machines=machines("The machines."),
        largest_cpus="The most cpus that are free in one slot.",
        largest_memory_mb="The most memory in MB that is free in one slot.",
    )
    return record(about, keys)


def _match() -> dict[str, Shape]:
    return keys_of(
        Match,
        job="The job that starts; empty where none is left that suits the slot.",
        request="The first job of the request, as the negotiator's log names it.",
        submitter="The submitter.",
        slot="The name of the slot.",
        cost="The match cost.",
        standing="What is charged as soon as the claimed slot has an ad of its own.",
        refusal=(
            "Why the startd refuses the claim or the schedd gives it back; empty where neither "
            "does."
        ),
        preempts="Whose claim it preempts; empty where the slot was free.",
        by="Why that claim is preempted: rank or priority; empty where the slot was free.",
        dynamic_slots="The dynamic slots that are preempted together for a partitionable slot.",
        access_point="The access point of the job; empty where no ad says.",
    )


def _rejection() -> dict[str, Shape]:
    return keys_of(
        Rejection,
        job="The first job of the request.",
        submitter="The submitter.",
        reason="Why it is rejected.",
        access_point="The access point of the job; empty where no ad says.",
    )


def _group() -> dict[str, Shape]:
    return keys_of(
        GroupUse,
        name="The name of the group.",
        limit=(
            "The limit of its first turn, before it is cut to a whole number; null where it had "
            "none."
        ),
        used_before="What it used before the cycle.",
        used_after="What it uses after the cycle.",
    )


def _submitter() -> dict[str, Shape]:
    return keys_of(
        SubmitterUse,
        name="The name of the submitter.",
        group="Its group.",
        idle="How many more slots its idle jobs want.",
        matches="How many matches it has.",
        used_before="What it used before the cycle.",
        used_after="What it uses after the cycle.",
        standing="What it uses when its claims have ads of their own.",
    )
