"""Jobs of the schedds' queues, with what they share (docs/classad-attributes/job, 25.14)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from htcq.classads import UNDEFINED, Ad, Value
from htcq.htcondor import attributes
from htcq.pool.ad_lines import AdSchema
from htcq.pool.shared_attributes import Expressions, SharedAttributes

#: The name of its schedd, which a capture notes: a job has no such attribute.
SCHEDD = "ScheddName"
#: Attributes that differ between equal jobs, in the order of the fields of :class:`Job`.
OWN = (
    "ClusterId", "ProcId", "JobStatus", "User", "Owner", "AccountingGroup", "MaxHosts",
    "CurrentHosts", "RemoteHost", SCHEDD, "GlobalJobId", "JobPrio", "QDate",
    "LastRejMatchReason", "AcctGroup", "PreJobPrio1", "PreJobPrio2", "PostJobPrio1", "PostJobPrio2",
    "AutoClusterId", "JobCurrentStartDate", "NumVacates", "WantFTOnCheckpoint",
    "WhenToTransferOutput", "HtcqProtected", "JobCoolDownExpiration", "LastRejMatchTime",
    "LastRejMatchNegotiator", "TotalSubmitProcs", "JobMaterializeNextProcId",
    "JobMaterializeMaxIdle", "JobMaterializeLimit", "EnteredCurrentStatus", "NumJobMatches",
    "NumJobStarts", "NumShadowStarts", "LastRemoteHost", "NumJobCompletions", "VacateReason",
    "JobCurrentStartExecutingDate",
)  # fmt: skip
SHARED = (
    "Request*", "Requirements", "Rank", "JobUniverse", "RequireGPUs", "ConcurrencyLimits",
    "NiceUser", "WantClaiming", "Require*", "_condor_Request*", "Scheduler",
    "WantParallelScheduling", "Managed", "JobMaterializePaused", "MaxJobRetirementTime",
    "HtcqVacateCost", "HoldReasonCode", "HoldReasonSubCode", "IsNoopJob",
)  # fmt: skip
#: What decides when a job runs and for how long: apart from the shared attributes, since jobs that
#: differ in these alone match the same slots.
LIFE = frozenset(name.lower() for name in attributes.names(attributes.JOB, attributes.LIFE))
#: The index of each own attribute in a :class:`Job`.
PLACES = {name.lower(): place for place, name in enumerate(OWN, 1) if name != SCHEDD}
JOB = AdSchema(
    tuple(name.lower() for name in OWN), frozenset(name.lower() for name in SHARED), LIFE
)

IDLE, RUNNING, REMOVED, COMPLETED, HELD, TRANSFERRING, SUSPENDED = 1, 2, 3, 4, 5, 6, 7
#: Universes whose jobs the negotiator never sees: scheduler, grid and local
#: (src/condor_includes/condor_universe.h).
UNMATCHED_UNIVERSES = (7, 9, 12)
#: Universes for whose jobs the dedicated scheduler requests slots: MPI and parallel.
_PARALLEL_UNIVERSES = (8, 11)
_DEDICATED = "DedicatedScheduler"
#: Managed of a job that the schedd does not start, but the job router, say (JobManagedEnum).
_EXTERNAL = "External"
#: WhenToTransferOutput of a job whose files are fetched when it is evicted, and given back to it.
_AT_EVICTION = "ON_EXIT_OR_EVICT"
#: No job wants more slots: a number in a damaged snapshot must not fill the memory.
_MAX_WANTED = 1_000_000


class Job(NamedTuple):
    """One job: its shared attributes (``frame``) and its own.

    ``life`` are those attributes that decide when it runs, with what their expressions name; None
    where it has none.
    """

    frame: SharedAttributes
    cluster: Value
    proc: Value
    status: Value
    user: Value
    owner: Value
    accounting_group: Value
    max_hosts: Value
    current_hosts: Value
    remote_host: Value
    schedd: Value
    global_id: Value
    prio: Value
    queued_at: Value
    last_rejection: Value
    acct_group: Value
    pre_prio_1: Value
    pre_prio_2: Value
    post_prio_1: Value
    post_prio_2: Value
    autocluster: Value
    started_at: Value
    vacates: Value
    transfers_checkpoints: Value
    transfers_when: Value
    protected: Value
    cool_down_until: Value
    rejected_at: Value
    rejected_by: Value
    submit_procs: Value
    materialize_next: Value
    materialize_max_idle: Value
    materialize_limit: Value
    status_since: Value = UNDEFINED
    matched: Value = UNDEFINED
    starts: Value = UNDEFINED
    shadow_starts: Value = UNDEFINED
    last_host: Value = UNDEFINED
    completions: Value = UNDEFINED
    vacate_reason: Value = UNDEFINED
    executing_since: Value = UNDEFINED
    life: SharedAttributes | None = None

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return f"{self.cluster}.{self.proc}"

    @property
    def submitter(self) -> str:
        """The name that the negotiator knows: accounting group or owner, and the user's domain.

        As schedd.cpp makes it. The dedicated scheduler of the access point requests the slots of
        parallel jobs (dedicated_scheduler.cpp).
        """
        if self.parallel:
            scheduler = self.frame.value("Scheduler")
            if isinstance(scheduler, str):
                return scheduler
            return f"{_DEDICATED}@{self.access_point}"
        return _submitter(self.user, self.owner, self.accounting_group)

    @property
    def access_point(self) -> str:
        """The name of its schedd, with which its global id begins; empty where it has neither."""
        if isinstance(self.schedd, str):
            return self.schedd
        if isinstance(self.global_id, str):
            return self.global_id.partition("#")[0]
        return ""

    @property
    def full_id(self) -> str:
        """``access_point#cluster.proc``, which is unique in a pool."""
        return f"{self.access_point}#{self.id}" if self.access_point else self.id

    @property
    def wanted(self) -> int:
        """Number of slots that the job still wants: MaxHosts - CurrentHosts if idle, else 0."""
        if self.status != IDLE or self.universe in UNMATCHED_UNIVERSES:
            return 0
        if self.managed_externally or self.frame.value("IsNoopJob") is True:
            return 0
        most = 1
        if isinstance(self.max_hosts, int):
            most = self.max_hosts
        current = 0
        if isinstance(self.current_hosts, int):
            current = self.current_hosts
        return min(max(0, most - current), _MAX_WANTED)

    @property
    def managed_externally(self) -> bool:
        """Whether something other than the schedd starts it."""
        return self.frame.value("Managed") == _EXTERNAL

    @property
    def parallel(self) -> bool:
        """Whether the dedicated scheduler starts it (JobQueueJob::UseParallelScheduler)."""
        if self.universe in _PARALLEL_UNIVERSES:
            return True
        return self.frame.value("WantParallelScheduling") is True

    @property
    def running(self) -> bool:
        """Whether it holds a slot of the pool."""
        if self.status not in (RUNNING, TRANSFERRING, SUSPENDED):
            return False
        return self.universe not in UNMATCHED_UNIVERSES

    @property
    def checkpoints(self) -> bool:
        """Whether it saves its work: at its own checkpoints, or when evicted (vanilla_proc.cpp)."""
        if self.transfers_checkpoints is True:
            return True
        when = self.transfers_when
        return isinstance(when, str) and when.upper() == _AT_EVICTION

    @property
    def universe(self) -> Value:
        """JobUniverse; 5 is vanilla."""
        value = self.frame.value("JobUniverse")
        if value is UNDEFINED:
            return 5
        return value

    def value(self, name: str) -> Value:
        """Return an attribute that is none of its own: shared, or of its life."""
        found = self.frame.value(name)
        if found is UNDEFINED and self.life is not None:
            found = self.life.value(name)
        return found

    def ad(self) -> Ad:
        """Return the job's ad; valid until the next call for a job of the same frame."""
        return self.frame.ad(self.own())

    def whole_ad(self) -> Ad:
        """Return the job's ad with what decides when it runs and for how long."""
        return self.frame.joined(self.life, Expressions()).ad(self.own())

    def own(self) -> Iterator[tuple[str, Value]]:
        """Yield the attributes that are the job's own."""
        return ((name, value) for name, value in zip(OWN, self[1:-1]) if name != SCHEDD)


# 1, 1.0 and true are equal keys, but to typed ones.
@lru_cache(maxsize=4096, typed=True)
def _submitter(user: Value, owner: Value, accounting_group: Value) -> str:
    name = domain = ""
    if isinstance(user, str):
        name, _, domain = user.rpartition("@")
    who = name or owner
    if isinstance(accounting_group, str) and accounting_group:
        who = accounting_group
    if domain:
        return f"{who}@{domain}"
    return str(who)
