"""Why an access point does not offer a job to the negotiator now.

Permanent ids, and the amounts that decide.

Follows src/condor_schedd.V6/qmgmt.cpp (Runnable), schedd.cpp (shadowsSpawnLimit, negotiate,
jobCanNegotiate) and dedicated_scheduler.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

Amount = Union[int, float, str, bool]

#: Of the job: it waits after it left a machine (until), it starts at a set time (until).
COOL_DOWN, DEFERRED = "cool-down", "deferred"
#: Of the access point, for all of its jobs.
CURB_MATCHMAKING, MAX_JOBS_RUNNING = "curb-matchmaking", "max-jobs-running"
#: Of the access point, for some of its jobs.
USER_MAX_JOBS, START_VANILLA_UNIVERSE = "user-max-jobs", "start-vanilla-universe"
#: Of the negotiator: NEGOTIATOR_JOB_CONSTRAINT.
JOB_CONSTRAINT = "job-constraint"
#: The dedicated scheduler asks for the job, and for slots that are its own alone; for none where it
#: could not get as many as the job requests.
DEDICATED_SCHEDULER = "dedicated-scheduler"


@dataclass(frozen=True)
class Refusal:
    """A reason why a job is not offered.

    Where ``offered`` is true, it only narrows the slots that the job is offered for.

    ``amounts`` has numbers and texts by name: limits (``limit``), what counts against them
    (``used``), the time when it ends, in seconds since 1970 (``until``), the expression that
    decides (``expression``), who asks (``submitter``), how many slots a parallel job ``requested``,
    and how many it could get ``now`` and from ``empty`` machines.
    """

    id: str
    amounts: Mapping[str, Amount] = field(default_factory=dict)
    offered: bool = False
