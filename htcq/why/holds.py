"""Why a job is on hold, and what releases it for good.

The codes are those of src/condor_includes/condor_holdcodes.h, HTCondor 25.14.
"""

from __future__ import annotations

from htcq.classads import as_number
from htcq.htcondor.hold_codes import hold_code
from htcq.pool.job import HELD, Job
from htcq.units import show_amount, show_moment
from htcq.why import match_failure as wall
from htcq.why.factories import REASON
from htcq.why.match_failure import MatchFailure

#: Attributes of a job that tell about its hold and its grid resource, and that nothing else needs.
ATTRIBUTES = frozenset((
    "HoldReason", "HoldReasonCode", "HoldReasonSubCode", "EnteredCurrentStatus", "GridResource",
    "GridResourceUnavailableTime", "GridJobStatus", "MemoryUsage", "RemotePool", REASON,
))  # fmt: skip
_BY_USER, _POLICY, _SYSTEM_POLICY, _OUT_OF_RESOURCES, _SPOOLING = 1, 3, 26, 34, 16
_TRANSFERS = frozenset((12, 13))
_OF_MEMORY, _OF_DISK = 102, 104
#: A request of memory below this many MiB is hardly ever meant: a unit was forgotten.
FEW_MB = 64


def held_wall(job: Job) -> MatchFailure:
    """Return the wall of a job on hold, with the reason and the time that its ad has."""
    reason, code = job.value("HoldReason"), as_number(job.value("HoldReasonCode"))
    subcode = as_number(job.value("HoldReasonSubCode"))
    since = as_number(job.status_since)
    text, amounts = "it is on hold", dict[str, wall.Amount](job_status=HELD)
    if since is not None:
        text += f" since {show_moment(since)}"
        amounts["since"] = since
    if isinstance(reason, str):
        text += f": {' '.join(reason.split()).rstrip('.')}"
        amounts["hold_reason"] = reason
    else:
        words = hold_code(code).words
        text += f": {words}" if words else ""
        text += "; this capture has no HoldReason"
    if code is not None:
        amounts["hold_reason_code"] = code
    advice = _advice(code, subcode)
    few = forgotten_unit(job)
    if few is not None and _is_of_memory(code, subcode, reason):
        text += (
            f". It requests {show_amount('memory', few)} of memory: a number without a unit is MiB"
        )
        amounts["request_memory"] = few
        advice = (
            f"request_memory with its unit, such as {few:g}GB; then condor_qedit of RequestMemory "
            "and condor_release"
        )
    return MatchFailure(wall.HELD, text, amounts, advice)


def forgotten_unit(job: Job) -> int | float | None:
    """Return the memory that a job requests, in MiB, if it is so little that a unit is missing."""
    asked = as_number(job.frame.value("RequestMemory"))
    return asked if asked is not None and 0 < asked < FEW_MB else None


def _is_of_memory(code: float | None, subcode: float | None, reason: object) -> bool:
    if code == _OUT_OF_RESOURCES:
        return subcode in (None, _OF_MEMORY)
    return code in (_POLICY, _SYSTEM_POLICY) and "memory" in str(reason).lower()


def is_held_for_memory(job: Job) -> bool:
    """Return whether a job is on hold since it used more memory than it has."""
    if job.status != HELD:
        return False
    code = as_number(job.value("HoldReasonCode"))
    subcode = as_number(job.value("HoldReasonSubCode"))
    return _is_of_memory(code, subcode, job.value("HoldReason"))


def _advice(code: float | None, subcode: float | None) -> str:
    if code == _OUT_OF_RESOURCES and subcode == _OF_DISK:
        return "condor_qedit of RequestDisk to what the job writes; then condor_release"
    if code == _OUT_OF_RESOURCES:
        return "condor_qedit of RequestMemory to more than the job uses; then condor_release"
    if code in _TRANSFERS:
        return "the file or the server that the reason names; then condor_release"
    if code == _BY_USER:
        return "condor_release by the user or administrator who held it"
    if code == _SPOOLING:
        return "time: condor_submit -spool releases it when the input files have come"
    if code in (_POLICY, _SYSTEM_POLICY):
        return "the policy that the reason names; then condor_release"
    return ""
