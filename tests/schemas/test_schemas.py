"""Every schema is one, describes every key in a sentence, and says of real output that it is right."""

from __future__ import annotations

import copy
import re
import shlex
from typing import Any

import pytest
from jsonschema import Draft7Validator

from htcq.cli.main import run
from htcq.report.schemas import NAMES, schema
from htcq.report.schemas.shape import keys_of, maybe, named, record, text
from tests.docs.documents import ROOT
from tests.pins.commands import COMMANDS
from tests.pins.pinned import load
from tests.schemas.validation import objections, properties, schema_of

SHIPPED = ROOT / "schemas"
#: What was printed as JSON, by its command.
PRINTED = {
    line: pin["out"]
    for name in sorted(COMMANDS)
    for line, pin in load(name).items()
    if "--json" in line and pin["out"] not in ([], None)
}
#: Printed by commands that act on a live pool alone.
LIVE = {"elastic-ceilings"}
FILES = {"htcq.toml", "elastic.toml"}

on_every_schema = pytest.mark.parametrize("name", NAMES)


@on_every_schema
def test_it_is_a_schema(name: str) -> None:
    Draft7Validator.check_schema(schema(name))


@on_every_schema
def test_every_key_is_described_in_one_sentence(name: str) -> None:
    described = dict(properties(schema(name)))
    wrong = [key for key, shape in described.items() if not _is_sentence(shape.get("description", ""))]

    assert (wrong, len(described) > 3) == ([], True)


def _is_sentence(about: str) -> bool:
    return bool(re.fullmatch(r"[A-Z].{8,140}\.", about))


@on_every_schema
def test_what_is_shipped_is_what_the_command_prints(
    name: str, capsys: pytest.CaptureFixture[str], pytestconfig: Any
) -> None:
    assert run(["explain", "--schema", name]) == 0
    shipped, printed = SHIPPED / f"{name}.json", capsys.readouterr().out
    if pytestconfig.option.write_pins:
        shipped.write_text(printed, encoding="utf-8")

    same = shipped.exists() and shipped.read_text(encoding="utf-8") == printed
    assert same, "python -m pytest tests/schemas --write-pins"


def test_nothing_else_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--schema", "list"]) == 0

    assert sorted(path.stem for path in SHIPPED.iterdir()) == sorted(capsys.readouterr().out.split())


@pytest.mark.parametrize("line", sorted(PRINTED))
def test_what_is_printed_is_what_the_schema_says(line: str) -> None:
    assert objections(schema_of(shlex.split(line)), PRINTED[line]) == []


def test_every_schema_of_output_is_tried_on_what_is_printed() -> None:
    assert {schema_of(shlex.split(line)) for line in PRINTED} == set(NAMES) - FILES - LIVE


@pytest.mark.parametrize("line", sorted(PRINTED))
def test_a_key_more_or_less_is_an_objection(line: str) -> None:
    name, value = schema_of(shlex.split(line)), PRINTED[line]
    more = {**value, "more": 1}
    less = copy.deepcopy(value)
    less.pop("cpus" if name == "probe" else next(key for key in ("schema", "pools") if key in less))

    assert any("'more' was unexpected" in each for each in objections(name, more))
    assert any("is a required property" in each for each in objections(name, less))


def test_the_keys_of_a_record_are_its_fields() -> None:
    from htcq.quota.results import Limit

    with pytest.raises(ValueError, match=r"Limit: not described: \['held_by', 'proposed'\], not there: \['more'\]"):
        keys_of(Limit, group="G.", limit="L.", more="M.")
    with pytest.raises(ValueError, match="not described: \\['b'\\]"):
        named(("a", "b"), {"a": text("A.")})
    with pytest.raises(ValueError, match="there is no key z"):
        record("A record.", {"a": text("A.")}, ("z",))


def test_null_may_stand_in_the_place_of_a_word() -> None:
    assert maybe(text("A word.", "one")) == {
        "description": "A word.",
        "type": ["string", "null"],
        "enum": ["one", None],
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--schema", "quotas"], "there is no schema 'quotas'"),
        (["--schema", "quota", "fractional-cpus"], "--schema is about no rule"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", *words]) == 2
    assert capsys.readouterr().err.startswith(f"htcq: {said} (")
