"""Access points where jobs are submitted and none arrives, or where nothing is submitted any more.

JobsSubmitted counts the job ids that a schedd hands out, also those of submissions that it then
refuses (GetJobQueuedCount of src/condor_schedd.V6/qmgmt.cpp, HTCondor 25.14; seen on 25.14.1). The
Recent counters are those of the last 20 minutes (schedd_stats.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.expected.recent import lately
from htcq.expected.unmet import (
    ERROR,
    INFO,
    OTHERS,
    STOPPED,
    SUBMIT,
    VANISH,
    WARNING,
    Observed,
    Unmet,
    knobs_on_the_way,
)
from htcq.htcondor.matching import SCHEDD
from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.user_maps import required_attributes, user_maps
from htcq.pool.versions import version
from htcq.units import counted, listed, show_span

#: One who submits a job or two and takes them back is nobody's fault.
_SOME = 3
#: What may have become of a job that was submitted.
_LIFE = ("RecentJobsStarted", "RecentJobsCompleted", "RecentJobsExited", "TotalJobAds")
#: How many knobs that refuse jobs or take them away are shown.
_SHOWN = 12
#: Nothing is submitted any more: so many jobs were due in the time of the Recent counters, after
#: so many seconds of a schedd that was busy.
_DUE, _BUSY_FOR = 100, 4 * 3600


def submissions(pool: Pool) -> Iterator[Unmet]:
    """Yield the access points whose submissions come to nothing, or have stopped."""
    others = sum(record.number("RecentJobsSubmitted") or 0 for record in pool.schedds)
    for schedd in pool.schedds:
        recent = schedd.number("RecentJobsSubmitted")
        life = [schedd.number(name) for name in _LIFE]
        if recent is None or any(each is None or each > 0 for each in life):
            continue
        if recent >= _SOME:
            yield _vanish(pool, schedd, int(recent))
        elif not recent and others:
            yield from _stopped(schedd)


def _vanish(pool: Pool, schedd: Record, recent: int) -> Unmet:
    name, configuration = schedd.name, pool.schedd_configuration(schedd.name)
    known = version(schedd.value("CondorVersion"))
    found = knobs_on_the_way(
        configuration, SCHEDD, SUBMIT, version=known, most=_SHOWN, peers=pool.access
    )
    knobs = [each for each in found if each.name != OTHERS]
    text = (
        f"{counted(recent, 'job')} were submitted at {name} {lately(schedd)}, none started, "
        "and none is in the queue: the schedd refuses or removes them"
    )
    needed = _needed(configuration)
    if needed:
        text += f" (no job may be submitted without {listed(needed)}, which a user map sets)"
    cure = (
        f"condor_submit on {name} and its SchedLog say which requirement a job does not meet; "
        "a file of CLASSAD_USER_MAPFILE_* that is not there maps nobody."
    )
    counters = [Observed("RecentJobsSubmitted", str(recent)), Observed("TotalJobAds", "0")]
    return Unmet(
        VANISH,
        f"access point {name}",
        text,
        cure,
        (*counters, *knobs),
        count=recent,
        examples=(name,),
        severity=ERROR if knobs else INFO,
    )


def _needed(configuration: Configuration | None) -> list[str]:
    """Return the attributes without which no job may be submitted, and which user maps set."""
    if configuration is None:
        return []
    found = [required_attributes(configuration, each.name) for each in user_maps(configuration)]
    return sorted({attribute for each in found for attribute in each})


def _stopped(schedd: Record) -> Iterator[Unmet]:
    """Yield a schedd that was busy for hours, and is the only one where nothing is submitted."""
    submitted, age = schedd.number("JobsSubmitted"), schedd.number("StatsLifetime")
    window = schedd.number("RecentStatsLifetime")
    if not (submitted and age and window) or age < _BUSY_FOR:
        return
    due = submitted * window / age
    if due < _DUE:
        return
    yield Unmet(
        STOPPED,
        f"access point {schedd.name}",
        f"no job was submitted at {schedd.name} in the last {show_span(window)}, and its queue is "
        f"empty; before, there were {due:.0f} in that time, and at other access points there are",
        f"Submit a job on {schedd.name}; its SchedLog says what it makes of it.",
        (Observed("JobsSubmitted", f"{submitted:.0f}"), Observed("RecentJobsSubmitted", "0")),
        examples=(schedd.name,),
        severity=WARNING,
    )
