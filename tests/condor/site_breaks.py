"""What administrators break, each as the files that do it, with what the audit must say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from filling import group_knobs

QUOTAS = {"biology": 60.0, "chem": 50.0, "physics": 30.0}
GROUPS = group_knobs(QUOTAS, NEGOTIATOR_CONSIDER_PREEMPTION=False)
INFO, WARNING, ERROR = "info", "warning", "error"


@dataclass(frozen=True)
class Break:
    """One thing that is broken on purpose: the one finding of it that is expected, and how severe it is.

    ``groups`` is the file of group quotas that it puts in place of the sound one; ``files`` are
    what it puts beside the sound files of a node, an access point or ``central``. ``ends`` tells
    that the negotiator crashes when it reads it. ``restart`` tells that a node must start anew
    to have it. ``says`` stands in the finding's message."""

    name: str
    rule: str
    severity: str
    says: str
    groups: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    ends: bool = False
    restart: bool = False


def _groups(
    name: str, rule: str, severity: str, says: str, old: str, new: str, ends: bool = False
) -> Break:
    """Return a break of the file of group quotas: ``old`` becomes ``new``."""
    assert old in GROUPS
    return Break(name, rule, severity, says, groups=GROUPS.replace(old, new), ends=ends)


def _central(name: str, rule: str, severity: str, says: str, text: str) -> Break:
    return Break(name, rule, severity, says, files={"central": f"{text}\n"})


def _on(
    member: str, name: str, rule: str, severity: str, says: str, text: str, restart: bool = False
) -> Break:
    return Break(name, rule, severity, says, files={member: f"{text}\n"}, restart=restart)


#: The first of them stand for all where not all are made.
BREAKS = (
    _central(
        "a later file lists another group", "group-names-overridden", ERROR, "biology, chem and physics",
        "GROUP_NAMES = astro\nGROUP_QUOTA_astro = 10",
    ),
    _groups(
        "a group's name is misspelt in the list", "quota-for-unknown-group", ERROR, "GROUP_QUOTA_biology",
        "GROUP_NAMES = biology", "GROUP_NAMES = biolgy",
    ),
    _groups("a quota has a digit too much", "quota-exceeds-pool", WARNING, "1500", "= 30.0", "= 1500"),
    _central(
        "a constraint lets no job in", "negotiator-excludes-all", ERROR, "NEGOTIATOR_JOB_CONSTRAINT",
        'NEGOTIATOR_JOB_CONSTRAINT = JobUniverse =?= "vanilla"',
    ),
    _on(
        "ap2", "one access point lacks the weight", "access-point-lacks-slot-weight", ERROR, "ap2.test",
        "SCHEDD_SLOT_WEIGHT =",
    ),
    _on("ap2", "one access point runs nothing", "access-point-closed", ERROR, "ap2.test", "MAX_JOBS_RUNNING = 0"),
    _on("b1", "the largest node is closed", "slots-closed", ERROR, "START = false", "START = False"),
    _on("a1", "a small node is closed", "slots-closed", WARNING, "START = false", "START = False"),
    _on(
        "b1", "START of the largest node is misspelt", "attribute-nobody-defines", ERROR, "did you mean RequestCpus?",
        "START = TARGET.RequestCpu <= 8",
    ),
    _on("b1", "one node weighs in tenths", "mixed-slot-weights", ERROR, "slot1@b1.test", "SLOT_WEIGHT = Cpus * 10"),
    _on(
        "g1", "a consumption is misspelt", "consumption-undefined", ERROR, "ConsumptionGPUs",
        "CONSUMPTION_GPUS = TARGET.RequestGpu",
    ),
    _groups(
        "a quota is below zero", "quota-out-of-range", ERROR, "GROUP_QUOTA_chem = -20", "_chem = 50.0", "_chem = -20",
        ends=True,
    ),
    # The others.
    _groups(
        "a group's name is misspelt in the quota", "quota-for-unknown-group", ERROR, "GROUP_QUOTA_phyiscs",
        "GROUP_QUOTA_physics", "GROUP_QUOTA_phyiscs",
    ),
    _groups(
        "a quota has a unit", "quota-out-of-range", ERROR, "20 cores", "_chem = 50.0", "_chem = 20 cores", ends=True,
    ),
    _groups(
        "a share is in per cent", "quota-out-of-range", ERROR, "20%", "QUOTA_chem = 50.0", "QUOTA_DYNAMIC_chem = 20%",
        ends=True,
    ),
    _groups(
        "a share is written as an amount", "quota-truncated", ERROR, "0.3", "_physics = 30.0", "_physics = 0.3",
    ),
    Break(
        "static quotas leave nothing for a share", "quotas-fill-the-pool", ERROR, "add up to 380; the pool has 368",
        groups=GROUPS.replace("_biology = 60.0", "_biology = 330").replace("QUOTA_physics = 30.0",
                                                                           "QUOTA_DYNAMIC_physics = 0.9"),
    ),
    Break(
        "shares add up to more than all", "dynamic-quotas-exceed-one", INFO, "1.5",
        groups=GROUPS.replace("QUOTA_biology = 60.0", "QUOTA_DYNAMIC_biology = 0.9").replace(
            "QUOTA_physics = 30.0", "QUOTA_DYNAMIC_physics = 0.6"),
    ),
    _groups(
        "a group has a parent that is not listed", "group-dropped", WARNING, "theory.x", "NAMES = biology",
        "NAMES = theory.x, biology",
    ),
    _groups("a group is listed twice", "group-dropped", WARNING, "Chem", "biology, chem,", "biology, chem, Chem,"),
    _central(
        "a knob of a group is misspelt", "quota-for-unknown-group", WARNING, "chemistry",
        "GROUP_ACCEPT_SURPLUS_chemistry = True",
    ),
    Break(
        "children have more than their parent", "static-quotas-exceed-parent", WARNING, "add up to 100",
        groups=GROUPS.replace("NAMES = biology", "NAMES = biology, biology.x, biology.y")
        + "GROUP_QUOTA_biology.x = 50\nGROUP_QUOTA_biology.y = 50\n",
    ),
    _central(
        "the order of groups names nothing", "sort-expression-broken", ERROR, "nosuch",
        "GROUP_SORT_EXPR = GroupQuota * NoSuch",
    ),
    _central(
        "demand is counted in jobs", "unweighted-demand", ERROR, "they weigh", "NEGOTIATOR_USE_WEIGHTED_DEMAND = False",
    ),
    _central(
        "slot weights are off", "weights-off-with-partitionable", WARNING, "is off",
        "NEGOTIATOR_USE_SLOT_WEIGHTS = False",
    ),
    _central(
        "a knob of the negotiator is misspelt", "unknown-knob", WARNING, "did you mean NEGOTIATOR_DEPTH_FIRST?",
        "NEGOTIATOR_DEPHT_FIRST = False",
    ),
    _central(
        "no slot counts for the pool", "pool-constraint-matches-nothing", ERROR, "is true for no",
        "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT = Memory > 1000000",
    ),
    _central(
        "claimed slots are hidden", "slot-constraint-hides-claims", ERROR, "nobody is charged",
        'NEGOTIATOR_SLOT_CONSTRAINT = State == "Unclaimed"',
    ),
    _central(
        "groups regroup", "autoregroup", ERROR, "without a group limit", "GROUP_AUTOREGROUP = True",
    ),
    _central(
        "matching goes depth first", "depth-first-with-policy", WARNING, "is True", "NEGOTIATOR_DEPTH_FIRST = True",
    ),
    _central(
        "cycles are ten hours apart", "cycles-far-apart", WARNING, "10 hours", "NEGOTIATOR_CYCLE_DELAY = 36000",
    ),
    _on(
        "ap2", "a weight of one access point is misspelt", "schedd-weight-misspelt", ERROR, "did you mean RequestCpus?",
        "SCHEDD_SLOT_WEIGHT = RequestCpu + RequestMemory / 4096.0",
    ),
    _on(
        "ap2", "one access point hands out leftovers", "leftovers-with-policy", ERROR, "claims the rest of a slot",
        "CLAIM_PARTITIONABLE_LEFTOVERS = True",
    ),
    _on(
        "b1", "a consumption is a fraction", "fractional-memory", ERROR, "32.768",
        "CONSUMPTION_MEMORY = TARGET.RequestMemory / 1000.0",
    ),
    _on(
        "a1", "the policy is rolled out by half", "policy-on-part-of-slots", WARNING, "a1.test",
        "CONSUMPTION_POLICY = False", restart=True,
    ),
)  # fmt: skip
REPRESENTATIVE = 8
assert len(BREAKS) == 35
