"""What overrides a written file, as HTCondor's own parser reads the directory that it is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.emit.overrides import BESIDE, Override, files_in, overrides, place_of, raw_values
from htcq.live.own_machine import configuration_in_effect
from htcq.pool.configuration import assignments

OURS = """# Written by htcq
NUM_SLOTS_TYPE_1 = 1
HTCQ_1_QUANTUM = 2048
SLOT_WEIGHT = Cpus + Memory / $(HTCQ_1_QUANTUM)
CONSUMPTION_POLICY = True
NUM_CLAIMS = $(NUM_CPUS)
if defined MACHINE_RESOURCE_NAMES
  MACHINE_RESOURCE_NAMES = $(MACHINE_RESOURCE_NAMES) htcqclaims
endif
START = ($(START)) && (NumDynamicSlots < 3)
STARTD_ATTRS = $(STARTD_ATTRS) HtcqModel
"""


def found(directory: Path, subsystem: str = "STARTD") -> dict[str, str]:
    """The overridden knobs, with the file and line that win."""
    names = [*(each.name for each in assignments(OURS)), *BESIDE]
    effect = configuration_in_effect(subsystem, str(directory), names, raw_values(OURS))
    later = files_in(directory, "")[1:]
    return {
        f"{each.name} = {each.value}": place_of(each.name, subsystem, later)
        for each in overrides(OURS, effect.expanded, effect.values)
    }


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ("A = 1\n", {}),
        ("SLOT_WEIGHT = Cpus\n", {"SLOT_WEIGHT = Cpus": "99-old.config:1"}),
        ("\nslot_weight = \\\n  Cpus\n", {"SLOT_WEIGHT = Cpus": "99-old.config:2"}),
        ("slot_weight = Cpus  + Memory / $(HTCQ_1_QUANTUM)\n", {}),
        ("HTCQ_1_QUANTUM = 1024\n", {"HTCQ_1_QUANTUM = 1024": "99-old.config:1"}),
        ("CONSUMPTION_POLICY = true\n", {}),
        ("CONSUMPTION_POLICY =\n", {"CONSUMPTION_POLICY = ": "99-old.config:1"}),
        ("STARTD.SLOT_WEIGHT = 1\nSLOT_WEIGHT = 2\n", {"SLOT_WEIGHT = 1": "99-old.config:1"}),
        ("SCHEDD.SLOT_WEIGHT = 1\n", {}),
        ("CONSUMPTION_POLICY = (1 == 1)\n", {}),
        ("CONSUMPTION_POLICY = 1 > 2\n", {"CONSUMPTION_POLICY = 1 > 2": "99-old.config:1"}),
        ("M1.SLOT_WEIGHT = 1\n", {}),
        (
            "M1 = /usr/sbin/condor_startd\nM1.SLOT_WEIGHT = 1\nM1.RANK = 1\n",
            {"M1.SLOT_WEIGHT = 1": "99-old.config:2"},
        ),
        (
            "STARTD_ARGS = -local-name big\nbig.slot_weight = 1\n",
            {"BIG.SLOT_WEIGHT = 1": "99-old.config:2"},
        ),
        ("N2 = $(NEGOTIATOR)\nN2.SLOT_WEIGHT = 1\n", {}),
        ("SLOT_TYPE_1_SLOT_WEIGHT = 1\n", {"SLOT_TYPE_1_SLOT_WEIGHT = 1": "99-old.config:1"}),
        ("SLOT_TYPE_2_SLOT_WEIGHT = 1\n", {}),
        ("SLOT_TYPE_1_RANK = 1\n", {}),
        ("NUM_SLOTS_TYPE_2 = 1\n", {"NUM_SLOTS_TYPE_2 = 1": "99-old.config:1"}),
        ("NUM_SLOTS_TYPE_2 = 0\n", {}),
        ("START = False\n", {"START = False": "99-old.config:1"}),
        ("START = ($(START)) && (Owner == 1)\n", {}),
        ("STARTD_ATTRS = $(STARTD_ATTRS) Mine\n", {}),
        ("STARTD_ATTRS = Mine\n", {"STARTD_ATTRS = Mine": "99-old.config:1"}),
        ("MACHINE_RESOURCE_NAMES = GPUs\n", {"MACHINE_RESOURCE_NAMES = GPUs": "99-old.config:1"}),
    ],
)
def test_what_a_later_file_overrides(others: str, told: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "50-htcq-execute.config").write_text(OURS)
    (tmp_path / "99-old.config").write_text(others)

    assert found(tmp_path) == {knob: f"{tmp_path}/{place}" for knob, place in told.items()}


def test_an_earlier_file_overrides_nothing(tmp_path: Path) -> None:
    (tmp_path / "10-old.config").write_text(
        "SLOT_WEIGHT = 7\nSTARTD_ATTRS = Mine\nMACHINE_RESOURCE_NAMES = GPUs\n"
    )
    (tmp_path / "50-htcq-execute.config").write_text(OURS)

    assert found(tmp_path) == {}


def test_every_override_is_told(tmp_path: Path) -> None:
    (tmp_path / "50-htcq-execute.config").write_text(OURS)
    (tmp_path / "60-a").write_text("SLOT_WEIGHT = 1\nNUM_CLAIMS = 3\n")
    (tmp_path / "70-b").write_text("SLOT_WEIGHT = 2\n")

    assert found(tmp_path) == {
        "SLOT_WEIGHT = 2": f"{tmp_path}/70-b:1",
        "NUM_CLAIMS = 3": f"{tmp_path}/60-a:2",
    }


def test_files_that_htcondor_ignores_are_not_searched(tmp_path: Path) -> None:
    for name in ("50-a", "90-b~", ".hidden"):
        (tmp_path / name).write_text("A = 1\n")
    (tmp_path / "directory").mkdir()

    assert [path.name for path in files_in(tmp_path, r"^((\..*)|(.*~))$")] == ["50-a"]
    assert files_in(tmp_path / "nowhere", "") == []


def test_a_knob_that_is_gone_is_told_with_the_value_that_it_should_have() -> None:
    assert overrides("NUM_CLAIMS = 8\n", ["8"], {}) == (Override("NUM_CLAIMS", "", "8"),)
