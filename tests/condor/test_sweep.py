"""Simulations as jobs, by the submit file that contrib has; a sweep of a live pool captures it once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import pytest
from access_point import AccessPoint
from broken import break_it
from conftest import NEWEST, ROOT, Site
from testpool import Pool

from htcq.errors import EXIT_FINE
from tests.audit.sites import negotiator
from tests.pool.negotiations import CYCLES

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

ITEMS = {
    "plain": ("--cycles=3", "--seed=1"),
    "less": ("--cycles=3", "--seed=1", "--set=GROUP_QUOTA_a=1"),
}
GRID = """
[base]
cycles = 3

[grid]
seed = [{}]
"""


@pytest.fixture
def access(site: Site, request: pytest.FixtureRequest) -> Iterator[AccessPoint]:
    """The pool's machine with a recorded snapshot, in a directory whose name has a space."""
    point = AccessPoint(break_it(site, ""), f"user {abs(hash(request.node.name)):x}")
    shutil.copytree(CYCLES[0], point.place / "snap", ignore=shutil.ignore_patterns("expected.json"))
    with (point.place / "snap/collector.ads").open("a") as ads:
        ads.write(f"\n\n{negotiator()}")
    yield point
    site.pool.remove_jobs(60)
    shutil.rmtree(point.place)


def queued(pool: Pool) -> list[int]:
    """Return the states of all jobs."""
    return [ad["JobStatus"] for ad in pool.ads("jobs", ["JobStatus"])]


def test_jobs_of_the_submit_file_print_what_a_process_prints(access: AccessPoint) -> None:
    text = (ROOT / "contrib/sweep/sweep.sub").read_text()
    assert "/usr/bin/htcq\n" in text
    (access.place / "sweep.sub").write_text(text.replace("/usr/bin/htcq", access.htcq))
    lines = [f"{name} {' '.join(options)}\n" for name, options in ITEMS.items()]
    (access.place / "items.txt").write_text("".join(lines))
    (access.place / "results").mkdir(mode=0o777)
    (access.place / "results").chmod(0o777)
    done = access.pool.run(
        ["sh", "-c", 'cd "$0" && condor_submit sweep.sub snapshot=snap', access.inside],
        as_job_user=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    access.pool.wait(
        lambda: not queued(access.pool), 120, "the end of the jobs", ("SchedLog", "StartLog")
    )

    for name, options in ITEMS.items():
        here = access.run("simulate", "--snapshot", "snap", "--json", *options)
        assert here.status == EXIT_FINE, here.err
        there = (access.place / f"results/{name}.json").read_text()
        assert json.loads(there) == json.loads(here.out)


def test_a_live_pool_is_captured_once(access: AccessPoint) -> None:
    access.pool.submit({"accounting_group_user": "ann", "request_memory": 128}, 3)
    access.pool.wait(lambda: 2 in queued(access.pool), 60, "a running job", ("SchedLog",))
    (access.place / "sweep.toml").write_text(GRID.format("1, 2"))
    command = ("simulate", "--sweep", "sweep.toml", "--results", "live")
    first = access.run(*command)
    assert first.status == EXIT_FINE, first.err
    taken = (access.place / "live/snapshot.tar.gz").read_bytes()
    before = access.results("live")
    access.pool.clear()
    (access.place / "sweep.toml").write_text(GRID.format("1, 2, 3"))
    second = access.run(*command)

    assert second.status == EXIT_FINE, second.err
    assert (access.place / "live/snapshot.tar.gz").read_bytes() == taken
    after = access.results("live")
    assert {name: after[name] for name in before} == before
    assert len(after) == 3
    assert {told["result"]["source"] for told in after.values()} == {access.pool.collector}
