"""htcq audit --config-dir: a directory of configuration files is audited without a pool."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Call, listing

AUDIT = ("audit", "--config-dir", "site")


@pytest.fixture
def site(quiet_place: Path) -> Path:
    """Two files: the groups of a site and a quota of a group that is not among them."""
    place = quiet_place / "site"
    place.mkdir()
    (place / "10-groups.config").write_text("# all groups\nGROUP_NAMES = physics, chem\n")
    (place / "20-quotas.config").write_text("GROUP_QUOTA_bio = 5\n")
    return place


@pytest.mark.usefixtures("site")
def test_a_finding_names_file_and_line_and_the_rest_is_not_checked(call: Call) -> None:
    done = call(*AUDIT, "--json", "--fail-on", "warning")
    outcome = json.loads(done.out)

    assert (done.status, done.err) == (1, "")
    found = {each["rule"]: each["evidence"][0]["place"] for each in outcome["findings"]}
    assert found["quota-for-unknown-group"] == "site/20-quotas.config:1"
    unchecked = {each["rule"] for each in outcome["not_checked"]}
    assert {"weight-not-a-number", "jobs-fit-no-machine", "quotas-do-not-hold"} <= unchecked
    assert outcome["checked"] > 10


def test_what_a_pool_alone_shows_is_no_reason_to_fail(call: Call, site: Path) -> None:
    (site / "20-quotas.config").write_text("GROUP_QUOTA_chem = 5\nGROUP_QUOTA_physics = 5\n")
    done = call(*AUDIT)

    assert (done.status, done.err) == (0, "")
    assert "not checked without a pool (--pool or --snapshot): " in done.out


def test_files_are_read_in_the_order_of_their_bytes(call: Call, site: Path) -> None:
    """As HTCondor does: capitals come before small letters, and the last file has its way."""
    (site / "a.config").write_text("GROUP_NAMES = physics, chem, bio\n")
    (site / "B.config").write_text("GROUP_NAMES = physics\n")
    for ignored in (".hidden", "z.config~", "z.config.rpmsave", "z.py"):
        (site / ignored).write_text("GROUP_NAMES = nobody\n")
    (site / "sub").mkdir()
    done = call(*AUDIT, "--lines", "--only", "quota-for-unknown-group,group-names-overridden")

    assert "quota-for-unknown-group" not in done.out
    assert "nobody" not in done.out


def test_no_file_goes_on_in_the_next_one(call: Call, site: Path) -> None:
    (site / "15-open.config").write_text("A @=end\nB = 1")
    (site / "16-open.config").write_text("C = 1 \\")
    done = call(*AUDIT, "--lines", "--only", "quota-for-unknown-group")

    assert done.out.startswith("site/20-quotas.config:1: ")


def test_places_are_relative_in_sarif_and_annotations(call: Call, site: Path) -> None:
    done = call(*AUDIT, "--github", "--sarif", "log.json", "--only", "quota-for-unknown-group")
    (result,) = json.loads((site.parent / "log.json").read_text())["runs"][0]["results"]

    assert done.out.startswith("::warning file=site/20-quotas.config,line=1,")
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "site/20-quotas.config"
    assert physical["region"] == {"startLine": 1}


# A repository of somebody who means harm
# ------------------------------------------------------------------------------------------------

HOSTILE = """include command : /bin/touch ran
include command into site/cache : /bin/touch ran
include : /etc/shadow
use $(A) : Personal
use FEATURE : OneShotCronHook(include command : /bin/touch ran, x, y)
use FEATURE : Monitor(A, B, 1, $ENV(HOME)/x |, include : /etc/shadow)
LOCAL_CONFIG_FILE = /bin/touch ran |
LOCAL_CONFIG_DIR = /etc
CLASSAD_USER_LIBS = /tmp/evil.so
A = $(A) $(B)
B = $(A)
if defined A
  GROUP_NAMES = physics
else
  GROUP_NAMES = chem
endif
# at: /etc/passwd, line 1
"""


def test_nothing_is_run_or_followed_and_every_such_line_is_named(command: Call, site: Path) -> None:
    (site / "15-evil.config").write_text(HOSTILE)
    before = listing(site.parent)
    done = command(*AUDIT, "--json", "--fail-on", "never")

    assert listing(site.parent) == before
    assert done.status == 0
    incomplete = json.loads(done.out)["incomplete"]
    lines = [each.partition(" ")[0] for each in incomplete]
    assert lines == [f"site/15-evil.config:{line}" for line in (1, 2, 3, 4)]
    assert "/etc/passwd" not in done.out
    assert "group-names-overridden" not in done.out


def test_each_condition_is_evaluated_for_the_negotiator(call: Call, site: Path) -> None:
    (site / "30-roles.config").write_text(
        "if $(IsNegotiator)\n  NEGOTIATOR.GROUP_NAMES = physics, chem, bio\nelse\n"
        "  GROUP_QUOTA_other = 5\nendif\n"
    )
    done = call(*AUDIT, "--json", "--only", "quota-for-unknown-group,group-names-overridden")
    outcome = json.loads(done.out)
    assert (outcome["findings"], outcome["incomplete"]) == ([], [])


def test_what_cannot_be_read_is_named_and_keeps_it_from_an_all_clear(
    call: Call, site: Path
) -> None:
    (site / "30-link").symlink_to("/etc/passwd")
    os.mkfifo(site / "40-pipe")
    (site / "50-large").write_bytes(b"#" * (40 * 1024 * 1024))
    done = call(*AUDIT)

    assert done.status == 3
    assert "site: 30-link is a link, which is not followed" in done.out
    assert "site: 40-pipe is no plain file" in done.out
    assert "50-large is larger than any configuration" in done.out
    assert "root:" not in done.out


@pytest.mark.parametrize("name", ["missing", "node.json", "empty"])
def test_what_is_no_directory_of_configuration_is_refused(
    name: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "empty").mkdir()
    done = call("audit", "--config-dir", name)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"htcq: {name} ")
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("site")
def test_a_directory_and_a_pool_contradict_each_other(call: Call) -> None:
    done = call(*AUDIT, "--snapshot", "snap")

    assert (done.status, done.out) == (2, "")
