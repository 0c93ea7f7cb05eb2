"""Random clusters of jobs: what they ask for, in which order, where they want to run and what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

_RANKS = (
    "Memory",
    "-SlotID",
    "TARGET.Cpus",
    "TARGET.Cpus * 2 - MY.RequestCpus",
    "SlotID % 2",
    "5",
    "NoSuchThing",
)
_REQUIREMENTS = (
    "TARGET.SlotID > 1", "TARGET.Memory >= 2000", "TARGET.Cpus >= 2", "TARGET.PartitionableSlot =!= true",
    "TARGET.NoSuchThing > 1", "False", 'regexp("slot[12]", TARGET.Name)',
)  # fmt: skip
_LIMITS = ("licence", "licence:2", "licence, disk:1.5", "disk.io", "tape:3")
_LIMITS_OF_SLOTS = (
    'ifThenElse(SlotID % 2 == 1, "licence", "tape")',
    'strcat("slot", SlotTypeID)',
    'ifThenElse(SlotID % 2 == 1, "licence", "")',
    'ifThenElse(SlotID % 2 == 0, "tape", undefined)',
    '""',
)


#: A time that never comes in a test, in seconds since 1970.
_FAR_AWAY = 4102444800


@dataclass(frozen=True)
class SchedulersWeight:
    """SCHEDD_SLOT_WEIGHT, and what it makes of cpus and memory (MB) that a job asks for."""

    text: str
    of: Callable[[int, int], int]


#: Submit commands of clusters whose jobs come into the queue one after the other.
_LATE = ("max_idle", "max_materialize")


@dataclass(frozen=True)
class Cluster:
    """So many jobs of a submitter, which is written without its domain; ``weight`` is what they weigh to the schedd."""

    submitter: str
    count: int
    weight: int
    commands: Mapping[str, object]

    @property
    def idle(self) -> int:
        """How many are in the queue before any of them runs."""
        limits = (self.commands.get(name, self.count) for name in _LATE)
        return min(self.count, *map(int, map(str, limits)))


def clusters(
    dice: Random, submitter: str, weight: SchedulersWeight, tokens: int
) -> Iterator[Cluster]:
    """Yield the clusters of one submitter, the first to be submitted first."""
    # From 25.11 on a schedd offers 20 jobs at a time.
    many = dice.random() < 0.15
    for _ in range(dice.choice((1, 1, 2, 3, 4))):
        count = dice.randint(15, 30) if many else dice.choice((1, 2, 3, 5, 8))
        mixed = dice.random() < 0.25
        cpus, memory_mb = _each(dice, count, mixed, _cpus), _each(dice, count, mixed, _memory_mb)
        commands: dict[str, object] = {
            "request_cpus": _listed(cpus),
            "request_memory": _listed(memory_mb),
            "request_disk": dice.choice((1024, 1024, 100000, 1500000)),
        }
        commands.update(_now_and_then(dice, count, tokens))
        commands.update(_accounting(submitter))
        yield Cluster(submitter, count, sum(map(weight.of, cpus, memory_mb)), commands)


def small_clusters(dice: Random, submitter: str) -> Iterator[Cluster]:
    """Yield a cluster of small jobs that fit everywhere, or none."""
    count = dice.choice((0, 1, 2, 3))
    if count:
        commands: dict[str, object] = {
            "request_cpus": 1,
            "request_memory": 128,
            "request_disk": 1024,
        }
        yield Cluster(submitter, count, count, {**commands, **_accounting(submitter)})


def _accounting(submitter: str) -> dict[str, object]:
    group, _, user = submitter.rpartition(".")
    return {"accounting_group_user": user, **({"accounting_group": group} if group else {})}


def _now_and_then(dice: Random, count: int, tokens: int) -> Iterator[tuple[str, object]]:
    if tokens and dice.random() < 0.4:
        yield "request_tokens", dice.choice((1, 1, 2, 3))
    if dice.random() < 0.3:
        yield (
            "priority",
            _listed(_each(dice, count, dice.random() < 0.4, lambda dice: dice.randint(-5, 10))),
        )
    if dice.random() < 0.25:
        yield "rank", dice.choice(_RANKS)
    if dice.random() < 0.2:
        yield "requirements", dice.choice(_REQUIREMENTS)
    if dice.random() < 0.1:
        # Some that cool down, and some that do not any more.
        yield (
            "MY.JobCoolDownExpiration",
            _listed(_each(dice, count, True, lambda dice: dice.choice((1, _FAR_AWAY)))),
        )
    if dice.random() < 0.07:
        yield "deferral_time", dice.choice((_FAR_AWAY, "time() + 100"))
    shares = dice.random()
    if shares < 0.15:
        yield "concurrency_limits", dice.choice(_LIMITS)
    elif shares < 0.35 and count == 1:
        # With several jobs the negotiator may have to name reached limits where it has noted none,
        # and reads what is no text; and before 24.9 a schedd has no use for a second match.
        yield "concurrency_limits_expr", dice.choice(_LIMITS_OF_SLOTS)


def _cpus(dice: Random) -> int:
    return dice.choice((1, 1, 1, 2, 3, 4))


def _memory_mb(dice: Random) -> int:
    return dice.choice((100, 128, 600, 1000, 1024, 2000, 3000, 4100))


def _each(dice: Random, count: int, mixed: bool, draw: Callable[[Random], int]) -> list[int]:
    if mixed:
        return [draw(dice) for _ in range(count)]
    return [draw(dice)] * count


def _listed(values: list[int]) -> str:
    """Return what gives each process of a cluster its own value."""
    if len(set(values)) == 1:
        return str(values[0])
    return f"$CHOICE(Process,{','.join(map(str, values))})"
