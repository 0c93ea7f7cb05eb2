"""What sites have besides: random additions to a random pool, of its expressions, its limits, its groups and its jobs.

Expressions look at what the negotiator writes into the ads of jobs and slots; names have other
cases; jobs wait for other things than slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import second_schedd
import second_startd
from random_cycles import Scenario, drawn
from random_jobs import Cluster

_RANKS_OF_NEGOTIATOR = (
    "ifThenElse((SubmitterUserResourcesInUse ?: 0) > 2, Memory, -1.0 * SlotID)",
    "TARGET.SubmitterUserPrio * SlotID",
    'ifThenElse(TARGET.SubmitterGroup =?= "phys", -1.0 * SlotID, SlotID)',
    "TARGET.SubmitterGroupQuota * Cpus - TARGET.SubmitterGroupResourcesInUse * SlotID",
    "(RemoteUserPrio ?: 1) * SlotID",
    "(TARGET.SubmitterNegotiatingGroup =?= TARGET.SubmitterGroup) * Memory",
    "size(TARGET.SubmitterGroup) - TARGET.JobPrio * SlotID",
)
_KNOBS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "NEGOTIATOR_PRE_JOB_RANK": (0.35, _RANKS_OF_NEGOTIATOR),
    "NEGOTIATOR_POST_JOB_RANK": (0.25, _RANKS_OF_NEGOTIATOR),
    "START": (
        0.4,
        (
            "(TARGET.SubmitterUserResourcesInUse ?: 0) < 3",
            'TARGET.SubmitterGroup =!= "phys"',
            'TARGET.AcctGroup =!= "bio"',
            "TARGET.SubmitterUserPrio < 600",
            'ifThenElse(SlotID == 1, TARGET.AcctGroupUser == "ann", true)',
            'regexp("^[ab]", TARGET.AcctGroupUser) || SlotID > 2',
            "TARGET.NiceUser =!= true",
            "TARGET.RequestCpus <= Cpus / 2",
            "TARGET.SubmitterGroupResourcesInUse < TARGET.SubmitterGroupQuota",
        ),
    ),
    "NEGOTIATOR_JOB_CONSTRAINT": (
        0.15,
        (
            'AcctGroupUser != "ann"',
            "ProcId < 3",
            "ConcurrencyLimits is undefined",
            "RequestGPUs is undefined",
            "RequestMemory > 300 * RequestCpus",
        ),
    ),
    "NEGOTIATOR_SUBMITTER_CONSTRAINT": (
        0.1, ('regexp("^(phys|a)", Name)', "WeightedIdleJobs < 10", "RunningJobs == 0"),
    ),
    "NEGOTIATOR_SLOT_CONSTRAINT": (0.1, ("PartitionableSlot", "Cpus > 1", "SlotID % 2 == 1")),
    "GROUP_DYNAMIC_MACH_CONSTRAINT": (0.1, ("SlotID > 1", "PartitionableSlot =!= true")),
    "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE": (0.15, ("1", "2", "3")),
    "USE_RESOURCE_REQUEST_COUNTS": (0.1, ("False",)),
    "USE_GLOBAL_JOB_PRIOS": (0.12, ("True",)),
    "GROUP_PRIO_FACTOR_phys": (0.2, ("10", "2500")),
    "GROUP_PRIO_FACTOR_bio": (0.2, ("30",)),
    "DEFAULT_PRIO_FACTOR": (0.2, ("10", "1")),
    "NICE_USER_PRIO_FACTOR": (0.2, ("20",)),
    "LICENCE_LIMIT": (0.3, ("2 * 2", "0", "2.5", "-1")),
    "CONCURRENCY_LIMIT_DEFAULT": (0.2, ("1", "2.5")),
    "STARTD_ATTRS": (0.25, ("WantMatching", "Offline", "Offline", "WantClaiming")),
}  # fmt: skip
_OWN = {
    "WantMatching": "SlotID != 1", "Offline": "SlotID % 2 == 0", "WantClaiming": "SlotID % 2 == 1",
}  # fmt: skip
_LIMITS = (
    "LICENCE:2", "licence:0", "licence:-1", "licence:1.5, Licence", "a.B:2", "licence:x",
    " licence ,, tape", "LICENCE", "disk.io:3 , disk",
)  # fmt: skip
_STARTS_OF_DRAINING = (
    "", "TARGET.RequestCpus < 2", "TARGET.JobPrio > 0 || SlotID == 1", "true",
    "(TARGET.SubmitterUserResourcesInUse ?: 0) < 4",
)  # fmt: skip
_LIMITS_BY_EXPRESSION = (
    'strcat("LICENCE:", RequestCpus)', 'ifThenElse(TARGET.SlotID > 1, "licence:2", "tape")',
    'ifThenElse(MY.JobPrio > 0, "licence", "TAPE")',
)  # fmt: skip
_RANKS = (
    "TARGET.Cpus - MY.RequestCpus * SlotID", "RemoteUser =?= undefined", "TARGET.SlotWeight",
    "SubmitterUserPrio * SlotID", "1 / 0", "-1.0 * Memory",
)  # fmt: skip
_REQUIREMENTS = (
    "TARGET.SlotWeight > 1", "TARGET.Cpus > RequestCpus", "SubmitterUserPrio < 800",
    'MY.SubmitterGroup =!= "bio"', "(TARGET.NumDynamicSlots ?: 0) < 2", "TARGET.TotalSlots > 3",
    "TARGET.RemoteOwner =?= undefined", "TARGET.TotalSlotMemory > 2 * RequestMemory",
    '!stringListMember(TARGET.Name, "slot1@node.test,slot2@node.test")',
)  # fmt: skip


def with_additions(scenario: Scenario) -> Scenario:
    """Return the pool with what its seed adds to it."""
    dice = Random(f"{scenario.seed}-additions")
    knobs = {**scenario.knobs, **dict(drawn(dice, _KNOBS))}
    added = knobs.get("STARTD_ATTRS")
    if added:
        knobs[added] = _OWN[added]
    if knobs.get("START_VANILLA_UNIVERSE") and scenario.running:
        del knobs["START_VANILLA_UNIVERSE"]
    # Its own jobs would be refused by a slot that looks at what the negotiator alone knows, or does
    # not, and by the dynamic slot that has no more than they request.
    running, start = scenario.running, knobs.get("START", "")
    hidden = any("SIGNIFICANT_ATTRIBUTES" in name for name in knobs)
    if "Submitter" in start or "RequestCpus" in start or (start and hidden):
        running = ()
    clusters = tuple(_changed(dice, each) for each in scenario.clusters)
    groups = {each.submitter: scenario.groups.get(each.submitter, "<none>") for each in clusters}
    added = replace(
        scenario,
        knobs=knobs,
        running=running,
        clusters=clusters,
        groups={**scenario.groups, **groups},
    )
    return _draining(_with_second_startd(_with_second_schedd(added)))


def _with_second_schedd(scenario: Scenario, often: float = 0.3) -> Scenario:
    """Return the pool with a second schedd now and then, where its submitters have jobs as well.

    More of them have ceilings and floors then."""
    dice = Random(f"{scenario.seed}-schedds")
    if dice.random() >= often or "CURB_MATCHMAKING" in scenario.knobs:
        return scenario
    here, elsewhere = list[Cluster](), list[Cluster]()
    for cluster in scenario.clusters:
        places = dice.choice(((here,), (elsewhere,), (here, elsewhere)))
        for place in places:
            place.append(cluster)
    knobs = {**scenario.knobs, **second_schedd.KNOBS}
    if dice.random() < 0.4:
        knobs["SECOND.MAX_JOBS_RUNNING"] = dice.choice(("1", "3", "8"))
    userprio = list(scenario.userprio)
    for name in scenario.groups:
        if dice.random() < 0.4:
            userprio.append(("-setceil", f"{name}@test", str(dice.randint(1, 6))))
        if dice.random() < 0.3:
            userprio.append(("-setfloor", f"{name}@test", str(dice.randint(1, 4))))
    return replace(
        scenario,
        knobs=knobs,
        clusters=tuple(here),
        elsewhere=tuple(elsewhere),
        userprio=tuple(userprio),
        user_limit=0,
    )


def _with_second_startd(scenario: Scenario, often: float = 0.2) -> Scenario:
    """Return the pool with a second startd on its machine now and then, with as many slots at most."""
    dice = Random(f"{scenario.seed}-startds")
    counts = {
        name.rpartition("_")[2]: int(text)
        for name, text in scenario.knobs.items()
        if name.startswith("NUM_SLOTS_TYPE_")
    }
    own = {type_: dice.randint(1, count) for type_, count in counts.items()}
    slots = scenario.slots + sum(own.values())
    # Which of two startds answers first decides which jobs have come into the queue by then, and
    # where a job finds the rest of a slot.
    late = any(each.idle < each.count for each in scenario.clusters)
    # Among more than 16 equal slots std::sort leaves the order open.
    if dice.random() >= often or late or slots > 16 or sum(counts.values()) != scenario.slots:
        return scenario
    knobs = second_startd.added(scenario.knobs, own)
    knobs["CLAIM_PARTITIONABLE_LEFTOVERS"] = "False"
    return replace(scenario, knobs=knobs, slots=slots)


def _draining(scenario: Scenario, often: float = 0.15) -> Scenario:
    """Return the pool with its machine being drained now and then; jobs that run there retire."""
    dice = Random(f"{scenario.seed}-drain")
    if dice.random() >= often:
        return scenario
    options = ["-graceful", "-reason", "a new kernel"]
    start = dice.choice(_STARTS_OF_DRAINING)
    if start:
        options += ["-start", start]
    knobs = {**scenario.knobs, "MAXJOBRETIREMENTTIME": "86400"}
    return replace(scenario, knobs=knobs, drain=tuple(options))


def _changed(dice: Random, cluster: Cluster) -> Cluster:
    commands = {**cluster.commands, **dict(_commands(dice, cluster))}
    submitter = cluster.submitter
    if "." not in submitter and dice.random() < 0.15:
        commands["nice_user"] = "true"
        submitter = f"nice-user.{submitter}"
    return replace(cluster, commands=commands, submitter=submitter)


def _commands(dice: Random, cluster: Cluster) -> Iterator[tuple[str, object]]:
    limited = {"concurrency_limits", "concurrency_limits_expr"} & set(cluster.commands)
    if dice.random() < 0.2 and not limited:
        yield "concurrency_limits", dice.choice(_LIMITS)
    elif dice.random() < 0.1 and not limited and cluster.count == 1:
        yield "concurrency_limits_expr", dice.choice(_LIMITS_BY_EXPRESSION)
    if dice.random() < 0.15:
        yield "rank", dice.choice(_RANKS)
    if dice.random() < 0.15:
        yield "requirements", dice.choice(_REQUIREMENTS)
    if dice.random() < 0.1:
        yield "MY.PreJobPrio1", dice.choice(("1", "ProcId", "-2"))
    if dice.random() < 0.1:
        yield "MY.PostJobPrio2", dice.choice(("1", "-ProcId"))


_STARTS_BY_SCHEDD = ('TARGET.ScheddName =!= "node.test"', 'TARGET.ScheddName == "node.test"')
#: Of courses: what preempts, who splits slots, and what is asked of devices.
_COURSE_KNOBS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "PREEMPTION_REQUIREMENTS": (
        0.45,
        (
            "RemoteUserPrio > SubmitterUserPrio * 1.2",
            "TARGET.JobPrio > 1",
            "RemoteUserResourcesInUse > SubmitterUserResourcesInUse + 2",
            "RemoteGroupResourcesInUse > RemoteGroupQuota",
            "SubmitterUserPrio < 400",
            "RemoteUser =?= TARGET.User && SlotID > 1",
            "RemoteOwner =!= TARGET.User || TARGET.JobPrio > 0",
            'RemoteScheddName =?= "node.test"',
            "(time() - EnteredCurrentState) < 3600 && TotalJobRunTime < 3600",
            "(CurrentTime - EnteredCurrentActivity) > 3600",
        ),
    ),
    "PREEMPTION_RANK": (0.3, ("0", "Memory", "-1.0 * SlotID", "RemoteUserPrio")),
    "RANK": (
        0.3,
        (
            'TARGET.AcctGroup =?= "phys"',
            '(TARGET.AcctGroupUser =?= "ann") * 10',
            "TARGET.JobPrio",
            "TARGET.RequestCpus",
        ),
    ),
    "START": (
        0.3,
        (
            "(TARGET.SubmitterUserResourcesInUse ?: 0) < 3",
            'TARGET.AcctGroup =!= "bio"',
            "TARGET.RequestCpus <= MY.Cpus / 2",
            "(NumDynamicSlots ?: 0) < 2 || TARGET.JobPrio > 0",
            'regexp("^[ab]", TARGET.AcctGroupUser) || SlotID > 2',
            "MY.Memory > 1000",
            "TARGET.RequestMemory < MY.TotalSlotMemory / 2",
            # A request that the startd has changed may suit one of slot and dynamic slot alone.
            "TARGET.RequestMemory < 700",
            "(DynamicSlot ?: false) || TARGET.RequestMemory * 3 < Memory",
            "TARGET.RequestCpus < 2 || DynamicSlot",
            # The startd alone knows the schedd of a job.
            *_STARTS_BY_SCHEDD,
        ),
    ),
    "NEGOTIATOR_PRE_JOB_RANK": (0.2, _RANKS_OF_NEGOTIATOR),
    "STARTD.CLAIM_PARTITIONABLE_LEFTOVERS": (0.15, ("False",)),
    "SCHEDD.CLAIM_PARTITIONABLE_LEFTOVERS": (0.15, ("False",)),
    "ALLOW_PSLOT_PREEMPTION": (0.2, ("True",)),
    "NEGOTIATOR_JOB_CONSTRAINT": (0.1, ("JobPrio >= 0", "RequestCpus < 3")),
    "CLAIM_WORKLIFE": (0.2, ("0", "5")),
    "MODIFY_REQUEST_EXPR_REQUESTMEMORY": (
        0.2, ("quantize(RequestMemory, {128})", "max({700, RequestMemory})", "RequestMemory * 2"),
    ),
    "MODIFY_REQUEST_EXPR_REQUESTCPUS": (0.1, ("quantize(RequestCpus, {2})", "MY.Cpus")),
    "MUST_MODIFY_REQUEST_EXPRS": (0.1, ("True",)),
    "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE": (0.15, ("1", "2", "3")),
    "MAX_CONCURRENT_UPLOADS_PER_USER": (0.1, ("2", "3", "6", "10")),
    "USE_GLOBAL_JOB_PRIOS": (0.12, ("True",)),
    "GROUP_SORT_EXPR": (0.1, ("GroupResourcesInUse", "-GroupQuota")),
}  # fmt: skip


def course_with_additions(scenario: Scenario) -> Scenario:
    """Return the pool of a course with what its seed adds to it."""
    dice = Random(f"{scenario.seed}-additions")
    knobs = {**scenario.knobs, **dict(drawn(dice, _COURSE_KNOBS))}
    if "PREEMPTION_REQUIREMENTS" in knobs or "RANK" in knobs:
        knobs.pop("NEGOTIATOR_CONSIDER_PREEMPTION", None)
        # A schedd evicts the oldest job of too many, and those that were preempted are as old.
        knobs.pop("MAX_JOBS_RUNNING", None)
    if knobs.get("START") in _STARTS_BY_SCHEDD and "False" in _partitionable(knobs):
        # A static slot is claimed first, and refuses to start the job then.
        del knobs["START"]
    for name, text in list(knobs.items()):
        if name.endswith("_CONSUMPTION_POLICY") and text == "True" and dice.random() < 0.5:
            number = name.rpartition("_CONSUMPTION")[0]
            knobs[f"{number}_NUM_CLAIMS"] = str(dice.randint(1, 5))
    gpus = knobs.get("STARTD_DETECT_GPUS", "")
    if gpus and dice.random() < 0.6:
        count = int(gpus.rpartition(",")[2])
        if count > 1:
            devices = dice.choice((f"1,{count - 1},3,1", f"3,1,1,{count - 1}"))
            knobs["STARTD_DETECT_GPUS"] = f"-properties -simulate:{devices}"
    clusters = []
    for cluster in scenario.clusters:
        commands = dict(cluster.commands)
        if "request_gpus" in commands and dice.random() < 0.5:
            commands["require_gpus"] = dice.choice(
                (
                    "Capability > 7",
                    "Capability < 7",
                    'DeviceName == "nosuch"',
                    "GlobalMemoryMb > 5000",
                )
            )
        commands.update(each for each in _commands(dice, cluster) if not each[0].startswith("MY."))
        if cluster.count > 2 and dice.random() < 0.15:
            # More jobs come when some have started.
            commands[dice.choice(("max_idle", "max_idle", "max_materialize"))] = dice.choice((1, 2))
        clusters.append(replace(cluster, commands=commands))
    added = replace(scenario, knobs=knobs, clusters=tuple(clusters))
    return _with_second_startd(_with_second_schedd(added, 0.25))


def _partitionable(knobs: Mapping[str, str]) -> set[str]:
    return {text for name, text in knobs.items() if name.endswith("_PARTITIONABLE")}


_PREEMPTING_KNOBS: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "NEGOTIATOR_PRE_JOB_RANK": (0.3, _RANKS_OF_NEGOTIATOR),
    "NEGOTIATOR_POST_JOB_RANK": (0.2, _RANKS_OF_NEGOTIATOR),
    "PREEMPTION_RANK": (
        0.3,
        (
            "RemoteUserPrio - TARGET.SubmitterUserPrio",
            "RemoteGroupResourcesInUse * SlotID",
            "ifThenElse(RemoteGroup =?= TARGET.SubmitterGroup, 1, 0)",
            "SlotID % 2",
        ),
    ),
    "NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE": (0.15, ("2",)),
    "NEGOTIATOR_DEPTH_FIRST": (0.2, ("True",)),
    "NEGOTIATOR_JOB_CONSTRAINT": (0.1, ("JobPrio >= 0", "ProcId != 1")),
    "LICENCE_LIMIT": (1.0, ("3", "6", "20")),
}
_PREEMPTION_REQUIREMENTS = (
    "RemoteGroup =!= TARGET.SubmitterGroup",
    "RemoteGroupResourcesInUse > RemoteGroupQuota",
    "TARGET.SubmitterGroupResourcesInUse < TARGET.SubmitterGroupQuota",
    "RemoteUserPrio > TARGET.SubmitterUserPrio && SlotID > 1",
    'RemoteUser != strcat(TARGET.AcctGroupUser, "@test")',
    "ConcurrencyLimits =?= undefined || TARGET.JobPrio > 0",
)


def preempting_with_additions(scenario: Scenario) -> Scenario:
    """Return the pool whose claims may be preempted with what its seed adds to it: claims have limits, too."""
    dice = Random(f"{scenario.seed}-additions")
    knobs = {**scenario.knobs, **dict(drawn(dice, _PREEMPTING_KNOBS))}
    later = dict(scenario.later)
    if "PREEMPTION_REQUIREMENTS" in later and dice.random() < 0.5:
        later["PREEMPTION_REQUIREMENTS"] = dice.choice(_PREEMPTION_REQUIREMENTS)
    running = tuple(_limited(dice, each, 0.5) for each in scenario.running)
    clusters = tuple(_limited(dice, each, 0.15) for each in scenario.clusters)
    return replace(scenario, knobs=knobs, later=later, running=running, clusters=clusters)


def _limited(dice: Random, cluster: Cluster, often: float) -> Cluster:
    if dice.random() >= often:
        return cluster
    limits = dice.choice(("licence", "Licence:2", "tape", "licence, tape"))
    return replace(cluster, commands={**cluster.commands, "concurrency_limits": limits})
