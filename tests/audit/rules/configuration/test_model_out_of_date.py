"""Nodes advertise the name of their model and a hash of its settings."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.sites import Text, dynamic_slot, found, pool, slot, static_slot

RULE = "model-out-of-date"
NEW, OLD = "0123456789ab", "ba9876543210"


def node(name: str, hash_: str | None = NEW, model: str = "linear", **changes: Text) -> str:
    own: dict[str, Text | None] = {}
    if hash_ is not None:
        own = {"HtcqModel": f'"{model}"', "HtcqModelHash": f'"{hash_}"'}
    return slot(f"slot1@{name}", **own, **changes)


def test_machines_with_another_model_than_most_are_listed() -> None:
    (finding,) = found(
        RULE, pool(node("a"), node("b"), node("c", OLD, "minimum-charge"), node("d"))
    )
    assert finding.severity is Severity.WARNING
    assert finding.subject == "machine c"
    assert finding.message == (
        "1 machine advertises minimum-charge (ba9876543210), and 3 machines linear "
        "(0123456789ab): c"
    )
    assert f'HtcqModelHash =!= "{NEW}"' in finding.advice


def test_machines_that_advertise_none_are_behind_those_that_do_however_many_they_are() -> None:
    (finding,) = found(RULE, pool(node("a", None), node("b", None), node("c", None), node("d")))
    assert (
        finding.message
        == "3 machines advertise no model, and 1 machine linear (0123456789ab): a, b, c"
    )
    assert (finding.count, finding.examples) == (3, ("a", "b", "c"))


def test_each_way_of_being_behind_is_a_finding_of_its_own() -> None:
    findings = found(
        RULE, pool(node("a"), node("b"), node("c", OLD), node("d", None), node("e", None))
    )
    assert [(finding.subject, finding.count) for finding in findings] == [
        ("machine d", 2),
        ("machine c", 1),
    ]


def test_a_machine_counts_once_however_many_slots_it_has() -> None:
    """One machine of the old model has three slots, two machines of the new one have one each."""
    hashes = {"HtcqModel": '"linear"', "HtcqModelHash": f'"{OLD}"'}
    many = [static_slot(f"slot{number}@old", **hashes) for number in range(1, 4)]
    (finding,) = found(RULE, pool(node("a"), node("b"), *many))
    assert (finding.subject, finding.count) == ("machine old", 1)


def test_of_many_machines_some_are_named() -> None:
    machines = [node(f"n{number:02}", None) for number in range(25)]
    (finding,) = found(RULE, pool(*machines, node("new")))
    assert finding.message.endswith("n19 and 5 more")


def test_machines_that_agree_are_not_found() -> None:
    claims = dynamic_slot("slot1_1@a", HtcqModel='"linear"', HtcqModelHash=f'"{NEW}"')
    assert not found(RULE, pool(node("a"), node("b", NodeOfCluster=7), claims))


def test_a_pool_that_advertises_no_models_is_not() -> None:
    assert not found(RULE, pool(node("a", None), node("b", None)))
