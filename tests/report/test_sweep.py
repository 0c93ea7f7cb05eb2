"""A sweep at the terminal and as JSON: what every item comes to, in few numbers."""

from __future__ import annotations

import io
import json
from typing import Any

from htcq.report.views.sweep import sweep_json
from htcq.report.views.sweep_summary import Summary, summary
from htcq.report.views.sweep_text import show_sweep
from htcq.settings.sweep_items import Item, Sweep
from htcq.simulate.sweep import Ground, Run, Verdict


def submitter(name: str, idle: int, matches: int, used: float) -> dict[str, Any]:
    return {
        "name": name,
        "group": "g",
        "idle": idle,
        "matches": matches,
        "used_before": 0,
        "used_after": used,
    }


#: Of a cycle: ann waits and has something, ben waits and has nothing, cyd has nothing and does not
#: wait.
CYCLE = {
    "unit": "slot weight",
    "matches": [{"job": "1.0"}, {"job": "1.1"}],
    "groups": [
        {"name": "<none>", "limit": None, "used_before": 0, "used_after": 1},
        {"name": "g", "limit": 3, "used_before": 1, "used_after": 3.5},
    ],
    "submitters": [
        submitter("ann", 5, 2, 3.5),
        submitter("ben", 3, 0, 0),
        submitter("cyd", 0, 0, 0),
    ],
    "crash": None,
}


def wait(name: str, started: int, waiting: int, mean: float | None) -> dict[str, Any]:
    return {
        "submitter": name,
        "started": started,
        "waiting": waiting,
        "mean": mean,
        "median": mean,
        "longest": mean,
    }


#: Of two cycles: six jobs started, two of them after 300 s and the others after 60 s, on average.
COURSE = {
    "unit": "slots",
    "full_at": 60.0,
    "cycles": [
        {"matches": 4, "used": 4.0, "groups": {"<none>": 0, "g": 4}, "submitters": {"ann": 4}},
        {
            "matches": 2,
            "used": 5.0,
            "groups": {"<none>": 0, "g": 5},
            "submitters": {"ann": 5, "ben": 0.0},
        },
    ],
    "waits": [wait("ann", 2, 1, 300.0), wait("cyd", 4, 0, 60.0), wait("ben", 0, 3, None)],
    "crash": {"slot": "s", "job": "1.0", "message": "no weight"},
}


def test_a_cycle_in_few_numbers() -> None:
    assert summary(CYCLE) == Summary(2, 3.5, "slot weight", {"g": 3.5}, 6, ("ben",))


def test_several_cycles_in_few_numbers() -> None:
    expected = Summary(
        6,
        5.0,
        "slots",
        {"g": 5},
        4,
        ("ben",),
        True,
        60.0,
        140.0,
        "the negotiator crashes: no weight",
    )

    assert summary(COURSE) == expected


def test_a_what_if_is_what_it_would_be() -> None:
    assert summary({"before": COURSE, "after": CYCLE, "changes": []}) == summary(CYCLE)


def test_nothing_that_starts_has_no_mean() -> None:
    found = summary({**COURSE, "cycles": [], "waits": [wait("ben", 0, 3, None)], "full_at": None})

    assert found is not None
    assert (found.matches, found.used, found.full_at, found.mean_wait, found.starved) == (
        0,
        0.0,
        None,
        None,
        ("ben",),
    )


def test_what_is_no_simulation_has_no_numbers() -> None:
    broken: list[dict[str, Any]] = [
        {},
        {"after": 1},
        {**CYCLE, "submitters": [1]},
        {**COURSE, "waits": [{}]},
    ]

    assert [summary(each) for each in broken] == [None] * 4


ITEMS = (
    Item("seed=1", (("seed", ("1",)), ("set", ("A=1", "B=2")))),
    Item("seed=2", (("seed", ("2",)), ("set", ("A=1", "B=2")), ("skip-bad-slots", ()))),
    Item("mine", (("set", ("A=1", "B=2")),), named=True),
)
SWEEP = Sweep(ITEMS)
RUNS = [
    Run(ITEMS[0], Verdict(0, CYCLE, "", ("beware",))),
    Run(ITEMS[1], Verdict(2, None, "--seed \x1b: not\na seed")),
    Run(ITEMS[2], Verdict(1, COURSE, "", ("beware",)), 2),
]


def shown(*runs: Run) -> list[str]:
    stream = io.StringIO()
    show_sweep("pool", Sweep(tuple(run.item for run in runs)), runs, stream)
    return stream.getvalue().splitlines()


def test_numbers_that_are_none_are_no_result() -> None:
    broken: list[dict[str, Any]] = [
        {**COURSE, "full_at": "soon"},
        {**CYCLE, "unit": ["cpus"]},
        {**CYCLE, "unit": None},
    ]

    assert [summary(each) for each in broken] == [None] * 3


def test_the_table_has_what_items_have_of_their_own_and_what_they_come_to() -> None:
    stream = io.StringIO()
    show_sweep("my\npool", SWEEP, RUNS, stream)
    lines = stream.getvalue().splitlines()

    assert lines[0] == "my pool: a sweep of 3 items"
    assert " ".join(" ".join(lines[1:4]).split()) == (
        "USED SLOT WAITING FULL WAITED, ITEM SEED SKIP-BAD-SLOTS MATCHES WEIGHT JOBS AFTER MEAN "
        "GROUPS STARVED WRONG"
    )
    assert [line.split() for line in lines[5:8]] == [
        ["-", "1", "-", "2", "3.5", "6", "-", "-", "g", "3.5", "ben"],
        ["-", "2", "yes", *["-"] * 7, "--seed", "\\x1b:", "not", "a", "seed"],
        ["mine", "-", "-", "6", "5", "4", "1", "min", "2.3", "min", "g", "5", "ben", "the", "negotiator", "crashes:",
         "no", "weight"],
    ]  # fmt: skip
    assert lines[8:] == [
        "",
        "1 item failed, 2 have a result",
        "in 1 item the negotiator would end",
        "2 items: beware",
    ]


def test_what_is_fine_says_so_in_fewer_columns() -> None:
    lines = shown(Run(ITEMS[0], Verdict(0, CYCLE)), Run(ITEMS[1], Verdict(0, CYCLE)))

    assert lines[-1] == "every item has a result"
    heads = lines[3].split()
    assert heads == ["SEED", "SKIP-BAD-SLOTS", "MATCHES", "WEIGHT", "JOBS", "GROUPS", "STARVED"]


def test_a_result_that_is_none_is_told() -> None:
    assert "its result cannot be read" in " ".join(shown(Run(ITEMS[0], Verdict(0, {}))))


def test_json_has_everything_of_every_item() -> None:
    ground = Ground(("--name=n",), "abc", "1.0")
    found = json.loads("".join(sweep_json("f.toml", "pool", RUNS, ground)))

    assert {name: value for name, value in found.items() if name != "items"} == {
        "schema": 1, "sweep": "f.toml", "source": "pool", "snapshot": "abc", "htcq": "1.0",
    }  # fmt: skip
    fine, failed, ends = found["items"]
    assert fine == {
        "name": "seed=1", "key": ground.key(ITEMS[0]), "arguments": ["--name=n", "--seed=1", "--set=A=1", "--set=B=2"],
        "options": {"seed": ["1"], "set": ["A=1", "B=2"]}, "exit_status": 0, "reason": "", "warnings": ["beware"],
        "tries": 1, "result": CYCLE, "summary": {
            "matches": 2, "used": 3.5, "unit": "slot weight", "groups": {"g": 3.5}, "waiting": 6, "starved": ["ben"],
            "several": False, "full_at": None, "mean_wait": None, "crash": "",
        },
    }  # fmt: skip
    assert (failed["result"], failed["summary"], failed["exit_status"]) == (None, None, 2)
    assert failed["reason"] == "--seed \x1b: not\na seed"
    assert (ends["tries"], ends["options"], ends["exit_status"]) == (2, {"set": ["A=1", "B=2"]}, 1)


def test_json_of_nothing_is_json() -> None:
    assert json.loads("".join(sweep_json("f", "p", [], Ground((), "", ""))))["items"] == []
