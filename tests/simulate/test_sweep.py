"""Items of a sweep, what their results depend on, and what came of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from htcq.settings.sweep_items import Item
from htcq.simulate.sweep import Ground, Run, Verdict, judged, kept_run, record

ITEM = Item("x", (("set", ("A=1", "B=2")), ("arrivals", ("dir/h.ads",))))
GROUND = Ground(("--name=n",), "abc", "1.0", {"dir/h.ads": "d1"})


def test_a_key_stands_for_everything_that_a_result_depends_on() -> None:
    others = [
        GROUND.key(replace(ITEM, options=(("set", ("A=1",)), *ITEM.options[1:]))),
        GROUND.key(replace(ITEM, options=(("demand", ("A=1", "B=2")), *ITEM.options[1:]))),
        replace(GROUND, snapshot="abd").key(ITEM),
        replace(GROUND, htcq="1.1").key(ITEM),
        replace(GROUND, arguments=()).key(ITEM),
        replace(GROUND, files={"dir/h.ads": "d2"}).key(ITEM),
    ]

    assert len({GROUND.key(ITEM), *others}) == 7
    assert GROUND.key(replace(ITEM, name="y")) == GROUND.key(ITEM)
    assert replace(GROUND, files={**GROUND.files, "other": "d3"}).key(ITEM) == GROUND.key(ITEM)


@pytest.mark.parametrize(
    ("option", "value", "files"),
    [
        ("arrivals", "dir/h.ads", ("dir/h.ads",)),
        ("run-time", "history:dir/h.ads", ("dir/h.ads",)),
        ("run-time", "exponential:3600", ()),
        ("run-time", "history:", ()),
        ("model", "dir/h.ads", ("dir/h.ads",)),
        ("model", "node*=dir/h.ads", ("dir/h.ads",)),
        ("set", "dir/h.ads", ()),
    ],
)
def test_options_name_files(option: str, value: str, files: tuple[str, ...]) -> None:
    item = Item("x", ((option, (value,)),))

    assert item.files == files


def test_a_result_is_what_was_printed() -> None:
    assert judged(0, '{"a": 1}', "", {}) == Verdict(0, {"a": 1})
    assert judged(1, '{"a": 1}', "htcq: beware\n\nhtcq: twice\n", {}) == Verdict(
        1, {"a": 1}, "", ("beware", "twice")
    )


def test_files_are_called_what_the_user_calls_them() -> None:
    found = judged(
        0,
        json.dumps({"source": "tmp-1", "x": ["a=tmp-1"]}),
        "htcq: tmp-1: odd",
        {"tmp-1": 'my "pool"'},
    )

    assert found == Verdict(
        0, {"source": 'my "pool"', "x": ['a=my "pool"']}, "", ('my "pool": odd',)
    )
    assert (
        judged(2, "", "htcq: tmp-1 is no snapshot (copy it)\n", {"tmp-1": "s"}).reason
        == "s is no snapshot (copy it)"
    )


@pytest.mark.parametrize(
    ("status", "printed", "complaint", "ending", "reason", "hopeless"),
    [
        (
            2,
            "",
            "htcq: --set 'A': not a knob (such as)\n",
            "",
            "--set 'A': not a knob (such as)",
            True,
        ),
        (3, "", "htcq: no bindings\n", "", "no bindings", False),
        (0, '{"a": 1', "", "", "ended with status 0 and no result", False),
        (0, "[1]", "", "", "ended with status 0 and no result", False),
        (1, "", "Traceback\n  File\nMemoryError\n", "", "MemoryError", False),
        (7, '{"a": 1}', "", "", "ended with status 7 and no result", False),
        (None, '{"a": 1}', "", "killed by SIGKILL", "killed by SIGKILL", False),
        (
            None,
            "",
            "terminate called\n",
            "killed by SIGABRT",
            "killed by SIGABRT: terminate called",
            False,
        ),
        (0, "[" * 100_000, "", "", "ended with status 0 and no result", False),
    ],
)
def test_without_a_result_there_is_a_reason(
    status: int | None, printed: str, complaint: str, ending: str, reason: str, hopeless: bool
) -> None:
    verdict = judged(status, printed, complaint, {}, ending)

    assert (verdict.result, verdict.reason, verdict.hopeless) == (None, reason, hopeless)
    assert not verdict.done
    assert not verdict.fine


def test_a_negotiator_that_ends_is_a_result_and_not_fine() -> None:
    verdict = judged(1, "{}", "", {})

    assert (verdict.done, verdict.fine, verdict.hopeless) == (True, False, True)


RUN = Run(ITEM, Verdict(0, {"a": [1.5, None]}, "", ("beware",)), 2)


def test_what_is_kept_is_known_again() -> None:
    told = json.loads(json.dumps(record(RUN, GROUND, "key")))

    assert kept_run(ITEM, "key", told) == RUN
    assert kept_run(ITEM, "other", told) is None


@pytest.mark.parametrize(
    "change", [{"schema": 2}, {"result": "text"}, {"warnings": None}, {"key": None}]
)
def test_what_is_something_else_is_not(change: dict[str, Any]) -> None:
    assert kept_run(ITEM, "key", {**record(RUN, GROUND, "key"), **change}) is None
