"""Walls of the access point: the job is not offered, or the budget is spent on others.

Follows Runnable of src/condor_schedd.V6/qmgmt.cpp and negotiate of schedd.cpp, HTCondor 25.14;
the decisions themselves are those of :mod:`htcq.poolquota.access.access_points`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.poolquota.access.refusals import Refusal
from htcq.poolquota.health import ailments
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.group_negotiation import SubmitterQueue
from htcq.simulate.cycle.queues import Offered, Queue, Run
from htcq.simulate.cycle.schedd_negotiation import Ending, ScheddNegotiation
from htcq.units import counted, show_moment
from htcq.why import match_failure as wall
from htcq.why.cool_downs import cool_down_wall
from htcq.why.match_failure import Amount, Amounts, MatchFailure

#: How many of the requests that use a budget up are named.
_MAX_NAMED = 3


def refusal_walls(cycle: Cycle, job: Job) -> Iterator[MatchFailure]:
    """Yield why the access point does not offer ``job`` at all."""
    for refusal in cycle.askers.access.refusals(job):
        text = _TEXTS.get(refusal.id)
        if refusal.id == wall.COOL_DOWN:
            yield cool_down_wall(job, cycle.askers.access.of(job), refusal.amounts)
        elif text is not None and not refusal.offered:
            advice = ""
            if refusal.id == wall.DEDICATED_SCHEDULER and asks_for_too_many(refusal.amounts):
                advice = _FEWER_NODES
            amounts = refusal.amounts
            if refusal.id in _OF_SCHEDDS:
                amounts = {**amounts, "schedd": cycle.askers.access.name_of(job)}
            yield MatchFailure(refusal.id, text(amounts), amounts, advice)


def asks_for_too_many(amounts: Amounts) -> bool:
    """Return whether a parallel job requests more slots than its scheduler could ever get."""
    requested, empty = amounts.get("requested"), amounts.get("empty")
    are_known = isinstance(requested, (int, float)) and isinstance(empty, (int, float))
    return are_known and requested > empty  # type: ignore[operator]


def _dedicated(amounts: Amounts) -> str:
    text = (
        f"it requests {amounts['requested']} slots at once; of those that are dedicated to its "
        f"access point {amounts['now']} are free"
    )
    if asks_for_too_many(amounts):
        text += f", and there are {amounts['empty']} in all"
    return f"{text}: the dedicated scheduler asks for none"


def _deferred(amounts: Amounts) -> str:
    return f"it requests a start at {_time(amounts['until'])} (DeferralTime)"


def _user_max_jobs(amounts: Amounts) -> str:
    return (
        f"{amounts['user']} runs {amounts['used']} of the {amounts['limit']} jobs that its user "
        "record allows "
        "(MaxJobsRunning)"
    )


def _start_vanilla(amounts: Amounts) -> str:
    return f"START_VANILLA_UNIVERSE of the schedd is false for it: {amounts['expression']}"


def _job_constraint(amounts: Amounts) -> str:
    return f"NEGOTIATOR_JOB_CONSTRAINT is false for it: {amounts['expression']}"


def _curbed(amounts: Amounts) -> str:
    return f"CURB_MATCHMAKING is true, and the schedd offers no jobs{_expression(amounts)}"


def _max_jobs_running(amounts: Amounts) -> str:
    return f"the schedd runs {amounts['used']} jobs, and MAX_JOBS_RUNNING is {amounts['limit']}"


def _expression(amounts: Amounts) -> str:
    if not amounts.get("expression"):
        return ""
    return f": {amounts['expression']}"


def _time(moment: Amount) -> str:
    return str(moment) if isinstance(moment, str) else show_moment(moment)


#: They keep all jobs of an access point.
_OF_SCHEDDS = (wall.MAX_JOBS_RUNNING, wall.CURB_MATCHMAKING)
_FEWER_NODES = "a smaller machine_count; DedicatedScheduler in the configuration of more machines"
_TEXTS: Mapping[str, Callable[[Amounts], str]] = {
    wall.DEDICATED_SCHEDULER: _dedicated,
    wall.DEFERRED: _deferred,
    wall.USER_MAX_JOBS: _user_max_jobs,
    wall.START_VANILLA_UNIVERSE: _start_vanilla,
    wall.JOB_CONSTRAINT: _job_constraint,
    wall.CURB_MATCHMAKING: _curbed,
    wall.MAX_JOBS_RUNNING: _max_jobs_running,
}


def passed_over_walls(cycle: Cycle, queue: Queue, run: Run, job: Job) -> Iterator[MatchFailure]:
    """Yield that the schedd passes ``job`` over since one of its autocluster is not wanted."""
    if run in queue.asked_for() or any(_excluding(cycle, job)):
        return
    for earlier in queue.runs:
        if earlier.request is not run.request or not earlier.jobs:
            continue
        for refusal in _excluding(cycle, earlier.jobs.first):
            text = (
                f"NEGOTIATOR_JOB_CONSTRAINT is false for {earlier.jobs.first.id}, and the schedd "
                f"passes over all jobs of its autocluster: {refusal.amounts['expression']}"
            )
            yield MatchFailure(wall.JOB_CONSTRAINT, text, refusal.amounts)
            return


def job_prio_walls(every: Sequence[SubmitterQueue], run: Run) -> Iterator[MatchFailure]:
    """Yield which priorities the last turn asks for, where that of ``run`` is none of them.

    ``every`` are the parts of its submitter. From the second turn of a group on, a part that stood
    for several priorities stands for its first one alone (consolidate_globaljobprio_submitter_ads
    of src/condor_negotiator.V6/matchmaker.cpp; seen on 25.14.1).
    """
    asked = [each.job_prios for each in every if each.talk is not None and each.job_prios]
    if not asked or any(run.job_prio in each for each in asked):
        return
    prios = " and ".join(map(_range_text, asked))
    text = (
        f"it has JobPrio {run.job_prio}; the last turn of its group asks {every[0].submitter.name} "
        f"for jobs of JobPrio {prios} only (USE_GLOBAL_JOB_PRIOS)"
    )
    yield MatchFailure(wall.JOB_PRIO_LEFT_OUT, text, {"job_prio": run.job_prio})


def _range_text(prios: range) -> str:
    if len(prios) == 1:
        return str(prios.start)
    return f"{prios.start} to {prios.stop - 1}"


def _excluding(cycle: Cycle, job: Job) -> Iterator[Refusal]:
    for refusal in cycle.askers.access.refusals(job):
        if refusal.id == wall.JOB_CONSTRAINT:
            yield refusal


# What others of the submitter use up
# --------------------------------------------------------------------------------------------------


def budget_walls(asking: SubmitterQueue | None, queue: Queue, run: Run) -> Iterator[MatchFailure]:
    """Yield which requests use up the offers of one negotiation, so that ``run`` is not offered."""
    if asking is None or asking.talk is None:
        return
    talk = asking.talk
    yield from _kept_by_user(asking, talk.offered, run)
    if not talk.cut or run not in queue.asked_for() or _was_offered(talk.offered, run):
        return
    if talk.budget and not talk.offered:
        # A limit of the negotiator ended the talk before the schedd offered anything.
        return
    if not talk.budget:
        yield from _full_schedd(asking)
        return
    if not talk.offered or _is_left(talk):
        # The submitter's share or ceiling ended the talk before the schedd had offered so many.
        return
    counts = Counter[str]()
    for each in talk.offered:
        counts[_outcome(each)] += each.count
    first = talk.offered[0]
    amounts: dict[str, Amount] = {
        "budget": talk.budget,
        "offered": sum(counts.values()),
        "first": first.job,
    }
    amounts.update({f"offered_{outcome}": count for outcome, count in counts.items()})
    id_, what = wall.OFFER_BUDGET, "MAX_CONCURRENT_UPLOADS_PER_USER"
    if talk.budget != asking.access.per_submitter:
        id_, what = wall.MAX_JOBS_RUNNING, "MAX_JOBS_RUNNING leaves no more"
        amounts["schedd"] = asking.access.name
    text = (
        f"the schedd offers {counted(talk.budget, 'job')} of {asking.submitter.name} per "
        f"negotiation ({what}), and "
        f"earlier jobs use this up: {_users(talk.offered)}"
    )
    yield MatchFailure(id_, text, amounts)


def _is_left(talk: ScheddNegotiation) -> bool:
    """Return whether a share or ceiling ended the talk with offers that nobody looked at."""
    last = talk.offered[-1]
    return talk.ending is not Ending.ALL_OFFERED and last.matched < last.count


def _kept_by_user(
    asking: SubmitterQueue, offered: Sequence[Offered], run: Run
) -> Iterator[MatchFailure]:
    """Yield a wall if the user record holds back a part of ``run`` and the rest is matched."""
    limit = asking.access.user_limit(run.request.first)
    kept = [each for each in offered if each.run is run and each.kept and not each.rejection]
    matches = sum(each.matched for each in kept)
    if limit is not None and matches:
        text = (
            f"{limit.user} runs {limit.running} of the {limit.limit} jobs that its user record "
            "allows "
            f"(MaxJobsRunning), and {counted(matches, 'match', 'matches')} for jobs of its "
            "autocluster use the rest"
        )
        amounts: Amounts = {
            "user": limit.user,
            "used": limit.running,
            "limit": limit.limit,
            "matches": matches,
        }
        yield MatchFailure(wall.USER_MAX_JOBS, text, amounts)


def _full_schedd(asking: SubmitterQueue) -> Iterator[MatchFailure]:
    """Yield a wall where the matches of the cycle itself bring a schedd to MAX_JOBS_RUNNING.

    The schedd then offers no more jobs. A match beyond the limit, which it returns, is another
    case: see ``Verdicts``.
    """
    if next(asking.access.refusals(), None) is not None:
        return
    text = (
        f"with the matches of this cycle the schedd {asking.access.name} reaches MAX_JOBS_RUNNING"
    )
    yield MatchFailure(wall.MAX_JOBS_RUNNING, text, {"schedd": asking.access.name})


def _was_offered(offered: Sequence[Offered], run: Run) -> bool:
    """Return whether the talk offered all that is left of a run, or the negotiator rejected it."""
    for each in offered:
        if each.run is run:
            return bool(each.rejection) or each.count - each.matched >= len(run.jobs)
    return False


def _outcome(offered: Offered) -> str:
    if offered.rejection:
        return "rejected"
    if offered.matched:
        return "matched"
    return "open"


def _users(offered: Sequence[Offered]) -> str:
    """Return the first requests that use up the budget, with their outcomes."""
    named = []
    for each in offered[:_MAX_NAMED]:
        outcome = f"{each.matched} matched"
        if each.rejection:
            outcome = f"rejected, {each.rejection}"
        named.append(f"{each.count} from {each.job} on ({outcome})")
    text = ", ".join(named)
    more = len(offered) - _MAX_NAMED
    if more > 0:
        text += f" and {counted(more, 'more request')}"
    return text


def silent_schedds(pool: Pool) -> Mapping[str, str]:
    """Return the schedds of ``pool`` that are silent, or whose last ad is old, each with a text."""
    return {each.schedd: each.text for each in ailments(pool) if each.schedd}


def is_unknown(pool: Pool, access_point: str) -> bool:
    """Return whether the collector has no ad of the schedd ``access_point``, and some of others."""
    names = {each.name for each in pool.schedds}
    return bool(access_point and names) and access_point not in names


def silent_walls(pool: Pool, access_point: str) -> Iterator[MatchFailure]:
    """Yield a wall where the collector has no ad of the schedd.

    Nobody can tell whether it answers.
    """
    if is_unknown(pool, access_point):
        text = f"the collector has no ad of the schedd {access_point}: it may be down"
        yield MatchFailure(wall.SCHEDD_SILENT, text, {"schedd": access_point})


def old_ad_walls(access_point: str, silent: Mapping[str, str]) -> Iterator[MatchFailure]:
    """Yield a wall, after all others, where the schedd is one of the ``silent``: it may be down."""
    if access_point in silent:
        yield MatchFailure(wall.SCHEDD_SILENT, silent[access_point], {"schedd": access_point})
