"""What every command of htcq says of one slot and one job, told in the same words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from htcq.audit.charges import charges
from htcq.audit.evidence import Evidence
from htcq.audit.nodes import modifications
from htcq.claims.costs import costs
from htcq.claims.matching import Mismatch
from htcq.claims.planned import Charges, carve, job_ad
from htcq.claims.startds import StartdTable
from htcq.claims.startds import carve as claim_of
from htcq.classads import Ad, Value, as_number, parsed
from htcq.elastic.charging import Charging
from htcq.elastic.models import Models
from htcq.elastic.records import PARTS
from htcq.htcondor.releases import ABSOLUTE_DISK
from htcq.policy.carved import handed_out
from htcq.policy.consumption import NEGOTIATOR, SCHEDULER, Policy
from htcq.pool.autocluster import autoclusters_of
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.pool.slot_class import slot_classes
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.simulate.cycle.cycle import Cycle
from tests.claims.reference import Number, Outcome, Pair

_SUBMITTER = {
    "MyType": '"Submitter"', "Name": '"ada@site"', "ScheddName": '"access1"', "Machine": '"access1"', "IdleJobs": "1",
    "RunningJobs": "0", "WeightedIdleJobs": "1", "WeightedRunningJobs": "0.0",
}  # fmt: skip
_NEGOTIATOR = {"MyType": '"Negotiator"', "Name": '"central"', "Machine": '"central"'}


def pools_of(pairs: Sequence[Pair]) -> Iterator[Pool]:
    """Yield for each of ``pairs`` the pool of nothing else; reading many of them at once is what makes it fast."""
    slots = (
        _renamed(pair.slot, Name=f'"slot1@node{at}"', Machine=f'"node{at}"')
        for at, pair in enumerate(pairs)
    )
    jobs = (
        _renamed(pair.job, ClusterId=str(at), ScheddName='"access1"')
        for at, pair in enumerate(pairs)
    )
    collected = "\n".join(map(_text, (*slots, _SUBMITTER, _NEGOTIATOR))).encode()
    queue = "\n".join(map(_text, jobs)).encode()
    execute = {f"node{at}": _text(pair.knobs) for at, pair in enumerate(pairs) if pair.knobs}
    texts = Texts("pairs", lambda: [collected], lambda: [queue], "A = 1\n", execute=execute)
    pool = read_pool(texts, _plain)
    for slot, job in zip(pool.slots or (), pool.jobs or ()):
        yield replace(
            pool, slots=(slot,), jobs=(job,), slot_frames=(slot.frame,), job_frames=(job.frame,)
        )


def _renamed(texts: Mapping[str, str], **names: str) -> dict[str, str]:
    return {**texts, **names}


def _text(ad: Mapping[str, str]) -> str:
    return "".join(f"{name} = {value}\n" for name, value in ad.items())


def _plain(text: str, *_: object) -> tuple[dict[str, str], dict[str, str], list[dict[str, str]]]:
    """Return plain assignments: HTCondor's own parser would take a process for each."""
    lines = (line.partition(" = ") for line in text.splitlines())
    return {name: value for name, _, value in lines}, {}, []


def named(amounts: Mapping[str, Number | None]) -> dict[str, Number]:
    """Return amounts by HTCondor's names of the assets; -999 stands for what is no number."""
    names = {"cpus": "Cpus", "memory": "Memory", "disk": "Disk", "gpus": "GPUs", "tokens": "Tokens"}
    return {names[asset]: -999 if amount is None else amount for asset, amount in amounts.items()}


def cost(pair: Pair, pool: Pool) -> Outcome:
    """Return what ``htcq cost`` prints."""
    (charge,) = costs(
        pool, slot_classes(pool.slots or ()), autoclusters_of(pool.jobs or ()), Weights()
    ).charges
    policy = charge.kind.supports_policy
    matched = charge.wall is Mismatch.NONE
    return Outcome(
        matched,
        named(charge.consumption) if policy else None,
        charge.match_cost,
        None,
        charge.standing_charge,
    )


def simulate(pair: Pair, pool: Pool) -> Outcome:
    """Return what ``htcq simulate`` makes of it in a cycle."""
    cycle = Cycle(pool)
    trace = cycle.run()
    if trace.crash is not None or not trace.matches:
        return Outcome(matched=False)
    (match,) = trace.matches
    (made,) = cycle.talks.made
    if match.refusal:
        return Outcome(True, None, match.cost, {}, None, True)
    (slot,) = pool.slots or ()
    static = slot.type == "Static"
    carved = (
        {asset: amount or 0 for asset, amount in slot.left().items()}
        if static
        else made.claim.amounts
    )
    return Outcome(True, None, match.cost, named(carved), match.standing, False)


def audit(pair: Pair, pool: Pool) -> Outcome:
    """Return what the rules of ``htcq audit`` reckon with."""
    evidence = Evidence(pool)
    (kind,) = evidence.slot_classes
    if not kind.supports_policy:
        return Outcome()
    (trial,) = evidence.trials.own(kind) or (None,)
    if trial is None:
        return Outcome()
    if not trial.fits(kind):
        return Outcome(consumed=named(trial.taken))
    (modification,) = modifications(evidence, kind)
    taken = modification.taken(kind, trial)
    charge = next(charges(evidence.claims, kind, (trial,)), None)
    # Neither the slop of old startds nor a request that is put back as it came is looked at by any
    # rule.
    way = claim_of(kind, trial.jobs, modification.startd)
    told = way.consumed == taken and ABSOLUTE_DISK.holds(modification.startd.version)
    return Outcome(
        consumed=named(trial.taken),
        cost=None if charge is None else charge.cost,
        carved=named(handed_out({asset: amount or 0 for asset, amount in taken.items()}))
        if told
        else None,
    )


def elastic(pair: Pair, pool: Pool) -> Outcome:
    """Return what ``htcq elastic`` takes a claim for."""
    quotas = PoolQuotas(pool, Weights(), "")
    slots = pool.slots or ()
    charging = Charging(
        slot_classes(slots), Models((), slots), quotas.supply, StartdTable(pool.execute)
    )
    (jobs,) = autoclusters_of(pool.jobs or ())
    charge = charging.of(jobs)
    amounts = dict(charge.amounts)
    # In thousandths, rounded up.
    weight = amounts.pop("weight", 0) / PARTS
    return Outcome(charge.matched, None, None, named(amounts), weight)


def plan(pair: Pair, pool: Pool) -> Outcome:
    """Return what ``htcq plan`` says of a policy of its own that has these expressions."""
    of_pools = any(name in pair.job for name in ("RequestedCatalogs", "_condor_RequestMemory"))
    # A shape has numbers: a request that is told by another one would follow where the startd
    # changes that.
    follows = not pair.job["RequestCpus"].isdigit() and bool(pair.modify["Memory"])
    if pair.slot["SlotType"] == '"Static"' or of_pools or pair.must_modify or follows:
        return Outcome()
    assets = [each for each in ("Cpus", "Memory", "Disk", "GPUs", "Tokens") if each in pair.slot]
    total = {asset.lower(): int(pair.slot[asset]) for asset in assets}
    splits = "NumClaims" in pair.slot
    policy = Policy(
        "drawn",
        {asset.lower(): pair.slot.get(f"Consumption{asset}", "0") for asset in assets},
        weight=pair.slot["SlotWeight"],
        schedd_weight="1",
        num_claims=8,
        splitting=NEGOTIATOR if splits else SCHEDULER,
        modify={asset.lower(): text for asset, text in pair.modify.items() if text},
    )
    facts = {"DiskQuantum": int(pair.slot["DiskQuantum"])} if "DiskQuantum" in pair.slot else {}
    whole = Charges(policy, total, {**total, "disk": int(pair.slot["TotalDisk"])}, facts=facts)
    asked = {
        asset: pair.job[f"Request{asset}"] for asset in assets if f"Request{asset}" in pair.job
    }
    shape = {asset.lower(): as_number(_value(text, pair)) or 0 for asset, text in asked.items()}
    carved = carve(whole, total, shape, ".".join(map(str, pair.version)))
    if carved.refusal:
        return Outcome(carved={}, refused=True)
    taken = whole.consumed(whole.pslot(total), job_ad(shape)) if splits else {}
    sure = {asset: amount or 0 for asset, amount in taken.items()}
    return Outcome(
        None,
        named(taken) if splits else None,
        whole.cost(total, sure) if splits else whole.weight(whole.pslot(total)),
        named(carved.amounts),
        whole.weight(whole.dynamic_ad(carved.amounts)),
        False,
    )


def _value(text: str, pair: Pair) -> Value:
    """Return a request, which may be told by the one for memory."""
    asked, memory = parsed(text), parsed(pair.job["RequestMemory"])
    assert asked is not None
    assert memory is not None
    return asked.evaluate(Ad({"RequestMemory": memory}))


ENGINES = {"plan": plan, "cost": cost, "audit": audit, "simulate": simulate, "elastic": elastic}
