"""A directory of htcq's own, as contrib/config.d has it: read last, once, and not emptied with config.d."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from config_directory import MODEL, value, with_own_directory
from conftest import PACE
from own_htcq import OwnHtcq
from testpool import Pool, PoolError

pytestmark = pytest.mark.condor


@pytest.fixture(scope="module")
def pool(suite: str) -> Iterator[Pool]:
    with Pool.start(suite=suite, settings=PACE) as pool:
        pool.patience = 3.0
        yield pool


@pytest.fixture(scope="module")
def htcq(pool: Pool) -> OwnHtcq:
    return with_own_directory(pool)


def test_every_file_is_read_once_and_the_directory_last(pool: Pool, htcq: OwnHtcq) -> None:
    inside = pool.record.inner_directory

    assert value(pool, "COUNTED") == "once"
    assert value(pool, "WINS") == "the directory of htcq"
    # What asks for the directories is told all of them.
    assert value(pool, "LOCAL_CONFIG_DIR") == f"{inside}/config.d, {inside}/htcq.d"


def test_a_policy_there_outlives_a_purge_of_config_d(pool: Pool, htcq: OwnHtcq) -> None:
    inside = pool.record.inner_directory
    own = ("emit", "--node", f"{inside}/node.json", *MODEL, "--write", f"{inside}/htcq.d")
    config = {"CONDOR_CONFIG": pool.record.config_file}

    done = htcq.run("emit", "--node", f"{inside}/node.json", *MODEL, "--write", f"{inside}/config.d", **config)  # fmt: skip
    assert (done.status, "20-site.config says that Puppet manages it" in done.err) == (0, True)
    # Read later, and the same: nothing to say of an order.
    done = htcq.run(*own, **config)
    assert (done.status, "Puppet" in done.err) == (0, False), done

    # What a module that purges leaves is what it manages.
    for path in pool.config_dir.iterdir():
        if path.name not in ("20-site.config", "60-htcq.config"):
            path.unlink()
    pool.tool("condor_restart", "-startd")

    def policy() -> bool:
        try:
            (slot, *_) = pool.ads("slots", ["HtcqModel", "ConsumptionCpus"], direct="node.test")
        except (PoolError, ValueError):
            return False
        return {"HtcqModel", "ConsumptionCpus"} <= slot.keys()

    pool.wait(policy, 60, "a startd with the policy", ("StartLog",))
    done = htcq.run(*own, "--check", **config)
    assert (done.status, "in effect; compared: the file" in done.err) == (0, True), done


def test_what_a_later_file_sets_is_told_with_its_place(pool: Pool, htcq: OwnHtcq) -> None:
    """config.d and LOCAL_CONFIG_FILE come before the directory, a file in it with a later name after htcq's."""
    inside = pool.record.inner_directory
    config = {"CONDOR_CONFIG": pool.record.config_file}
    own = ("emit", "--node", f"{inside}/node.json", *MODEL, "--write", f"{inside}/htcq.d")
    asked = (*own, "--check")
    # Another worker may have run the test that wrote it.
    htcq.run(*own, **config)
    pool.configure(f"{PACE}SLOT_WEIGHT = 7\n")
    (pool.config_dir / "99-site.config").write_text("SLOT_WEIGHT = 8\n")
    assert "overridden" not in htcq.run(*asked, **config).err
    later = pool.path("htcq.d") / "99-later.config"
    later.write_text("SLOT_WEIGHT = 9\n")

    done = htcq.run(*asked, **config)

    assert done.status == 1
    assert f"overridden: SLOT_WEIGHT is 9 at {inside}/htcq.d/99-later.config" in done.err
    later.unlink()
    (pool.config_dir / "99-site.config").unlink()


def test_a_directory_added_in_config_d_makes_htcondor_read_config_d_twice(pool: Pool) -> None:
    """Why the file replaces the list: one that is extended is read from its beginning again."""
    place = pool.path("twice")
    inside = f"{pool.record.inner_directory}/twice"
    shutil.rmtree(place, ignore_errors=True)
    for name in ("config.d", "htcq.d"):
        (place / name).mkdir(parents=True)
    (place / "condor_config").write_text(
        f"LOCAL_CONFIG_DIR = {inside}/config.d\nLOCAL_CONFIG_FILE =\nUSER_CONFIG_FILE =\n"
    )
    (place / "config.d/10-role.config").write_text("use ROLE : Execute\n")
    (place / "config.d/60-htcq.config").write_text(
        f"LOCAL_CONFIG_DIR = $(LOCAL_CONFIG_DIR), {inside}/htcq.d\n"
    )
    read = ("env", f"CONDOR_CONFIG={inside}/condor_config", "condor_config_val", "DAEMON_LIST")

    assert pool.tool(*read).split() == ["MASTER", "STARTD", "STARTD"]
