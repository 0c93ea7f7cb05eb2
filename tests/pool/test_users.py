"""User records of schedds: read as condor_qusers -long prints them, and anonymous as all else."""

from __future__ import annotations

from pathlib import Path

from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.pool.users import not_asked
from htcq.store.anonymize import anonymize_directory
from htcq.store.snapshot import open_snapshot
from tests.audit.sites import ad, job, pool, schedd, slot, user

#: As condor_qusers 25.14.1 prints a user, without most of the counters.
PRINTED = """Enabled = 1
MaxJobsRunning = 3
MyType = "Owner"
NumIdle = 2
NumRunning = 1
NumSuspended = 0
OsUser = "ada"
Owner = "ada"
User = "ada@site"

"""


def snapshot(directory: Path, users: str) -> Path:
    (directory / "collector.ads").write_text("\n".join([slot(), schedd()]))
    (directory / "jobs.ads").write_text("\n".join([job(ScheddName='"access1"', User='"ada@site"')]))
    (directory / "config.txt").write_text("A = 1\n")
    (directory / "meta.json").write_text('{"schema": 1}')
    (directory / "users.ads").write_text(users)
    return directory


def read(directory: Path) -> Pool:
    return pool_of(open_snapshot(directory), "test")


def test_a_record_is_read_as_the_tool_prints_it(tmp_path: Path) -> None:
    (record,) = read(snapshot(tmp_path, PRINTED)).users or ()

    assert (record.text("User"), record.number("MaxJobsRunning"), record.number("NumRunning")) == (
        "ada@site",
        3,
        1,
    )


def test_a_record_without_a_user_is_left_out_and_named(tmp_path: Path) -> None:
    found = read(snapshot(tmp_path, PRINTED + ad(MyType='"Owner"', User="7") + "\n"))

    assert len(found.users or ()) == 1
    assert [each.sentence for each in found.left_out] == [
        "1 user record left out: one without a name: its User is no text"
    ]


def test_a_snapshot_without_user_records_says_that_limits_of_users_are_not_followed() -> None:
    told = "are not known: MaxJobsRunning of single users is not followed"

    assert not_asked(pool(slot(), schedd())) == f"user records of access1 {told}"
    assert (
        not_asked(pool(slot(), schedd(), schedd("access2")))
        == f"user records of access1 and 1 more {told}"
    )
    assert not_asked(pool(slot(), schedd(), users=[user()])) == ""


def test_schedds_that_know_no_such_limit_need_not_be_asked() -> None:
    old = schedd(CondorVersion='"$CondorVersion: 25.3.0 2025-10-01 BuildID: 1 $"')

    assert not_asked(pool(slot(), old)) == ""


def test_an_anonymous_record_is_that_of_the_same_anonymous_user(tmp_path: Path) -> None:
    here = snapshot(tmp_path, PRINTED + user(MaxJobsRunning=5) + "\n")
    anonymize_directory(here, b"key" * 11)
    found = read(here)
    records, (queued,) = found.users or (), found.jobs or ()

    assert {record.text("User") for record in records} == {queued.user}
    assert queued.user != "ada@site"
    assert [record.number("MaxJobsRunning") for record in records] == [3, 5]
    assert records[1].text("ScheddName") == queued.schedd
