"""Cool-downs of jobs that left their machines, and the knob that makes one long.

A schedd that gets a job back offers it again after SYSTEM_ON_VACATE_COOL_DOWN seconds, if that is
positive, or after SYSTEM_COOLDOWN_DURATION, whichever is longer (jobExitCode and setJobCoolDown of
src/condor_schedd.V6/schedd.cpp, HTCondor 25.14). It sees a change of JobCoolDownExpiration alone
when it lists its jobs anew, which may take 20 minutes (PrioRecRebuildMaxInterval of qmgmt.cpp);
that a job is idle again makes it do so at once (tried on 25.14.1).
"""

from __future__ import annotations

from htcq.classads import as_number, parsed
from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.pool.slot_types import integer
from htcq.poolquota.access.access_point import AccessPoint
from htcq.units import show_moment, show_span
from htcq.why.match_failure import COOL_DOWN, Amount, Amounts, MatchFailure

_EXPRESSION, _DURATION = "SYSTEM_ON_VACATE_COOL_DOWN", "SYSTEM_COOLDOWN_DURATION"
_USUAL = 20
#: What passes by itself is shorter: minutes, for a server to come back.
_LONG = 3600


def cool_down_wall(job: Job, access: AccessPoint, amounts: Amounts) -> MatchFailure:
    """Return the wall of a job in its cool-down; one that is long names what somebody must change.

    ``access`` is the job's access point; ``amounts`` has the time when it ends (``until``).
    """
    until = amounts["until"]
    ends = until if isinstance(until, str) else show_moment(until)
    text = f"it is in its cool-down until {ends} (JobCoolDownExpiration)"
    if isinstance(job.vacate_reason, str) and job.vacate_reason:
        text += f", since it left a machine: {job.vacate_reason}"
    found = _long_knob(job, access.configuration)
    if found is None:
        return MatchFailure(COOL_DOWN, text, amounts)
    knob, value, seconds = found
    own: dict[str, Amount] = {"knob": knob, "schedd": access.name, "seconds": seconds}
    return MatchFailure(
        COOL_DOWN,
        f"{text}; by {knob} = {value} of {access.name} it lasts {show_span(seconds)}",
        {**amounts, **own},
        f"{knob} of {access.name}, then condor_reconfig there; for these jobs condor_qedit -name "
        f"{access.name} -constraint 'JobCoolDownExpiration > time()' JobCoolDownExpiration 0, then "
        "condor_hold and condor_release",
    )


def _long_knob(job: Job, configuration: Configuration | None) -> tuple[str, str, float] | None:
    """Return the knob that gives the job a long cool-down, with its text and the seconds.

    None where none does: the job may have it from somebody else, and what its owner may write is
    no matter of the site.
    """
    if configuration is None:
        return None
    least, text = integer(configuration, _DURATION, _USUAL), configuration.value(_EXPRESSION)
    expression, seconds = parsed(text), 0.0
    if expression is not None:
        seconds = float(as_number(expression.evaluate(job.whole_ad())) or 0)
    if seconds >= max(_LONG, least):
        return _EXPRESSION, text, seconds
    if least >= _LONG:
        return _DURATION, str(least), float(least)
    return None
