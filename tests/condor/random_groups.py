"""Random pools with group quotas: what a configuration says of them, and the ads of their slots and submitters.

What decides about group quotas in HTCondor 23.9 to 25.14 is drawn at some time. The same seed
gives the same pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from random_ads import WEIGHTS, claimed_slots, free_slots, submitters, users

MAX_GROUPS, DEPTH = 200, 6
#: The negotiator goes over all groups again and again, by a step of the round-robin rate; more
#: would only fill its log.
_MAX_PASSES = 30
#: std::sort leaves the order of equals open where there are more: of groups' names, and of the
#: members of one level that take whole slots in turn.
_MAX_SORTED = 16
_NAMES = ("phys", "CHEM", "bio", "Prod", "dev", "ops_1", "atlas", "It", "hpc2", "x")
_RATIO = "GroupResourcesInUse / GroupQuota"
_SORT_EXPRS = (
    _RATIO, _RATIO, "GroupResourcesInUse", "GroupResourcesAllocated - GroupResourcesInUse", "-GroupQuota",
    "size(AccountingGroup)", 'ifThenElse(regexp("a", AccountingGroup), 1, 2.5)', "NoSuchAttribute", "1 / 3",
)  # fmt: skip
_SWITCHES = (
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "NEGOTIATOR_STRICT_ENFORCE_QUOTA", "NEGOTIATOR_USE_SLOT_WEIGHTS",
    "NEGOTIATOR_USE_WEIGHTED_DEMAND", "NEGOTIATOR_CONSIDER_PREEMPTION",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One random pool; ``seed`` names it. Ads are in the long form of HTCondor's tools."""

    seed: str
    knobs: Mapping[str, str]
    slots: tuple[str, ...]
    submitters: tuple[str, ...]


def random_case(seed: str) -> Case:
    """Return the pool that ``seed`` stands for."""
    dice = Random(seed)
    # Where all is claimed, what a group may take is soon no more than what it uses; so it is where
    # nothing is idle.
    sizes = [
        dice.choice((1, 2, 4, 8, 12, 31, 64))
        for _ in range(dice.choice((0, *[dice.randint(1, 30)] * 9)))
    ]
    max_idle = dice.choice((0, 5, 5, 40, 40, 400, 400))
    knobs = _settings(dice, max(20, sum(sizes)))
    siblings = MAX_GROUPS if "NEGOTIATOR_USE_SLOT_WEIGHTS" not in knobs else _MAX_SORTED - 1
    groups = list(_group_names(dice, round(MAX_GROUPS ** dice.random()), siblings))
    names = users(dice, groups)
    claims = (4 if max_idle == 0 else dice.choice((0, 1, 1, 2))) * len(names)
    weight = dice.choice(WEIGHTS)
    slots = (*free_slots(dice, sizes, weight), *claimed_slots(dice, names, claims, weight))
    knobs.update(_quotas(dice, groups, (sum(sizes) or claims) * dice.choice((0.3, 1, 1, 4))))
    if "NEGOTIATOR_CONSIDER_PREEMPTION" in knobs and any(
        name.startswith("GROUP_AUTOREGROUP") for name in knobs
    ):
        # The root's submitters that have all they may by their priorities keep their turn for the
        # next round.
        knobs["GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"] = "1"
    return Case(seed, knobs, slots, tuple(submitters(dice, names, max_idle)))


def _group_names(dice: Random, count: int, siblings: int) -> Iterator[str]:
    """Yield so many names, parents before their children, no two of which differ by case alone."""
    below: dict[str, int] = {"": 0}
    broad = dice.random() / 2
    known: set[str] = set()
    while len(known) < count:
        open_ = [above for above, children in below.items() if children < siblings]
        above = dice.choice(open_[:3] if dice.random() < broad else open_)
        name = above + dice.choice(_NAMES) + dice.choice(("", "", str(dice.randint(0, 30))))
        if name.lower() in known:
            continue
        known.add(name.lower())
        below[above] += 1
        if name.count(".") < DEPTH - 1:
            below[f"{name}."] = 0
        yield name


def _quotas(dice: Random, groups: list[str], promised: float) -> dict[str, str]:
    listed = dice.sample(groups, len(groups))
    if dice.random() < 0.2:
        again = groups[-1].swapcase() if len(listed) < _MAX_SORTED - 2 else groups[-1]
        listed += ["lost.child", f"{groups[0]}.gone.lost", again]
    knobs = {"GROUP_NAMES": dice.choice((", ", " ", ",")).join(listed)}
    static, accepting, regrouping = dice.random(), dice.random(), dice.choice((0, 0, 0, 0.3, 1))
    for group in groups:
        kind = dice.random()
        if kind > 0.08:
            knobs.update(
                _quota(dice, group, kind < 0.92 * static + 0.08, promised / len(groups) ** 0.5)
            )
        if kind < 0.12 and dice.random() < 0.5:
            knobs[f"GROUP_QUOTA_DYNAMIC_{group.upper()}"] = _share(dice)
        if dice.random() < accepting / 2:
            knobs[_spelled(dice, f"GROUP_ACCEPT_SURPLUS_{group}")] = _truth(dice, 0.6)
        if dice.random() < regrouping / 2:
            knobs[f"GROUP_AUTOREGROUP_{group}"] = _truth(dice, 0.6)
    if dice.random() < 0.6:
        knobs["GROUP_ACCEPT_SURPLUS"] = _truth(dice, 0.6)
    if dice.random() < regrouping / 3:
        knobs["GROUP_AUTOREGROUP"] = _truth(dice, 0.5)
    return knobs


def _quota(dice: Random, group: str, static: bool, most: float) -> dict[str, str]:
    if not static:
        return {_spelled(dice, f"GROUP_QUOTA_DYNAMIC_{group}"): _share(dice)}
    amount = dice.choice(
        (0, dice.randint(0, int(most) + 1), dice.randint(1, int(most) + 1), dice.uniform(0, most))
    )
    text = f"{amount:.{dice.randint(0, 3)}f}"
    return {
        _spelled(dice, f"GROUP_QUOTA_{group}"): text
        if dice.random() < 0.95
        else f"{text} * 3 / 2.0"
    }


def _share(dice: Random) -> str:
    return dice.choice(
        (
            "0",
            "1",
            "0.5",
            f"{dice.random():.2f}",
            f"{dice.random():.4f}",
            f"{dice.random() / 5:.3f}",
        )
    )


def _spelled(dice: Random, name: str) -> str:
    return dice.choice((name, name, name.lower(), name.upper()))


def _truth(dice: Random, true: float) -> str:
    return dice.choice(
        ("True", "true", "1", "2 > 1") if dice.random() < true else ("False", "FALSE", "0")
    )


def _settings(dice: Random, most: float) -> dict[str, str]:
    knobs = {name: _truth(dice, 0.3) for name in _SWITCHES if dice.random() < 0.5}
    if dice.random() < 0.6:
        knobs["GROUP_QUOTA_MAX_ALLOCATION_ROUNDS"] = str(dice.randint(1, 5))
    if dice.random() < 0.3:
        knobs["GROUP_QUOTA_ROUND_ROBIN_RATE"] = f"{1 + most / dice.randint(1, _MAX_PASSES):.1f}"
    if dice.random() < 0.4:
        knobs["GROUP_SORT_EXPR"] = dice.choice(_SORT_EXPRS)
    if dice.random() < 0.15:
        knobs["NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT"] = dice.choice(
            ("Cpus > 2", 'State == "Claimed"', "NoSuchAttribute")
        )
    if dice.random() < 0.1:
        knobs["NEGOTIATOR_SLOT_CONSTRAINT"] = dice.choice(
            ("Cpus != 4", "PartitionableSlot =!= true || Cpus > 1")
        )
    if dice.random() < 0.1:
        knobs["NEGOTIATOR_SUBMITTER_CONSTRAINT"] = dice.choice(
            ("IdleJobs > 2", "RunningJobs =!= 1", "NoSuchAttribute")
        )
    if dice.random() < 0.1:
        knobs["USE_GLOBAL_JOB_PRIOS"] = _truth(dice, 0.8)
    if dice.random() < 0.1:
        knobs["SLOT_WEIGHT"] = "Cpus * 2.5"
    return knobs
