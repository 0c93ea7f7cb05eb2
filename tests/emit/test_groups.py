"""The configuration of declared groups: what it says, what HTCondor reads in it, and what is refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from htcq.audit.evidence import Evidence
from htcq.emit.groups import adopted, check_groups, groups_configuration
from htcq.errors import PolicyError
from htcq.live.configuration import read_configuration
from htcq.pool.pool import Pool
from htcq.settings import DeclaredGroup, GroupSettings
from tests.audit.sites import pool
from tests.emit.declared import alone, declared, emitted


def test_the_file_says_who_answers_for_each_group_and_sets_what_is_declared_only() -> None:
    physics = {
        "quota": 800,
        "owner": "Anna",
        "contact": "anna@example.org",
        "expires": "2027-03-31",
    }
    text = groups_configuration(
        declared(
            {"strict": False},
            physics={**physics, "hep": {"share": 0.6, "accept_surplus": True}},
            guests={},
        )
    )

    assert text.partition("\n\n")[2] == (
        "# How the negotiator deals with groups.\n"
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"
        "\n"
        "# Every group. A dot stands between a group and one below it.\n"
        "GROUP_NAMES = physics, physics.hep, guests\n"
        "\n"
        "# Group physics: owner Anna; contact anna@example.org; expires 2027-03-31\n"
        "GROUP_QUOTA_physics = 800\n"
        "\n"
        "# Group physics.hep\n"
        "GROUP_QUOTA_DYNAMIC_physics.hep = 0.6\n"
        "GROUP_ACCEPT_SURPLUS_physics.hep = True\n"
        "\n"
        "# Group guests\n"
        "# It has no quota, and so nothing but surplus.\n"
    )


def test_the_file_opens_like_those_of_htcq_emit() -> None:
    first, second, *_ = groups_configuration(declared(hep={"quota": 1})).splitlines()

    assert first.startswith("# Written by htcq ")
    assert "do not edit" in first
    assert "condor_reconfig" in second


def test_a_long_list_of_names_goes_on_over_several_lines_and_is_read_as_one() -> None:
    names = [f"group_number_{number}" for number in range(40)]
    text = groups_configuration(declared(**{name: {"share": 0.01} for name in names}))
    start = text.index("GROUP_NAMES")
    lines = text[start : text.index("\n\n", start)].splitlines()

    assert len(lines) > 5
    assert max(map(len, lines)) <= 120
    assert ", ".join(names) == read_configuration(text, ("GROUP_NAMES",))["GROUP_NAMES"]


@pytest.mark.parametrize(
    "evil",
    [
        "x\nGROUP_QUOTA_hep = 7",
        "x\r\nGROUP_QUOTA_hep = 7",
        "x \\",
        "x\\\\\n",
        "\x00\x1b[2J",
        "x\x85y\u2028z",
        "#at: x, line 3",
    ],
)
def test_nothing_in_a_comment_gets_out_of_it(evil: str) -> None:
    plain = declared(hep={"quota": 5}, lep={"quota": 6})
    settings = GroupSettings(
        tuple(
            DeclaredGroup(each.name, each.quota, owner=evil, contact=evil) for each in plain.groups
        )
    )
    text = groups_configuration(settings)

    assert text.isascii()
    assert [line for line in text.splitlines() if not line.startswith("#")] == [
        line for line in groups_configuration(plain).splitlines() if not line.startswith("#")
    ]
    assert {"hep": 5.0, "lep": 6.0} == {
        group.name: group.config_quota for group in alone(settings).groups
    }
    assert {knob.place for knob in emitted(settings)} == {""}


def test_a_name_of_another_alphabet_stays_what_it_is_in_a_comment() -> None:
    settings = GroupSettings(
        (DeclaredGroup("hep", 5, owner="Åsa Ødegård", expires=date(2027, 3, 31)),)
    )

    assert "# Group hep: owner Åsa Ødegård; expires 2027-03-31\n" in groups_configuration(settings)


def test_a_site_s_template_takes_the_place_of_htcq_s(tmp_path: Path) -> None:
    place = tmp_path / "condor" / "groups.config.j2"
    place.parent.mkdir()
    place.write_text("# {{ htcq }}\nGROUP_NAMES = {{ names | join(', ') }}\n")
    read = emitted(declared(hep={"quota": 5}), tmp_path)

    assert [(knob.name, knob.value) for knob in read] == [("GROUP_NAMES", "hep")]


def test_a_pool_takes_over_the_declared_groups_and_keeps_all_else() -> None:
    config = (
        "GROUP_NAMES = old, hep\nGROUP_QUOTA_old = 5\nGROUP_QUOTA_DYNAMIC_hep = 0.5\n"
        "GROUP_AUTOREGROUP_hep = True\n"
        "GROUP_PRIO_FACTOR_hep = 10\nGROUP_QUOTA_MAX_ALLOCATION_ROUNDS = 2\n"
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA = False\n"
    )
    central = adopted(pool(config=config), emitted(declared(hep={"quota": 7}))).central

    assert central is not None
    assert {knob.name: knob.value for knob in central} == {
        "GROUP_NAMES": "hep",
        "GROUP_QUOTA_hep": "7",
        "GROUP_PRIO_FACTOR_hep": "10",
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": "2",
        "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "False",
    }


def test_a_pool_without_a_configuration_has_the_declared_one() -> None:
    read = emitted(declared(hep={"quota": 7}))

    assert adopted(Pool("test"), read).central == read


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "GROUP_NAMES = hep\nGROUP_QUOTA_hep = -1",
            "GROUP_QUOTA_hep is out of range: -1: the negotiator would exit",
        ),
        ("GROUP_NAMES = hep\nGROUP_QUOTA_hep = much", "GROUP_QUOTA_hep is not a number: much"),
        (
            "GROUP_NAMES = hep\nGROUP_ACCEPT_SURPLUS = perhaps",
            "GROUP_ACCEPT_SURPLUS is neither true nor false",
        ),
        ("GROUP_NAMES = hep\nGROUP_SORT_EXPR = 1 +", "GROUP_SORT_EXPR is not a ClassAd expression"),
        ("GROUP_NAMES = lep\nGROUP_QUOTA_hep = 5", "the text makes no group hep"),
        ("GROUP_QUOTA_hep = 5", "the text makes no group hep"),
    ],
)
def test_a_template_that_would_harm_the_negotiator_or_loses_a_group_is_refused(
    text: str, said: str, tmp_path: Path
) -> None:
    place = tmp_path / "condor" / "groups.config.j2"
    place.parent.mkdir()
    place.write_text(f"{text}\n")
    settings = declared(hep={"quota": 5})
    with pytest.raises(PolicyError) as refused:
        check_groups(settings, Evidence(Pool("test", central=emitted(settings, tmp_path))).quotas)

    assert said in str(refused.value)
    assert "nothing was written" in refused.value.hint


def test_what_htcq_writes_itself_is_not_refused() -> None:
    settings = declared({"sort_expression": "GroupQuota"}, a={"quota": 5, "b": {"share": 1}}, c={})

    check_groups(settings, alone(settings))
