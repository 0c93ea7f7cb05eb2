"""What new groups change for a pool that has others, and whom they would hurt."""

from __future__ import annotations

from htcq.emit.group_edit import ABSENT, Change, changes, dropped, losses, staying
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import Daemon
from tests.audit.sites import accounting, dynamic_slot, pool, slot, submitter
from tests.emit.declared import alone, declared, emitted, having

CONFIG = "GROUP_NAMES = old, old.sub, Physics\nGROUP_QUOTA_old = 3\nGROUP_QUOTA_Physics = 4\n"


def test_only_what_changes_is_told() -> None:
    before = alone(
        declared(
            {"strict": True}, a={"quota": 5}, b={"share": 0.25}, c={"quota": 1, "autoregroup": True}
        )
    )
    after = alone(
        declared(
            {"strict": False, "accept_surplus": True},
            a={"quota": 5, "accept_surplus": False},
            b={"quota": 0.25, "n": {}},
            B2={"share": 1},
        )
    )

    assert changes(before, after) == (
        Change("b", "share 0.25", "0.25, accepts surplus"),
        Change("B2", ABSENT, "share 1, accepts surplus"),
        Change("b.n", ABSENT, "no quota, accepts surplus"),
        Change("c", "1, regroups", ABSENT),
        Change("GROUP_ACCEPT_SURPLUS", "(not set)", "True"),
        Change("NEGOTIATOR_STRICT_ENFORCE_QUOTA", "True", "False"),
    )


def test_another_spelling_is_the_same_group() -> None:
    before, after = alone(declared(HEP={"quota": 5})), alone(declared(hep={"quota": 5}))

    assert (changes(before, after), dropped(before, after)) == ((), ())


def test_numbers_are_told_with_all_their_digits() -> None:
    before, after = alone(declared(a={"quota": 1000001})), alone(declared(a={"quota": 1000002.25}))

    assert changes(before, after) == (Change("a", "1000001", "1000002.25"),)


def test_a_group_goes_only_if_nobody_uses_it_or_waits_for_it() -> None:
    given = pool(
        slot(),
        dynamic_slot(customer="old.ann@site"),
        submitter("old.ann@site", IdleJobs=5, RunningJobs=1),
        submitter("old.sub.bob@site", IdleJobs=1, RunningJobs=0),
        submitter("ada@site", IdleJobs=9),
        config=CONFIG,
    )
    before, settings = (
        having(given, declared(old={"quota": 3, "sub": {}}, physics={"quota": 4})),
        declared(x={}),
    )
    after = having(given, settings)

    assert losses(before.quotas, after.quotas) == (
        "group old, which has a usage of 1, 1 running job and 5 idle jobs",
        "group old.sub, which has 1 idle job",
    )
    assert losses(before.quotas, before.quotas) == ()


def test_usage_that_the_accountant_still_publishes_counts() -> None:
    given = pool(slot(), accounting("old", WeightedResourcesUsed=2.5), config=CONFIG)
    before = having(given, declared(old={"quota": 3}, physics={"quota": 4}))

    assert losses(before.quotas, having(given, declared(y={})).quotas) == (
        "group old, which has a usage of 2.5",
    )


def _central(*knobs: Knob) -> Configuration:
    seen = {knob.bare.upper(): knob for knob in knobs}
    return Configuration("config.txt", seen, daemon=Daemon("NEGOTIATOR"))


def test_knobs_of_other_files_that_would_stay_in_force() -> None:
    there = "/etc/condor/config.d/40-groups.config:3"
    settings = declared(a={"share": 0.5}, b={"quota": 5}, c={"quota": 1, "accept_surplus": False})
    own = _central(
        Knob("GROUP_QUOTA_A", "7", place=there),
        Knob("GROUP_QUOTA_DYNAMIC_b", "0.5", place=there),
        Knob("GROUP_QUOTA_b", "6", place=there),
        Knob("GROUP_ACCEPT_SURPLUS_b", "True", place=there),
        Knob("GROUP_ACCEPT_SURPLUS_c", "True", place=there),
        Knob("GROUP_AUTOREGROUP_b", "True", place="/etc/condor/config.d/50-htcq-groups.config:9"),
        Knob("GROUP_AUTOREGROUP_c", "True"),
        Knob("GROUP_AUTOREGROUP_a", "", place=there),
        Knob("NEGOTIATOR.GROUP_NAMES", "a", place=there, prefix="NEGOTIATOR."),
    )

    assert [
        knob.name for knob in staying(settings, own, emitted(settings), "50-htcq-groups.config")
    ] == [
        "NEGOTIATOR.GROUP_NAMES",
        "GROUP_QUOTA_A",
        "GROUP_ACCEPT_SURPLUS_b",
    ]
