"""Every schema is one, describes every key in a sentence, and says of real output that it is right."""

from __future__ import annotations

import copy
import json
import re
import shlex
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft7Validator

from htcq.audit.engine import NotChecked
from htcq.cli.main import run
from htcq.operations.ceilings import Listed
from htcq.report.schemas import NAMES, schema
from htcq.report.schemas.shape import keys_of, maybe, named, record, text
from htcq.report.views.audit_json import audit_json
from htcq.report.views.reclaim import reclaim_json
from tests.docs.documents import ROOT
from tests.elastic.reclaim.scenes import borrowed
from tests.pins.commands import COMMANDS
from tests.pins.pinned import load
from tests.report.audits import SAMPLE
from tests.schemas.validation import objections, printed_keys, properties, schema_of

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
    wrong = [
        key for key, shape in described.items() if not _is_sentence(shape.get("description", ""))
    ]

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

    assert sorted(path.stem for path in SHIPPED.iterdir()) == sorted(
        capsys.readouterr().out.split()
    )


@pytest.mark.parametrize("line", sorted(PRINTED))
def test_what_is_printed_is_what_the_schema_says(line: str) -> None:
    assert objections(schema_of(shlex.split(line)), PRINTED[line]) == []


def test_every_schema_of_output_is_tried_on_what_is_printed() -> None:
    assert {schema_of(shlex.split(line)) for line in PRINTED} == set(NAMES) - FILES - LIVE


def test_every_key_of_every_schema_is_printed_by_something() -> None:
    """Or nobody knows whether it is still there; what two schemas describe in the same words is one key."""
    whole = [(schema_of(shlex.split(line)), value) for line, value in PRINTED.items()]
    whole += [
        ("audit", _audited()),
        ("elastic-reclaim", _reclaimed()),
        ("elastic-ceilings", _ceilings()),
    ]
    seen: set[tuple[str, str]] = set()
    for name, value in whole:
        seen.update(printed_keys(schema(name), value, schema(name).get("definitions", {})))
    unseen = [
        f"{name}: {path}"
        for name in set(NAMES) - FILES
        for path, shape in properties(schema(name))
        if (path.rpartition(".")[2], shape["description"]) not in seen
    ]

    assert unseen == []


def test_what_no_pool_of_the_pins_shows_is_what_the_schemas_say() -> None:
    assert objections("audit", _audited()) == []
    assert objections("elastic-reclaim", _reclaimed()) == []
    assert objections("elastic-ceilings", _ceilings()) == []


def _parsed(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _audited() -> dict[str, Any]:
    """What is printed where a rule fails."""
    failed = NotChecked("dead-knob", "ZeroDivisionError: division by zero", failed=True)
    return _parsed(audit_json(replace(SAMPLE, not_checked=(*SAMPLE.not_checked, failed))))


def _reclaimed() -> dict[str, Any]:
    """What is printed where jobs were taken back, one of which could not be.

    More jobs ask for protection than the min of their group pays for.
    """
    scene = borrowed(3, 2)
    for number in range(5):
        scene.runs(f"3.{number}", "borrower", HtcqProtected="true")
    plan = scene.plan()
    one, other = plan.evictions
    done = reclaim_json(
        plan, (), [one], [(other, "the schedd does not answer")], ["the ceiling of bob is 4"]
    )
    return _parsed({**done, "health": []})


def _ceilings() -> list[dict[str, Any]]:
    return [Listed("borrower.bob@site", 6, 0, "somebody else's")._asdict()]


@pytest.mark.parametrize("line", sorted(PRINTED))
def test_a_key_more_or_less_is_an_objection(line: str) -> None:
    name, value = schema_of(shlex.split(line)), PRINTED[line]
    more = {**value, "more": 1}
    less = copy.deepcopy(value)
    less.pop("cpus" if name == "probe" else next(key for key in ("schema", "pools") if key in less))

    assert any("'more' was unexpected" in each for each in objections(name, more))
    assert any("is a required property" in each for each in objections(name, less))


def test_the_keys_of_a_record_are_its_fields() -> None:
    from htcq.quota.cycle_quotas import GroupLimit

    with pytest.raises(
        ValueError, match=r"Limit: not described: \['held_by', 'proposed'\], not there: \['more'\]"
    ):
        keys_of(GroupLimit, group="G.", limit="L.", more="M.")
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
        (["--schema", "quota", "fractional-cpus"], "--schema takes no rule"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", *words]) == 2
    assert capsys.readouterr().err.startswith(f"htcq: {said} (")
