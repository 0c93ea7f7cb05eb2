"""Jobs that the schedd starts itself: scheduler and local universe, by its own two conditions.

START_SCHEDULER_UNIVERSE or START_LOCAL_UNIVERSE of the schedd and the Requirements of the job are
evaluated between the job's ad and one that the schedd makes for it (Scheduler::publish), which says
what its machine has and the collector's ad does not; undefined counts as false. The user's
MaxJobsRunning comes first. Last comes MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER, of the scheduler
universe alone: it counts where it is smaller than MAX_JOBS_PER_OWNER, and 0 lets none start
(IsLocalJobEligibleToRun and AddRunnableLocalJobs of src/condor_schedd.V6/schedd.cpp, HTCondor
25.14).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from htcq.classad.clauses import conjuncts
from htcq.classad.names import words
from htcq.classads import Ad, Missing, Value, as_number, holds, named, parsed, spelled
from htcq.htcondor.attributes import ASKED, SCHEDD, names
from htcq.htcondor.defaults import expanded_default
from htcq.pool.configuration import Configuration
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.poolquota.ailment import ObservedPool
from htcq.quota.knobs import Knobs
from htcq.units import counted, listed
from htcq.why import match_failure as wall
from htcq.why.evidence import Views, evidence, terms_of
from htcq.why.match_failure import MatchFailure
from htcq.why.unknown_names import unknown_to

SCHEDULER, LOCAL = 7, 12
_KNOBS = {SCHEDULER: "START_SCHEDULER_UNIVERSE", LOCAL: "START_LOCAL_UNIVERSE"}
_ATTRIBUTES = {SCHEDULER: "StartSchedulerUniverse", LOCAL: "StartLocalUniverse"}
_NAMES = {SCHEDULER: "scheduler", LOCAL: "local"}
_PER_OWNER, _QUEUED = "MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER", "MAX_JOBS_PER_OWNER"
_ADVERTISED, _LARGEST = "MaxRunningSchedulerJobsPerOwner", 2**31 - 1
#: What the schedd says to its own jobs. The collector's ad has some of it, the configuration four
#: more; what the machine measures is in neither.
_CONFIGURED = {
    "arch": "ARCH", "opsys": "OPSYS", "opsysver": "OPSYSVER", "opsysandver": "OPSYSANDVER",
}  # fmt: skip
_MEASURED = {"cpus": "Cpus", "memory": "Memory", "disk": "Disk"}
_OWN = words(
    "scheddipaddr myshadowsockname scheddinterval queuecleaninterval jobstartdelay jobstartcount "
    "jobsthisburst maxjobsrunning maxjobssubmitted maxjobsperowner maxrunningschedulerjobsperowner "
    "maxjobspersubmission jobsstarted swapspace shadowsizeestimate currentmatchmakingcurb "
    "swapspaceexhausted reservedswap jobsidle jobsrunning badcluster badproc numowners "
    "numsubmitters negotiationrequesttime exitwhendone startjobtimer condoradministrator "
    "accountantname uiddomain accountingdomain minflocklevel maxflocklevel flocklevel "
    "maxexceptions hascontainer hassif totallocaljobsidle totallocaljobsrunning startlocaluniverse "
    "totalschedulerjobsidle totalschedulerjobsrunning startscheduleruniverse"
)
#: The schedd looks for such jobs again and again, every few seconds.
_SOON = 180.0
#: What the amounts of a reason call the knob that refuses a job, and its value.
KNOB, VALUE, TRIED = "knob", "expression", "tried"
#: And an attribute in it that the schedd lacks.
UNKNOWN = "unknown"
#: Whether Requirements may be true: they compare what no ad says.
MAY_BE = "may_be"


def local_walls(pool: Pool, job: Job, access_point: str) -> Iterator[MatchFailure]:
    """Yield what keeps an idle ``job`` of one of the two universes from a start."""
    universe = job.universe
    assert isinstance(universe, int)
    record = next((each for each in pool.schedds if each.name == access_point), None)
    name = _NAMES[universe]
    if record is None:
        yield MatchFailure(
            wall.UNMATCHED_UNIVERSE,
            f"its universe is {name} ({universe}): the schedd starts it itself, and the collector "
            "has no ad of the schedd to evaluate its conditions with",
            {"universe": name},
            "a schedd that runs and reports to the collector",
        )
        return
    configuration = pool.schedd_configuration(access_point)
    schedd = _schedd_of(record, configuration)
    found = list(_start_expression(configuration, universe, schedd, job))
    if universe == SCHEDULER:
        used = pool.run_by_schedds[access_point, universe, job.user]
        found += _per_owner(configuration, schedd, job, used)
    refused = _requirements(universe, schedd, job)
    if refused is None and not found:
        refused = _tried(universe, job) or _not_known(universe, schedd, job, ObservedPool(pool).now)
    if refused is not None:
        found.append(refused)
    yield from found or [
        MatchFailure(
            wall.UNMATCHED_UNIVERSE,
            f"its universe is {name} ({universe}): the schedd starts it itself, without the "
            f"negotiator; its Requirements and {_KNOBS[universe]} are true",
            {"universe": name},
            "time: the schedd starts such jobs one after another",
        )
    ]


class _Schedd(NamedTuple):
    """The ad of a schedd, its attributes as usual by lower case, and those that are not known."""

    ad: Ad
    names: Mapping[str, str]
    unknown: frozenset[str]


def _schedd_of(record: Record, configuration: Configuration | None) -> _Schedd:
    """Return what the schedd says to its own jobs, as far as its ad and its configuration tell."""
    values = {name: each for name, each in record.values.items() if not isinstance(each, Missing)}
    for name, knob in _CONFIGURED.items():
        text = "" if configuration is None else configuration.value(knob)
        if text:
            values[name] = text
    own = {*_OWN, *_CONFIGURED, *_MEASURED}
    usual = {each.lower(): each for each in names(SCHEDD, ASKED)}
    return _Schedd(
        Ad(values),
        {each: usual.get(each, each) for each in values},
        frozenset(own.difference(values)),
    )


def _start_expression(
    configuration: Configuration | None, universe: int, schedd: _Schedd, job: Job
) -> Iterator[MatchFailure]:
    knob, text = _KNOBS[universe], _start_text(configuration, universe, schedd)
    expression = parsed(text)
    if expression is None:
        return
    value = expression.evaluate(schedd.ad, job.ad())
    # A capture has a part of the schedd's ad: what is undefined here may have a value there, unless
    # it is a slip of what is there.
    name, meant = unknown_to(text, schedd.names.values(), job.frame.texts)
    if holds(value) or (isinstance(value, Missing) and not name):
        return
    views = _views(False, schedd, job)
    sides = evidence(terms_of(text, views), "", "the schedd")
    amounts = {"universe": _NAMES[universe], KNOB: knob, VALUE: text}
    advice = f"{knob} of the schedd; the end of such jobs where it counts them"
    if name and isinstance(value, Missing):
        amounts[UNKNOWN] = name
        sides = f"the schedd has no {name}, which is undefined, but has {meant}"
        advice = f"{meant} in {knob} of the schedd"
    yield MatchFailure(
        wall.UNMATCHED_UNIVERSE,
        f"{knob} of the schedd refuses it: {text}{f': {sides}' if sides else ''}",
        amounts,
        advice,
    )


def _start_text(configuration: Configuration | None, universe: int, schedd: _Schedd) -> str:
    """Return what the schedd evaluates; empty where that is not known.

    The schedd advertises it, and a knob that does not parse is as if nobody had set it.
    """
    value = schedd.ad.value(_ATTRIBUTES[universe])
    if isinstance(value, bool):
        return spelled(value)
    if configuration is None:
        return ""
    text = configuration.value(_KNOBS[universe])
    return text if parsed(text) is not None else expanded_default(_KNOBS[universe])


def _per_owner(
    configuration: Configuration | None, schedd: _Schedd, job: Job, used: int
) -> Iterator[MatchFailure]:
    """Yield that the user of ``job`` runs as many jobs of its universe as one user may."""
    limit = _limit_per_owner(configuration, schedd)
    if limit is None or limit > used:
        return
    name, text = _NAMES[SCHEDULER], f"{_PER_OWNER} of the schedd is {limit}"
    yield MatchFailure(
        wall.UNMATCHED_UNIVERSE,
        f"{text}, and {job.user} runs {counted(used, 'job')} of the {name} universe there",
        {"universe": name, KNOB: _PER_OWNER, VALUE: str(limit), "limit": limit, "used": used},
        f"a larger {_PER_OWNER}" + ("; the end of such jobs of the user" if limit else ""),
    )


def _limit_per_owner(configuration: Configuration | None, schedd: _Schedd) -> int | None:
    """Return how many such jobs one user may run; None where any number, or it is not known."""
    known = as_number(schedd.ad.value(_ADVERTISED))
    if known is not None:
        # The schedd advertises it only where it limits anything.
        return int(known)
    if configuration is None:
        return None
    knobs = Knobs({name: configuration.value(name) for name in (_PER_OWNER, _QUEUED)})
    limit, queued = (
        int(knobs.number(name, float(expanded_default(name)), -_LARGEST, _LARGEST))
        for name in (_PER_OWNER, _QUEUED)
    )
    return limit if limit == 0 or 0 < limit < queued else None


def _requirements(universe: int, schedd: _Schedd, job: Job) -> MatchFailure | None:
    """Return the clauses that are false whatever is not known of the schedd's machine."""
    text = job.frame.text("Requirements")
    if not text:
        return None
    unmet = [each for each in conjuncts(text) if not _holds(each, schedd, job)]
    if not unmet and holds(named("Requirements").evaluate(job.ad(), schedd.ad)):
        return None
    clauses = [each for each in unmet or [text] if not _unknown_in(each, schedd, job)]
    if not clauses:
        return None
    views = _views(True, schedd, job)
    sides = [evidence(terms_of(clause, views), "", "the schedd") for clause in clauses]
    false = "; ".join(dict.fromkeys(filter(None, sides)))
    verb = "is" if len(clauses) == 1 else "are"
    return _of_requirements(
        universe,
        True,
        f"{', '.join(clauses)} {verb} false or undefined{f': {false}' if false else ''}",
        clauses,
    )


def _tried(universe: int, job: Job) -> MatchFailure | None:
    """Return that the schedd starts a job again and again, which its Requirements allow then."""
    times = as_number(job.shadow_starts) or 0
    if times < 1:
        return None
    name = _NAMES[universe]
    return MatchFailure(
        wall.UNMATCHED_UNIVERSE,
        f"its universe is {name} ({universe}): the schedd has tried to start it "
        f"{counted(int(times), 'time')} (NumShadowStarts), and it is idle",
        {"universe": name, TRIED: int(times)},
        "what SchedLog of the access point says of it"
        + ("; STARTER_LOCAL of the schedd" if universe == LOCAL else ""),
    )


def _not_known(universe: int, schedd: _Schedd, job: Job, now: float | None) -> MatchFailure | None:
    """Return the clauses on what is not known, where a job waits long and nothing else keeps it."""
    text, since = job.frame.text("Requirements"), as_number(job.status_since)
    if since is None:
        since = as_number(job.queued_at)
    if not text or now is None or since is None or now - since < _SOON:
        return None
    clauses = [each for each in conjuncts(text) if not _holds(each, schedd, job)]
    if not clauses:
        return None
    spelling = {**_MEASURED, **_CONFIGURED}
    unknown = sorted({name for each in clauses for name in _unknown_in(each, schedd, job)})
    views = _views(True, schedd, job)
    sides = [evidence(terms_of(clause, views), "", "the schedd") for clause in clauses]
    of_job = [
        part for side in sides for part in side.split("; ") if part and "of the schedd" not in part
    ]
    return _of_requirements(
        universe,
        False,
        "nothing else keeps it, and the collector's ad does not say "
        f"{listed([spelling.get(name, name) for name in unknown])} of its machine, which "
        f"{', '.join(clauses)} compare{'s' if len(clauses) == 1 else ''}"
        f"{'; ' if of_job else ''}{'; '.join(dict.fromkeys(of_job))}",
        clauses,
    )


def _unknown_in(clause: str, schedd: _Schedd, job: Job) -> frozenset[str]:
    """Return what a clause of the job's Requirements names of the schedd that is not known."""
    expression = parsed(clause)
    if expression is None:
        return frozenset()
    found = expression.references()
    of_schedd = found.target | {name for name in found.own if name not in job.frame.texts}
    return of_schedd & schedd.unknown


def _of_requirements(
    universe: int, is_certain: bool, text: str, clauses: Sequence[str]
) -> MatchFailure:
    name, verb = _NAMES[universe], "does" if is_certain else "may"
    amounts = {"clause": ", ".join(clauses), "universe": name}
    return MatchFailure(
        wall.REQUIREMENTS,
        f"the schedd starts it itself (universe {name}, {universe}), and the ad of the schedd "
        f"{verb} not meet its Requirements: {text}",
        amounts if is_certain else {**amounts, MAY_BE: True},
        "condor_qedit of Requirements to true or to a condition on the schedd; "
        "the vanilla universe where it is to run on a slot",
    )


def _holds(text: str, schedd: _Schedd, job: Job) -> bool:
    expression = parsed(text)
    return expression is not None and holds(expression.evaluate(job.ad(), schedd.ad))


def _views(of_job: bool, schedd: _Schedd, job: Job) -> Views:
    own = job.frame.texts.keys() if of_job else schedd.names.keys()

    def values(text: str) -> Counter[Value]:
        expression = parsed(text)
        if expression is None:
            return Counter()
        my, target = (job.ad(), schedd.ad) if of_job else (schedd.ad, job.ad())
        return Counter([expression.evaluate(my, target)])

    return Views(of_job, lambda name: name in own, job.frame.text, values)
