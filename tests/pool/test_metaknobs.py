"""Metaknobs are expanded as HTCondor expands them, which reads the same line here; nothing of a stranger's is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.live.configuration import read_configuration, read_dump
from htcq.live.templates import read_templates
from htcq.pool.config_statements import said_by
from htcq.pool.configuration import Configuration, configuration_of_files
from htcq.pool.metaknobs import Use, filled_in, uses_of


def read(text: str) -> Configuration:
    return configuration_of_files("test", {"file": text}, read_dump, ask=read_templates)


@pytest.mark.parametrize(
    "line",
    [
        "use ROLE : Execute", "use role:Personal", "@use ROLE : Submit, Execute CentralManager", "use POLICY : Always_Run_Jobs",
        "use FEATURE : GPUs", "use FEATURE : PartitionableSlot",
        "use FEATURE : PartitionableSlot(2, cpus=50%, memory=1/4)", "use FEATURE : StaticSlots(3, 4, cpus=1)",
        "use FEATURE : AssignAccountingGroup(/etc/condor/map)", "use FEATURE : AssignAccountingGroup(/etc/condor/map, False)",
        "use FEATURE : StartdCronPeriodic(health, 60, /usr/bin/check, -v)",
        "use POLICY : Limit_Job_Runtimes(3600)",
        "use FEATURE : ChildCollector(2, 9619)", "use FEATURE : Monitor(a, Periodic, 60, /bin/x, SUM:a, PEAK:b)",
        "use SECURITY : recommended_v9_0(condor, root@host, more@x, other@y)",
        "use FEATURE : SetJobAttrFromUsermap(Lab, Owner, labs)", "use FEATURE : REMOTE_RUNTIME_CONFIG(START, RANK)",
    ],
)  # fmt: skip
def test_a_metaknob_sets_what_htcondor_sets(line: str) -> None:
    found = read(f"{line}\n")
    # The parser is given no knob that loads or reads something: these keep their text.
    names = [each.name for each in found if not each.name.startswith("CLASSAD_USER_")]
    truth = read_configuration(f"{line}\n", names)

    assert names
    assert found.statements == ()
    for name, value in truth.items():
        assert found.value(name).split() == value.split()


def test_a_condition_of_a_template_is_not_decided_where_it_has_to_be_looked_up() -> None:
    said = said_by("use POLICY : Desktop\n", read_templates([Use("POLICY", "Desktop")]))

    assert {each.name for each in said.assignments if each.conditional} >= {"PolicyExprFragments"}
    assert "WANT_SUSPEND" in {each.name for each in said.assignments if not each.conditional}


def test_an_expanded_knob_stands_where_its_metaknob_does() -> None:
    found = read("A = 1\nuse ROLE : Execute\nDAEMON_LIST = $(DAEMON_LIST) SCHEDD\n")

    assert found.value("DAEMON_LIST") == "MASTER STARTD SCHEDD"
    said = read("A = 1\n\nuse ROLE : Execute\n").knob("DAEMON_LIST")
    assert said is not None
    assert said.place == "file:3"


@pytest.mark.parametrize(
    ("line", "flaw"),
    [
        ("use ROLE : Execut", "HTCondor has no metaknob ROLE:Execut"),
        ("use NOTHING : Execute", "HTCondor has no metaknob NOTHING:Execute"),
        ("use FEATURE : AssignAccountingGroup", "FEATURE:AssignAccountingGroup: it ends the daemon: use FEATURE : "),
    ],
)  # fmt: skip
def test_a_metaknob_that_ends_the_daemon_is_a_flaw_of_its_line(line: str, flaw: str) -> None:
    statement, *_ = read(f"A = 1\n{line}\n").statements

    assert (statement.line, statement.column) == (2, 1)
    assert statement.flaw.startswith(flaw)


def test_a_metaknob_under_a_name_that_has_to_be_looked_up_is_left_as_it_stands() -> None:
    (statement,) = read("use $(KIND) : Execute\n").statements

    assert (statement.text, statement.flaw) == ("use $(KIND) : Execute", "")


def test_arguments_become_no_command(tmp_path: Path) -> None:
    """A template may begin a line with an argument, as OneShotCronHook does; HTCondor runs what that says."""
    made = tmp_path / "made"
    line = f"use FEATURE : OneShotCronHook(include command : /usr/bin/touch {made} \\#, x, y)\n"
    read_configuration("A = 1\n", ["A"])
    found = read(line)

    assert not made.exists()
    assert "A" not in found


def test_several_metaknobs_and_brackets_in_their_arguments() -> None:
    found = list(uses_of("FEATURE", "A(x, $(B), f(1,2)), C D([)])"))

    assert [(each.name, each.arguments) for each in found] == [
        ("A", "x, $(B), f(1,2)"),
        ("C", ""),
        ("D", "[)]"),
    ]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("$(1) $(2) $(4)", "a b"), ("$(0)", "a,b , c"), ("$(0#)", "3"), ("$(2+)", "b, c"), ("$(4:$(1)x)", "ax"),
        ("$(1?)$(4?)", "10"), ("$(4:1/$(N_$(1)))", "1/$(N_a)"), ("$(X)$(1)$(Y:1)", "$(X)a$(Y:1)"), ("$(1", "a"),
    ],
)  # fmt: skip
def test_arguments_are_filled_in(template: str, expected: str) -> None:
    assert filled_in(template, " a,b , c ").strip() == expected
