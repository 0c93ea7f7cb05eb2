"""HTCondor's own parser, in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.live.configuration import own_configuration, read_configuration


def test_macros_are_expanded_and_undefined_names_left_out() -> None:
    values = read_configuration("A = 1\nB = $(A) + $(A)\nIF_ME = $(NOTHING:x)\n", ["A", "B", "IF_ME", "NOTHING_AT_ALL"])

    assert values == {"A": "1", "B": "1 + 1", "IF_ME": "x"}


def test_htcondors_defaults_are_known() -> None:
    assert read_configuration("", ["SLOT_WEIGHT", "MODIFY_REQUEST_EXPR_REQUESTCPUS"]) == {
        "SLOT_WEIGHT": "Cpus",
        "MODIFY_REQUEST_EXPR_REQUESTCPUS": "quantize(RequestCpus,{1})",
    }


@pytest.mark.parametrize("text", ["if true\n", "no assignment\n", "use NO : SUCHTHING\n", "include : /no/such/file\n"])
def test_a_text_that_cannot_be_read_is_one_error_and_this_process_lives(text: str) -> None:
    with pytest.raises(InputError, match="HTCondor cannot read it") as refused:
        read_configuration(text, ["A"])

    assert "\n" not in str(refused.value)


def test_one_reading_knows_nothing_of_another() -> None:
    read_configuration("SLOT_WEIGHT = Memory\n", ["SLOT_WEIGHT"])

    assert read_configuration("A = 1\n", ["SLOT_WEIGHT"]) == {"SLOT_WEIGHT": "Cpus"}


def test_neither_environment_nor_this_machines_files_get_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").write_text("SLOT_WEIGHT = Disk\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "own"))
    monkeypatch.setenv("_CONDOR_SLOT_WEIGHT", "Memory")

    assert read_configuration("A = 1\n", ["SLOT_WEIGHT"]) == {"SLOT_WEIGHT": "Cpus"}
    assert os.environ["CONDOR_CONFIG"] == str(tmp_path / "own")


def test_this_machines_own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").write_text(f"MY_DIR = {tmp_path}/$(MY_NAME)\nMY_NAME = x\nLOCAL_CONFIG_DIR =\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "own"))

    assert own_configuration(["MY_DIR", "NOTHING_AT_ALL"]) == {"MY_DIR": f"{tmp_path}/x"}


def test_no_configuration_of_its_own_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "/no/such/file")

    assert own_configuration(["SLOT_WEIGHT"]) in ({}, {"SLOT_WEIGHT": "Cpus"})
