"""``htcq elastic compute``: the stated cases through files, its outputs, and what it refuses."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from htcq.quota.elastic.declaration import Rounding
from tests.cli.conftest import Call, Done
from tests.docs.documents import ROOT, section, tags, words
from tests.docs.test_man import keys
from tests.quota.elastic.recorded import (
    STATED,
    SUM,
    Stated,
    demand_file,
    path_of,
    quota_file,
    read,
    stated,
)

RUNTIME = [
    pytest.param(case, key, rounding, id=f"{case['name']}-{key}")
    for case in read("runtime")
    for key, rounding in STATED
    if case.get(key)
]
#: Stated cases whose quotas must be refused: they have mins above a max, or mins below a group
#: above its own.
REFUSED = {
    "gqm_chain_step3_leaf_max_raised": {"elastic-children-min-above-parent"},
    "gqm_reparent_after": {"elastic-min-above-max"},
    "gqm_guarantee_min_raised": {"elastic-children-min-above-parent", "elastic-min-above-max"},
    "gqm_parent_self_pods_move_11": {"elastic-children-min-above-parent"},
    "gqm_parent_self_pods_move_111": {"elastic-children-min-above-parent"},
}
QUOTAS = """
[groups.a]
min = { cpus = 10 }
max = { cpus = 80 }
[groups."a.b"]
max = { cpus = 80 }
[groups.c]
max = { cpus = 80 }
users = ["ada"]
"""
DEMAND = {"total": {"cpus": 100}, "request": {"a.b": {"cpus": 70}, "c": {"cpus": 90}}}


@pytest.fixture
def compute(quiet_place: Path, call: Call) -> Any:
    """Run the command on texts of quotas and demand."""

    def computed(quotas: str = QUOTAS, demand: Any = DEMAND, *more: str) -> Done:
        (quiet_place / "q.toml").write_text(quotas)
        (quiet_place / "d.json").write_text(
            demand if isinstance(demand, str) else json.dumps(demand)
        )
        return call("elastic", "compute", "--quotas", "q.toml", "--demand", "d.json", *more)

    return computed


def got(printed: dict[str, Any], case: dict[str, Any], one: Stated) -> Any:
    if one.group == SUM:
        top = [group for group in printed["groups"].values() if not group["parent"]]
        return {name: sum(group["runtime"][name] for group in top) for name in one.amounts}
    if one.field == "effective_total":
        return printed["effective_total"]
    return printed["groups"][path_of(case, one.group)][one.field]


@pytest.mark.parametrize(("case", "key", "rounding"), RUNTIME)
def test_every_number_that_is_stated_is_printed(
    case: dict[str, Any], key: str, rounding: Rounding, compute: Any
) -> None:
    files = quota_file(case, rounding), demand_file(case)
    done = compute(*files, "--json")
    rules = REFUSED.get(case["name"], set())

    assert (
        done.status,
        set(re.findall(r"\[(elastic-[a-z-]+)\]", done.err)) if rules else set(),
    ) == (
        2 if rules else 0,
        rules,
    )
    printed = json.loads(done.out)
    for one in stated(case[key]):
        assert dict(one.amounts) == got(printed, case, one), one


VERDICTS = [case for case in read("validation") if "max" in str(case.get("group"))]


@pytest.mark.parametrize("case", VERDICTS, ids=[case["name"] for case in VERDICTS])
def test_what_koordinator_refuses_of_one_group_is_refused(
    case: dict[str, Any], compute: Any
) -> None:
    group = case["group"]
    quotas = "[groups.g]\n" + "".join(
        f"{name} = {{ {', '.join(f'{key} = {value}' for key, value in group[name].items())} }}\n"
        for name in ("min", "max", "weight")
        if name in group
    )
    quotas += f"strict = {json.dumps(group.get('strict_keys', []))}\n"
    done = compute(quotas, {"total": {"cpu": 99}, "used": {"g": group.get("used", {})}})

    assert (done.status == 0) is case["accept"]
    assert "[elastic-" in done.err or case["accept"]


# Outputs
# --------------------------------------------------------------------------------------------------------


def test_the_json_has_the_names_of_the_manual(compute: Any) -> None:
    page = ROOT / "man/man1/htcq-elastic.1"
    # c, which asks for nothing, makes a finding.
    demand = {**DEMAND, "request": {"a.b": {"cpus": 70}}}
    printed = json.loads(compute(QUOTAS, demand, "--json", "--trace").out)
    trees = {"trees": {"x": printed}}
    text = section(page, "JSON")
    named = {
        "runtime", "min", "scaled_min", "request", "lent", "borrowed", "waiting", "over", "max", "weight", "leaf",
        "lends",
        "max_lent", "priority",
        "child_request", "limited", "floor", "used", "allocated", "guaranteed", "parent", "own_jobs", "implied",
        "not_managed", "steps", "kind", "text", "rule", "severity", "subject", "message", "scale_min",
        "guarantee_usage", "rounding", "same_dimensions",
    }  # fmt: skip
    described = {name for tag in tags(text) for name in words(tag)} - {"and"}

    assert described | named == keys({**printed, **trees}, ()) - {"cpus", "a", "a.b", "c", "x"}
    assert named <= words(text)


def test_the_numbers_are_whole_and_of_every_managed_dimension(compute: Any) -> None:
    printed = json.loads(
        compute(QUOTAS, {**DEMAND, "total": {"cpus": 100, "gpus": 4}}, "-json").out
    )
    group = printed["groups"]["a"]

    # a asks for 70, c for 90, up to its 80: 90 to share by 80 and 80 once a has its min of 10.
    assert (group["runtime"], group["borrowed"], group["waiting"]) == (
        {"cpus": 55},
        {"cpus": 45},
        {"cpus": 15},
    )
    assert printed["groups"]["c"]["runtime"] == {"cpus": 45}
    assert (group["not_managed"], group["lent"], group["over"]) == (
        ["gpus"],
        {"cpus": 0},
        {"cpus": 0},
    )
    assert printed["undistributed"] == {"cpus": 0, "gpus": 4}


def test_demand_may_come_from_standard_input(
    quiet_place: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (quiet_place / "q.toml").write_text(QUOTAS)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(DEMAND)))

    assert call("elastic", "compute", "--quotas", "q.toml", "--demand", "-").status == 0


def test_the_table_tells_what_is_left_and_what_is_not_managed(compute: Any) -> None:
    demand = {
        "total": {"cpus": 300, "gpus": 4},
        "system_used": {"cpus": 20},
        "used": {"c": {"cpus": 90}},
    }
    done = compute(QUOTAS, demand)

    assert (
        "cpus: 300, 20 of it used outside of the groups; 280 is not requested, or above a max"
        in done.out
    )
    assert "a: no quota of gpus, which is not managed there" in done.out
    assert "c: uses 90 cpus, over its max of 80: draining" in done.out


def test_the_table_tells_of_promises_beyond_what_there_is(compute: Any) -> None:
    off = "[elastic]\nscale_min = false\n" + QUOTAS.replace("10", "30")
    done = compute(off, {"total": {"cpus": 10}, "request": {"a.b": {"cpus": 50}}})

    assert "guaranteed amounts exceed that by 20" in done.out
    assert (
        "warning: the mins of the top-level groups add up to 30 cpus, but the total is 10 "
        "[elastic-mins"
    ) in done.err


def test_a_min_that_shrank_is_shown_with_what_was_declared(compute: Any) -> None:
    assert "6 of 10" in compute(QUOTAS, {"total": {"cpus": 6}}).out


def test_the_steps_of_one_group_and_of_all(compute: Any) -> None:
    one, all_ = compute(QUOTAS, DEMAND, "--why", "c").out, compute(QUOTAS, DEMAND, "--trace").out

    assert one.splitlines()[:3] == ["c", "  cpus", "    asks for 90"]
    assert one in all_
    assert "    is limited to 80: max is 80" in all_


def test_own_jobs_of_a_group_are_a_group(compute: Any) -> None:
    printed = json.loads(
        compute(QUOTAS, {"total": {"cpus": 99}, "request": {"a": {"cpus": 5}}}, "--json").out
    )

    assert printed["groups"]["a.<self>"]["runtime"] == {"cpus": 5}
    assert printed["groups"]["a.<self>"]["own_jobs"]


def test_submitters_are_taken_for_their_groups(compute: Any) -> None:
    request = {
        "a.b.bob@x": {"cpus": 7},
        "ada@x": {"cpus": 8},
        "eve@x": {"cpus": 9},
        "d.eve@x": {"cpus": 1},
    }
    done = compute(QUOTAS, {"total": {"cpus": 99}, "request": request}, "--json")
    printed = json.loads(done.out)

    assert [printed["groups"][name]["request"]["cpus"] for name in ("a.b", "c")] == [7, 8]
    assert printed["default"] == {"request": {"cpus": 10}, "used": {}}
    assert "d.eve@x names a group that does not exist" in done.err


def test_every_tree_has_its_own_total(compute: Any) -> None:
    quotas = "[trees.one.groups.a]\nmax = { cpus = 9 }\n[trees.two.groups.a]\nmax = { cpus = 9 }\n"
    demand = {
        name: {"total": {"cpus": total}, "request": {"a": {"cpus": 9}}}
        for name, total in (("one", 4), ("two", 6))
    }
    printed = json.loads(compute(quotas, {"trees": demand}, "--json").out)
    text = compute(quotas, {"trees": demand}).out

    assert {
        name: tree["groups"]["a"]["runtime"]["cpus"] for name, tree in printed["trees"].items()
    } == {
        "one": 4,
        "two": 6,
    }
    assert "q.toml, tree one" in text
    assert "q.toml, tree two" in text
    assert compute(quotas, {"trees": demand}, "--why", "a").out.count("runtime is") == 2


def test_a_weight_that_was_left_behind_is_told_of(compute: Any, quiet_place: Path) -> None:
    (quiet_place / "old.toml").write_text("[groups.a]\nmax = { cpus = 5 }\nweight = { cpus = 5 }\n")
    done = compute(
        "[groups.a]\nmax = { cpus = 9 }\nweight = { cpus = 5 }\n",
        {"total": {"cpus": 9}},
        "--before",
        "old.toml",
    )

    assert done.status == 0
    assert (
        "warning: group a has a weight of 5 cpus, which was its max before the change "
        "[elastic-weight-left-behind]"
    ) in done.err


def test_what_is_worth_knowing_is_in_the_json_alone(compute: Any) -> None:
    done = compute(QUOTAS, {"total": {"cpus": 100}}, "--json")

    assert done.err == ""
    assert {each["rule"] for each in json.loads(done.out)["findings"]} == {"elastic-group-unused"}


# What is refused
# ------------------------------------------------------------------------------------------------

ONE_LINE = re.compile(r"htcq: [^\n]+ \([^\n]+\)\n\Z")
GROUP = "[groups.a]\n"


@pytest.mark.parametrize(
    ("quotas", "demand", "said"),
    [
        ("[groups", DEMAND, "q.toml: "),
        ("[gruops.a]", DEMAND, "gruops is unknown (did you mean groups?)"),
        (f"{GROUP}mni = {{ cpus = 1 }}", DEMAND, "groups.a.mni is unknown (did you mean min?)"),
        (f"{GROUP}max = {{ cpus = -1 }}", {"total": {}}, "a max of -1 cpus [elastic-max-negative]"),
        (
            f"{GROUP}max = {{ cpus = 1.5 }}",
            DEMAND,
            "groups.a.max.cpus is 1.5 [elastic-amount-malformed]",
        ),
        (
            f"{GROUP}max = {{ cpus = true }}",
            DEMAND,
            "groups.a.max.cpus is true [elastic-amount-malformed]",
        ),
        (
            '[groups."a.b"]\nmax = { cpus = 1 }',
            {"total": {}},
            "the parent a of group a.b does not exist [elastic-orphan]",
        ),
        (
            (
                '[groups.a]\nparent = "b"\nmax = { cpus = 1 }\n[groups.b]\nparent = "a"\n'
                "max = { cpus = 1 }"
            ),
            {"total": {}},
            "group a below b below a: the parents form a circle [elastic-cycle]",
        ),
        (
            QUOTAS.replace("[groups.c]", "[groups.A]"),
            {"total": {}},
            "group a is declared twice: A is the same name",
        ),
        (
            QUOTAS,
            {**DEMAND, "used": {"phys": {"cpus": 1}}},
            "demand of phys, but no such group [elastic-unknown-group]",
        ),
        (QUOTAS, "{", "d.json is not JSON"),
        (
            QUOTAS,
            '{"total": {}, "total": {}}',
            "d.json is not JSON: the key 'total' is given twice",
        ),
        (QUOTAS, {"total": {"cpus": 0.5}}, "total.cpus is 0.5"),
        (QUOTAS, {"total": {"cpus": -1}}, "total.cpus is -1 (it must be 0 or more)"),
        (QUOTAS, {"request": {}}, "total is missing"),
        (
            QUOTAS,
            {"trees": {"gpu": {"total": {}}}},
            "it has demand of the tree gpu, but q.toml has none",
        ),
        (
            "[trees.gpu.groups.a]\nmax = { cpus = 1 }",
            DEMAND,
            "groups outside of its trees, but q.toml has none",
        ),
        (f"{QUOTAS}[trees.gpu]", DEMAND, "trees.gpu.total is missing"),
    ],
)
def test_what_cannot_be_is_one_line_with_a_hint(
    quotas: str, demand: Any, said: str, compute: Any
) -> None:
    done = compute(quotas, demand)

    assert (done.status, done.out) == (2, "")
    assert ONE_LINE.match(done.err), done.err
    assert said in done.err


def test_amounts_that_are_refused_are_computed_all_the_same(compute: Any) -> None:
    demand = {"total": {"cpus": 9}, "request": {"a": {"cpus": 5}}}
    done = compute(f"{GROUP}min = {{ cpus = 2 }}\nmax = {{ cpus = 1 }}", demand, "--json")

    assert done.status == 2
    assert ONE_LINE.match(done.err), done.err
    assert "[elastic-min-above-max]" in done.err
    assert json.loads(done.out)["groups"]["a"]["runtime"] == {"cpus": 1}


def test_every_refusal_has_a_line(compute: Any) -> None:
    done = compute(
        QUOTAS.replace("max = { cpus = 80 }", "max = { cpus = -1 }"), {"total": {"cpus": 1}}
    )

    assert done.status == 2
    assert (
        len(
            re.findall(
                r"^htcq: q.toml: group .* \[elastic-max-negative\] \(.*\)$", done.err, re.MULTILINE
            )
        )
        == 3
    )


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--why", "ab"], "there is no group ab (did you mean a.b or a?)"),
        (["--why", "zzz"], "there is no group zzz (the groups are a, c, a.b)"),
        (["--why", "a", "--json"], "--why and --json contradict each other"),
        (["--why", "a", "--trace"], "--why and --trace contradict each other"),
        (
            ["--before", "gone.toml"],
            "gone.toml cannot be read: No such file or directory (see htcq-elastic(1))",
        ),
    ],
)
def test_flags_that_cannot_be_are_refused(flags: list[str], said: str, compute: Any) -> None:
    done = compute(QUOTAS, DEMAND, *flags)

    assert (done.status, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["elastic"],
            "'htcq elastic' needs an action (which comes before options: compute, status,",
        ),
        (["elastic", "compute"], "--quotas and --demand are missing"),
        (["elastic", "compute", "--quotas", "gone", "--demand", "gone"], "gone cannot be read"),
        (
            ["elastic", "compute", "--quotas", "/dev/null", "--demand", "gone"],
            "gone cannot be read: No such file",
        ),
    ],
)
def test_files_that_are_not_there_are_refused(arguments: list[str], said: str, call: Call) -> None:
    done = call(*arguments)

    assert done.status == 2
    assert said in done.err


def test_a_name_cannot_steer_a_terminal(compute: Any) -> None:
    done = compute('[groups."a\\u202eb"]\nmax = { cpus = 1 }', {"total": {"cpus": 1}})

    assert "\u202e" not in done.out + done.err
