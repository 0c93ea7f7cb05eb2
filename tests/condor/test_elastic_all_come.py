"""All groups of a real pool come in one cycle: each has its min at once, whatever ran before.

Also with the quotas that are left when nobody keeps the elastic ones, and after a negotiator's restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from broken import before
from claims import claims, come_to, log_from_now, queued
from conftest import Site
from elastic_pool import Elastic, elastic_pool
from testpool import Pool

pytestmark = pytest.mark.condor
#: Three of eight cpus are 37.5 %, and what is left of the third is rounded down.
FLAT = {"a": 3, "b": '"37.5%"', "c": '"26%"'}
#: A department whose groups have the mins, and one that alone has a min.
NESTED = {"p": 4, '"p.a"': 2, '"p.b"': 2, "q": 4}
DEPARTMENTS = {"p": 4, '"p.a"': 0, '"p.b"': 0, "q": 4}


@pytest.fixture
def elastic(site: Site, tmp_path: Path) -> Elastic:
    return elastic_pool(site, tmp_path)


def declared(mins: Mapping[str, int | str]) -> dict[str, str]:
    return {name: f"min = {{cpus = {least}}}\nmax = {{cpus = 8}}\n" for name, least in mins.items()}


@pytest.mark.parametrize(
    ("mins", "expected"),
    [
        (FLAT, {"a.ann": 3, "b.bob": 3, "c.cid": 2}),
        (NESTED, {"p.a.ann": 2, "p.b.bob": 2, "q.cid": 4}),
        (DEPARTMENTS, {"p.a.ann": 2, "p.b.bob": 2, "q.cid": 4}),
    ],
)
@pytest.mark.parametrize("running", [0, 1])
def test_all_come_in_one_cycle(
    elastic: Elastic, mins: Mapping[str, int | str], expected: dict[str, int], running: int
) -> None:
    elastic.declare(declared(mins))
    first, log = min(expected), log_from_now(elastic.pool)
    if running:
        queued(elastic.pool, {first: expected[first]})
        come_to(elastic.pool, {first: expected[first]})
    elastic.step()
    with before(elastic.pool):
        queued(elastic.pool, dict.fromkeys(expected, 12))
    cycles = elastic.cycles()
    come_to(elastic.pool, expected)
    assert elastic.cycles() - cycles <= 3
    assert claims(elastic.pool) == expected
    assert "Preempting" not in log()


def test_several_submitters_of_a_group_come_at_once(elastic: Elastic) -> None:
    """One that has no further jobs, and others that each may ask for all that the group has left."""
    pool = elastic.pool
    elastic.declare(declared({"a": 4, "b": 4}))
    queued(pool, {"a.ann": 3, "b.bea": 3})
    come_to(pool, {"a.ann": 3, "b.bea": 3})
    elastic.step()
    with before(pool):
        queued(pool, {"a.bob": 12, "a.carl": 12, "b.bea": 12, "b.cid": 12, "b.dan": 12})
    pool.wait(lambda: sum(claims(pool).values()) == 8, 60, "a full pool", ("NegotiatorLog",))
    of_groups = Counter[str]()
    for submitter, count in claims(pool).items():
        of_groups[submitter.partition(".")[0]] += count
    assert of_groups == {"a": 4, "b": 4}


def test_the_negotiator_s_default_is_refused_by_name(site: Site, tmp_path: Path) -> None:
    elastic = elastic_pool(site, tmp_path, NEGOTIATOR_CONSIDER_PREEMPTION="True")
    elastic.declare(declared({"a": 4, "b": 4}))
    status, out, err = elastic.htcq("run", "--once", "--yes")
    assert (status, out) == (3, "")
    assert "NEGOTIATOR_CONSIDER_PREEMPTION is True: each submitter" in err
    assert not elastic.path.exists()


def borrowed(pool: Pool) -> None:
    """Let one group fill the pool and want more of it."""
    pool.tool("condor_rm", "-constraint", 'AcctGroup != "a"', check=False)
    queued(pool, {"a.ann": 12})
    come_to(pool, {"a.ann": 8})


def leave(pool: Pool, count: int) -> None:
    """Let so many running jobs end."""
    ads = pool.ads("jobs", ["ClusterId", "ProcId"], constraint="JobStatus == 2")
    pool.tool("condor_rm", *(f"{ad['ClusterId']}.{ad['ProcId']}" for ad in ads[:count]))
    pool.wait(lambda: sum(claims(pool).values()) < 8, 30, "an end", ("StartLog",))


def test_all_come_to_a_full_pool_by_elastic_and_by_static_quotas(elastic: Elastic) -> None:
    """The borrower's jobs end after the negotiator has started anew with all queues full."""
    pool, expected = elastic.pool, {"a.ann": 3, "b.bob": 3, "c.cid": 2}
    elastic.declare(declared(FLAT))
    elastic.step()
    for words in ((), ("disable", "--if-silent", "0s"), ("disable",)):
        borrowed(pool)
        if words:
            status, out, err = elastic.htcq(*words)
            assert (status, err) == (0, ""), out
        with before(pool):
            queued(pool, {"b.bob": 12, "c.cid": 12})
        log = log_from_now(pool)
        leave(pool, 5)
        cycles = elastic.cycles()
        come_to(pool, expected)
        assert elastic.cycles() - cycles <= 3, words
        assert "Preempting" not in log()
