"""Walls of demand: the negotiator does not see a submitter's jobs, or their weight is 0.

Follows obtainAdsFromCollector of src/condor_negotiator.V6/matchmaker.cpp and
hgq_prepare_for_matchmaking of GroupEntry.cpp, HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.pool.record import Record
from htcq.poolquota.demand import skips
from htcq.quota.group_tree import assigned_group
from htcq.simulate.cycle.cycle import Cycle
from htcq.simulate.cycle.group_negotiation import SubmitterQueue
from htcq.units import show_number
from htcq.why import match_failure as wall
from htcq.why.access import is_unknown
from htcq.why.match_failure import Amounts, MatchFailure

_NEXT_AD = (
    "the next update of the schedd (SCHEDD_INTERVAL), which counts the jobs; SchedLog says whether "
    "one came"
)
_OF_SCHEDD = "starting the schedd, or repairing its connection to the collector"
_DOMAIN = "a submitter's name with a domain: UID_DOMAIN of the schedd, AccountingGroup of the job"


def demand_walls(
    cycle: Cycle, asking: SubmitterQueue | None, submitter: str, access_point: str
) -> Iterator[MatchFailure]:
    """Yield why the negotiator asks for no job of ``submitter`` at ``access_point``."""
    amounts: Amounts
    if asking is None:
        yield _unknown(cycle, submitter, access_point)
        return
    if asking.idle <= 0:
        text = f"the ad of {submitter} has no idle jobs; it may be some minutes old"
        amounts = {"submitter": submitter, "idle": asking.idle}
        yield MatchFailure(wall.NO_DEMAND, text, amounts, _NEXT_AD)
        return
    quotas = cycle.quotas
    group = assigned_group(quotas.tree, submitter).group
    if quotas.grouped and quotas.requested(group) <= 0:
        idle, weighted = asking.submitter.idle, asking.submitter.weighted_idle
        text = (
            f"its {idle} idle jobs weigh {show_number(weighted)} (WeightedIdleJobs): group "
            f"{group} has no demand, "
            "and the negotiator skips it"
        )
        amounts = {
            "submitter": submitter,
            "group": group,
            "idle": idle,
            "weighted_idle": weighted,
        }
        yield MatchFailure(wall.NO_DEMAND, text, amounts)


def _unknown(cycle: Cycle, submitter: str, access_point: str) -> MatchFailure:
    """Return why the negotiator does not look at a submitter."""
    named = [each for each in cycle.quotas.pool.submitters if each.name == submitter]
    here = [each for each in named if not access_point or each.text("ScheddName") == access_point]
    amounts: Amounts = {"submitter": submitter, "schedd": access_point}
    if not here:
        others = sorted({each.text("ScheddName") for each in named})
        where = ""
        if others:
            where = f"; {', '.join(others)} has one"
        text = (
            f"the collector has no submitter ad of {submitter} from "
            f"{access_point or 'its schedd'}{where}"
        )
        if is_unknown(cycle.quotas.pool, access_point):
            text += f", and none of the schedd {access_point} itself: it may be down"
            return MatchFailure(wall.NOT_ADVERTISED, text, amounts, _OF_SCHEDD)
        return MatchFailure(wall.NOT_ADVERTISED, text, amounts)
    if all(skips(each, cycle.quotas.negotiator_version) for each in here):
        return MatchFailure(
            wall.SKIP_MATCHMAKING, f"the ad of {submitter} has SkipMatchmaking = true", amounts
        )
    if "@" not in submitter:
        text = f"the negotiator skips the submitter {submitter}: its name has no @ and no domain"
        return MatchFailure(wall.NOT_ADVERTISED, text, amounts, _DOMAIN)
    if sum(map(_jobs, here)) <= 0:
        text = f"the ad of {submitter} has no jobs; it may be some minutes old"
        return MatchFailure(wall.NO_DEMAND, text, {**amounts, "idle": 0}, _NEXT_AD)
    constraint = cycle.quotas.knobs.get("NEGOTIATOR_SUBMITTER_CONSTRAINT", "")
    text = f"NEGOTIATOR_SUBMITTER_CONSTRAINT is false for {submitter}: {constraint}"
    return MatchFailure(wall.SUBMITTER_CONSTRAINT, text, {**amounts, "expression": constraint})


def _jobs(record: Record) -> float:
    return (record.number("IdleJobs") or 0) + (record.number("RunningJobs") or 0)
