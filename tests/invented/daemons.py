"""The ads that sum a pool up: submitters, access points, accounting, negotiator and collector.

Weights are charged as the schedd and the accountant of HTCondor 25.14 do: SlotWeight of the
claimed slot, 1 where that is undefined; RequestCpus for an idle job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from tests.invented.ads import CENTRAL_MANAGER, COMMON, NOW, address, whole
from tests.invented.demand import Demand, Queue, Schedd
from tests.invented.groups import Group

#: Beyond those of machines.
_FIRST_ADDRESS = 4_000_000
_LOWEST_PRIORITY = 500.0
_CYCLE_SECONDS = 300


@dataclass
class Totals:
    """Slots by state, and the weight of all of them."""

    slots: int = 0
    claimed: int = 0
    owner: int = 0
    weight: int = 0


def summary_ads(rng: Random, demand: Demand, root: Group, totals: Totals) -> Iterator[str]:
    """Yield all these ads; the groups' quotas and usage must be known."""
    schedds = {queue.schedd: None for queue in demand.queues}
    for schedd in [*demand.schedds, *(schedd for schedd in schedds if not schedd.local)]:
        queues = [queue for queue in demand.queues if queue.schedd is schedd]
        if schedd.local:
            yield _schedd(schedd, queues)
        for queue in queues:
            yield _submitter(queue)
    yield from _usage_of_groups(rng, root)
    yield from _usage_of_submitters(rng, demand.queues)
    yield from _central_manager(demand, root, totals)


def _host(schedd: Schedd) -> dict[str, object]:
    number = _FIRST_ADDRESS + schedd.number + (0 if schedd.local else 1000)
    return {
        **COMMON,
        "host": schedd.name,
        "domain": schedd.domain,
        "ip": address(number),
        "booted": NOW - 900_000,
    }


def _submitter(queue: Queue) -> str:
    return whole("submitter") % {
        **_host(queue.schedd),
        "name": queue.submitter,
        "idle": queue.idle,
        "running": queue.running,
        "held": queue.held,
        "flocked": 0,
        "weighted_idle": queue.weighted_idle,
        "weighted_running": f"{queue.weighted_running}.0",
    }


def _schedd(schedd: Schedd, queues: list[Queue]) -> str:
    idle, running = sum(queue.idle for queue in queues), sum(queue.running for queue in queues)
    held = sum(queue.held for queue in queues)
    return whole("schedd") % {
        **_host(schedd),
        "age": 900_000,
        "autoclusters": len(schedd.autoclusters),
        "running": running,
        "idle": idle,
        "held": held,
        "jobs": idle + running + held,
        "users": len(queues),
    }


def _usage_of_groups(rng: Random, root: Group) -> Iterator[str]:
    for group in root.all():
        quota = group.effective_quota
        yield whole("group_usage") % {
            **_usage(rng, group.used, group.weighted_used),
            "name": group.name,
            "group": (group.parent or root).name,
            "config_quota": group.config_quota,
            "effective_quota": quota,
            "subtree_quota": group.subtree_quota,
            "requested": f"{group.requested}.0",
            "surplus": "byquota" if group.accepts_surplus else "no",
            "sort_key": "3.4E+38"
            if group is root
            else round(group.weighted_used / quota, 6)
            if quota
            else "3.3E+38",
        }


def _usage_of_submitters(rng: Random, queues: Iterable[Queue]) -> Iterator[str]:
    submitters: dict[str, list[Queue]] = {}
    for queue in queues:
        submitters.setdefault(queue.submitter, []).append(queue)
    for name, own in submitters.items():
        weighted = sum(queue.weighted_running for queue in own)
        yield whole("submitter_usage") % {
            **_usage(rng, sum(queue.running for queue in own), weighted),
            "name": name,
            "group": own[0].group.name if own[0].group else "<none>",
            "limit": f"{weighted}.0",
            "share": round(rng.random(), 4),
        }


def _usage(rng: Random, used: int, weighted: int) -> dict[str, object]:
    return {
        **COMMON,
        "host": CENTRAL_MANAGER,
        "booted": NOW - 2_000_000,
        "priority": round(_LOWEST_PRIORITY + 1000 * weighted * rng.random(), 3),
        "used": used,
        "weighted_used": f"{weighted}.0",
        "accumulated": f"{weighted * rng.randrange(100_000)}.0",
    }


def _central_manager(demand: Demand, root: Group, totals: Totals) -> Iterator[str]:
    cycles = {f"cycle{back}": NOW - 20 - _CYCLE_SECONDS * (back + 1) for back in range(3)}
    values = {
        **COMMON,
        **cycles,
        **{f"{name}_end": begun + 120 for name, begun in cycles.items()},
        "host": CENTRAL_MANAGER,
        "ip": address(_FIRST_ADDRESS + 2000),
        "booted": NOW - 2_000_000,
        "age": 2_000_000,
        "slots": totals.slots,
        "claimed": totals.claimed,
        "owner": totals.owner,
        "unclaimed": totals.slots - totals.claimed - totals.owner,
        "submitters": len(demand.queues),
        "groups": sum(1 for _ in root.all()),
        "idle": sum(queue.idle for queue in demand.queues),
        "running": sum(queue.running for queue in demand.queues),
    }
    yield whole("negotiator") % values
    yield whole("collector") % values
