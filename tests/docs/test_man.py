"""The manual pages say what the code does: every option, key, name and reference, and nothing that is not there."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from htcq import settings
from htcq.audit.catalog import FAMILIES, rules_of_pools
from htcq.audit.site import THRESHOLDS
from htcq.balance.causes import CAUSES
from htcq.capacity.choice import MODELS, RULES, SHARES
from htcq.capacity.fixed import TOKEN
from htcq.capacity.presets import NAMES
from htcq.cli.audit import FORM_OPTIONS
from htcq.cli.main import COMMANDS, Parser, run
from htcq.drift.changes import CHANGING
from htcq.drift.compare import What
from htcq.emit import ROLES
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE, NESTED_VARIABLE
from htcq.node import Gpu, Node, Source, node_facts
from htcq.operations.site_file import toml_of
from htcq.policy.consumption import SPLITTINGS
from htcq.poolquota.ailment import Ailment
from htcq.report.column import names
from htcq.report.views.audit import audit_metrics
from htcq.report.views.audit_json import audit_json
from htcq.report.views.drift import COLUMNS, drift_json
from htcq.report.views.drift_check import METRICS
from htcq.report.views.drift_record import drift_metrics
from htcq.report.views.ledger import LEDGER_COLUMNS
from htcq.report.views.rules import rules_json
from htcq.report.views.sweep import sweep_json
from htcq.simulate.sweep import Ground
from tests.docs.documents import PAGES, README, ROOT, plain, references, section, tags, words
from tests.report.audits import SAMPLE
from tests.report.observations import BIO, CHEM, looked_at
from tests.report.stories import STORY
from tests.report.test_sweep import RUNS as SWEEP_RUNS

OVERVIEW = ROOT / "man/man1/htcq.1"
SITE_FILE = ROOT / "man/man5/htcq.toml.5"
MODELS_PAGE = ROOT / "man/man7/htcq-models.7"
GLOBAL_OPTIONS = {"--help", "--version"}

on_every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
on_every_command = pytest.mark.parametrize("command", sorted(COMMANDS))


def command_page(command: str) -> Path:
    return ROOT / f"man/man1/htcq-{command}.1"


def option_strings(command: str) -> set[str]:
    """Return what argparse itself takes."""
    module = importlib.import_module(f"htcq.cli.{command}")
    parser: argparse.ArgumentParser = Parser(prog=command)
    module.add_arguments(parser)
    return set().union(*(each._option_string_actions for each in parsers_of(parser))) - {"-help"}


def parsers_of(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield ``parser`` and those of its actions, such as emit of quota."""
    yield parser
    for chooser in parser._actions:
        if isinstance(chooser, argparse._SubParsersAction):
            for chosen in chooser.choices.values():
                yield from parsers_of(chosen)


def rendered(page: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "GROFF_NO_SGR": "1"}
    command = ["man", *flags, "-E", "UTF-8", "-l", "-Tutf8", str(page)]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, timeout=60
    )


@on_every_page
def test_a_page_renders_without_a_warning(page: Path) -> None:
    done = rendered(page, "--warnings=w")

    assert (done.returncode, done.stderr) == (0, "")
    assert page.stem.upper() in done.stdout


def test_a_warning_would_be_seen(tmp_path: Path) -> None:
    page = tmp_path / "bad.1"
    page.write_text(".TH BAD 1\n.SH NAME\nbad \\- a page\n.XYZ\n")

    assert "XYZ" in rendered(page, "--warnings=w").stderr


def test_what_is_copied_from_a_page_of_man_is_taken() -> None:
    """Each setting that the page of the site file gives as an example: its quotes survive what roff makes of them."""
    shown = " ".join(re.sub(".\b", "", rendered(SITE_FILE).stdout).split())
    found = re.findall(r"\\fB([a-z_]+ = .*?)\\fP", SITE_FILE.read_text(encoding="utf-8"))
    settings_shown = [plain(each) for each in found]

    assert 'model = "quantized"' in settings_shown
    assert [line for line in settings_shown if line not in shown] == []
    assert all(toml_of(line) for line in settings_shown)


@on_every_command
def test_every_command_has_a_page_and_stands_in_the_overview(command: str) -> None:
    assert command_page(command) in PAGES
    assert f"htcq-{command}.1" in references(OVERVIEW)
    assert any(tag.startswith(command) for tag in tags(section(OVERVIEW, "COMMANDS")))
    assert f"`htcq {command}`" in README.read_text(encoding="utf-8")


@on_every_page
def test_every_option_that_is_mentioned_exists_somewhere(page: Path) -> None:
    known = GLOBAL_OPTIONS.union(*(option_strings(command) for command in COMMANDS))
    mentioned = {
        word for word in words(plain(page.read_text(encoding="utf-8"))) if word.startswith("--")
    }

    assert mentioned <= known


@on_every_page
def test_references_lead_to_pages(page: Path) -> None:
    there = {each.name for each in PAGES}
    here = {page.name}

    assert references(page) <= there
    assert {name.rpartition(".")[0] for name in references(page) - here} <= words(
        section(page, "SEE ALSO")
    )


def test_every_page_is_referred_to() -> None:
    assert {page.name for page in PAGES} - {"htcq.1"} <= references(OVERVIEW)


def test_the_site_file_has_every_key_and_no_other() -> None:
    keys_of = {
        ("TOP LEVEL", "THE MODEL", "THE PART OF THE MACHINE"): (
            *settings.TOP_KEYS,
            *settings.SLOT_KEYS,
        ),
        ("THE AUDIT", "A RULE"): (*settings.AUDIT_KEYS, *settings.RULE_KEYS),
        ("A GROUP",): settings.GROUP_KEYS,
        ("ALL GROUPS",): settings.QUOTA_KEYS,
        ("THE HISTORY",): settings.DRIFT_KEYS,
    }
    for titles, expected in keys_of.items():
        named = [tag.partition("(")[0] for tag in tags(section(SITE_FILE, *titles))]

        assert {name.strip(" ,") for each in named for name in each.split()} - {""} == set(expected)


def test_the_node_facts_have_every_key_and_no_other() -> None:
    node = Node(1, 1, 1, gpu_devices=(Gpu("GPU-0"),), sources=(Source("cpus", 1, "psutil"),))
    facts = node_facts(node)
    text = section(SITE_FILE, "NODE FACTS")
    described = {name for tag in tags(text) for name in words(tag)}

    assert described == set(facts)
    assert {*facts["gpu_devices"][0], *facts["sources"][0]} <= words(text)


def keys(value: Any, free: tuple[str, ...]) -> set[str]:
    """Return every name in a JSON document, except below the keys of ``free``, whose names are assets."""
    if isinstance(value, list):
        return set().union(*(keys(each, free) for each in value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys(each, free) for name, each in value.items() if name not in free))


def test_the_plan_has_every_name_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jobs with counts are a mix."""
    node = tmp_path / "node.json"
    node.write_text('{"cpus": 8, "memory_mb": 16384, "disk_kb": 100000000}')
    arguments = [
        "plan",
        "--node",
        str(node),
        "--config",
        "/dev/null",
        "--preset",
        "simple",
        "--job",
        "cpus=1,count=2",
    ]
    assert run([*arguments, "--json"]) == EXIT_FINE
    plan = json.loads(capsys.readouterr().out)
    text = section(command_page("plan"), "JSON")
    described = {name for tag in tags(text) for name in words(tag)}
    named_in_passing = {
        "running", "weight_left", "demand", "what", "why", "min", "max", "hold", "words", "max_factor", "min_factor",
        "factor", "job", "kind", "name", "full_factor", "stranded", "stranded_weight", "asset", "asked", "there",
        "ratio",
    }  # fmt: skip
    free = (
        "shape",
        "consumption",
        "carved",
        "claims",
        "amounts",
        "asset_weights",
        "stranded",
        "weights",
    )

    assert described | named_in_passing == keys(plan, free)
    assert named_in_passing <= words(text)


def test_the_audit_has_every_name_and_no_other() -> None:
    text = section(command_page("audit"), "JSON")
    described = {name for tag in tags(text) for name in words(tag)}
    named_in_passing = {
        "attribute", "value", "place", "missing", "role", "nodes", "file", "knob", "shut", "starved", "overrun", "jobs",
    }  # fmt: skip

    assert described | named_in_passing == keys(audit_json(SAMPLE), ())
    assert named_in_passing <= words(text)


def test_the_metrics_have_every_name_and_no_other() -> None:
    described = {
        name for name in words(section(command_page("audit"), "FORMS")) if name.startswith("htcq_")
    }

    ill = replace(SAMPLE, health=(Ailment("negotiator-late", "the last cycle was 900 s ago"),))
    assert described == set(re.findall(r"^htcq_\w+", audit_metrics(ill, 0.0), re.MULTILINE))


def test_the_drift_report_has_every_name_and_no_other() -> None:
    whole = drift_json([STORY])
    text = section(command_page("drift"), "JSON")
    described = {name for tag in tags(text) for name in words(tag)}
    named_in_passing = {
        "time", "kind", "name", "before", "after", "group", "what", "one", "other", "text", "usage", "max_usage",
        "requested", "quota", "distance", "bias", "starved", "over", "lending", "series", "dimension", "all", "min",
        "runtime", "guarantee", "used", "lent", "borrowed", "spare", "unused",
    }  # fmt: skip

    assert described | named_in_passing == keys(whole, ())
    assert named_in_passing | {*get_args(What), *CHANGING} <= words(text)


def test_every_name_in_the_json_of_a_sweep_is_told() -> None:
    told = section(command_page("simulate"), "JSON").partition("--sweep")[2]
    whole = json.loads("".join(sweep_json("f.toml", "pool", SWEEP_RUNS, Ground((), "", ""))))
    items = whole.pop("items")
    names = {*whole, *items[0], *items[0].pop("summary")}

    assert names <= words(told)


def test_the_columns_of_the_drift_report_are_told() -> None:
    text = section(command_page("drift"), "CSV")

    assert ", ".join(names(COLUMNS)) in " ".join(text.split())
    assert ", ".join(names(LEDGER_COLUMNS)) in " ".join(text.split())


def test_the_drift_metrics_have_every_name_and_no_other() -> None:
    described = {
        name
        for name in words(section(command_page("drift"), "METRICS"))
        if name.startswith("htcq_")
    }

    assert described == set(
        re.findall(r"^htcq_\w+", drift_metrics(looked_at(CHEM, BIO), 0.0, 0.0), re.MULTILINE)
    )


def test_an_explanation_has_every_name_and_no_other() -> None:
    described = {
        name for tag in tags(section(command_page("explain"), "JSON")) for name in words(tag)
    }

    assert described == keys(rules_json(rules_of_pools()), ())


@pytest.mark.parametrize(
    ("page", "names"),
    [
        (command_page("audit"), {*(each.split()[0] for each in FORM_OPTIONS), *THRESHOLDS}),
        (SITE_FILE, {*THRESHOLDS}),
        (command_page("status"), {*CAUSES}),
        (command_page("explain"), {*FAMILIES}),
        (command_page("drift"), {*METRICS}),
        (command_page("plan"), {*MODELS, *SHARES, *RULES, *SPLITTINGS, *NAMES}),
        (command_page("emit"), {*MODELS, *SHARES, *RULES, *SPLITTINGS, *ROLES}),
        (SITE_FILE, {*MODELS, *SHARES, *RULES, *SPLITTINGS}),
        (MODELS_PAGE, {*MODELS, *SHARES, *RULES, *NAMES, TOKEN}),
        (OVERVIEW, {NESTED_VARIABLE, "NO_COLOR", "CONDOR_CONFIG", "htcq.toml"}),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_every_name_that_can_be_given_is_told(page: Path, names: set[str]) -> None:
    assert names <= words(section(page))


def test_every_exit_status_is_told() -> None:
    told = [tag.strip() for tag in tags(section(OVERVIEW, "EXIT STATUS"))]

    assert told == [str(status) for status in (EXIT_FINE, EXIT_FINDINGS, EXIT_USAGE, EXIT_UNKNOWN)]
