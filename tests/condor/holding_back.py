"""A job of a pool with room that waits for its schedd, its submitter, its share or its user, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from broken import cycles
from claims import written
from conftest import NEWEST, Site
from testpool import Pool
from waiting import running, running_jobs, submitted, until_running, walls, why

#: What makes the negotiator pass all submitters of the schedd over, and what makes it count no
#: slot.
SKIP = {"SCHEDD_ATTRS": "$(SCHEDD_ATTRS) SkipMatchmaking", "SkipMatchmaking": "True"}
UNCOUNTED = {"NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": "NoSuchAttribute", "GROUP_NAMES": ""}
CURB = {"CURB_MATCHMAKING": "True"}
#: The user who submits the job; its submitter ad.
_USER = "more"
_ITS_AD = ("-constraint", f'Name == "{_USER}@test"')


@dataclass(frozen=True)
class _Held:
    """One job that waits, in the pool of ``site`` with ``knobs``; ``many`` jobs run."""

    site: Site
    directory: Path
    knobs: Mapping[str, str]
    many: str
    cluster: int

    def waits_for(self, *expected: str) -> None:
        """Check that these walls stand between the job and a start after some cycles."""
        cycles(self.site.pool, 3)
        job = why(self.site, self.directory, [self.cluster])[self.cluster]
        assert (walls(job), job["starts"]) == (list(expected), False), job
        assert self.cluster not in running(self.site.pool)

    def come_to(self, extra: Mapping[str, str], *expected: str) -> None:
        """Let the daemons read ``extra`` besides ``knobs``, and check the walls once their ads say so."""
        pool = self.site.pool
        configure(pool, {**self.knobs, **extra})
        expected_ads = (
            self.many if "MAX_JOBS_RUNNING" in extra else "",
            "CURB_MATCHMAKING" in extra,
        )

        def is_read() -> bool:
            ((limit, curbed),) = said(pool, "schedd", ("MaxJobsRunning", "CurbMatchmaking"))
            seen = (limit if limit == self.many else "", curbed == "true")
            return seen == expected_ads and self._skipped() == ("SkipMatchmaking" in extra)

        pool.wait(is_read, 30, f"ads after {extra}", ("SchedLog",))
        self.waits_for(*expected)

    def _skipped(self) -> bool:
        return said(self.site.pool, "submitters", ("SkipMatchmaking",), _ITS_AD) == {("true",)}


def held_back(site: Site, directory: Path, knobs: Mapping[str, str]) -> None:
    """Submit a job to a pool with room and check wall after wall; without the last one it starts.

    Each wall is there before the one before it goes: between two the job would start.
    """
    pool = site.pool
    pool.wait(
        lambda: _with_slots(pool),
        60,
        "a claimed slot for each running job",
        ("SchedLog", "StartLog"),
    )
    many = str(len(running_jobs(pool)))
    full = {"MAX_JOBS_RUNNING": many}
    configure(pool, {**knobs, **full})
    limited = ("MaxJobsRunning", "TotalRunningJobs")
    pool.wait(
        lambda: said(pool, "schedd", limited) == {(many, many)},
        30,
        "a schedd at its limit",
        ("SchedLog",),
    )
    job = _Held(site, directory, knobs, many, submitted(pool, _USER, {}))
    job.waits_for("max-jobs-running")
    if site.suite == NEWEST:
        job.come_to({**full, **CURB}, "curb-matchmaking", "max-jobs-running")
        job.come_to({**CURB, **SKIP}, "curb-matchmaking", "skip-matchmaking")
        job.come_to({**SKIP, **UNCOUNTED}, "skip-matchmaking")
        job.come_to(UNCOUNTED, "submitter-share")
        _limit_users(pool, "1")
        job.come_to({}, "user-max-jobs")
        _limit_users(pool, "undefined")
    else:
        # This negotiator does not know SkipMatchmaking.
        configure(pool, {**knobs, **full, **UNCOUNTED, **SKIP})
        job.come_to({**UNCOUNTED, **SKIP}, "submitter-share")
        configure(pool, {**knobs, **SKIP})
    until_running(pool, [job.cluster])


def _with_slots(pool: Pool) -> bool:
    """Whether each running job has a slot of its own.

    One whose startd went off counts as running until its shadow finds out that there is nothing
    to come back to. Then it ends, and makes room below a limit of running jobs."""
    startd = pool.ads("slots", ["MyAddress"])[0]["MyAddress"]
    slots = pool.ads("slots", ["JobId"], constraint='Activity == "Busy"', direct=startd)
    return sorted(slot["JobId"] for slot in slots) == sorted(running_jobs(pool))


def configure(pool: Pool, knobs: Mapping[str, str]) -> None:
    """Let the daemons read ``knobs``."""
    pool.configure(written(knobs))
    pool.reconfig()


def said(
    pool: Pool, what: str, attributes: tuple[str, ...], options: tuple[str, ...] = ()
) -> set[tuple[str, ...]]:
    """Return what the collector has of these attributes in ads of schedds or submitters."""
    lines = pool.tool("condor_status", f"-{what}", *options, "-af:t", *attributes).splitlines()
    return {tuple(line.split("\t")) for line in lines}


def _limit_users(pool: Pool, limit: str) -> None:
    for user in pool.tool("condor_qusers", "-af", "User").split():
        pool.tool("condor_qusers", user, "-edit", f"MaxJobsRunning={limit}")
