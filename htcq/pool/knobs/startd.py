"""Knobs of the startd that change which jobs its slots take, and what becomes of a claim.

From src/condor_startd.V6 (ResAttributes.cpp, Resource.cpp, ResMgr.cpp, ResState.cpp, Reqexp.cpp,
command.cpp, claim.cpp, slot_builder.cpp, startd_main.cpp), HTCondor 23.0 to 25.14;
``contrib/knobs`` lists what these read. Each may begin with SLOT_TYPE_<n>_ or SLOT<n>_.
"""

from __future__ import annotations

from htcq.pool.knobs.knob import rows

KNOBS = rows(
    """
ADVERTISE_PSLOT_ROLLUP_INFORMATION | in ads | Partitionable slots show their dynamic slots.
ARCH | in ads | Jobs are compiled for it.
BACKFILL_SYSTEM | in ads | Idle slots do other work.
CATALOG_SPACE | followed, since 25.12.2 | Common files need no disk of their own.
CLAIM_PARTITIONABLE_LEFTOVERS | followed | The schedd fills what a claim leaves of a slot.
CLAIM_WORKLIFE | followed | A claim is used again for so long.
CONSUMPTION_<asset> | in ads | A claim takes so much of the asset.
CONSUMPTION_POLICY | in ads | The negotiator splits the slot.
CONTINUE | not in courses | Suspended jobs go on where it is true.
CONTINUE_TO_ADVERTISE_BROKEN_DYNAMIC_SLOTS | in ads, since 24.5.1 | Broken slots stay in the pool.
CONTINUE_VANILLA | not in courses | Suspended vanilla jobs go on where it is true.
COUNT_HYPERTHREAD_CPUS | in ads | Hyperthreads count as cpus.
CPU_BUSY | not in courses | Policies of desktops depend on it.
DEFAULT_DRAINING_START_EXPR | not in courses | A machine that drains takes jobs where it is true.
DETECTED_<asset> | in ads | The machine has so much.
DISK | in ads | Slots share this disk space.
DSLOT_REQUIREMENTS_CLAUSES | not in courses, since 25.10.1 | Dynamic slots have further conditions.
ENABLE_BACKFILL | in ads | Idle slots do other work.
ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS | not | Schedds may claim whole partitionable slots.
ENABLE_STARTD_DAEMON_AD | in ads, since 23.2.0 | The startd has an ad of its own.
EVICT_BACKFILL | not in courses | Other work ends where it is true.
FILESYSTEM_DOMAIN | in ads | Jobs without file transfer run in it alone.
GPUS | in ads | The former name of MACHINE_RESOURCE_GPUS.
HIBERNATE | not in courses | Machines without work hibernate.
IS_LOCAL_STARTD | in ads | The slots serve one access point.
IS_OWNER | in ads | Slots are their owner's where it is true.
KILL | not in courses | Jobs that leave are killed where it is true.
KILLING_TIMEOUT | not in courses | Jobs that leave are killed after so long.
KILL_VANILLA | not in courses | Vanilla jobs that leave are killed where it is true.
MACHINEMAXVACATETIME | not in courses | Jobs that are evicted have so long to leave.
MACHINE_RESOURCE_<asset> | in ads | The machine has so much of it.
MACHINE_RESOURCE_INVENTORY_<asset> | in ads | A program prints how much the machine has of it.
MACHINE_RESOURCE_NAMES | in ads | Other custom resources are dropped.
MAXJOBRETIREMENTTIME | in ads | Jobs may end by themselves for so long when they are
    preempted.
MAX_DRAINING_ACTIVATION_DELAY | not in courses | Claims of machines that drain end after so long.
MAX_PARTITIONABLE_SLOT_CLAIM_TIME | not in courses | A claimed partitionable slot is given back
    after so long.
MAX_SLOT_TYPES | in ads | Slot types with a larger number are ignored.
MEMORY | in ads | Slots share this memory.
MODIFY_REQUEST_EXPR_<attribute> | followed | The startd changes the request by it.
MUST_MODIFY_REQUEST_EXPRS | followed | A request that fits only unchanged is refused.
NUM_CLAIMS | in ads | So many jobs are matched with the slot in a cycle.
NUM_CPUS | in ads | Slots share these cpus.
NUM_SLOTS | in ads | The machine has so many slots.
NUM_SLOTS_TYPE_<n> | in ads | The machine has so many slots of the type.
OFFLINE_MACHINE_RESOURCE_<asset> | in ads | These devices are not handed out.
OPSYS | in ads | Jobs are compiled for it.
OPSYSANDVER | in ads | Jobs are compiled for it.
OPSYSLEGACY | in ads | Jobs are compiled for it.
OPSYSLONGNAME | in ads | Jobs are compiled for it.
OPSYSMAJORVER | in ads | Jobs are compiled for it.
OPSYSNAME | in ads | Jobs are compiled for it.
OPSYSSHORTNAME | in ads | Jobs are compiled for it.
OPSYSVER | in ads | Jobs are compiled for it.
PREEMPT | not in courses | Jobs are evicted where it is true.
PREEMPT_VANILLA | not in courses | Vanilla jobs are evicted where it is true.
PROPORTIONAL_SWAP_ASSIGNMENT | not in courses | Dynamic slots get a share of the swap space.
PSLOT_REQUIREMENTS_CLAUSES | in ads, since 25.10.1 | Partitionable slots have further conditions.
RANK | in ads | Jobs with a higher value preempt those with a lower one.
REQUIREMENTS | in ads | The slot takes no other jobs.
RESERVED_DISK | in ads | Slots have so much less disk.
RESERVED_MEMORY | in ads | Slots have so much less memory.
SHARED_MACHINE_RESOURCE_<asset> | in ads, since 25.12.2 | Several slots may have the same device.
SIMULATED_CPULOAD_EXPR | in ads, since 24.0.7 | The load of the machine is invented.
SLOTWEIGHT | in ads | The former name of SLOT_WEIGHT.
SLOTS_CONNECTED_TO_CONSOLE | in ads | So many slots see the console.
SLOTS_CONNECTED_TO_KEYBOARD | in ads | So many slots see the keyboard.
SLOT_CONFIG_FAILURE_MODE | in ads, since 24.2.1 | Slots that cannot be made are left out.
SLOT_REQUIREMENTS_CLAUSES | in ads, since 25.10.1 | Slots have further conditions.
SLOT_TYPE_<n> | in ads | Slots of the type have this part of the machine.
SLOT_TYPE_<n>_BACKFILL | in ads | Slots of the type do other work.
SLOT_TYPE_<n>_NAME_PREFIX | in ads | Slots of the type are called so.
SLOT_TYPE_<n>_PARTITIONABLE | in ads | Slots of the type can be split.
SLOT_WEIGHT | in ads | The slot counts so much for quotas and shares.
START | in ads | The slot takes no other jobs.
STARTD_ATTRS | in ads | Slots have these attributes.
STARTD_CRON_<name> | in ads | Programs add attributes to slots.
STARTD_DETECT_GPUS | in ads, since 23.5.2 | The GPUs that this program finds are handed out.
STARTD_DIRECT_ATTACH_INTERVAL | in ads | The slots are offered to an access point so often.
STARTD_DIRECT_ATTACH_SCHEDD_NAME | in ads | The slots go to an access point without a match.
STARTD_DIRECT_ATTACH_SCHEDD_POOL | in ads | The slots go to an access point without a match.
STARTD_DIRECT_ATTACH_SUBMITTER_NAME | in ads | The slots go to a submitter without a match.
STARTD_ENFORCE_DISK_LIMITS | in ads | Disk is handed out in extents of a logical volume.
STARTD_EVAL_SLOT_ATTRS | in ads | Attributes of other slots are values.
STARTD_EXPRS | in ads | The former name of STARTD_ATTRS.
STARTD_HEALTH_EXPRS | in ads, since 25.10.1 | Unhealthy slots take no jobs.
STARTD_JOB_ATTRS | in ads | Slots show these attributes of their jobs.
STARTD_JOB_EXPRS | in ads | The former name of STARTD_JOB_ATTRS.
STARTD_JOB_HAS_REQUEST_ATTRS | in ads | Slots ask for these Request attributes.
STARTD_LATCH_EXPRS | in ads | Slots show when these expressions changed.
STARTD_LEFTOVER_PROCS_BREAK_SLOTS | in ads, since 24.3.0 | Slots with processes that do not end are
    broken.
STARTD_NOCLAIM_SHUTDOWN | not in courses | Machines without claims leave after so long.
STARTD_PARTITIONABLE_SLOT_ATTRS | in ads | Dynamic slots show these attributes of their parent.
STARTD_RECOMPUTE_DISK_FREE | in ads | The disk of slots follows the free space.
STARTD_RESOURCE_PREFIX | in ads | Slots are called so.
STARTD_SLOT_ATTRS | in ads | Slots show these attributes of the machine's other slots.
STARTD_SLOT_EXPRS | in ads | The former name of STARTD_SLOT_ATTRS.
START_BACKFILL | in ads | Idle slots do other work where it is true.
SUSPEND | not in courses | Jobs are suspended where it is true.
SUSPEND_VANILLA | not in courses | Vanilla jobs are suspended where it is true.
SYSTEM_STARTD_ATTRS | in ads | Slots have these attributes.
SYSTEM_STARTD_JOB_ATTRS | in ads | Slots show these attributes of their jobs.
SYSTEM_STARTD_LATCH_EXPRS | in ads | Slots show when these expressions changed.
SYSTEM_STARTD_SLOT_ATTRS | in ads | Slots show these attributes of the machine's other slots.
UID_DOMAIN | in ads | Jobs of another domain run as another user.
USE_NESTED_CUSTOM_RESOURCE_PROPS | in ads | Properties of devices are ads of their own.
VERBOSE_NESTED_CUSTOM_RESOURCE_PROPS | in ads | Properties of devices are written out.
VM_KILLING_TIMEOUT | not in courses | Virtual machines that leave are killed after so long.
WANT_HOLD | not in courses | Evicted jobs are held where it is true.
WANT_SUSPEND | not in courses | Jobs are suspended before they are evicted.
WANT_SUSPEND_VANILLA | not in courses | Vanilla jobs are suspended before they are evicted.
WANT_SUSPEND_VM | not in courses | Virtual machines are suspended before they are evicted.
WANT_VACATE | not in courses | Jobs that are evicted have time to leave.
WANT_VACATE_VANILLA | not in courses | Vanilla jobs that are evicted have time to leave.
WANT_VACATE_VM | not in courses | Virtual machines that are evicted have time to leave.
WITHINRESOURCELIMITS | in ads | The slot takes no larger requests.
"""
)
