"""Knobs of the schedd that change which jobs it offers, and what it does with a match.

From src/condor_schedd.V6 (schedd.cpp, autocluster.cpp, qmgmt.cpp, dedicated_scheduler.cpp),
HTCondor 23.0 to 25.14; ``contrib/knobs`` lists what these read.
"""

from __future__ import annotations

from htcq.pool.knobs.knob import rows

KNOBS = rows(
    """
ACCOUNTING_DOMAIN | not, if unlike UID_DOMAIN | Submitters are of this domain, and their jobs of
    UID_DOMAIN, by which
    jobs are counted to submitters here.
ADD_SIGNIFICANT_ATTRIBUTES | followed | Jobs that differ in these are not one autocluster.
CLAIM_RECYCLING_CONSIDER_LIMITS | not in courses | A claim is used again for jobs with other
    concurrency limits as well.
CURB_MATCHMAKING | followed | The schedd offers no job where it is true.
DEDICATED_SCHEDULER_USE_FIFO | not | Parallel jobs start in another order than that of their ids.
DEDICATED_SCHEDULER_USE_SERIAL_CLAIMS | not | Parallel jobs take claims of serial ones.
DEDICATED_SCHEDULER_WAIT_FOR_SPOOLER | not | Parallel jobs wait for the spooling of others.
ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS | not | The schedd claims whole partitionable slots for jobs
    that ask for it, and fills them itself.
FLOCK_COLLECTOR_HOSTS | not, if unlike FLOCK_TO | Idle jobs may run in another pool.
FLOCK_NEGOTIATOR_HOSTS | not, if unlike FLOCK_TO | Idle jobs may run in another pool.
FLOCK_TO | not | Idle jobs may run in another pool.
JOB_DEFAULT_<attribute> | in ads | Jobs that are submitted without the attribute have it.
JOB_START_COUNT | not in courses | So many jobs start at a time, and the others later.
JOB_START_DELAY | not in courses | Jobs start so many seconds apart.
JOB_STOP_COUNT | not in courses | So many jobs are stopped at a time, and the others later.
JOB_STOP_DELAY | not in courses | Jobs are stopped so many seconds apart.
KEEP_DATA_CLAIM_IDLE | not in courses, since 25.10.1 | A claim that holds common files stays idle so
    long.
MAX_CONCURRENT_UPLOADS | followed, since 25.11.0 | What a submitter is offered at a time depends on
    it.
MAX_CONCURRENT_UPLOADS_PER_USER | followed, since 25.11.0 | So many jobs of a submitter are offered
    at a time.
MAX_GLOBAL_JOB_PRIOS | not | USE_GLOBAL_JOB_PRIOS orders by so many priorities.
MAX_JOBS_RUNNING | followed | The schedd starts no more jobs.
MAX_MATERIALIZED_JOBS_PER_CLUSTER | not in courses | So many jobs of a cluster exist at a time, and
    the others later.
NICE_USER_ACCOUNTING_GROUP_NAME | in ads | Jobs of nice users are of this group.
NEGOTIATE_ALL_JOBS_IN_CLUSTER | not | Jobs of a cluster are offered though one of them was
    rejected.
PERSISTENT_PROJECT_RECORDS | told, since 24.11.2 | Projects may have limits.
REMOVE_SIGNIFICANT_ATTRIBUTES | followed | Jobs that differ in these alone are one autocluster.
RESERVED_SWAP | not | The schedd starts fewer jobs where its swap space is short.
SCHEDDS_ARE_SUBMITTERS | not | One submitter stands for all users of the schedd.
SCHEDDS_ARE_SUBMITTERS_FOR_FLOCKERS | not | One submitter stands for all users of a schedd from
    another pool.
SCHEDD_ENABLE_PER_USER_MATCH_LIMITS | followed, since 25.11.0 | What a submitter is offered at a
    time is limited.
SCHEDD_LOCAL_CM | not | Slots that another negotiator matched are handed on to the schedd.
SCHEDD_PREEMPTION_RANK | not | Parallel jobs preempt the slots with the highest value first.
SCHEDD_PREEMPTION_REQUIREMENTS | not | Parallel jobs preempt other jobs where it is true.
SCHEDD_PROJECTREC_DEFAULT_PROPERTIES | told, since 24.11.2 | New projects have these limits.
SCHEDD_ROUND_ATTR_<attribute> | in ads | Values of the attribute are rounded in the queue.
SCHEDD_SLOT_WEIGHT | in ads | Jobs weigh so much in the demand of submitters.
SCHEDD_USER_DEFAULT_PROPERTIES | in ads, since 23.4.0 | New users have these limits.
SCHEDD_USE_SLOT_WEIGHT | in ads | Demand is weighted.
SHADOW_SIZE_ESTIMATE | not | RESERVED_SWAP counts so much for each job.
SIGNIFICANT_ATTRIBUTES | followed | Jobs that differ in others alone are one autocluster.
SLOT_WEIGHT | in ads | Jobs weigh so much in the demand of submitters.
START_VANILLA_UNIVERSE | followed | Jobs for which it is false are not offered, or do not start.
SYSTEM_COOLDOWN_DURATION | not in courses, since 25.10.1 | Jobs that failed are not offered so long.
SYSTEM_JOB_MACHINE_ATTRS | not in courses | Jobs that start again know such attributes of their
    former machines.
SYSTEM_JOB_MACHINE_ATTRS_HISTORY_LENGTH | not in courses | Jobs that start again know so many
    former machines.
SYSTEM_ON_VACATE_COOL_DOWN | not in courses, since 23.8.1 | Jobs that were evicted are not offered
    for a time.
UID_DOMAIN | in ads | Users and jobs are of this domain.
UNUSED_CLAIM_TIMEOUT | not in courses | Parallel jobs keep idle claims so long.
USE_GLOBAL_JOB_PRIOS | not | Jobs of all submitters are matched in the order of their JobPrio.
"""
)
