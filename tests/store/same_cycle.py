"""One cycle of a pool as captured, and of the same pool made anonymous, in the same words."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from htcq.cli.main import run
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN
from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.pool.weights import Weights
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.store.anonymize import Anonymized, anonymize_directory
from htcq.store.snapshot import open_snapshot

KEY = b"a key of the tests, long enough."


def copied(snapshot: Path, goal: Path) -> Path:
    """Return a copy of a snapshot as a directory."""
    if snapshot.is_dir():
        return Path(shutil.copytree(snapshot, goal))
    # Not every 3.9 has filters, and later ones want one.
    given: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(snapshot) as archive:
        archive.extractall(goal.parent / "packed", **given)
    return Path(shutil.move(str(next((goal.parent / "packed").iterdir())), goal))


def simulated(snapshot: Path, read: Callable[[], str], *more: str) -> Any:
    """Return what ``htcq simulate --json`` prints; ``read`` returns what was written to standard output."""
    # Recorded pools may lack a negotiator, which is no matter here.
    assert run(("simulate", "--snapshot", str(snapshot), "--json", *more)) in (
        EXIT_FINE,
        EXIT_UNKNOWN,
    )
    return json.loads(read())


def same_cycle(
    original: Path, anonymous: Path, done: Anonymized, read: Callable[[], str], *more: str
) -> None:
    """Assert that both have the same cycle, but for the names, which ``done`` translates."""
    pool = pool_of(open_snapshot(original), "")
    one, other = simulated(original, read, *more), simulated(anonymous, read, *more)
    names = dict(translated(pool, done))
    old = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.@-])(?:{'|'.join(map(re.escape, old))})(?![\w@-])")
    ours = json.loads(json.dumps(one).replace(str(original), "POOL"))
    theirs = json.loads(json.dumps(other).replace(str(anonymous), "POOL"))
    for fill in ours["fill"].values():
        for machine in fill["machines"]:
            machine["name"] = done.rewriter.identities.place(machine["name"])
    for each in (*ours["matches"], *ours["rejections"]):
        # A group may be called as the machine is.
        each["access_point"] = done.rewriter.identities.place(each["access_point"])
    for mine, its in zip(ours["health"], theirs["health"]):
        # A group may be called as a word of the sentence is, in which no name stands.
        if mine["text"] == its["text"]:
            mine["text"] = its["text"] = ""
    ours = _renamed(ours, lambda text: pattern.sub(lambda found: names[found.group()], text))
    assert _sorted(ours) == _sorted(theirs)


def translated(pool: Pool, done: Anonymized) -> Iterator[tuple[str, str]]:
    """Yield the names of a pool that results show, each with its new name."""
    identities = done.rewriter.identities
    for slot in pool.slots or ():
        for name in (slot.name, slot.machine):
            yield str(name), identities.place(str(name))
        if slot.customer:
            yield slot.customer, identities.principal(slot.customer)
    for job in pool.jobs or ():
        yield job.id, f"{identities.cluster(int(str(job.cluster)))}.{job.proc}"
        yield job.submitter, identities.principal(job.submitter)
    for record in (*pool.submitters, *pool.accounting, *pool.priorities):
        if record.value("IsAccountingGroup") is not True:
            yield record.name, identities.principal(record.name)
        for schedd in filter(None, (record.text("ScheddName"), record.text("NegotiatorName"))):
            yield schedd, identities.place(schedd)
    for group in PoolQuotas(pool, Weights()).tree.groups:
        yield group.name, identities.group(group.name)
    for limit in identities.names.limits:
        yield (
            f"concurrency limit {limit} reached",
            f"concurrency limit {identities.limit(limit)} reached",
        )


def _renamed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_renamed(each, change) for each in value]
    if isinstance(value, dict):
        return {change(key): _renamed(each, change) for key, each in value.items()}
    return value


def _sorted(result: Any) -> Any:
    """Return a result with its machines, which are shown in the order of their names, in the order of the new names."""
    for fill in result["fill"].values():
        fill["machines"].sort(key=lambda machine: machine["name"])
    return result


def anonymous_copy(
    snapshot: Path, place: Path, keep_groups: bool = False
) -> tuple[Path, Path, Anonymized]:
    """Return a snapshot as a directory, the same made anonymous, and what was done."""
    original, anonymous = copied(snapshot, place / "original"), place / "anonymous"
    shutil.copytree(original, anonymous)
    return original, anonymous, anonymize_directory(anonymous, KEY, keep_groups)
