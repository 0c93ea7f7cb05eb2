"""Jobs of a real pool that wait for one reason each, and what lifts it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from broken import SMALL_JOB, snapshot
from conftest import Site
from testpool import Pool, PoolError

RUNNING = 2


@dataclass(frozen=True)
class Case:
    """A job that waits: the id of the wall, what it is submitted with, and the attributes that lift the wall.

    The name of the case is that of the user who submits it, in ``group`` if there is one.
    """

    wall: str
    asked: Mapping[str, object] = field(default_factory=dict)
    lift: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    count: int = 1


def submitted(
    pool: Pool, user: str, asked: Mapping[str, object], group: str = "", count: int = 1
) -> int:
    """Submit jobs of ``user`` and return their cluster."""
    who = {"accounting_group_user": user, **({"accounting_group": group} if group else {})}
    return pool.submit({**SMALL_JOB, **asked, **who}, count)


def all_submitted(pool: Pool, cases: Mapping[str, Case]) -> dict[str, int]:
    """Submit the jobs of each case and return the clusters by the cases' names."""
    return {
        name: submitted(pool, name, case.asked, case.group, case.count)
        for name, case in cases.items()
    }


def edit(pool: Pool, cluster: int, attributes: Mapping[str, str]) -> None:
    """Change the jobs of a cluster in the queue."""
    for attribute, value in attributes.items():
        pool.tool("condor_qedit", str(cluster), attribute, value)


def running(pool: Pool) -> set[int]:
    """Return the clusters with a running job."""
    return {
        ad["ClusterId"]
        for ad in pool.ads("jobs", ["ClusterId"], constraint=f"JobStatus == {RUNNING}")
    }


def running_jobs(pool: Pool) -> set[str]:
    """Return the ids of the running jobs."""
    ads = pool.ads("jobs", ["ClusterId", "ProcId"], constraint=f"JobStatus == {RUNNING}")
    return {f"{ad['ClusterId']}.{ad['ProcId']}" for ad in ads}


def until_running(pool: Pool, clusters: Iterable[int]) -> None:
    """Wait until a job of each of ``clusters`` runs."""
    wanted = set(clusters)
    try:
        pool.wait(lambda: wanted <= running(pool), 30, "running jobs")
    except PoolError as error:
        raise AssertionError(f"no job of {sorted(wanted - running(pool))} runs") from error


def advertised(pool: Pool, users: Iterable[str]) -> None:
    """Wait until the collector has heard of idle jobs of ``users``."""
    wanted = {f"{user}@test" for user in users}

    def told() -> bool:
        return wanted <= {
            ad["Name"] for ad in pool.ads("submitters", ["Name", "IdleJobs"]) if ad["IdleJobs"]
        }

    pool.wait(told, 30, f"idle jobs of {sorted(wanted)}", ("SchedLog",))


def walls(job: Mapping[str, Any]) -> list[str]:
    """Return the ids of the walls of a job."""
    return [wall["wall"] for wall in job["walls"]]


def why(site: Site, directory: Path, clusters: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return what ``htcq why`` says of the first job of each cluster, of one snapshot that is taken now."""
    where = str(snapshot(site.pool, directory))
    found: dict[int, dict[str, Any]] = {}
    for job in _jobs(site, where, "--all"):
        found.setdefault(int(job["job"].partition(".")[0]), job)
    for cluster in clusters:
        # Jobs that are not idle are not among all.
        if cluster not in found:
            found[cluster] = _jobs(site, where, str(cluster))[0]
    return found


def asked(site: Site, directory: Path, *who: str) -> list[dict[str, Any]]:
    """Return what ``htcq why`` says of those jobs, of a snapshot that is taken now."""
    return _jobs(site, str(snapshot(site.pool, directory)), *who)


def agreement(site: Site, directory: Path) -> dict[str, Any]:
    """Return how far the negotiator's reasons agree with the simulated ones, of a snapshot that is taken now."""
    printed = site.htcq(
        "simulate", "--agreement", "--json", "--snapshot", str(snapshot(site.pool, directory))
    )
    found: dict[str, Any] = json.loads(printed)
    return found


def _jobs(site: Site, where: str, *asked: str) -> list[dict[str, Any]]:
    printed = json.loads(site.htcq("why", "--snapshot", where, *asked, "--json", check=False))
    jobs: list[dict[str, Any]] = printed["jobs"]
    return jobs


def check(
    cases: Mapping[str, Case], clusters: Mapping[str, int], found: Mapping[int, Mapping[str, Any]]
) -> None:
    """Check that each wall is named, no job is said to start, and HTCondor's reason, where it has one, agrees."""
    wrong = {}
    for name, case in cases.items():
        job = found[clusters[name]]
        named = walls(job)
        reason = job["negotiator_reason"]
        agrees = reason is None or not reason["latest"] or reason["agrees"]
        if job["starts"] or case.wall not in named or not agrees:
            wrong[name] = (case.wall, named, job["starts"], reason)
    assert not wrong, wrong
