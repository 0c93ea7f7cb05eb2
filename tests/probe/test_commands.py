"""Running HTCondor's tools: found where they are, marked against recursion, and never an exception."""

from __future__ import annotations

import pytest

from htcq.probe import NESTED_VARIABLE, commands
from htcq.probe.commands import find_tool, run_tool


@pytest.fixture
def tool(tmp_path, monkeypatch):
    def make(script):
        path = tmp_path / "condor_made_up"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        return ("condor_made_up", "-dump")

    return make


def test_a_missing_tool_is_no_answer(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert run_tool(("condor_that_does_not_exist",)) is None
    assert run_tool(("/usr/libexec/condor/that_does_not_exist",)) is None


def test_every_tool_is_told_that_htcq_started_it(tool):
    answer = run_tool(tool(f'echo "$1 [${NESTED_VARIABLE}]"'))
    assert answer.output == "-dump [1]\n"
    assert answer.status == 0


def test_a_failing_tool_answers_with_its_complaint_on_one_line(tool):
    answer = run_tool(tool("echo some; echo 'first' >&2; echo ' second' >&2; exit 3"))
    assert (answer.status, answer.complaint) == (3, "first second")


def test_a_tool_that_hangs_is_given_up(tool, monkeypatch):
    monkeypatch.setattr(commands, "_PATIENCE_S", 0.2)
    assert run_tool(tool("exec sleep 60")).status == 124


def test_a_tool_that_cannot_be_executed_is_a_failure(tool, tmp_path):
    words = tool("")
    (tmp_path / words[0]).write_bytes(b"\x00not a program")
    assert run_tool(words).status == 126


def test_htcondors_places_are_searched_when_path_does_not_lead_there(tmp_path, monkeypatch):
    (tmp_path / "condor_made_up").write_text("")
    (tmp_path / "condor_made_up").chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(commands, "_USUAL_PLACES", (str(tmp_path),))
    assert find_tool("condor_made_up") == f"{tmp_path}/condor_made_up"
