"""Random ads: the slots of a pool, free and claimed, and its submitters, of groups and of none.

Weights and demand are multiples of a half: their sums are exact, in whatever order the
negotiator forms them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random

_USERS = ("ann", "Ben", "cyd.lee", "d_4", "eve.x.y", "fay")
WEIGHTS = (
    "Cpus",
    "Cpus",
    "Cpus",
    "Cpus * 0.5",
    "max({Cpus, Memory / 2048})",
    "ifThenElse(Cpus > 3, Cpus * 1.5, 2)",
)
#: The negotiator's own SLOT_WEIGHT stands in for the first, 1 for the second.
_BAD_WEIGHTS = ("NoSuchAttribute", "0 - 2")
#: A port where nobody listens: no schedd answers, so that nothing is ever matched.
_NOBODY = '"<127.0.0.1:1>"'
_STATIC: Mapping[str, str] = {"SlotType": '"Static"'}
_PARTITIONABLE: Mapping[str, str] = {"SlotType": '"Partitionable"', "PartitionableSlot": "true"}
_DYNAMIC: Mapping[str, str] = {"SlotType": '"Dynamic"', "DynamicSlot": "true"}


def users(dice: Random, groups: list[str]) -> list[str]:
    """Return the names of submitters: of most groups, of none, of groups that there are not."""
    busy = dice.uniform(0.15, 1)
    found: dict[str, str] = {}
    for group in ("", *groups, "nosuch", f"{dice.choice(groups)}.nosuch"):
        if dice.random() < busy:
            for user in dice.sample(_USERS, dice.choice((1, 1, 2, 3))):
                name = f"{group}.{user}" if group else user
                cased = dice.choice((name, name, name.upper(), name.lower()))
                found[name.lower()] = f"{cased}@{dice.choice(('test', 'site.example.org'))}"
    return list(found.values())


def slot_ad(name: str, **attributes: object) -> str:
    """Return the ad of a slot: these attributes and those that every slot has."""
    plain = {"MyType": '"Machine"', "Name": f'"{name}"', "Machine": f'"{name.partition("@")[2]}"', "SlotID": 1,
             "MyAddress": _NOBODY, "StartdIpAddr": _NOBODY, "Requirements": "true", "Disk": 1000}  # fmt: skip
    return _ad({**plain, **attributes})


def free_slots(dice: Random, sizes: Iterable[int], weight: str) -> Iterator[str]:
    """Yield slots of so many cpus, of some of which there are fewer left; most are partitionable."""
    for number, cpus in enumerate(sizes):
        kind = _STATIC if dice.random() < 0.15 else _PARTITIONABLE
        yield slot_ad(
            f"slot1@free{number}",
            Cpus=cpus if kind is _STATIC else dice.randint(0, cpus),
            Memory=2048 * dice.randint(0, 2 * cpus),
            SlotWeight=weight if dice.random() < 0.97 else dice.choice(_BAD_WEIGHTS),
            **kind,
            State='"Unclaimed"'
            if dice.random() < 0.9
            else dice.choice(('"Owner"', '"Drained"', '"Backfill"')),
            Activity='"Idle"',
        )


def claimed_slots(dice: Random, users: list[str], count: int, weight: str) -> Iterator[str]:
    """Yield so many claimed slots; most are dynamic."""
    kinds = [_DYNAMIC] * 18 + [_STATIC, _PARTITIONABLE]
    for number in range(count):
        user = dice.choice(users)
        cpus = dice.choice((1, 1, 1, 2, 4, 8))
        charged = {"AccountingGroup": f'"{user}"'} if dice.random() < 0.95 else {}
        yield slot_ad(
            f"slot1_{number + 1}@busy{number % 7}",
            Cpus=cpus,
            Memory=2048 * dice.randint(1, 2 * cpus),
            SlotWeight=weight,
            **dice.choice(kinds),
            State='"Claimed"' if dice.random() < 0.95 else '"Preempting"',
            Activity='"Busy"' if dice.random() < 0.9 else '"Idle"',
            RemoteUser=f'"{user}"',
            RemoteOwner=f'"{user}"',
            **charged,
        )


def submitters(dice: Random, names: Iterable[str], most: int) -> Iterator[str]:
    """Yield an ad for each access point at which one of ``names`` has up to so many idle jobs; some weigh nothing."""
    for name in names:
        for access_point in range(dice.choice((0, 1, 1, 1, 1, 2))):
            idle = dice.choice((0, dice.randint(0, most), dice.randint(most // 2, most)))
            running = dice.choice((0, dice.randint(0, max(1, most // 3))))
            listed = (
                {"JobPrioArray": dice.choice(('"5"', '"10, 5, -3"'))} if dice.random() < 0.5 else {}
            )
            weights = _weighted(dice, idle, running) if dice.random() < 0.9 else {}
            where = f"access{access_point}"
            yield submitter_ad(name, where, IdleJobs=idle, RunningJobs=running, **listed, **weights)


def submitter_ad(name: str, access_point: str, **attributes: object) -> str:
    """Return the ad of a submitter at an access point."""
    plain = {"MyType": '"Submitter"', "Name": f'"{name}"', "ScheddName": f'"{access_point}"',
             "Machine": f'"{access_point}"', "MyAddress": _NOBODY, "ScheddIpAddr": _NOBODY}  # fmt: skip
    return _ad({**plain, **attributes})


def _weighted(dice: Random, idle: int, running: int) -> dict[str, object]:
    return {"WeightedIdleJobs": idle * dice.randint(0, 8), "WeightedRunningJobs": running * 1.5}


def _ad(attributes: Mapping[str, object]) -> str:
    return "".join(f"{name} = {value}\n" for name, value in attributes.items())
