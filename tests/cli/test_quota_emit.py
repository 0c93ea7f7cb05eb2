"""``htcq quota emit``: what it prints, shows, refuses and writes."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from htcq.live.configuration import read_configuration
from tests.audit.sites import collected, collector, dynamic_slot, slot, submitter
from tests.cli.conftest import Call, Done, listing, names

NAME = "50-htcq-groups.config"
EMIT = ("quota", "emit")
GROUPS = """
[quotas]
accept_surplus = true

[groups.physics]
quota = 8
owner = "Anna"
[groups.physics.hep]
share = 0.5
accept_surplus = false
[groups.guests]
share = 0.1
owner = "Ben"
"""
#: A pool of weight 9 with other groups, of which one is in use.
OWN = """
GROUP_NAMES = physics, old, idle
GROUP_QUOTA_physics = 5
GROUP_QUOTA_old = 2
GROUP_QUOTA_idle = 1
"""
ADS = (
    slot(),
    dynamic_slot(customer="old.ann@site"),
    submitter("old.ann@site", IdleJobs=3, RunningJobs=1),
    collector(),
)


@pytest.fixture(autouse=True)
def site_file(quiet_place: Path) -> Path:
    """The site file that declares the groups."""
    path = quiet_place / "htcq.toml"
    path.write_text(GROUPS)
    return path


@pytest.fixture
def target(quiet_place: Path) -> Path:
    """The directory that is written to."""
    directory = quiet_place / "config.d"
    directory.mkdir()
    return directory


@pytest.fixture
def snap(quiet_place: Path) -> Path:
    """A snapshot of the pool that has other groups."""
    directory = quiet_place / "snap"
    directory.mkdir()
    (directory / "collector.ads").write_text(collected(ADS))
    (directory / "config.txt").write_text(OWN)
    return directory


def declare(site_file: Path, text: str) -> None:
    site_file.write_text(f"{GROUPS}{text}")


def refused(done: Done, *said: str) -> None:
    """Check that nothing was done, for these reasons and no others."""
    reasons = [line for line in done.err.splitlines() if line.startswith("htcq: refused: ")]
    assert (done.status, done.out) == (2, "")
    assert len(reasons) == len(said)
    assert all(text in reason for text, reason in zip(said, reasons))
    assert done.err.endswith(" (nothing was written; --force overrides)\n")


# Printing and writing
# -------------------------------------------------------------------------------------------


def test_the_configuration_goes_to_standard_output_and_nothing_is_written(
    call: Call, quiet_place: Path
) -> None:
    before = listing(quiet_place)
    done = call(*EMIT)

    assert (done.status, done.err) == (0, "")
    assert (
        read_configuration(
            done.out, ("GROUP_NAMES", "GROUP_ACCEPT_SURPLUS", "GROUP_QUOTA_*")
        ).items()
        >= {
            "GROUP_NAMES": "physics, physics.hep, guests",
            "GROUP_ACCEPT_SURPLUS": "True",
            "GROUP_QUOTA_physics": "8",
            "GROUP_QUOTA_DYNAMIC_physics.hep": "0.5",
        }.items()
    )
    assert before == listing(quiet_place)


def test_writing_says_what_makes_it_take_effect(call: Call, target: Path) -> None:
    done = call(*EMIT, "--write", str(target))

    assert (done.status, done.out) == (0, "")
    assert (
        done.err == f"{target / NAME}: written; condor_reconfig -negotiator makes it take effect\n"
    )
    assert (target / NAME).read_text() == call(*EMIT).out
    assert stat.S_IMODE((target / NAME).stat().st_mode) == 0o644


def test_a_second_run_changes_nothing(call: Call, target: Path) -> None:
    call(*EMIT, "--write", str(target))
    before = listing(target)
    done = call(*EMIT, "--write", str(target))

    assert (done.status, done.err) == (0, f"{target / NAME}: unchanged\n")
    assert before == listing(target)


def test_what_is_replaced_is_shown_first_and_kept(
    call: Call, target: Path, site_file: Path
) -> None:
    call(*EMIT, "--write", str(target))
    former = (target / NAME).read_text()
    site_file.write_text(GROUPS.replace("share = 0.1", "share = 0.2"))
    done = call(*EMIT, "--write", str(target))

    assert done.err == (
        "what changes\n"
        "GROUP OR KNOB  BEFORE                      AFTER\n"
        "-------------  --------------------------  --------------------------\n"
        "guests         share 0.1, accepts surplus  share 0.2, accepts surplus\n"
        f"{target / NAME}: written; condor_reconfig -negotiator makes it take effect\n"
    )
    assert names(target) == [NAME, f"{NAME}~"]
    assert former == (target / f"{NAME}~").read_text() != (target / NAME).read_text()


def test_another_name(call: Call, target: Path) -> None:
    call(*EMIT, "--write", str(target), "--file", "99-last.config")

    assert names(target) == ["99-last.config"]


def test_the_difference_is_shown_and_nothing_changed(
    call: Call, target: Path, site_file: Path
) -> None:
    fresh = call(*EMIT, "--write", str(target), "--diff")
    assert (fresh.status, names(target)) == (0, [])
    assert fresh.out.startswith(f"--- /dev/null\n+++ {target / NAME}\n")

    call(*EMIT, "--write", str(target))
    before = listing(target)
    site_file.write_text(GROUPS.replace("quota = 8", "quota = 9"))
    done = call(*EMIT, "--write", str(target), "--diff")
    assert "\n-GROUP_QUOTA_physics = 8\n+GROUP_QUOTA_physics = 9\n" in done.out
    assert before == listing(target)


def test_check_says_by_its_status_whether_anything_would_change(call: Call, target: Path) -> None:
    done = call(*EMIT, "--write", str(target), "--check")
    assert (done.status, done.out, names(target)) == (1, "", [])
    assert "differs" in done.err

    call(*EMIT, "--write", str(target))
    done = call(*EMIT, "--write", str(target), "--check")
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("flags", [("--file", "x.config"), ("--diff",), ("--check",)])
def test_flags_of_writing_need_a_directory(flags: tuple[str, ...], call: Call) -> None:
    done = call(*EMIT, *flags)

    assert (done.status, done.out) == (2, "")
    assert "without a directory" in done.err


@pytest.mark.parametrize("former", ["", "A = $(\n", "if\nGROUP_QUOTA_physics\n", "\x00\xff"])
def test_a_file_that_holds_something_else_is_replaced_and_kept(
    former: str, call: Call, target: Path
) -> None:
    (target / NAME).write_text(former)
    done = call(*EMIT, "--write", str(target))

    assert done.status == 0
    assert "\nphysics               -          8, accepts surplus\n" in done.err
    assert (target / f"{NAME}~").read_text() == former


def test_a_site_s_template_is_used_and_one_that_loses_a_group_refused(
    call: Call, quiet_place: Path, site_file: Path
) -> None:
    template = quiet_place / "site" / "condor" / "groups.config.j2"
    template.parent.mkdir(parents=True)
    template.write_text("# mine\nGROUP_NAMES = {{ names | join(', ') }}\n")
    assert (
        call(*EMIT, "--templates", "site").out
        == "# mine\nGROUP_NAMES = physics, physics.hep, guests\n"
    )
    site_file.write_text(f'templates = "site"\n{GROUPS}')
    assert call(*EMIT, "--config", "htcq.toml").out.startswith("# mine\n")

    template.write_text("GROUP_NAMES = physics, guests\n")
    done = call(*EMIT, "--config", "htcq.toml", "--force")
    assert (done.status, done.out) == (2, "")
    assert "refused: the text makes no group physics.hep" in done.err

    template.write_text("if\n")
    done = call(*EMIT, "--config", "htcq.toml", "--force")
    assert (done.status, done.out) == (2, "")
    assert "HTCondor cannot read it" in done.err


@pytest.mark.parametrize("content", ["", "[quotas]\nstrict = true\n"])
def test_a_site_file_without_groups_is_refused(content: str, call: Call, site_file: Path) -> None:
    site_file.write_text(content)
    done = call(*EMIT)

    assert (done.status, done.out) == (2, "")
    assert "htcq.toml declares no groups (" in done.err


# Promises
# -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[groups.bio.lab]\nquota = 1\n", "group bio has neither quota nor share"),
        ("[groups.physics.lep]\nquota = 9\n", "add up to 9, more than the 8 of physics"),
        (
            "[groups.physics.lep]\nshare = 0.6\n",
            "the shares of the groups right below physics add up to 1.1",
        ),
        ("[groups.bio]\nshare = 0.95\n", "the shares of the top-level groups add up to 1.05"),
    ],
)
def test_a_broken_promise_is_refused_unless_forced(
    more: str, said: str, call: Call, site_file: Path, target: Path
) -> None:
    declare(site_file, more)
    refused(call(*EMIT, "--write", str(target)), said)
    assert names(target) == []

    done = call(*EMIT, "--write", str(target), "--force")
    assert done.status == 0
    assert any(line.startswith("htcq: forced: ") and said in line for line in done.err.splitlines())
    assert names(target) == [NAME]


def test_every_reason_is_told(call: Call, site_file: Path) -> None:
    declare(site_file, "[groups.physics.lep]\nshare = 0.6\n[groups.bio]\nshare = 0.95\n")

    refused(
        call(*EMIT),
        "the shares of the top-level groups",
        "the shares of the groups right below physics",
    )


def test_a_quota_after_its_last_day_and_a_group_without_one_are_told_and_written(
    call: Call, site_file: Path
) -> None:
    declare(
        site_file,
        (
            "[groups.bio]\nquota = 1\nexpires = 2001-12-31\n[groups.chem]\n[groups.geo]\n"
            "expires = 2999-01-01\n"
        ),
    )
    done = call(*EMIT)

    assert done.status == 0
    assert "GROUP_QUOTA_bio = 1\n" in done.out
    assert done.err.splitlines() == [
        "htcq: group chem has neither quota nor share: its quota is 0 (2 such: chem, geo)",
        "htcq: the quota of bio was granted until 2001-12-31 and is still declared",
    ]


def test_what_only_a_pool_could_tell_is_said_to_be_unchecked(
    call: Call, site_file: Path, snap: Path
) -> None:
    """The pool weighs 9: 8 are for physics, and guests have a tenth of what is left."""
    declare(site_file, "[groups.guests.jo]\nquota = 0.2\n")
    done = call(*EMIT)
    assert done.status == 0
    assert "htcq: not checked without the pool's slot weight (--snapshot or --pool): " in done.err

    refused(
        call(*EMIT, "--snapshot", str(snap)),
        "add up to 0.2, more than the 0.1 of guests",
        "this drops group old",
    )


# A pool that has other groups
# -----------------------------------------------------------------------------------


def test_a_group_that_is_in_use_is_not_dropped_unless_forced(call: Call, snap: Path) -> None:
    done = call(*EMIT, "--snapshot", str(snap))
    refused(done, "this drops group old, which has a usage of 1, 1 running job and 3 idle jobs")
    table = done.err.partition("what changes\n")[2]
    assert table.splitlines()[2:8] == [
        "guests                -          share 0.1, accepts surplus",
        "physics               5          8, accepts surplus",
        "physics.hep           -          share 0.5",
        "idle                  1          -",
        "old                   2          -",
        "GROUP_ACCEPT_SURPLUS  (not set)  True",
    ]

    forced = call(*EMIT, "--snapshot", str(snap), "--force")
    assert forced.status == 0
    assert "htcq: forced: this drops group old" in forced.err
    assert forced.out == call(*EMIT).out


def test_groups_that_nobody_uses_may_go(call: Call, site_file: Path, snap: Path) -> None:
    declare(site_file, '[groups.old]\nquota = 0.5\nowner = "Cyd"\n')
    done = call(*EMIT, "--snapshot", str(snap))

    assert done.status == 0
    assert "GROUP_NAMES = physics, physics.hep, guests, old\n" in done.out


def test_without_a_pool_it_is_told_which_groups_go(
    call: Call, site_file: Path, target: Path
) -> None:
    declare(site_file, '[groups.old]\nquota = 0.5\nowner = "Cyd"\n')
    call(*EMIT, "--write", str(target))
    site_file.write_text(GROUPS)
    done = call(*EMIT, "--write", str(target))

    assert done.status == 0
    assert (
        "htcq: not checked without a pool (--snapshot or --pool): whether anybody still uses old\n"
        in done.err
    )


def test_quotas_that_do_not_fit_the_pool_are_told(call: Call, site_file: Path, snap: Path) -> None:
    declare(site_file, "[groups.old]\nquota = 2\n")
    done = call(*EMIT, "--snapshot", str(snap))

    assert done.status == 0
    assert "static quotas add up to 10; the pool has 9" in done.err


def test_a_knob_that_stays_in_force_elsewhere_is_named(
    call: Call, site_file: Path, snap: Path
) -> None:
    declare(site_file, "[groups.old]\nshare = 0.2\n")
    place = "/etc/condor/config.d/40-groups.config"
    text = OWN.replace("GROUP_QUOTA_old = 2\n", f"GROUP_QUOTA_old = 2\n # at: {place}, line 3\n")
    (snap / "config.txt").write_text(text)
    done = call(*EMIT, "--snapshot", str(snap))

    assert done.status == 0
    assert (
        "htcq: GROUP_QUOTA_old = 2 stays in force beside what is declared: remove it from "
        f"{place}:3\n"
    ) in done.err


def test_a_pool_of_unknown_configuration_is_not_compared(call: Call, snap: Path) -> None:
    (snap / "config.txt").unlink()
    done = call(*EMIT, "--snapshot", str(snap))

    assert done.status == 0
    assert "has no configuration: its groups are not compared" in done.err
