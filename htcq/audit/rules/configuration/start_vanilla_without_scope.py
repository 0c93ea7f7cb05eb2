"""START_VANILLA_UNIVERSE names attributes without a scope, which the schedd does not find."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import access
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.configuration import Configuration
from htcq.pool.job import PLACES as OF_JOBS
from htcq.pool.job import Job
from htcq.pool.slot import PLACES as OF_SLOTS
from htcq.poolquota.access.access_points import AccessPoints, access_points_of
from htcq.poolquota.access.start_vanilla import StartVanilla
from htcq.quota.group_tree import ROOT, assigned_group

_KNOB = "START_VANILLA_UNIVERSE"


def _find(evidence: Evidence) -> Iterator[Found]:
    points = access_points_of(evidence.pool, evidence.quotas)
    for name, configuration in evidence.access.items():
        start = points[name].start
        if start is not None and start.lost:
            never = _never_started(evidence, points, name, start)
            yield _found(evidence, name, configuration, start, never)


def _never_started(
    evidence: Evidence, points: AccessPoints, name: str, start: StartVanilla
) -> list[Job]:
    """Return the idle jobs that the schedd offers and that it starts on no slot."""
    if start.looks_at_slot:
        # The value of the expression depends on the slot: it may hold for some.
        return []
    idle = [job for job in evidence.pool.jobs or () if job.wanted and not job.parallel]
    own = [job for job in idle if points.name_of(job) == name]
    return [job for job in own if start.offers(job) is None]


def _found(
    evidence: Evidence,
    name: str,
    configuration: Configuration,
    start: StartVanilla,
    never: list[Job],
) -> Found:
    knob = configuration.knob(_KNOB)
    are = "is" if len(start.lost) == 1 else "are"
    wait = ""
    if never:
        jobs = counted(len(never), "job")
        wait = f": it never starts {jobs} that it offers, such as job {never[0].id}"
    groups: dict[str, None] = {}
    for job in never:
        group = assigned_group(evidence.quotas.tree, job.submitter).group
        groups["no group" if group == ROOT else group] = None
    place = "" if knob is None else knob.place
    return Found(
        cause=f"{_KNOB} of {name}",
        subject=f"access point {name}",
        message=(
            f"{listed(start.lost)} in {_KNOB} of access point {name} {are} undefined for the "
            f"schedd{wait}"
        ),
        facts=(Fact(_KNOB, start.text, place),),
        examples=(name,),
        settings=_with_scopes(evidence, name, start),
        harm=Harm(starved=tuple(groups), jobs=len(never)),
        is_root=True,
    )


def _with_scopes(evidence: Evidence, name: str, start: StartVanilla) -> tuple[Setting, ...]:
    """Return the expression with scopes; nothing where the scope of some name is not known."""
    scopes = {each: _scope(evidence, each) for each in start.lost}
    if not all(scopes.values()):
        return ()
    text = start.with_scopes(lambda found: f"{scopes[found]}.{found.rpartition('.')[2].strip()}")
    return access(evidence, _KNOB, text, (name,))


def _scope(evidence: Evidence, name: str) -> str:
    """Return the scope in which the negotiator finds ``name``: first the job, then the slot.

    Empty where it finds the name in neither.
    """
    scope, _, attribute = name.lower().replace(" ", "").rpartition(".")
    if scope:
        return {"my": "JOB", "target": "SLOT"}.get(scope, "")
    if attribute in OF_JOBS or any(attribute in frame for frame in evidence.pool.job_frames):
        return "JOB"
    if attribute in OF_SLOTS or any(attribute in frame for frame in evidence.pool.slot_frames):
        return "SLOT"
    return ""


RULE = Rule(
    id="start-vanilla-without-scope",
    severity=Severity.WARNING,
    needs=(Input.ACCESS,),
    summary=(
        "START_VANILLA_UNIVERSE names attributes without JOB, SLOT, OWNER or SCHEDD before them"
    ),
    consequence=(
        "The schedd finds attributes in these scopes alone (in SCHEDD since 24.7), so that "
        "others are undefined, even with MY or TARGET. The negotiator finds them and matches the "
        "job, and the schedd gives the match back: the job stays idle, and its submitter is "
        "charged for the match in each cycle. While such jobs wait, this is an error."
    ),
    advice=(
        "Write JOB.RequestCpus or SLOT.Memory in place of RequestCpus or Memory, and reconfigure "
        "the schedd."
    ),
    source=(
        "src/condor_schedd.V6/schedd.cpp:VanillaMatchAd::Init, jobCanNegotiate, jobCanUseMatch, "
        "23.9.6 and 25.14; the match that is given back is in the SchedLog with D_MATCH:2"
    ),
    find=_find,
)
