"""Configuration as HTCondor prints it, filled in by its own parser, and never a command or a file of this machine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.live.configuration import Dump, read_configuration, read_dump
from htcq.pool.configuration import (
    Configuration,
    Statement,
    assignments,
    configuration_from,
    safe_text,
)


def read(text: str) -> Configuration:
    return configuration_from("config.txt", text, read_dump)


def test_macros_are_filled_in_by_htcondors_own_parser() -> None:
    found = read(
        "BASE = /pool\nLOG = $(BASE)/log\nHALF = $INT(EIGHT,%d)\nEIGHT = 16/2\n"
        "NAMES = $(NONE:nobody)\n"
    )

    assert [found.value(name) for name in ("log", "HALF", "Names")] == ["/pool/log", "8", "nobody"]
    knob = found.knob("LOG")
    assert knob is not None
    assert (knob.name, knob.raw) == ("LOG", "$(BASE)/log")


def test_a_knob_that_names_itself_means_its_value_so_far() -> None:
    assert read("ATTRS = Rack\nATTRS = $(ATTRS) Site\n").value("ATTRS") == "Rack Site"


def test_names_are_found_in_any_case_and_keep_their_own() -> None:
    found = read("Group_Names = a, b\n")

    assert "GROUP_NAMES" in found
    assert [knob.name for knob in found] == ["Group_Names"]


def test_defaults_are_those_of_htcondor() -> None:
    found = read("SLOT_WEIGHT = Memory\n")

    assert (found.value("SLOT_WEIGHT"), found.knob("CONSUMPTION_MEMORY")) == ("Memory", None)
    assert found.value("CONSUMPTION_MEMORY") == "quantize(target.RequestMemory,{128})"
    assert found.value("NO_SUCH_KNOB", "otherwise") == "otherwise"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("True", True), ("t", None), ("YES", None), ("1", True), ("false", False), ("n", None), ("0", False), ("", None),
     ("1 == 1", True), ("2 < 1", False)],
)  # fmt: skip
def test_truth_is_read_as_htcondor_reads_it(text: str, expected: bool | None) -> None:
    """string_is_boolean_param of src/condor_utils/condor_config.cpp, 25.14: yes and no are no truth values."""
    found = read(f"SWITCH = {text}\n")

    assert found.truth("SWITCH", True) is (True if expected is None else expected)
    assert found.truth("SWITCH", False) is (False if expected is None else expected)


VERBOSE = """# Configuration from machine: central
GROUP_NAMES = a, b
 # at: /etc/condor/config.d/10-groups.config, line 3
 # raw: GROUP_NAMES = a, b
SLOT_WEIGHT = Cpus
 # at: <Default>
"""


def test_where_a_knob_was_set_stands_below_it() -> None:
    found = {each.name: each.place for each in assignments(VERBOSE)}

    assert found == {
        "GROUP_NAMES": "/etc/condor/config.d/10-groups.config:3",
        "SLOT_WEIGHT": "<Default>",
    }


def test_values_of_several_lines_are_kept() -> None:
    for begins in ("SCRIPT @=end", "SCRIPT@=end", "SCRIPT  @= end"):
        found = read(f"{begins}\none = 1\n\n  two\n@end\nAFTER = 2\n")

        assert found.value("SCRIPT").split() == ["one", "=", "1", "two"]
        assert found.value("AFTER") == "2"
        assert "ONE" not in found


def test_continued_lines_are_one() -> None:
    found = read("NAMES = a, \\\n   b, \\\n   c\nAFTER = 2\n")

    assert found.value("NAMES").replace(" ", "") == "a,b,c"
    assert found.value("AFTER") == "2"


@pytest.mark.parametrize("ending", ["\\", "\\ ", "\\\\ \\ ", "\\\t\\"])
def test_a_backslash_at_the_end_of_a_line_takes_the_next_one(ending: str) -> None:
    """White space after it does not matter; HTCondor itself says what comes of it."""
    text = f"FIRST = x {ending} \nSECOND = 2\nTHIRD = 3\n"
    found = read(text)
    truth = read_configuration(text, ["FIRST", "SECOND", "THIRD"])

    assert "SECOND" not in truth
    # A tab within a value is given to HTCondor as a space.
    assert found.value("FIRST") == truth["FIRST"].replace("\t", " ")
    assert ("SECOND" in found, found.value("THIRD")) == (False, "3")


def test_names_that_htcondor_refuses_are_kept_and_never_given_to_it() -> None:
    """Its parser would end at them."""
    given: list[str] = []

    def parse(text: str, names: object, of_daemons: object) -> Dump:
        given.append(text)
        return {}, {}, []

    found = configuration_from(
        "config.txt", "GROUP_QUOTA_nice-user = 4\nif = 3\nendif = 1\nGOOD = 1\n", parse
    )

    assert {knob.name: knob.value for knob in found} == {
        "GROUP_QUOTA_nice-user": "4",
        "if": "3",
        "endif": "1",
        "GOOD": "1",
    }
    assert given == ["GOOD = 1\n"]


def test_what_assigns_nothing_is_told_with_its_line() -> None:
    found = read("A = 1\n\n# comment\ninclude : /etc/other\nuse ROLE : Personal\nB = 2\n")

    assert found.statements == (
        Statement(4, "include : /etc/other"),
        Statement(5, "use ROLE : Personal"),
    )
    assert (found.value("A"), found.value("B")) == ("1", "2")


def test_a_knob_of_another_subsystem_is_a_knob_of_its_own() -> None:
    found = read("SCHEDD.SLOT_WEIGHT = Memory\nSLOT_WEIGHT = Cpus\n")

    assert (found.value("SCHEDD.SLOT_WEIGHT"), found.value("SLOT_WEIGHT")) == ("Memory", "Cpus")


#: Texts from elsewhere that try to run a command here; {touch} is the command.
ATTACKS: dict[str, str] = {
    "include command": "include command : {touch}\n",
    "include output": "include : {touch} |\n",
    "include in capitals": "INCLUDE COMMAND : {touch}\n@include command : {touch}\n",
    "include into a cache": "include command into /dev/null : {touch}\n",
    "include as a knob": "include = {touch} |\ninclude command = {touch}\n",
    "local config file": "LOCAL_CONFIG_FILE = {touch} |\n",
    "local config file, any case": "Local_Config_File = {touch} |\n",
    "local config file of tools": "TOOL.LOCAL_CONFIG_FILE = {touch} |\n",
    "local config file of a local name": "TOOL.x.LOCAL_CONFIG_FILE = {touch} |\nx.LOCAL_CONFIG_FILE = {touch} |\n",
    "local root config file": "LOCAL_ROOT_CONFIG_FILE = {touch} |\nTOOL.LOCAL_ROOT_CONFIG_FILE = {touch} |\n",
    "through a macro": "CMD = {touch} |\nLOCAL_CONFIG_FILE = $(CMD)\nTOOL.LOCAL_CONFIG_FILE = $(CMD)\n",
    "in a value of several lines": "X @=end\ninclude command : {touch}\n@end\n",
    "after the mark that ends our own": "X @=end\n@htcq_end_of_value\ninclude command : {touch}\nx\n@end\n",
    "after any mark that ends our own": "X @=end\n@htcq_end_of_value\n@htcq_end_of_value_0\n@HTCQ_END_OF_VALUE_1\n"
    "include command : {touch}\nx\n@end\n",
    "behind a swallowed line": "A = x \\ \nB @=end\ninclude command : {touch}\nx\n@end\n",
    "behind a swallowed line of a value": "A @=end\nx \\ \n@end\nB @=end\ninclude command : {touch}\nx\n@end\n",
    "behind a byte of nothing": "A = x\0\nB @=end\ninclude command : {touch}\nx\n@end\n",
    "behind a carriage return": "A = x\rinclude command : {touch}\n",
    "behind other ends of lines": "A = x\x0binclude command : {touch}\x0cinclude command : {touch}\x85"
    "include command : {touch}\u2028include command : {touch}\n",
    "in a condition": "if true\ninclude command : {touch}\nendif\n",
    "with a mark that never comes": "A @=end\ninclude command : {touch}\n",
    "in macro functions": "A = $ENV(HOME) $F(x) $EVAL(x)\nB = $(A:include command : {touch})\n",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_configuration_from_elsewhere_runs_nothing(name: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    found = read(
        "SOUND = $(HALF)\nHALF = 8\n" + ATTACKS[name].replace("{touch}", f"/usr/bin/touch {made}")
    )

    assert not made.exists()
    assert found.value("SOUND") == "8"


def test_the_commands_of_these_attacks_would_work(tmp_path: Path) -> None:
    """Given to the parser as it stands, such a text runs its command."""
    made = tmp_path / "made"
    read_dump(f"include command : /usr/bin/touch {made}\n", ["A"])

    assert made.exists()


@pytest.mark.parametrize(
    "knobs",
    [
        "LOCAL_CONFIG_FILE = {place}/file\nTOOL.LOCAL_CONFIG_FILE = {place}/file\n",
        "LOCAL_CONFIG_DIR = {place}\nTOOL.LOCAL_CONFIG_DIR = {place}\n",
        "USER_CONFIG_FILE = {place}/file\nTOOL.USER_CONFIG_FILE = {place}/file\n",
        (
            "ENABLE_PERSISTENT_CONFIG = true\nPERSISTENT_CONFIG_DIR = {place}\n"
            "TOOL.PERSISTENT_CONFIG_DIR = {place}\n"
        ),
        "include : {place}/file\n@include : {place}/file\ninclude ifexist : {place}/file\n",
    ],
)
def test_a_configuration_from_elsewhere_reads_no_file(knobs: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "file").write_text("OURS = secret\nSLOT_WEIGHT = secret\n")
    (place / ".config.TOOL").write_text("RUNTIME_CONFIG_ADMIN = x\n")
    found = read(knobs.replace("{place}", str(place)) + "OTHER = $(OURS:nothing)\n")

    assert found.value("OTHER") == "nothing"
    assert found.value("SLOT_WEIGHT") == "Cpus"


def test_knobs_that_are_not_given_to_the_parser_keep_their_text() -> None:
    found = read("ENABLE_PERSISTENT_CONFIG = true\nLOCAL_CONFIG_DIR = /etc/condor/config.d\n")

    assert found.value("ENABLE_PERSISTENT_CONFIG") == "true"
    assert found.value("LOCAL_CONFIG_DIR") == "/etc/condor/config.d"


def test_no_library_with_functions_for_expressions_is_loaded() -> None:
    text = safe_text(
        assignments(
            "CLASSAD_USER_LIBS = /x.so\nCLASSAD_USER_PYTHON_LIB = /y.so\n"
            "TOOL.CLASSAD_USER_LIBS = z\n"
        )
    )

    assert text == ""


CIRCLES = {
    "two": "A = $(B)\nB = $(A)\n",
    "two that grow": "A = x$(B)\nB = y$(A)\n",
    "three": "A = $(B)\nB = $(C:1)\nC = $INT(A)\n",
    "defaults": "A = $(B:$(A))\nB = $(A:$(B))\n",
    "functions": "A = $F(B)\nB = $F(A)\n",
    "itself in a function": "A = 1\nB = 2\nA = $INT(A)\n",
    "itself in a function of a default": "A = 1\nB = 2\nA = $(NONE:$EVAL(A))\n",
    "doubling": "A0 = xxxxxxxxxx\n"
    + "".join(f"A{each} = $(A{each - 1})$(A{each - 1})\n" for each in range(1, 50)),
    "doubling itself": "A = x\n" + "A = $(A)$(A)\n" * 50,
}


@pytest.mark.parametrize("name", CIRCLES)
def test_what_would_be_filled_in_for_ever_keeps_its_text_and_costs_nothing_else(name: str) -> None:
    """The parser itself would never come back, or run out of memory."""
    began = time.monotonic()
    found = read(CIRCLES[name] + "SOUND = $(HALF)/2\nHALF = 8\n")

    assert found.value("SOUND") == "8/2"
    assert time.monotonic() - began < 20
    last = list(found)[-3]
    assert last.value == last.raw


def test_a_circle_through_a_name_that_is_put_together_is_ended() -> None:
    """Only the parser knows the name; it gets some seconds."""
    with pytest.raises(InputError, match="HTCondor cannot read it"):
        read("A = $($(P))\nP = A\n")


def test_a_long_chain_and_a_long_value_are_no_circle() -> None:
    chain = "".join(f"A{each} = $(A{each + 1})\n" for each in range(300))
    found = read(
        f"{chain}A300 = end\nHOSTS = {', '.join(f'node{each}.site' for each in range(8000))}\n"
        "ALLOW = $(HOSTS)\n"
    )

    assert found.value("A0") == "end"
    assert found.value("ALLOW").endswith("node7999.site")
