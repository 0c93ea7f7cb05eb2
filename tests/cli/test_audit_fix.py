"""htcq audit --fix: configuration as files to look at, never in its place and never over another file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.live.configuration import read_configuration
from tests.audit.sites import job, policy_slot
from tests.cli.conftest import Call
from tests.cli.test_audit import snapshot

CENTRAL = "GROUP_NAMES = chem\nGROUP_QUOTA_chem = -20\n"
FIX = ("audit", "--snapshot", "snap", "--fail-on", "never", "--fix", "fixes")


@pytest.fixture
def snap(quiet_place: Path) -> Path:
    """A pool whose negotiator crashes, and of whose two nodes one takes fractions of cpus."""
    broken = policy_slot("slot1@node1", ConsumptionCpus="1.5 * TARGET.RequestCpus")
    snapshot(quiet_place / "snap", broken, policy_slot("slot1@node2"), jobs=job(), config=CENTRAL)
    return quiet_place / "snap"


def _files(place: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted((place / "fixes").iterdir())}


@pytest.mark.usefixtures("snap")
def test_each_role_and_each_node_has_a_file_that_htcondor_reads(
    call: Call, quiet_place: Path
) -> None:
    done = call(*FIX)
    files = _files(quiet_place)

    assert done.status == 0
    assert list(files) == ["central-manager.config", "execution-point-node1.config"]
    assert "# error: quota-out-of-range: knob GROUP_QUOTA_chem: " in files["central-manager.config"]
    assert read_configuration(files["central-manager.config"], ["GROUP_QUOTA_chem"]) == {
        "GROUP_QUOTA_chem": "20"
    }
    read = read_configuration(files["execution-point-node1.config"], ["CONSUMPTION_CPUS"])
    assert read == {"CONSUMPTION_CPUS": "max({1, ceiling(1.5 * TARGET.RequestCpus)})"}
    assert (
        "wrote central-manager.config, execution-point-node1.config to fixes: look at them"
        in done.err
    )


@pytest.mark.usefixtures("snap")
def test_all_lines_but_settings_are_comments(call: Call, quiet_place: Path) -> None:
    found = json.loads(call(*FIX, "--json").out)["findings"]
    lines = {
        f"{each['knob']} = {each['value']}".strip()
        for finding in found
        if finding["severity"] != "info"
        for each in finding["fix"]
    }
    written = [line for text in _files(quiet_place).values() for line in text.splitlines()]

    assert {line for line in written if line and not line.startswith("#")} == lines


@pytest.mark.usefixtures("snap")
def test_fixes_that_are_there_are_not_replaced(call: Call, quiet_place: Path) -> None:
    call(*FIX)
    kept = _files(quiet_place)
    done = call(*FIX)

    assert (done.status, done.out) == (2, "")
    assert "central-manager.config is there already" in done.err
    assert _files(quiet_place) == kept


@pytest.mark.usefixtures("snap")
def test_other_files_in_the_directory_stay_and_do_no_harm(call: Call, quiet_place: Path) -> None:
    (quiet_place / "fixes").mkdir()
    (quiet_place / "fixes" / "notes.txt").write_text("mine")

    assert call(*FIX).status == 0
    assert _files(quiet_place)["notes.txt"] == "mine"


@pytest.mark.usefixtures("snap")
@pytest.mark.parametrize("inside", ["config.d", "config.d/below", "link"])
def test_a_directory_that_htcondor_reads_here_is_refused(
    inside: str, call: Call, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (quiet_place / "config.d" / "below").mkdir(parents=True)
    (quiet_place / "link").symlink_to("config.d")
    (quiet_place / "condor_config").write_text(f"LOCAL_CONFIG_DIR = {quiet_place}/config.d\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(quiet_place / "condor_config"))
    done = call(*FIX[:-1], inside)

    assert (done.status, done.out) == (2, "")
    assert "HTCondor of this machine reads" in done.err
    assert not list((quiet_place / "config.d").glob("**/*.config"))


def test_a_directory_that_the_pool_reads_is_refused(call: Call, quiet_place: Path) -> None:
    config = f"{CENTRAL}LOCAL_CONFIG_DIR = {quiet_place}/fixes\n"
    snapshot(quiet_place / "snap", policy_slot(), config=config)
    done = call(*FIX)

    assert (done.status, done.out) == (2, "")
    assert "HTCondor of the central manager reads" in done.err
    assert not (quiet_place / "fixes").exists()


@pytest.mark.usefixtures("snap")
@pytest.mark.parametrize(
    ("name", "said"), [("snap/config.txt", "not a directory"), ("no/such", "make it first")]
)
def test_a_place_where_nothing_can_lie_is_refused(name: str, said: str, call: Call) -> None:
    done = call(*FIX[:-1], name)

    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_pool_that_nothing_mends_has_no_files(call: Call, quiet_place: Path) -> None:
    snapshot(quiet_place / "snap", policy_slot())
    done = call(*FIX, "--only", "free-match")

    assert done.status == 0
    assert "no finding can be fixed by a setting" in done.err
    assert not (quiet_place / "fixes").exists()


def test_names_of_machines_lead_nowhere_else(call: Call, quiet_place: Path) -> None:
    broken = policy_slot(
        "slot1@x", Machine='"../../escaped"', ConsumptionCpus="1.5 * TARGET.RequestCpus"
    )
    snapshot(quiet_place / "snap", broken, policy_slot("slot1@node2"), jobs=job())

    assert call(*FIX).status == 0
    assert list(_files(quiet_place)) == ["execution-point-.._.._escaped.config"]
