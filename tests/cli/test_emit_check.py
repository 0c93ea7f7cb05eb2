"""``htcq emit --check``: every state has its own words, and all of them are said.

Here without a startd; tests/condor looks at real ones.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from htcq import WRITTEN_BY, __version__
from tests.cli.conftest import NODE, Call, listing

NAME = "50-htcq-execute.config"
ARGUMENTS = ("emit", "--node", "node.json", "--weight", "cpus=1", "--weight", "memory=0.25/GiB")


@pytest.fixture
def target(quiet_place: Path) -> Path:
    """The directory that is written to."""
    directory = quiet_place / "config.d"
    directory.mkdir()
    return directory


@pytest.fixture
def written(call: Call, target: Path) -> Path:
    """A directory with the file that emit wrote."""
    assert call(*ARGUMENTS, "--write", str(target)).status == 0
    return target


def node(quiet_place: Path, **changes: object) -> None:
    """Give the node other facts."""
    (quiet_place / "node.json").write_text(json.dumps({**NODE, **changes}))


def test_a_missing_file(call: Call, target: Path) -> None:
    done = call(*ARGUMENTS, "--write", str(target), "--check")

    assert (done.status, done.out, done.err) == (
        1,
        "",
        f"htcq: missing: {target / NAME} is not there\n",
    )
    assert listing(target) == {}


def test_a_healthy_node_is_told_what_was_compared(call: Call, written: Path) -> None:
    before = listing(written)
    done = call(*ARGUMENTS, "--write", str(written), "--check")

    assert (done.status, done.out) == (0, "")
    assert done.err == (
        f"htcq: the running startd was not looked at: {written} is not in this machine's "
        "LOCAL_CONFIG_DIR\n"
        f"{written / NAME}: in effect; compared: the file, the node's hardware, the other files "
        f"of {written}\n"
    )
    assert before == listing(written)


def test_an_edited_file(call: Call, written: Path) -> None:
    path = written / NAME
    path.write_text(path.read_text().replace("NUM_CLAIMS = $(NUM_CPUS)", "NUM_CLAIMS = 3"))
    done = call(*ARGUMENTS, "--write", str(written), "--check", "--diff")

    assert done.status == 1
    assert (
        f"htcq: edited: {path} differs from what would be written: NUM_CLAIMS (--diff" in done.err
    )
    assert "-NUM_CLAIMS = 3\n+NUM_CLAIMS = $(NUM_CPUS)\n" in done.out


def test_a_file_of_other_settings_is_no_edit(call: Call, written: Path) -> None:
    done = call(*ARGUMENTS, "--weight", "gpus=8", "--write", str(written), "--check")

    assert done.status == 1
    assert (
        f"htcq: out of date: {written / NAME} was written for other capacity settings" in done.err
    )
    assert "edited" not in done.err


def test_another_version_of_htcq_is_no_edit(call: Call, written: Path) -> None:
    path = written / NAME
    text = path.read_text()
    assert f"{WRITTEN_BY} {__version__}" in text
    path.write_text(text.replace(f"{WRITTEN_BY} {__version__}", f"{WRITTEN_BY} 0.0.9"))

    assert call(*ARGUMENTS, "--write", str(written), "--check").status == 0


def test_a_later_file_that_overrides(call: Call, written: Path) -> None:
    (written / "99-old.config").write_text("# old\nSLOT_WEIGHT = Cpus\n")
    done = call(*ARGUMENTS, "--write", str(written), "--check")

    assert done.status == 1
    assert (
        f"htcq: overridden: SLOT_WEIGHT is Cpus at {written}/99-old.config:2, "
        f"instead of Cpus + Memory / 4096.0 of {NAME}\n"
    ) in done.err
    assert "in effect" not in done.err


@pytest.mark.parametrize(
    ("role", "knob"), [("access", "SCHEDD_SLOT_WEIGHT"), ("central", "SLOT_WEIGHT")]
)
def test_the_other_roles_are_compared_as_their_daemons_read_them(
    role: str, knob: str, call: Call, target: Path
) -> None:
    given = (*ARGUMENTS, "--role", role, "--write", str(target))
    call(*given)
    assert call(*given, "--check").status == 0

    daemon = "SCHEDD" if role == "access" else "NEGOTIATOR"
    (target / "99-old.config").write_text(f"STARTD.{knob} = 1\n")
    assert call(*given, "--check").status == 0
    (target / "99-old.config").write_text(f"{daemon}.{knob} = 1\n")
    done = call(*given, "--check")
    assert done.status == 1
    assert f"overridden: {knob} is 1 at {target}/99-old.config:1" in done.err


@pytest.mark.parametrize("form", [(), ("--literal",)])
def test_a_core_less(form: tuple[str, ...], call: Call, target: Path, quiet_place: Path) -> None:
    call(*ARGUMENTS, *form, "--write", str(target))
    node(quiet_place, cpus=7)
    done = call(*ARGUMENTS, *form, "--write", str(target), "--check")

    assert done.status == 1
    assert (
        f"htcq: hardware changed: cpus 8, now 7 (since {target / NAME} was written)\n" in done.err
    )
    assert "edited" not in done.err


@pytest.mark.parametrize("changes", [{"memory_mb": 16380}, {"disk_kb": 1_000_000}])
def test_a_new_kernel_and_a_fuller_disk_are_no_other_hardware(
    changes: dict[str, int], call: Call, written: Path, quiet_place: Path
) -> None:
    before = listing(written)
    node(quiet_place, **changes)

    assert call(*ARGUMENTS, "--write", str(written), "--check").status == 0
    assert "unchanged" in call(*ARGUMENTS, "--write", str(written)).err
    assert before == listing(written)


def test_a_portable_file_may_have_been_made_on_another_node(
    call: Call, target: Path, quiet_place: Path
) -> None:
    node(quiet_place, hostname="a.test")
    call(*ARGUMENTS, "--write", str(target))
    node(quiet_place, hostname="b.test", cpus=64)
    done = call(*ARGUMENTS, "--write", str(target), "--check")

    assert done.status == 0
    assert f"htcq: {target / NAME} was made for a.test: not compared with it\n" in done.err


def test_all_that_is_wrong_is_said(call: Call, written: Path, quiet_place: Path) -> None:
    path = written / NAME
    path.write_text(path.read_text() + "CONSUMPTION_DISK = 0\n")
    (written / "99-old.config").write_text("SLOT_WEIGHT = Cpus\nSTARTD_ATTRS = Mine\n")
    node(quiet_place, cpus=7, gpus=1)
    done = call(*ARGUMENTS, "--write", str(written), "--check")

    assert done.status == 1
    told = [
        line.removeprefix("htcq: ").partition(":")[0]
        for line in done.err.splitlines()
        if "not looked" not in line
    ]
    assert told == ["edited", "hardware changed", "hardware changed", "overridden", "overridden"]


def installed(
    quiet_place: Path, target: Path, monkeypatch: pytest.MonkeyPatch, more: str = ""
) -> None:
    """Configure HTCondor on this machine: it reads ``target``."""
    config = quiet_place / "condor_config"
    config.write_text(f"LOCAL_CONFIG_DIR = {target}\nLOG = {quiet_place}\n{more}")
    monkeypatch.setenv("CONDOR_CONFIG", str(config))


def test_a_machine_without_a_startd(
    call: Call, written: Path, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(quiet_place, written, monkeypatch, "DAEMON_LIST = MASTER, SCHEDD\n")
    done = call(*ARGUMENTS, "--write", str(written), "--check")

    assert done.status == 0
    assert (
        "htcq: the running startd was not looked at: DAEMON_LIST of this machine has none\n"
        in done.err
    )
    assert done.err.endswith(
        "compared: the file, the node's hardware, the configuration of this machine\n"
    )


def test_what_is_read_after_the_directory_overrides_too(
    call: Call, written: Path, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (quiet_place / "last").write_text("SLOT_WEIGHT = Cpus\n")
    installed(quiet_place, written, monkeypatch, f"LOCAL_CONFIG_FILE = {quiet_place}/last\n")
    done = call(*ARGUMENTS, "--write", str(written), "--check")

    assert done.status == 1
    assert f"overridden: SLOT_WEIGHT is Cpus at {quiet_place}/last:1" in done.err


@pytest.fixture
def silent_port() -> int:
    """A port of this machine at which nobody listens any more."""
    with socket.socket() as once:
        once.bind(("127.0.0.1", 0))
        port: int = once.getsockname()[1]
        return port


def test_a_startd_that_is_not_there_or_does_not_answer_is_no_ok(
    call: Call, written: Path, quiet_place: Path, silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(quiet_place, written, monkeypatch, "DAEMON_LIST = MASTER, STARTD\n")
    done = call(*ARGUMENTS, "--write", str(written), "--check")
    assert done.status == 3
    assert (
        f"htcq: no startd runs on this machine: there is no {quiet_place}/.startd_address\n"
        in done.err
    )

    (quiet_place / ".startd_address").write_text(f"<127.0.0.1:{silent_port}>\n")
    done = call(*ARGUMENTS, "--write", str(written), "--check")
    assert done.status == 3
    assert "htcq: the running startd does not answer: " in done.err
    assert "in effect" not in done.err

    (written / "99-old.config").write_text("SLOT_WEIGHT = Cpus\n")
    done = call(*ARGUMENTS, "--write", str(written), "--check")
    assert done.status == 1
    assert "the running startd does not answer" in done.err


def test_all_nodes_that_read_one_site_file_have_one_hash(call: Call, quiet_place: Path) -> None:
    (quiet_place / "htcq.toml").write_text(
        '[capacity]\nmodel = "linear"\nweights = { cpus = 1, memory = "0.25/GiB" }\n'
        '[nodes.gpu]\nmatch = "TotalGPUs > 0"\n'
        'weights = { cpus = 1, memory = "0.25/GiB", gpus = 8 }\n'
    )

    def advertised(**changes: object) -> str:
        node(quiet_place, **changes)
        return next(
            line
            for line in call("emit", "--node", "node.json").out.splitlines()
            if "HtcqModelHash =" in line
        )

    plain, large, gpu = advertised(), advertised(cpus=64), advertised(gpus=4)
    assert plain == large == gpu
    text = (quiet_place / "htcq.toml").read_text()
    (quiet_place / "htcq.toml").write_text(text.replace("gpus = 8", "gpus = 9"))
    assert advertised() != plain


def test_what_the_sites_prefixes_say_overrides(call: Call, written: Path) -> None:
    (written / "99-old.config").write_text(
        "CONSUMPTION_POLICY = (1 == 1)\nSTARTD.NUM_CLAIMS = 3\nM1 = $(STARTD)\nM1.SLOT_WEIGHT = 2\n"
        "M2.SLOT_WEIGHT = 7\n"
    )
    done = call(*ARGUMENTS, "--write", str(written), "--check")

    assert done.status == 1
    assert f"overridden: NUM_CLAIMS is 3 at {written}/99-old.config:2, " in done.err
    assert f"overridden: M1.SLOT_WEIGHT is 2 at {written}/99-old.config:4, and wins" in done.err
    assert done.err.count("overridden") == 2
