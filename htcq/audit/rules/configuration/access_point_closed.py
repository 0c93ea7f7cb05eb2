"""The configuration of an access point lets none of its jobs be matched."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.fix import Role, Setting
from htcq.audit.harm import groups_that_wait, idle_jobs
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.classads import as_number, parsed
from htcq.pool.configuration import Configuration, Knob
from htcq.why.match_failure import MAX_JOBS_RUNNING

#: Knobs with the truth value by which nothing is offered to the negotiator, and what they do.
_SWITCHES = (
    ("CURB_MATCHMAKING", True, "it offers none of its jobs to the negotiator"),
    ("START_VANILLA_UNIVERSE", False, "it starts no vanilla jobs"),
)
_MAX = "MAX_JOBS_RUNNING"


def _find(evidence: Evidence) -> Iterator[Found]:
    # The schedd's own ad says what it has read.
    open_ = {
        record.name
        for record in evidence.pool.schedds
        if (record.number("MaxJobsRunning") or 0) > 0
    }
    for name, configuration in evidence.access.items():
        for knob, what in _shut(configuration, name in open_):
            yield _found(evidence, name, knob, what)


def _shut(configuration: Configuration, is_open: bool) -> Iterator[tuple[Knob, str]]:
    limit = configuration.knob(_MAX)
    if limit is not None and not is_open:
        number = _constant(limit.value)
        if number is not None and number <= 0:
            yield limit, "it runs no jobs"
    for name, shut, what in _SWITCHES:
        knob = configuration.knob(name)
        if knob is not None and _constant(knob.value) == shut:
            yield knob, what


def _constant(text: str) -> float | None:
    """Return the value of an expression that does not depend on an ad; None where it does."""
    expression = parsed(text)
    if expression is None:
        return None
    references = expression.references()
    if references.own or references.target:
        return None
    value = expression.evaluate()
    if isinstance(value, bool):
        return float(value)
    return as_number(value)


def _found(evidence: Evidence, name: str, knob: Knob, what: str) -> Found:
    submitters = [
        record for record in evidence.pool.submitters if record.text("ScheddName") == name
    ]
    waiting = groups_that_wait(evidence, submitters)
    jobs = ""
    if waiting:
        jobs = f": jobs of {listed(waiting)} wait there"
    return Found(
        cause=f"{knob.bare.upper()} of {name}",
        implies=(MAX_JOBS_RUNNING,) if knob.bare.upper() == _MAX else (),
        subject=f"access point {name}",
        message=f"{knob.name} = {knob.value} on access point {name}: {what}{jobs}",
        facts=(Fact(knob.name, knob.value, knob.place),),
        examples=(name,),
        harm=Harm(starved=waiting, jobs=idle_jobs(submitters)),
        trial=(Setting(Role.ACCESS, knob.bare.upper(), "", nodes=(name,)),),
    )


RULE = Rule(
    id="access-point-closed",
    severity=Severity.WARNING,
    needs=(Input.ACCESS,),
    summary=(
        "MAX_JOBS_RUNNING, CURB_MATCHMAKING or START_VANILLA_UNIVERSE keeps all jobs of an "
        "access point waiting"
    ),
    consequence=(
        "The schedd offers nothing to the negotiator, or starts nothing that is matched. Its "
        "jobs stay idle, and the negotiator's log does not mention them. If jobs wait there, "
        "this is an error."
    ),
    advice=(
        "Remove the knob from the access point's configuration, or raise the limit, and "
        "reconfigure the schedd."
    ),
    source="src/condor_schedd.V6/schedd.cpp:Scheduler::Init, negotiate, StartJobs, 25.14",
    find=_find,
)
