"""Elastic quotas in a directory of htcq's own, which is read after everything else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from broken import policy
from config_directory import value, with_own_directory
from conftest import NEWEST, PACE
from elastic_pool import NO_PREEMPTION
from own_htcq import OwnHtcq
from pool_config import settings_text
from testpool import Pool

pytestmark = pytest.mark.condor
# With the bindings of the machine itself: those of 23.9 cannot tell a negotiator to reconfigure.
ONLY_SUITES = [NEWEST]


@pytest.fixture(scope="module")
def pool(suite: str) -> Iterator[Pool]:
    knobs = settings_text(policy())
    with Pool.start(suite=suite, settings=PACE + knobs) as pool:
        pool.patience = 3.0
        yield pool


@pytest.fixture(scope="module")
def htcq(pool: Pool) -> OwnHtcq:
    htcq = with_own_directory(pool)
    (pool.config_dir / "40-preemption.config").write_text(settings_text(NO_PREEMPTION))
    pool.reconfig()
    return htcq


def test_elastic_quotas_there_win_over_what_config_d_sets(pool: Pool, htcq: OwnHtcq) -> None:
    """The trial before a write, the negotiator after it, and a file that is read later still."""
    inside = pool.record.inner_directory
    config = {"CONDOR_CONFIG": pool.record.config_file}
    (pool.config_dir / "30-groups.config").write_text("GROUP_NAMES = a\nGROUP_QUOTA_a = 1\n")
    # What decides is root's, and the pool's own directory is of the account of the daemons.
    pool.path("quotas").mkdir()
    pool.path("quotas/elastic.toml").write_text(
        f'[elastic.write]\ndirectory = "{inside}/htcq.d"\njournal = "{inside}/quotas/journal"\n'
        'verify_within = "90s"\n'
        "[groups.a]\nlend = false\nmin = {cpus = 4}\nmax = {cpus = 4}\n"
        "[groups.b]\nlend = false\nmin = {cpus = 4}\nmax = {cpus = 4}\n"
    )
    step = ("elastic", "run", "--once", "--yes", "--quotas", f"{inside}/quotas/elastic.toml")

    done = htcq.run(*step, **config)

    assert (done.status, "60-htcq-elastic.config: written" in done.out) == (0, True), done
    assert [value(pool, f"GROUP_QUOTA_{name}") for name in "ab"] == ["4", "4"]
    later = pool.path("htcq.d") / "99-late.config"
    later.write_text("GROUP_QUOTA_a = 1\n")
    text = pool.path("quotas/elastic.toml").read_text()
    less, _, rest = text.rpartition("[groups.b]")
    pool.path("quotas/elastic.toml").write_text(f"{less}[groups.b]{rest.replace('4', '2')}")
    done = htcq.run(*step, **config)
    assert done.status, done
    assert "GROUP_QUOTA_a would be 1 in this machine's configuration, not 4" in done.err
    assert value(pool, "GROUP_QUOTA_b") == "4"
