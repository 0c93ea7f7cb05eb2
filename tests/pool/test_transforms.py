"""Lines of transforms that a schedd cannot use: what 25.14.1 did with each (tests/golden/knobs/transforms.json)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.pool.transforms import Loss, broken_lines

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "knobs" / "transforms.json"
CASES = {each["name"]: each for each in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]}
#: They parse, and the job lacks an attribute: the requirements are false; a regular expression of PCRE; an empty macro.
SOUND = ("req_after", "regex", "evalmacro")


@pytest.mark.parametrize("name", CASES)
def test_what_the_schedd_cannot_use_is_named_and_nothing_else(name: str) -> None:
    text, seen = CASES[name]["text"], CASES[name]["seen"]
    losses = {each.loss for each in broken_lines(text)}
    if name in SOUND:
        assert Loss.TRANSFORM not in losses
        return
    assert (Loss.JOBS in losses) == (seen == "refused")
    foo, _, bar = seen.partition(" ")
    for attribute, value in (("Foo", foo), ("Bar", bar)):
        if seen != "refused" and f"SET {attribute}" in text:
            named = any(attribute in each.text for each in broken_lines(text))
            assert (named or Loss.TRANSFORM in losses) == (value == "undefined")


@pytest.mark.parametrize(
    "text",
    [
        "# (\n\nNAME x\nUNIVERSE vanilla\nREQUIREMENTS JobUniverse == 5\n",
        "SET Foo $(MY.Bar:(1)\nCOPY /(.*)x y$/ \\1_old\nDELETE /^Foo/\nRENAME\tA\tB\n",
        "X @=end\nSET (\n@end\nSET Foo $(X)\nA += 1\n",
        "SET Foo \\\n  1 + \\\n  2\n",
        "if version >= 23.0\n SET Foo 1\nelse\n SET Foo 2\nendif\n",
        'EVALSET AccountingGroup strcat(usermap("map", Owner), ".", Owner)\nTRANSFORM 1\nSET (\n',
        "warning : old\nSET Foo 1",
    ],
)
def test_sound_transforms_are_sound(text: str) -> None:
    assert not list(broken_lines(text))


def test_a_bracket_is_named_by_its_place() -> None:
    (broken,) = broken_lines('REQUIREMENTS (Owner == "a"\nSET Foo 1 (')
    assert (broken.loss, broken.expression, broken.place) == (Loss.TRANSFORM, '(Owner == "a"', 0)


def test_a_dump_has_macros_without_values() -> None:
    """A dump of 25.14.1 has JOB_TRANSFORM_PelicanRetry with ``SET PelicanRetryDelay`` and nothing after it."""
    text = "SET PelicanRetryDelay \nSET Foo 1 +\nSET Bar (1 +\nSET Bar=1\n"
    assert [each.text for each in broken_lines(text, expanded=True)] == [
        "SET Bar (1 +",
        "SET Bar=1",
    ]
