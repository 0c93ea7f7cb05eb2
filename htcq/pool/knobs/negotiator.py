"""Knobs of the negotiator that change matching.

From src/condor_negotiator.V6 (matchmaker.cpp, matchmaker_negotiate.cpp, Accountant.cpp,
GroupEntry.cpp), HTCondor 23.0 to 25.14; ``contrib/knobs`` lists what these read.
"""

from __future__ import annotations

from htcq.pool.knobs.knob import rows

KNOBS = rows(
    """
ACCOUNTANT_LOCAL_DOMAIN | followed | Submitters of another domain have REMOTE_PRIO_FACTOR.
ALLOW_PSLOT_PREEMPTION | followed | A job may preempt several dynamic slots of a partitionable slot,
    which gets their resources back.
CONCURRENCY_LIMIT_DEFAULT | followed | Concurrency limits without a knob of their own have it.
CONCURRENCY_LIMIT_DEFAULT_<scope> | followed | Concurrency limits of this scope without a knob of
    their own have it.
<limit>_LIMIT | followed | No job starts that would exceed the concurrency limit.
DEFAULT_PRIO_FACTOR | followed | Submitters without a factor have it, and shares depend on it.
FORCE_NEGOTIATOR_SLOT_WEIGHT | followed, since 25.5.1 | The negotiator's SLOT_WEIGHT replaces that
    of the slots.
GROUP_ACCEPT_SURPLUS | followed | Groups take what others leave.
GROUP_ACCEPT_SURPLUS_<group> | followed | The group takes what others leave.
GROUP_AUTOREGROUP | followed | Groups negotiate again in the root group.
GROUP_AUTOREGROUP_<group> | followed | The group negotiates again in the root group.
GROUP_DYNAMIC_MACH_CONSTRAINT | followed | Other slots do not count in the pool's weight.
GROUP_NAMES | followed | These groups have quotas.
GROUP_PRIO_FACTOR_<group> | followed | New submitters of the group have this factor.
GROUP_QUOTA_<group> | followed | The quota of the group is this amount.
GROUP_QUOTA_DYNAMIC_<group> | followed | The quota of the group is this share.
GROUP_QUOTA_MAX_ALLOCATION_ROUNDS | followed | Groups negotiate in so many rounds.
GROUP_QUOTA_ROUND_ROBIN_RATE | followed | Groups get at most so much in each pass.
GROUP_SORT_EXPR | followed | Groups negotiate in the order of this expression.
HFS_MAX_ALLOCATION_ROUNDS | followed | It has no effect: GROUP_QUOTA_MAX_ALLOCATION_ROUNDS has a
    default.
HFS_ROUND_ROBIN_RATE | followed | It has no effect: GROUP_QUOTA_ROUND_ROBIN_RATE has a default.
MATCH_WORKING_CM_SLOTS | followed | Slots that work for another central manager are offered.
NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION | followed | Quotas of subgroups may exceed that of their
    parent.
NEGOTIATOR_CLASSAD_USER_MAP_NAMES | not | Submitters may be moved to another group by a map of
    their domain (GROUP_PREFIX), and userMap() in expressions has the maps.
NEGOTIATOR_CONSIDER_EARLY_PREEMPTION | not in courses | Slots whose jobs still have retirement time
    are offered too, and their jobs leave when it is over.
NEGOTIATOR_CONSIDER_PREEMPTION | followed | Claimed slots are not offered where it is false.
NEGOTIATOR_CROSS_SLOT_PRIOS | not | Slot ads have the priorities of the users of the machine's
    other slots (slot1_RemoteUserPrio), and expressions that name them are undefined here.
NEGOTIATOR_CYCLE_DELAY | followed | Cycles are so far apart at least; --interval says it.
NEGOTIATOR_DEPTH_FIRST | followed | Requests are left to the schedd that it may start on the rest
    of a slot.
NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES | not | Suspended claims are not charged, so that their
    users and groups get more.
NEGOTIATOR_IGNORE_JOB_RANKS | not | Jobs get slots in the negotiator's order, whatever their Rank.
NEGOTIATOR_IGNORE_USER_PRIORITIES | followed | Submitters have no share that limits them.
NEGOTIATOR_INTERVAL | followed | Cycles are so far apart; --interval says it.
NEGOTIATOR_JOB_CONSTRAINT | followed | Other jobs are not offered.
NEGOTIATOR_MATCHLIST_CACHING | followed | Jobs of an autocluster share one list of slots.
NEGOTIATOR_MATCH_EXPRS | not | Slot ads get these attributes during the cycle, and expressions that
    name them are undefined here.
NEGOTIATOR_MAX_TIME_PER_CYCLE | not | A cycle ends after this time, and other submitters are not
    negotiated with.
NEGOTIATOR_MAX_TIME_PER_PIESPIN | not | A pie spin ends after this time, and other submitters are
    not negotiated with.
NEGOTIATOR_MAX_TIME_PER_SCHEDD | not | The negotiator talks no longer to a schedd in a cycle.
NEGOTIATOR_MAX_TIME_PER_SUBMITTER | not | The negotiator talks no longer to a submitter in a
    cycle.
NEGOTIATOR_MIN_INTERVAL | followed | Cycles are so far apart at least; --interval says it.
NEGOTIATOR_NUM_THREADS | not | Several threads compare a request with slots before consumption
    policies change it, so that such slots may match otherwise.
NEGOTIATOR_POST_JOB_RANK | followed | Slots are ranked by it after the Rank of the job.
NEGOTIATOR_PREFETCH_REQUESTS | not | Each schedd lists its requests when it is negotiated with, and
    not before the first match.
NEGOTIATOR_PREFETCH_REQUESTS_MAX_TIME | not | Schedds that answer later list their requests when
    they are negotiated with.
NEGOTIATOR_PREFETCH_REQUESTS_TIMEOUT | not | Schedds that answer later list their requests when they
    are negotiated with.
NEGOTIATOR_PRE_JOB_RANK | followed | Slots are ranked by it before the Rank of the job.
NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE | not | The files are read again before each cycle, which may
    have other knobs than those captured.
NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE | followed | A schedd lists so many requests at a time.
NEGOTIATOR_SLOT_CONSTRAINT | followed | Other slots are not there for the negotiator.
NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT | followed | Other slots do not count in the pool's weight.
NEGOTIATOR_STRICT_ENFORCE_QUOTA | followed | A group's use counts for the groups above it.
NEGOTIATOR_SUBMITTER_CONSTRAINT | followed | Other submitters are left out.
NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD | not | Slots whose startd ends within this time are not
    offered.
NEGOTIATOR_USE_SLOT_WEIGHTS | followed | Slots count by their weight.
NEGOTIATOR_USE_WEIGHTED_DEMAND | followed | Demand counts by the weight of jobs.
NICE_USER_PRIO_FACTOR | followed | Nice users have this factor.
PREEMPTION_RANK | followed | Of the slots that a job may preempt it takes the one with the highest
    value.
PREEMPTION_RANK_STABLE | followed | PREEMPTION_RANK is evaluated once for a list of slots.
PREEMPTION_REQUIREMENTS | followed | A job may preempt those of submitters with a worse priority
    where it is true.
PREEMPTION_REQUIREMENTS_STABLE | followed | PREEMPTION_REQUIREMENTS is evaluated once for a list
    of slots.
PRIORITY_HALFLIFE | followed | Former use counts half after this time.
REMOTE_PRIO_FACTOR | followed | Submitters of another domain have this factor.
REMOVE_SIGNIFICANT_ATTRIBUTES | followed, since 25.5.1 | Jobs that differ in these alone are one
    autocluster.
REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX | followed, since 25.5.1 | Jobs that differ in these alone are
    one autocluster.
SLOT_WEIGHT | followed | Slots whose own weight is no number have it.
STARTD_AD_REEVAL_EXPR | not | Where it is false a slot keeps the ad of the cycle before, with what
    was taken from it then.
STARTD_JOB_ATTRS | not | Jobs that differ in these alone are one autocluster, though slots name
    them.
STARTD_JOB_EXPRS | not | Jobs that differ in these alone are one autocluster, though slots name
    them.
SYSTEM_STARTD_JOB_ATTRS | not | Jobs that differ in these alone are one autocluster, though slots
    name them.
USE_GLOBAL_JOB_PRIOS | not | Jobs of all submitters are matched in the order of their JobPrio.
USE_RESOURCE_REQUEST_COUNTS | followed | Each request stands for one job, and not for all that are
    alike.
"""
)
