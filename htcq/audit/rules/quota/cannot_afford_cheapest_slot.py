"""A group or submitter with idle jobs whose limit has no room for the cheapest match.

The limit is taken in the best case, and now.

A match is let through if what the turn has used and its cost stay within the limit, or, whatever
it costs, if the turn has used nothing yet and the limit leaves anything at all
(matchmaker.cpp:SubmitterLimitPermits, HTCondor 25.14). So it is a limit that leaves nothing that
starves a group, not a slot that costs too much. Ceilings are measured against the lightest slot
of the pool, whoever it is for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.group_knobs import whole_quota
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity, Unchecked
from htcq.poolquota.demand import Submitter
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import ROOT
from htcq.why.match_failure import GROUP_QUOTA, SUBMITTER_CEILING


def _cheapest(evidence: Evidence, submitters: Iterable[Submitter]) -> tuple[str, tuple[Fact, ...]]:
    """Return what the cheapest match of the submitters' idle jobs costs, as words and as facts."""
    found = []
    for submitter in submitters:
        for jobs in evidence.waiting.get(submitter.name, ()):
            match = evidence.cheapest(jobs)
            if match is not None:
                kind, price = match
                found.append((price, str(kind.first.name)))
    if not found:
        return "", ()
    cost, slot = min(found)
    return f", but its cheapest match costs {cost:g}", (Fact("match cost", f"{cost:g} on {slot}"),)


def _never(quotas: PoolQuotas, name: str, best: int) -> tuple[str, str]:
    """Return the cause and its explanation."""
    quota = quotas.quota(name).quota
    if quota <= 0:
        return "quota 0", "its quota is 0 and it gets no surplus, even in an empty pool"
    if quota < 1:
        return "quota below 1", f"its quota of {quota:g} counts as 0"
    why = f"its limit is {best}, even in an empty pool, because of the groups above it"
    return "groups above", why


def _full(quotas: PoolQuotas, name: str) -> tuple[str, str]:
    """Return the group above that is full, and an explanation."""
    for above, cap in quotas.refusing():
        used = sum(quotas.usage.get(each, 0.0) for each in quotas.subtree(above.name))
        if name in quotas.subtree(above.name) and cap - used < 1:
            why = (
                f"{above.name}, which accepts no surplus, and its child groups use {used:g} of "
                f"its {cap:g}"
            )
            return above.name, why
    return "", f"its limit is {quotas.limits.get(name, 0.0):g}"


def _due(quotas: PoolQuotas, name: str) -> int:
    """Return the quota of a group that is not also handed to the groups below it."""
    own = quotas.quota(name).quota
    if name == ROOT:
        return math.floor(own)
    handed_on = sum(quotas.quota(child.name).subtree_quota for child in quotas.tree.children(name))
    return math.floor(max(0.0, own - handed_on))


def _groups(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.grouped:
        return
    for group in quotas.tree.groups:
        name, waiting = group.name, quotas.waiting(group.name)
        limit = quotas.limits.get(name, 0.0)
        # A demand of 0 and a limit that is no number have rules of their own; who regroups has a
        # second turn.
        if not waiting or quotas.requested(name) <= 0 or math.isnan(limit) or group.autoregroup:
            continue
        quota = quotas.quota(name)
        if truncated(limit) > quota.usage:
            continue
        best = quotas.best_limit(name)
        if best < 1:
            yield _starved(evidence, name, waiting, best)
        elif quota.requested > quota.usage and quota.usage + 1 <= _due(quotas, name):
            yield _starved_now(evidence, name, waiting)


def _who(name: str, waiting: Iterable[Submitter]) -> str:
    idle = counted(sum(each.idle for each in waiting), "idle job")
    if name == ROOT:
        return f"submitters without a group have {idle}"
    return f"{name} has {idle}"


def _starved(evidence: Evidence, name: str, waiting: tuple[Submitter, ...], best: int) -> Found:
    cause, why = _never(evidence.quotas, name, best)
    cost, facts = _cheapest(evidence, waiting)
    return Found(
        cause=cause,
        subject=f"group {name}",
        message=f"{_who(name, waiting)}, but none can ever be matched: {why}{cost}",
        facts=(*_quota_facts(evidence, name), *facts),
        examples=(name,),
        settings=_raised(evidence, name, cause),
        harm=Harm(starved=(name,), jobs=sum(each.idle for each in waiting)),
        implies=(GROUP_QUOTA, SUBMITTER_CEILING),
    )


def _raised(evidence: Evidence, name: str, cause: str) -> tuple[Setting, ...]:
    """Return what gives the group something.

    It is a quota of 1 instead of a fraction, or surplus instead of nothing.
    """
    if cause == "quota below 1":
        return whole_quota(evidence, name)
    if cause != "quota 0" or name == ROOT:
        return ()
    # Of a pool that weighs nothing, and where the negotiator cannot read a quota, it is 0 for
    # another reason.
    unread = any(problem.fatal for problem in evidence.quotas.problems)
    if unread or evidence.quotas.tree[name].config_quota > 0:
        return ()
    return (central(evidence, f"GROUP_ACCEPT_SURPLUS_{name}", "True"),)


def _starved_now(evidence: Evidence, name: str, waiting: tuple[Submitter, ...]) -> Found:
    quotas = evidence.quotas
    full, why = _full(quotas, name)
    at = f"{quotas.quota(name).usage:g} of {quotas.quota(name).quota:g}"
    return Found(
        cause=f"now {full}".strip(),
        subject=f"group {name}",
        message=f"{_who(name, waiting)}, but none is matched now, at {at}: {why}",
        facts=tuple(_quota_facts(evidence, name)),
        examples=(name,),
        severity=Severity.WARNING,
    )


def _quota_facts(evidence: Evidence, name: str) -> Iterator[Fact]:
    for knob in (
        f"GROUP_QUOTA_{name}",
        f"GROUP_QUOTA_DYNAMIC_{name}",
        f"GROUP_ACCEPT_SURPLUS_{name}",
    ):
        if evidence.pool.central is not None and knob in evidence.pool.central:
            yield knob_fact(evidence, knob)


def _ceilings(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    if not quotas.settings.use_slot_weights:
        return
    lightest = quotas.supply.min_weight
    unused = min((kind.plain_weight() for kind in evidence.offered), default=0)
    for submitter in quotas.submitters:
        account = quotas.accounts.get(submitter.name)
        ceiling = None if account is None else account.number("Ceiling")
        if ceiling is None or ceiling <= 0 or not submitter.idle:
            continue
        left = ceiling - int(quotas.used_by(submitter.name))
        if 1 <= left < lightest:
            cause, severity = "ceiling", None
            if ceiling >= unused:
                cause, severity = "ceiling now", Severity.WARNING
            _, facts = _cheapest(evidence, (submitter,))
            yield Found(
                cause=cause,
                subject=f"submitter {submitter.name}",
                message=(
                    f"the negotiator skips {submitter.name}: {left} is left of its ceiling of "
                    f"{ceiling}, and the lightest slot of the pool weighs {lightest:g}"
                ),
                facts=(Fact("Ceiling", str(ceiling)), *facts),
                advice=(
                    f"Run condor_userprio -setceil {submitter.name} "
                    f"{math.ceil(max(unused, lightest))}."
                ),
                examples=(submitter.name,),
                severity=severity,
            )


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if evidence.pool.jobs is None and evidence.quotas.grouped:
        yield Unchecked(evidence.words(Input.JOBS))
    yield from _groups(evidence)
    yield from _ceilings(evidence)


RULE = Rule(
    id="cannot-afford-cheapest-slot",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="Idle jobs starve: their group's limit or their submitter's ceiling allows no match",
    consequence=(
        "The negotiator matches nothing for them, whatever slots are free. For a quota its log "
        "has at most 'no match found', for a ceiling that the negotiation is skipped. The "
        "finding is an error if this is so even in an empty pool, and a warning if it is so at "
        "the moment."
    ),
    advice="Raise the quota or the ceiling, or let the group accept surplus.",
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:SubmitterLimitPermits, negotiateWithGroup, "
        "GroupEntry.cpp, 25.14"
    ),
    find=_find,
)
