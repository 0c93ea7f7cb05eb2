"""What elastic quotas are written by is root's or the caller's: what others can write decides nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from htcq.errors import EXIT_FINE, EXIT_USAGE, InputError
from htcq.live.reconfig import Negotiator
from htcq.operations import reclaim_steps
from htcq.operations.elastic_quotas import read_declared
from htcq.operations.plan_reclaim import ReclaimRequest
from htcq.operations.pool_source import Source
from htcq.operations.quotas_in_force import file_in_force, keep_accepted
from htcq.settings.elastic_write import WriteSettings
from htcq.store.reclaim_journal import ReclaimJournal
from tests.cli import test_elastic_handover as handover
from tests.cli.conftest import Call, as_root, open_to_all
from tests.elastic.reclaim.scenes import AT_ONCE, HALVES

place = handover.place
QUOTAS = ("--quotas", "elastic.toml")
PLAN = "20260101T000000Z-0123456789"
#: Each command that changes a pool by what the file of quotas says.
BY_QUOTAS = {
    "apply --from": handover.WORDS,
    "apply --plan": ("elastic", "apply", *QUOTAS, "--plan", PLAN),
    "run": ("elastic", "run", *QUOTAS, "--yes", "--once"),
    "plan --save": ("elastic", "plan", *QUOTAS, "--save", "run/new.json"),
    **{
        f"reclaim {name}": ("elastic", "reclaim", name, *QUOTAS)
        for name in ("record", "apply", "resume", "release")
    },
}
#: Each command that changes a file by what the journal says.
BY_JOURNAL = {
    name: ("elastic", name, "--journal", "journal")
    for name in ("on", "off", "rollback", "disable")
}  # fmt: skip


def group(path: Path) -> str:
    path.chmod(path.stat().st_mode | 0o020)
    return "others can write "


def everybody(path: Path) -> str:
    path.chmod(path.stat().st_mode | 0o002)
    return "others can write "


def given_away(path: Path) -> str:
    os.chown(path, handover.STRANGER, handover.STRANGER)
    return f"belongs to user {handover.STRANGER}"


#: What makes a file or a directory another account's too; returns what is said of that.
Share = Callable[[Path], str]
SHARES = [group, everybody, pytest.param(given_away, marks=as_root)]
on_each_share = pytest.mark.parametrize("share", SHARES)


def refused(call: Call, place: Path, words: tuple[str, ...], what: str, why: str) -> None:
    """Run a command and see that it says why it does nothing, and does nothing."""
    file = place / "config.d" / handover.FILE
    before = file.read_bytes(), (place / "journal").read_bytes()
    done = call(*words, *handover.NOWHERE)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert f"{what} is not used: " in done.err
    assert why in done.err
    assert (file.read_bytes(), (place / "journal").read_bytes()) == before


@on_each_share
@pytest.mark.parametrize("words", BY_QUOTAS.values(), ids=BY_QUOTAS)
def test_a_file_of_quotas_that_others_can_write_decides_nothing(
    words: tuple[str, ...], share: Share, call: Call, place: Path
) -> None:
    handover.save(place, handover.plan())
    why = share(place / "elastic.toml")

    refused(call, place, words, "the file of quotas elastic.toml", why)
    assert not (place / "run/new.json").exists()


@pytest.mark.parametrize("words", BY_QUOTAS.values(), ids=BY_QUOTAS)
def test_nor_one_in_a_directory_that_others_can_write(
    words: tuple[str, ...], call: Call, place: Path
) -> None:
    """They could put another file in its place."""
    handover.save(place, handover.plan())
    place.chmod(0o777)

    refused(call, place, words, "the file of quotas elastic.toml", "its directory ")


@on_each_share
@pytest.mark.parametrize("words", BY_JOURNAL.values(), ids=BY_JOURNAL)
def test_a_journal_that_others_can_write_decides_nothing(
    words: tuple[str, ...], share: Share, call: Call, place: Path
) -> None:
    """It says which file root writes, and what."""
    refused(call, place, words, "the journal journal", share(place / "journal"))


@on_each_share
def test_the_writer_follows_no_journal_that_others_can_write(
    share: Share, call: Call, place: Path
) -> None:
    handover.save(place, handover.plan())

    refused(call, place, handover.WORDS, "the journal journal", share(place / "journal"))


@on_each_share
@pytest.mark.parametrize("act", [reclaim_steps.record_state, reclaim_steps.take_back])
def test_reclaim_follows_no_journal_that_others_can_write(
    act: Callable[[Source, ReclaimRequest], object], share: Share, place: Path
) -> None:
    journal = ReclaimJournal(place / "reclaim")
    (place / "reclaim").touch(mode=0o644)
    wanted = ReclaimRequest(HALVES, AT_ONCE, WriteSettings(), journal)
    why = share(place / "reclaim")
    with pytest.raises(InputError, match=f"the journal .*reclaim is not used: .*{why}"):
        act(Source(pool="127.0.0.1:9", timeout=5), wanted)
    assert (place / "reclaim").read_bytes() == b""


@on_each_share
def test_the_accepted_file_stays_in_force_and_only_if_it_is_nobody_elses(
    share: Share, call: Call, place: Path
) -> None:
    keep_accepted(read_declared("elastic.toml", "", None, "journal"))
    handover.save(place, handover.plan())
    words = (*handover.WORDS, "--journal", "journal")
    why = share(place / "elastic.toml")
    done = call(*words, *handover.NOWHERE)

    told, last = done.err.splitlines()
    assert told.startswith("htcq: the file is refused, and that of ")
    assert why in told
    assert "was put back" in last
    assert file_in_force("elastic.toml", "").name == "journal.quotas"

    share(place / "journal.quotas")
    refused(call, place, words, "the file of quotas elastic.toml", why)


@as_root
def test_what_is_roots_is_used_by_another_account(place: Path) -> None:
    """The account that plans reads the quotas and the journal of root."""
    keep_accepted(read_declared("elastic.toml", "", None, "journal"))
    open_to_all(place)
    os.seteuid(handover.PLANNER)
    try:
        assert file_in_force("elastic.toml", "").refused == ""
    finally:
        os.seteuid(0)


def test_a_command_that_changes_nothing_shows_a_file_of_others(call: Call, place: Path) -> None:
    """Whoever only computes may look at anybody's quotas."""
    (place / "elastic.toml").chmod(0o666)

    (place / "demand.json").write_text('{"total": {"cpus": 20}}')

    assert call("elastic", "compute", *QUOTAS, "--demand", "demand.json").status == EXIT_FINE


@as_root
def test_off_reads_the_journal_of_the_account_that_takes_back(place: Path) -> None:
    """Root takes ceilings away by it, and there are none in this one: it is read, not refused."""
    journal = place / "reclaim"
    journal.touch(mode=0o644)
    given_away(journal)

    assert list(reclaim_steps.release_by_journal(str(journal), Negotiator("127.0.0.1:9"))) == []
