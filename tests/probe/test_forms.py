"""The forms in which ``htcq probe`` prints a node: JSON, ClassAd lines, STARTD_CRON and the table."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys

import classad2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import WORKING_NAMES, recorded_machine

from htcq.cli import main as cli
from htcq.cli import probe as command
from htcq.node import Gpu, Node, Source, node_from_facts
from htcq.probe import cron_lines, long_lines, probe_machine
from htcq.probe.classad_lines import quoted
from htcq.report.terminal import show_table

NODE = Node(
    cpus=16,
    memory_mb=65536,
    disk_kb=10**9,
    gpus=1,
    custom={"Tokens": 3},
    gpu_devices=(Gpu("GPU-a0223334", 'Tesla "V100"'),),
    sources=(
        Source("cpus", 16, "DETECTED_CPUS", "because"),
        Source("custom.Tokens", 3, "MACHINE_RESOURCE_Tokens", "so"),
    ),
    notes=("one [bold]", "two"),
)


def read_ad(lines):
    return classad2.parseOne("\n".join(lines) + "\n")


def test_long_form_is_read_by_htcondor():
    ad = read_ad(long_lines(NODE))
    assert (ad["HtcqCpus"], ad["HtcqMemory"], ad["HtcqDisk"], ad["HtcqGPUs"]) == (
        16,
        65536,
        10**9,
        1,
    )
    assert ad["HtcqCustomTokens"] == 3
    assert ad["HtcqCpusOrigin"] == "DETECTED_CPUS"
    assert ad["HtcqGPUNames"] == 'Tesla "V100"'
    assert ad["HtcqNotes"] == "one [bold]; two"


@pytest.mark.parametrize("name", WORKING_NAMES)
def test_no_attribute_of_the_startd_is_ever_overwritten(name):
    lines = long_lines(probe_machine(recorded_machine(name)))
    assert all(re.match(r"Htcq[A-Za-z0-9_]+ = ", line) for line in lines)
    assert len(read_ad(lines)) == len(lines)


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs"))).filter(str.isprintable))
def test_htcondor_reads_every_printable_string_back(text):
    ad = read_ad([f"A = {quoted(text)}", "B = 1"])
    assert (ad["A"], ad["B"]) == (text, 1)


@given(st.text())
def test_a_string_never_breaks_its_line(text):
    assert len(quoted(text).splitlines()) == 1


def test_cron_form_ends_the_ad_and_asks_for_an_update():
    assert cron_lines(NODE) == (*long_lines(NODE), "- update:true")


@pytest.fixture
def probed(monkeypatch):
    monkeypatch.setattr("htcq.probe.probe_node", lambda execute, params: NODE)


@pytest.mark.usefixtures("probed")
@pytest.mark.parametrize("spelling", ["--json", "-json"])
def test_json_is_the_node(spelling, capsys):
    assert cli.run(["probe", spelling]) == 0
    assert node_from_facts(json.loads(capsys.readouterr().out)) == NODE


@pytest.mark.usefixtures("probed")
@pytest.mark.parametrize(
    ("option", "lines"), [("-long", long_lines), ("--long", long_lines), ("--cron", cron_lines)]
)
def test_classad_forms(option, lines, capsys):
    assert cli.run(["probe", option]) == 0
    assert capsys.readouterr().out.splitlines() == list(lines(NODE))


@pytest.mark.usefixtures("probed")
def test_two_forms_at_once_are_refused(capsys):
    assert cli.run(["probe", "--json", "--long"]) == 2
    assert "--json and --long contradict each other" in capsys.readouterr().err


@pytest.mark.usefixtures("probed")
def test_the_table_shows_values_sources_devices_and_notes(capsys):
    assert cli.run(["probe"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"cpus\s+16\s+DETECTED_CPUS\s+because",
        next(line for line in lines if line.startswith("cpus")),
    )
    assert 'GPU GPU-a0223334: Tesla "V100", memory unknown' in lines
    assert lines[-2:] == ["note: one [bold]", "note: two"]


def test_a_machine_nobody_knows_ends_with_3(monkeypatch, capsys):
    monkeypatch.setattr("htcq.probe.this_machine", lambda *_: recorded_machine("nothing-known"))
    assert cli.run(["probe"]) == 3
    assert capsys.readouterr().err.startswith("htcq: no authority could tell the number of cpus")


def test_bindings_are_handed_on(monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(
        "htcq.probe.probe_node", lambda execute, params: seen.append((execute, params)) or NODE
    )
    parser = cli.Parser()
    command.add_arguments(parser)
    assert command.main(parser.parse_args(["-execute", "/scratch"]), len) == 0
    assert seen == [("/scratch", len)]
    capsys.readouterr()


class Terminal(io.StringIO):
    def isatty(self):
        return True


ROWS = (("cpus", "[red]16"), ("memory", "64 GiB"))


def test_plain_text_has_aligned_columns_and_no_trailing_blanks(monkeypatch):
    stream = io.StringIO()
    show_table("node", ("FACT", "VALUE"), ROWS, stream)
    assert (
        stream.getvalue()
        == "node\nFACT    VALUE\n------  -------\ncpus    [red]16\nmemory  64 GiB\n"
    )


def test_a_terminal_gets_colour_unless_the_user_wants_none(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, plain = Terminal(), Terminal()
    show_table("node", ("FACT", "VALUE"), ROWS, coloured)
    assert "\x1b[" in coloured.getvalue()
    assert "[red]16" in coloured.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    show_table("node", ("FACT", "VALUE"), ROWS, plain)
    assert "\x1b[" not in plain.getvalue()


def test_importing_the_command_loads_no_library():
    libraries = {"psutil", "pynvml", "rich", "subprocess", "htcondor2", "classad2"}
    code = (
        f"import sys, htcq.cli.probe, htcq.probe; print(*sorted({libraries!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
