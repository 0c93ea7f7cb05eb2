"""A daemon looks knobs up by its local name, its subsystem, and without prefix (config.cpp: lookup_macro, 25.13).

tests/condor/test_own_knobs.py compares random files and a running pool with condor_config_val; here are single facts.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import htcq
from htcq.live.configuration import read_dump
from htcq.pool.configuration import (
    Configuration,
    Knob,
    configuration_from,
    configuration_of_files,
)
from htcq.pool.daemons import Daemon

TEXT = """\
GROUP_NAMES = a
NEGOTIATOR.GROUP_NAMES = a, a.b
negotiator.group_quota_a.b = 2
NGPU = $(NEGOTIATOR)
NGPU_ARGS = -f -local-name ngpu
NGPU.GROUP_NAMES = $(GROUP_NAMES), gpu
ngpu.GROUP_QUOTA_a.b = 1
NGPU.NEGOTIATOR_INTERVAL =
NEGOTIATOR_INTERVAL = 20
RANK = $(GROUP_NAMES) of $(LOCALNAME)
SCHEDD.CLAIM_PARTITIONABLE_LEFTOVERS = False
"""


def seen(text: str, subsystem: str, name: str = "") -> Configuration:
    return configuration_from("config.txt", text, read_dump, "NEGOTIATOR").of(subsystem, name)


@pytest.mark.parametrize(
    ("subsystem", "name", "values"),
    [
        ("NEGOTIATOR", "", ("a, a.b", "2", "20", "a, a.b of NEGOTIATOR", "true")),
        ("NEGOTIATOR", "ngpu@node.test", ("a, a.b, gpu", "1", "", "a, a.b, gpu of ngpu", "true")),
        ("NEGOTIATOR", "NGPU@node.test", ("a, a.b, gpu", "1", "", "a, a.b, gpu of ngpu", "true")),
        ("SCHEDD", "node.test", ("a", "", "20", "a of SCHEDD", "False")),
        ("STARTD", "slot@node.test", ("a", "", "20", "a of STARTD", "true")),
    ],
)
def test_each_daemon_sees_its_own(subsystem: str, name: str, values: tuple[str, ...]) -> None:
    found = seen(TEXT, subsystem, name)
    knobs = (
        "GROUP_NAMES", "GROUP_QUOTA_a.b", "NEGOTIATOR_INTERVAL", "RANK",
        "CLAIM_PARTITIONABLE_LEFTOVERS",
    )  # fmt: skip
    assert tuple(found.value(knob) for knob in knobs) == values


def test_a_knob_says_where_it_was_set() -> None:
    files = {"/etc/a": "GROUP_NAMES = a\n", "/etc/b": "\nNEGOTIATOR.GROUP_NAMES = b\n"}
    found = configuration_of_files("dir", files, read_dump, "NEGOTIATOR").knob("group_names")
    assert found is not None
    assert (found.name, found.bare, found.value, found.place, found.overridden) == (
        "NEGOTIATOR.GROUP_NAMES", "GROUP_NAMES", "b", "/etc/b:2", (),
    )  # fmt: skip


def test_conditions_hold_for_one_daemon_and_not_for_another() -> None:
    text = """\
if $(IsNegotiator)
  GROUP_NAMES = a
else
  GROUP_NAMES = b
endif
if ! defined NEGOTIATOR.GROUP_QUOTA_a
  NEGOTIATOR.GROUP_QUOTA_a = 1
endif
if version < 8.0
  GROUP_NAMES = old
endif
"""
    found = configuration_of_files("dir", {"f": text}, read_dump, "NEGOTIATOR")
    assert not found.conditional
    names = [(found.of(each).value("GROUP_NAMES")) for each in ("NEGOTIATOR", "SCHEDD")]
    assert names == ["a", "b"]
    knob = found.of("SCHEDD").knob("GROUP_NAMES")
    assert knob is not None
    assert (knob.place, knob.overridden) == ("f:4", ())
    assert found.value("GROUP_QUOTA_a") == "1"


def test_where_conditions_are_no_conditions_all_branches_count() -> None:
    """HTCondor refuses such a file as a whole."""
    text = "if $(A) && $(B)\nGROUP_NAMES = a\nendif\nNEGOTIATOR.GROUP_QUOTA_a = 2\n"
    found = configuration_of_files("dir", {"f": text}, read_dump, "NEGOTIATOR")
    assert found.conditional
    assert (found.value("GROUP_NAMES"), found.value("GROUP_QUOTA_a")) == ("a", "2")


def test_a_dump_of_a_daemon_tells_whose_it_is() -> None:
    text = "SUBSYSTEM = NEGOTIATOR\nLOCALNAME = NGPU\nNGPU.SLOT_WEIGHT = 2\nSLOT_WEIGHT = 2\n"
    assert seen(text, "NEGOTIATOR").daemon == Daemon("NEGOTIATOR", "NGPU")
    # What the schedd has without the prefix the dump does not say.
    assert seen(text, "SCHEDD").knob("SLOT_WEIGHT") is None


def test_a_knob_of_a_slot_type_counts_where_it_is_listed_without_prefix() -> None:
    """The startd finds them by their names (Resource.cpp: SlotType::init_types, 25.13)."""
    text = "STARTD.SLOT_TYPE_1_RANK = 5\nSTARTD.SLOT_TYPE_2_RANK = 6\nSLOT_TYPE_2_RANK = 7\n"
    found = seen(text, "STARTD")
    assert found.knob("SLOT_TYPE_1_RANK") is None
    assert found.value("SLOT_TYPE_2_RANK") == "6"


@pytest.mark.parametrize(
    "text",
    [
        "NEGOTIATOR.A = $(B)\nB = $(A)\n",
        "NGPU = $(NEGOTIATOR)\nNGPU.A = $(NEGOTIATOR.A)\nNEGOTIATOR.A = $(A)\n",
    ],
)
def test_a_circle_through_a_prefix_does_not_keep_the_parser(text: str) -> None:
    found = seen(f"{text}GROUP_NAMES = a\n", "NEGOTIATOR", "NGPU@x")
    assert found.value("GROUP_NAMES") == "a"


def test_a_knob_with_both_prefixes_is_found_by_a_macro_that_names_one_alone() -> None:
    """A negotiator NEGO of 25.14.1 had these values; condor_config_val prints 9 for the first."""
    text = """\
GROUP_QUOTA_c = 1
NEGOTIATOR.GROUP_QUOTA_c = $(GROUP_QUOTA_c)2
NEGO.GROUP_QUOTA_c = 7
NEGOTIATOR.NEGO.GROUP_QUOTA_c = 9
GROUP_QUOTA_d = $(GROUP_QUOTA_c)
GROUP_QUOTA_e = $INT(GROUP_QUOTA_c)
GROUP_QUOTA_f = $INT(NEGO.GROUP_QUOTA_c)
GROUP_QUOTA_g = $(NEGOTIATOR.NEGO.GROUP_QUOTA_c)
"""
    found = seen(text, "NEGOTIATOR", "NEGO@node.test")
    assert [found.value(f"GROUP_QUOTA_{name}") for name in "cdefg"] == ["7", "7", "7", "9", "9"]


def test_a_changed_knob_counts_for_all_who_see_it() -> None:
    found = seen(TEXT, "NEGOTIATOR")
    changed = found.with_knobs({"GROUP_NAMES": Knob("GROUP_NAMES", "z", "z")})
    assert {each.value("GROUP_NAMES") for each in (changed, *changed.others)} == {"z"}
    own = found.with_knobs({"NEGOTIATOR.GROUP_NAMES": None})
    assert "GROUP_NAMES" not in own
    assert own.of("SCHEDD").value("GROUP_NAMES") == "a"


# The code
# --------------------------------------------------------------------------------------------------

_READERS = ("configuration_from", "configuration_of_files")
_NEVER = re.compile(
    r'(?:knob|value|truth)\(f?"(?:NEGOTIATOR|SCHEDD|STARTD)\.|pool\.(?:access|execute)\.get\('
    r"|\bor (?:self\.)?_?pool\.central\b(?! is)|\.get\([^()]*central\)"
)
#: It says which configuration counts for which daemon.
_PLACE = "pool/pool.py"


def _modules() -> list[Path]:
    return sorted(Path(htcq.__file__).parent.rglob("*.py"))


def test_no_code_looks_prefixes_up_or_takes_one_daemons_configuration_for_anothers() -> None:
    places = [path for path in _modules() if not str(path).endswith(_PLACE)]
    assert len(places) > 500
    assert [str(path) for path in places if _NEVER.search(path.read_text())] == []


def test_every_configuration_is_read_for_a_daemon() -> None:
    calls = [
        call
        for path in _modules()
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in (*_READERS, "partial")
    ]
    readers = [
        call.args if getattr(call.func, "id", "") in _READERS else call.args[1:]
        for call in calls
        if getattr(call.func, "id", "") in _READERS or getattr(call.args[0], "id", "") in _READERS
    ]
    assert len(readers) >= 5
    assert min(len(arguments) for arguments in readers) == 4
