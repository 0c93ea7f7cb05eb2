"""``htcq quota lint``: what it finds in declared groups, alone and in a pool, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit.sites import collected, collector, slot, submitter
from tests.cli.conftest import Call, listing

LINT = ("quota", "lint")
SOUND = '[groups.physics]\nquota = 8\nowner = "Anna"\n[groups.physics.hep]\nshare = 0.5\n'
EXPIRED = '[groups.bio]\nquota = 1\nowner = "Ben"\nexpires = "2001-12-31"\n'
BROKEN = '[groups.bio.lab]\nquota = 1\nowner = "Ben"\n'


@pytest.fixture
def site_file(quiet_place: Path) -> Path:
    """A site file without a fault."""
    path = quiet_place / "htcq.toml"
    path.write_text(SOUND)
    return path


@pytest.fixture
def snap(quiet_place: Path) -> Path:
    """A snapshot of a pool of weight 8 without groups of its own."""
    directory = quiet_place / "snap"
    directory.mkdir()
    ads = (
        slot(),
        submitter("physics.hep.ann@site", IdleJobs=9),
        submitter("ada@site"),
        collector(),
    )
    (directory / "collector.ads").write_text(collected(ads))
    (directory / "config.txt").write_text("NEGOTIATOR_READ_CONFIG_BEFORE_CYCLE = True\n")
    return directory


@pytest.mark.usefixtures("site_file")
def test_nothing_is_found_and_nothing_is_touched(call: Call, quiet_place: Path) -> None:
    before = listing(quiet_place)
    done = call(*LINT)

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("htcq.toml\n")
    assert "no findings; " in done.out
    assert before == listing(quiet_place)


@pytest.mark.parametrize(
    ("more", "flags", "status"),
    [
        (EXPIRED, (), 0),
        (EXPIRED, ("--fail-on", "warning"), 1),
        (BROKEN, (), 1),
        (BROKEN, ("--fail-on", "never"), 0),
        ("[groups.bio]\nquota = 1\n", ("--fail-on", "warning"), 0),
        ("[groups.bio]\nquota = 1\n", ("--fail-on", "info"), 1),
        (f'[audit]\nfail_on = "warning"\n{EXPIRED}', (), 1),
        (f'[audit.rules.group-without-quota]\nseverity = "info"\n{BROKEN}', (), 0),
    ],
)
def test_the_status_says_how_bad_it_is(
    more: str, flags: tuple[str, ...], status: int, call: Call, site_file: Path
) -> None:
    site_file.write_text(SOUND + more)

    assert call(*LINT, *flags).status == status


def test_findings_are_printed_like_those_of_an_audit(call: Call, site_file: Path) -> None:
    site_file.write_text(SOUND + EXPIRED)
    done = call(*LINT)

    assert "warning  quota-expired  group bio\n" in done.out
    assert "      groups.bio.expires = 2001-12-31  # htcq.toml\n" in done.out
    assert "\nHow to fix it\n" in done.out


@pytest.mark.parametrize(("says", "status"), [("disable = true", 0), ('severity = "error"', 1)])
def test_the_site_has_a_say_in_rules_of_its_own_words(
    says: str, status: int, call: Call, site_file: Path
) -> None:
    site_file.write_text(f"{SOUND}{EXPIRED}[audit.rules.quota-expired]\n{says}\n")

    assert call(*LINT).status == status


@pytest.mark.parametrize("flag", ["--json", "-json"])
def test_json_has_the_names_of_an_audit(flag: str, call: Call, site_file: Path) -> None:
    site_file.write_text(SOUND + BROKEN)
    printed = json.loads(call(*LINT, flag).out)
    finding = printed["findings"][0]

    assert (printed["schema"], printed["source"], printed["not_checked"]) == (1, "htcq.toml", [])
    assert (finding["rule"], finding["severity"]) == ("group-without-quota", "error")


@pytest.mark.usefixtures("site_file")
def test_a_pool_tells_what_the_declared_groups_would_do_there(call: Call, snap: Path) -> None:
    """Physics takes all 8 of it, so that ada, who is in no group, has nothing; and the knob is the pool's own."""
    done = call(*LINT, "--snapshot", str(snap))

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{snap}\n")
    assert (
        "static quotas add up to 8; the pool has 8: no quota is left for 1 submitter without a "
        "group"
    ) in done.out
    assert "info  groups-need-reconfig  " in done.out


def test_a_threshold_that_there_is_not_is_refused(call: Call, site_file: Path) -> None:
    assert site_file.exists()
    done = call(*LINT, "--fail-on", "sometimes")

    assert (done.status, done.out) == (2, "")
    assert "--fail-on is 'sometimes'" in done.err


def test_a_site_file_without_groups_is_refused(call: Call) -> None:
    done = call(*LINT)

    assert (done.status, done.out) == (2, "")
    assert "declares no groups" in done.err
