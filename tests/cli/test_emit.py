"""``htcq emit``: what it prints, compares and writes."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from htcq.emit.install import prepare, write
from htcq.errors import NESTED_VARIABLE
from tests.cli.conftest import ROOT, Call, listing, names

NAME = "50-htcq-execute.config"
CHARGE = ("--charge", "cpus=1", "--charge", "memory=2GiB")
ARGUMENTS = ("emit", "--node", "node.json", *CHARGE)


@pytest.fixture
def target(quiet_place: Path) -> Path:
    """The directory that is written to."""
    directory = quiet_place / "config.d"
    directory.mkdir()
    return directory


@pytest.mark.parametrize("role", ["execute", "access", "central"])
def test_the_configuration_goes_to_standard_output_and_nothing_is_written(
    role: str, call: Call, quiet_place: Path
) -> None:
    before = listing(quiet_place)
    done = call("emit", "--node", "node.json", "--role", role)

    assert (done.status, done.err) == (0, "")
    assert "linear" in done.out
    assert before == listing(quiet_place)


def test_portable_text_holds_no_amount_of_the_node_but_in_one_comment(call: Call) -> None:
    lines = [line for line in call(*ARGUMENTS).out.splitlines() if "16384" in line]
    assert lines == ['# Made for: {"cpus": 8, "memory_mb": 16384, "custom": {"actuators": 4}}']
    assert "\nMEMORY = 16384" in call(*ARGUMENTS, "--literal").out


def test_writing_says_what_makes_it_take_effect(call: Call, target: Path) -> None:
    done = call(*ARGUMENTS, "--write", str(target))

    assert (done.status, done.out) == (0, "")
    assert done.err == f"{target / NAME}: written; condor_restart -startd makes it take effect\n"
    assert (target / NAME).read_text() == call(*ARGUMENTS).out


def test_a_second_run_changes_nothing(call: Call, target: Path) -> None:
    call(*ARGUMENTS, "--write", str(target))
    before = listing(target)
    done = call(*ARGUMENTS, "--write", str(target))

    assert (done.status, done.err) == (0, f"{target / NAME}: unchanged\n")
    assert before == listing(target)


def test_a_directory_that_other_software_manages(call: Call, target: Path) -> None:
    """What is written there may be deleted: written, compared or unchanged, it is said."""
    (target / "10-role.config").write_text("# Managed by Puppet\nA = 1\n")
    told = f"htcq: {target}/10-role.config says that Puppet manages it: if Puppet deletes what it"

    for flags, status in (((), 0), ((), 0), (("--check",), 0)):
        done = call(*ARGUMENTS, "--write", str(target), *flags)
        assert (done.status, told in done.err) == (status, True)
    assert told not in call(*ARGUMENTS, "--write", str(target), "--diff").err


def test_what_is_replaced_is_kept(call: Call, target: Path) -> None:
    call(*ARGUMENTS, "--write", str(target))
    former = (target / NAME).read_text()
    done = call("emit", "--node", "node.json", "--charge", "cpus=2", "--write", str(target))

    assert "written; condor_restart -startd makes it take effect" in done.err
    assert names(target) == [NAME, f"{NAME}~"]
    assert former == (target / f"{NAME}~").read_text()
    assert former != (target / NAME).read_text()


def test_a_new_weight_needs_a_reconfig_only(call: Call, target: Path) -> None:
    weights = ("emit", "--node", "node.json", "--weight", "cpus=1", "--write", str(target))
    call(*weights, "--weight", "memory=0.25/GiB")
    done = call(*weights, "--weight", "memory=0.5/GiB")

    assert "written; condor_reconfig makes it take effect" in done.err


@pytest.mark.parametrize("role", ["access", "central"])
def test_other_roles_have_files_of_their_own(role: str, call: Call, target: Path) -> None:
    done = call(*ARGUMENTS, "--role", role, "--write", str(target))

    assert "written; condor_reconfig makes it take effect" in done.err
    assert names(target) == [f"50-htcq-{role}.config"]


def test_another_name(call: Call, target: Path) -> None:
    call(*ARGUMENTS, "--write", str(target), "--file", "99-last.config")

    assert names(target) == ["99-last.config"]


def test_files_can_be_read_by_all_whatever_the_umask(call: Call, target: Path) -> None:
    former = os.umask(0o077)
    try:
        call(*ARGUMENTS, "--write", str(target))
    finally:
        os.umask(former)

    assert stat.S_IMODE((target / NAME).stat().st_mode) == 0o644


def test_the_difference_is_shown_and_nothing_changed(call: Call, target: Path) -> None:
    fresh = call(*ARGUMENTS, "--write", str(target), "--diff")
    assert (fresh.status, names(target)) == (0, [])
    assert fresh.out.startswith(f"--- /dev/null\n+++ {target / NAME}\n")

    call(*ARGUMENTS, "--write", str(target))
    before = listing(target)
    done = call(
        "emit", "--node", "node.json", "--charge", "memory=1GiB", "--write", str(target), "--diff"
    )
    assert re.search(r"^-CONSUMPTION_MEMORY = max\(\{2048,", done.out, re.MULTILINE)
    assert re.search(r"^\+CONSUMPTION_MEMORY = max\(\{1024,", done.out, re.MULTILINE)
    assert before == listing(target)
    assert call(*ARGUMENTS, "--write", str(target), "--diff").out == ""


def test_a_link_is_not_written_through(call: Call, target: Path) -> None:
    (target / "elsewhere").write_text("mine")
    (target / NAME).symlink_to("elsewhere")
    done = call(*ARGUMENTS, "--write", str(target))

    assert done.status == 2
    assert (target / "elsewhere").read_text() == "mine"
    assert (target / NAME).is_symlink()


def test_readers_never_see_half_a_file(call: Call, target: Path) -> None:
    """While two contents alternate, the file is always one of them; beside it and its backup are dot-files only."""
    other = ("emit", "--node", "node.json", "--charge", "memory=1GiB")
    whole = {call(*ARGUMENTS).out, call(*other).out}
    call(*ARGUMENTS, "--write", str(target))
    seen: set[str] = set()
    beside: set[str] = set()
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            seen.add((target / NAME).read_text())
            beside.update(name for name in names(target) if not name.startswith("."))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for text in sorted(whole) * 40:
            write(prepare(target, NAME, text, {}))
    finally:
        ended.set()
        watcher.join()

    assert seen == whole
    assert beside == {NAME, f"{NAME}~"}


def test_the_configuration_of_a_site_template(call: Call, quiet_place: Path) -> None:
    template = quiet_place / "site" / "condor" / "execute.config.j2"
    template.parent.mkdir(parents=True)
    text = "# {{ model }}\nSLOT_WEIGHT = {{ slots[0].weight }}\n"
    template.write_text(text)

    assert call(*ARGUMENTS, "--templates", "site").out.startswith(
        "# minimum-charge, charges cpus=1, memory=2GiB\n"
    )
    assert (
        call(*ARGUMENTS, "--templates", "site", "--role", "access").out
        == call(*ARGUMENTS, "--role", "access").out
    )


def test_the_site_file_names_model_and_templates(call: Call, quiet_place: Path) -> None:
    (quiet_place / "htcq.toml").write_text(
        "literal = true\n[capacity]\nmodel = 'fixed'\nclaims = 4\n"
    )
    done = call("emit", "--node", "node.json")

    assert "# Model: fixed, 4 claims, share even" in done.out
    assert "# Form: literal" in done.out


def test_a_failing_emit_prints_nothing_that_a_condor_config_could_read(command: Call) -> None:
    done = command("emit", "--node", "missing.json")

    assert (done.status, done.out) == (2, "")


def test_a_nested_emit_answers_nothing_at_once(command: Call) -> None:
    done = command("emit", "--node", "missing.json", **{NESTED_VARIABLE: "1"})

    assert (done.status, done.out, done.err) == (0, "", "")


READ = (
    "import htcondor2, json; print(json.dumps({k: htcondor2.param.get(k) for k in "
    "('SLOT_WEIGHT', 'NUM_CLAIMS')}))"
)


def test_a_condor_config_may_include_the_command(command: Call, quiet_place: Path) -> None:
    """The knobs arrive, and htcq, which looks into the same configuration, does not run in circles."""
    wrapper, log = quiet_place / "wrapped", quiet_place / "log"
    run = f"exec env PYTHONPATH={ROOT} {sys.executable} -m htcq"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {log}\n{run} "$@"\n')
    wrapper.chmod(0o755)
    config = quiet_place / "condor_config"
    flags = "--weight cpus=1 --weight memory=0.5/GiB --literal"
    config.write_text(
        f"include command : {wrapper} emit {flags} --execute {quiet_place}\nLOCAL_CONFIG_DIR =\n"
    )
    done = _python(READ, CONDOR_CONFIG=str(config))

    assert '"SLOT_WEIGHT": "Cpus + Memory / 2048.0"' in done
    assert re.search(r'"NUM_CLAIMS": "[1-9]', done)
    assert 1 <= len(log.read_text().splitlines()) <= 2


def test_writing_beside_an_included_command_does_not_run_in_circles(
    command: Call, quiet_place: Path, target: Path
) -> None:
    wrapper, log = quiet_place / "wrapped", quiet_place / "log"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {sys.executable} -m htcq "$@"\n')
    wrapper.chmod(0o755)
    config = quiet_place / "condor_config"
    config.write_text(
        f"LOCAL_CONFIG_DIR = {target}\ninclude command : {wrapper} emit --node "
        f"{quiet_place}/node.json\n"
    )
    done = command(*ARGUMENTS, "--write", str(target), CONDOR_CONFIG=str(config))

    assert done.status == 0, done.err
    assert names(target) == [NAME]
    assert len(log.read_text().splitlines()) <= 4


def _python(program: str, **environment: str) -> str:
    """Run ``program`` in a Python of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout


def test_the_central_weight_is_that_of_each_slot_type(call: Call, quiet_place: Path) -> None:
    """Six levels of one type's cpus are a division by 0 on a slot of the other type, which has two."""
    (quiet_place / "two.toml").write_text(
        "[slot_types.1]\n"
        'model = "quantized"\nlevel = { cpus = 6, memory = 6 }\n'
        'parts = { cpus = 6, memory = "75%", disk = "75%" }\n'
        "[slot_types.2]\n"
        'model = "quantized"\nlevel = { cpus = 2, memory = 2 }\n'
        'parts = { cpus = 2, memory = "25%", disk = "25%" }\n'
    )
    done = call("emit", "--node", "node.json", "--config", "two.toml", "--role", "central")

    assert (done.status, done.err) == (0, "")
    assert "SLOT_WEIGHT = ifThenElse(SlotTypeID =?= 2, ifThenElse(DynamicSlot" in done.out
