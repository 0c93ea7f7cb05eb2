"""A concurrency limit of a job or claim that is not a number.

The negotiator crashes when it reaches that job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.fix_settings import central
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.accounts import ConcurrencyLimits
from htcq.simulate.cycle.search import limits_of

_KIND = "not-a-number"
#: What somebody wrote a unit or a word behind.
_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\b")


def _find(evidence: Evidence) -> Iterator[Found]:
    jobs: dict[str, int] = {}
    for _, request, wanted in evidence.askers.waiting():
        limits = limits_of(request)
        jobs[limits] = jobs.get(limits, 0) + wanted
    found: dict[str, tuple[str, int]] = {}
    for limits, count in jobs.items():
        for knob, value in _broken(evidence, limits):
            found[knob] = value, found.get(knob, ("", 0))[1] + count
    for knob, (value, count) in found.items():
        verb = "names" if count == 1 else "name"
        meant = _NUMBER.match(value)
        number = meant.group(1) if meant else ""
        yield Found(
            cause=f"{knob} = {value}",
            subject=f"knob {knob}",
            message=(
                f"{knob} = {value} is not a number, and {counted(count, 'idle job')} {verb} the "
                "limit: the negotiator crashes when it reaches them"
            ),
            facts=(knob_fact(evidence, knob),),
            settings=(central(evidence, knob, number),),
            count=count,
        )


def _broken(evidence: Evidence, limits: str) -> Iterator[tuple[str, str]]:
    """Yield the knobs that give ``limits`` and are no numbers, each with its value."""
    knobs = Knobs(evidence.quotas.knobs)
    if not list(ConcurrencyLimits(knobs, ()).asked(limits)):
        return
    for problem in knobs.problems:
        if problem.kind == _KIND:
            yield problem.knob.upper(), problem.value


RULE = Rule(
    id="concurrency-limit-not-a-number",
    severity=Severity.ERROR,
    needs=(Input.JOBS, Input.CENTRAL),
    summary="A concurrency limit of idle jobs is not a number",
    consequence=(
        "The negotiator reads the limit for each job that names it, and exits if it is neither a "
        "number nor a numeric expression, such as '20 licences'. The master restarts it, and it "
        "exits at the same job: jobs after that job are never matched."
    ),
    advice="Write a number. A limit that is removed has the value of CONCURRENCY_LIMIT_DEFAULT.",
    source=(
        "src/condor_negotiator.V6/Accountant.cpp:GetLimitMax, "
        "condor_utils/condor_config.cpp:param_double, 25.14"
    ),
    find=_find,
)
