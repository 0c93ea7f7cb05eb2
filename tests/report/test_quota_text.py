"""Group quotas on a terminal: the table, the tree, the sentences below them, and what a change does."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from htcq.poolquota.report import PoolQuotaReport
from htcq.report.views.quota_text import show_comparison, show_quota
from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.audit.sites import slot
from tests.poolquota.looks import BUSY, busy, group_ad, look

_DEEP = """
GROUP_NAMES = a, a.x, a.x.one, a.x.two, a.y, b
GROUP_QUOTA_a = 10
GROUP_QUOTA_DYNAMIC_a.x = 0.25
"""


def _table(given: PoolQuotaReport, tree: bool = False) -> str:
    stream = io.StringIO()
    show_quota(given, stream, tree)
    return stream.getvalue()


def _rows(given: PoolQuotaReport) -> dict[str, list[str]]:
    """Return the cells of each group's row."""
    names = {each.name for each in given.standings}
    cells = [line.split() for line in _table(given).splitlines()]
    return {row[0]: row[1:] for row in cells if row and row[0] in names}


def test_every_group_has_its_numbers() -> None:
    assert {name: " ".join(cells) for name, cells in _rows(busy()).items()} == {
        "<none>": "- 77 107 5 0 0 7 5 77 77 0 0 0 4",
        "chem": "10 10 10 60 0 0 0 10 10 10 10 0 0 1",
        "physics": "20 20 20 0 0 0 7 0 - 20 0 0 20 -",
        "physics.hep": "15 15 15 60 7 7 7 38 20 13 8 23 0 3",
        "physics.lep": "5 5 5 2 0 0 0 2 5 5 2 0 3 2",
    }


def test_numbers_end_where_their_headings_end_and_headings_have_units() -> None:
    lines = _table(busy()).splitlines()
    rule = next(line for line in lines if line.startswith("---"))
    heads, bodies = lines[1 : lines.index(rule)], lines[lines.index(rule) + 1 :][:5]
    columns = [(match.start(), match.end()) for match in re.finditer("-+", rule)]
    titles = [
        " ".join(" ".join(head[start:end] for head in heads).split()) for start, end in columns
    ]

    assert titles == [
        "GROUP", "CONFIGURED", "EFFECTIVE slot weight", "SUBTREE slot weight", "IDLE schedd slot weight",
        "RUNNING schedd slot weight", "USAGE slot weight", "SUBTREE USAGE slot weight", "ALLOCATED slot weight",
        "LIMIT slot weight", "HEAD-ROOM slot weight", "BELOW slot weight",
        "BORROWED slot weight", "LENT slot weight", "TURN", "MARK",
    ]  # fmt: skip
    assert all(body[end - 1] != " " for body in bodies for _, end in columns[1:15])


def test_a_share_is_a_part_and_a_cut_limit_shows_both() -> None:
    given = look(
        "GROUP_NAMES = a, b, c\nGROUP_QUOTA_DYNAMIC_a = 0.149999\nGROUP_QUOTA_b = 0.5\n",
        wants("a", 50),
    )
    rows = _rows(given)

    assert (rows["a"][0], rows["b"][0], rows["c"][0]) == ("14.9999%", "0.5", "-")
    assert rows["a"][8:10] == ["14", "(14.9249)"]  # of the 99.5 that b leaves


def test_a_limit_that_is_no_number_says_so() -> None:
    given = look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7))

    assert _rows(given)["physics.hep"][8:10] == ["nan", "0"]


def test_what_was_published_otherwise_is_marked_and_told() -> None:
    others = (group_ad(name) for name in ("chem", "physics.hep", "physics.lep"))
    given = busy(
        "",
        group_ad("<none>", SubtreeQuota="107.0"),
        group_ad("physics", EffectiveQuota="15.0"),
        *others,
    )

    assert _rows(given)["physics"][-1] == "*"
    assert [name for name, row in _rows(given).items() if "*" in row] == ["physics"]
    assert "* physics: EffectiveQuota published 15, computed 20" in _table(given).splitlines()


def test_a_group_that_was_not_published_is_marked_and_told() -> None:
    others = (group_ad(name) for name in ("physics", "physics.hep", "physics.lep"))
    given = look(PHYSICS, group_ad("<none>", SubtreeQuota="100.0"), *others)

    assert "* chem: EffectiveQuota published nothing, computed 10" in _table(given).splitlines()


def test_a_pool_of_another_weight_is_told() -> None:
    given = look(PHYSICS, group_ad("<none>", SubtreeQuota="90.0"))

    assert (
        "the negotiator's last cycle shared out 90: what it published is compared with quotas of "
        "such a pool"
    ) in _table(given).splitlines()


def test_totals_and_oversubscription() -> None:
    """hep 38 and chemistry 10 of 40: with lep's 2 and the root's 5 that is all and more."""
    plenty, scarce = _table(busy()), _table(look(PHYSICS, *BUSY, weight=33))

    assert "in slot weight: pool 107, quotas 127, used 7, allocated 55" in plenty.splitlines()
    assert (
        "quotas add up to 127; the pool has 107 (NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true)"
    ) in plenty.splitlines()
    assert (
        "allocations add up to 55; the pool has 40 (NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is "
        "true)"
    ) in scarce.splitlines()


def test_without_oversubscription_nothing_is_told_of_it() -> None:
    assert "OVERSUBSCRIPTION" not in _table(
        busy("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = False\n")
    )


@pytest.mark.parametrize(
    ("more", "weight", "told"),
    [
        ("", "Cpus", "slot weight: SlotWeight is Cpus on every slot, so these are cores"),
        ("", "2", "slot weight: what SlotWeight makes of each slot (Cpus, 2), not cores"),
        (
            "NEGOTIATOR_USE_SLOT_WEIGHTS = False\n",
            "Cpus",
            "slots: NEGOTIATOR_USE_SLOT_WEIGHTS is false: a claimed slot counts 1 whatever its "
            "size, a free "
            "partitionable one its cpus",
        ),
        (
            "",
            "Cpus",
            (
                "schedd slot weight: what jobs weigh by the schedds' own SCHEDD_SLOT_WEIGHT or "
                "SLOT_WEIGHT"
            ),
        ),
        (
            "NEGOTIATOR_USE_WEIGHTED_DEMAND = False\n",
            "Cpus",
            "jobs: NEGOTIATOR_USE_WEIGHTED_DEMAND is false: a job counts 1 whatever it weighs",
        ),
    ],
)
def test_the_legend_says_what_the_units_are(more: str, weight: str, told: str) -> None:
    assert told in _table(look(PHYSICS + more, slot("slot1@other", SlotWeight=weight))).splitlines()


def test_a_legend_names_a_few_expressions_only() -> None:
    given = look(PHYSICS, *(slot(f"slot1@m{number}", SlotWeight=number) for number in range(5)))

    assert "what SlotWeight makes of each slot (Cpus, 4, 3 and 3 more), not cores" in _table(given)


def test_headings_carry_the_units_of_the_pool() -> None:
    more = "NEGOTIATOR_USE_SLOT_WEIGHTS = False\nNEGOTIATOR_USE_WEIGHTED_DEMAND = False\n"
    (heading,) = (
        line for line in _table(look(PHYSICS + more)).splitlines() if line.startswith("GROUP")
    )

    assert heading.split()[2:].count("slots") == 10
    assert heading.split().count("jobs") == 2


def test_what_is_wrong_is_told_and_what_ends_the_negotiator() -> None:
    config = f"{PHYSICS}GROUP_NAMES = chem, none\nGROUP_QUOTA_chem = -1\n"
    given = replace(look(config), doubts=("it is odd",), incomplete=("jobs: no answer",))
    lines = _table(given).splitlines()

    assert (
        "configuration: GROUP_QUOTA_chem is out of range: -1: the negotiator exits on it" in lines
    )
    assert (
        "configuration: group none has neither GROUP_QUOTA_none nor GROUP_QUOTA_DYNAMIC_none: "
        "its quota is 0"
    ) in lines
    assert "doubt: it is odd" in lines
    assert "incomplete data: jobs: no answer" in lines


def test_without_groups_there_is_the_root_and_a_sentence() -> None:
    given = look("", wants("", 5))

    assert list(_rows(given)) == ["<none>"]
    assert "in slot weight: pool 100, used 0" in _table(given).splitlines()
    assert ("there are no groups and no quotas: submitters share the pool by priority") in _table(
        given
    ).splitlines()


def test_the_title_has_pool_negotiator_and_time() -> None:
    given = replace(busy(), negotiator="west", taken="2026-11-02T08:15:00+00:00")

    assert _table(given).splitlines()[0] == "test, negotiator west, taken 2026-11-02T08:15:00+00:00"


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("utf-8", ["├─ a", "│  ├─ x", "│  │  ├─ one", "│  │  └─ two", "│  └─ y", "└─ b"]),
        ("ascii", ["|- a", "|  |- x", "|  |  |- one", "|  |  `- two", "|  `- y", "`- b"]),
        ("latin-1", ["|- a", "|  |- x", "|  |  |- one", "|  |  `- two", "|  `- y", "`- b"]),
    ],
)
def test_a_tree_is_drawn_with_what_the_terminal_can_show(encoding: str, names: list[str]) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    show_quota(look(_DEEP), stream, tree=True)
    stream.flush()
    lines = stream.buffer.getvalue().decode(encoding).splitlines()  # type: ignore[attr-defined]
    first = next(number for number, line in enumerate(lines) if line.startswith("<none>"))

    assert [line[: len(name)] for line, name in zip(lines[first + 1 :], names)] == names
    assert [line[len(name)] for line, name in zip(lines[first + 1 :], names)] == [" "] * len(names)


def test_a_tree_says_all_that_the_table_says() -> None:
    table, tree = (_table(busy(), drawn).split("\n\n")[1] for drawn in (False, True))

    assert table == tree


def test_names_that_would_steer_a_terminal_are_spelled_out() -> None:
    given = look("GROUP_NAMES = \x1b[31mred\n", wants("\x1b[31mred", 5))

    assert "\x1b" not in _table(given)
    assert "\\x1b[31mred" in _table(given)


def _compared(before: PoolQuotaReport, after: PoolQuotaReport, everything: bool = False) -> str:
    stream = io.StringIO()
    show_comparison(before, after, [("GROUP_QUOTA_chem", "14.9999")], stream, everything)
    return stream.getvalue()


def _changed(more: str, config: str = PHYSICS) -> PoolQuotaReport:
    return look(config + more, *BUSY)


def test_a_comparison_has_before_after_and_difference_of_what_changes() -> None:
    lines = _compared(busy(), _changed("GROUP_QUOTA_chem = 14.9999\n")).splitlines()

    assert lines[:4] == [
        "test, if the central manager had",
        "  GROUP_QUOTA_chem = 14.9999",
        "before, in slot weight: pool 107, quotas 127, used 7, allocated 55",
        "after, in slot weight: pool 107, quotas 127, used 7, allocated 59.9999",
    ]
    rows = [line.split() for line in lines]
    assert [
        "chem",
        "10",
        "14.9999",
        "+4.9999",
        "10",
        "14.9999",
        "+4.9999",
        "10",
        "14",
        "+4",
    ] in rows
    assert ["<none>", "77", "72.0001", "-4.9999", "5", "5", "77", "72", "-5"] in rows
    assert not any(row[:1] == ["physics.hep"] for row in rows)
    assert lines[-1] == "3 of 5 groups stay as they are; --all shows them"


def test_all_groups_are_shown_if_asked_for() -> None:
    text = _compared(busy(), _changed("GROUP_QUOTA_chem = 11\n"), everything=True)

    assert any(line.split()[:3] == ["physics.hep", "15", "15"] for line in text.splitlines())
    assert "--all" not in text


def test_groups_that_appear_and_vanish_are_named_so() -> None:
    config = PHYSICS.replace("physics.lep,", "physics.new,")
    rows = [
        line.split()
        for line in _compared(
            busy(), _changed("GROUP_QUOTA_physics.new = 5\n", config)
        ).splitlines()
    ]

    assert ["physics.lep", "5", "-", "2", "-", "5", "-", "vanishes"] in rows
    assert ["physics.new", "-", "5", "-", "0", "-", "-", "appears"] in rows


def test_nothing_that_changes_is_one_sentence() -> None:
    lines = _compared(busy(), busy()).splitlines()

    assert lines[2] == (
        "nothing changes: every group has the quota, the allocation and the limit that it has now"
    )
    assert not any(line.startswith("GROUP ") for line in lines)


def test_what_a_change_would_break_is_told() -> None:
    text = _compared(busy(), _changed("GROUP_QUOTA_chem = oops\n"))

    assert (
        "configuration: GROUP_QUOTA_chem is not a number: oops: the negotiator exits on it"
        in text.splitlines()
    )
