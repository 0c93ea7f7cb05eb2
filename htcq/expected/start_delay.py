"""Access points that start their jobs so slowly that the next cycle's matches wait for hours.

A schedd starts JOB_START_COUNT shadows, then none for JOB_START_DELAY seconds (jobThrottle of
src/condor_schedd.V6/schedd.cpp, HTCondor 25.14). Jobs that follow one another on a claim keep their
shadow, and do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from htcq.expected.claims import waiting_for_shadows
from htcq.expected.unmet import DELAYED, WARNING, Unmet, keys_of, observed_knobs
from htcq.htcondor.defaults import expanded_default
from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.quota.knobs import Knobs
from htcq.units import counted, show_number, show_span
from htcq.why.verdict import Verdict, Verdicts

_DELAY, _COUNT = "JOB_START_DELAY", "JOB_START_COUNT"
_LARGEST = 2**31 - 1
#: Seconds after which the last of the jobs should have begun.
_LONG = 3600
_NAMED = 3


def delayed_starts(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the access points that take more than an hour to start what the next cycle matches.

    ``found`` are the verdicts on all idle jobs.
    """
    matched: dict[str, list[Job]] = {}
    for verdict in found:
        if verdict.starts:
            matched.setdefault(verdict.access_point, []).extend(verdict.jobs)
    for name, jobs in matched.items():
        configuration = verdicts.pool.schedd_configuration(name)
        if configuration is None:
            continue
        delay, count = _delay_and_count(configuration)
        schedd = next((each for each in verdicts.pool.schedds if each.name == name), None)
        number = len(jobs) + waiting_for_shadows(schedd)
        seconds = (math.ceil(number / count) - 1) * delay
        if seconds > _LONG:
            yield _unmet(configuration, name, jobs, number, seconds, count / delay)


def _delay_and_count(configuration: Configuration) -> tuple[int, int]:
    """Return for how many seconds a schedd waits after how many starts."""
    knobs = Knobs({name: configuration.value(name) for name in (_DELAY, _COUNT)})
    delay = knobs.number(_DELAY, float(expanded_default(_DELAY)), -_LARGEST, _LARGEST)
    count = knobs.number(_COUNT, float(expanded_default(_COUNT)), 1, _LARGEST)
    return int(delay), int(count)


def _unmet(
    configuration: Configuration,
    name: str,
    jobs: Sequence[Job],
    number: int,
    seconds: float,
    rate: float,
) -> Unmet:
    knobs = [configuration.knob(knob) for knob in (_DELAY, _COUNT)]
    return Unmet(
        DELAYED,
        f"access point {name}",
        f"{counted(number, 'job')} of {name}, such as {jobs[0].id}, have a slot or get one with "
        f"the next cycle; {_DELAY} and {_COUNT} of {name} start {show_number(3600 * rate)} an "
        f"hour, so that the last one starts after {show_span(seconds)}, and its slot stands idle "
        "until then",
        f"A smaller {_DELAY} or a larger {_COUNT} of {name}, then condor_reconfig there.",
        observed_knobs(knobs),
        keys_of(jobs),
        number,
        tuple(job.id for job in jobs[:_NAMED]),
        WARNING,
    )
