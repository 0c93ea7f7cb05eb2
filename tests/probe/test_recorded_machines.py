"""Every recorded machine of tests/golden/nodes gives the node that its documentation says it is."""

from __future__ import annotations

import json

import pytest
from recorded import CASES, NODES, WORKING_NAMES, expected, recorded_machine

from htcq.errors import ProbeError
from htcq.node import Node, node_facts, node_from_facts
from htcq.probe import probe_machine

FAILING = [name for name in CASES if name not in WORKING_NAMES]


def test_there_are_enough_machines_and_most_of_them_were_recorded():
    by_hand = [
        name
        for name in CASES
        if "by hand" in " ".join((NODES / name / "origin").read_text().split())
    ]
    assert len(CASES) >= 20
    assert len(by_hand) < len(CASES) / 2


@pytest.mark.parametrize("name", CASES)
def test_every_machine_says_where_it_comes_from_and_why_it_is_expected_so(name):
    assert len((NODES / name / "origin").read_text().split()) >= 8
    assert expected(name)["why"].endswith(".")


@pytest.mark.parametrize("name", WORKING_NAMES)
def test_facts(name):
    wanted, node = expected(name)["node"], probe_machine(recorded_machine(name))
    assert {fact: getattr(node, fact) for fact in wanted} == wanted


@pytest.mark.parametrize("name", WORKING_NAMES)
def test_the_right_authority_wins_and_says_why(name):
    case, node = expected(name), probe_machine(recorded_machine(name))
    sources = {source.fact: source for source in node.sources}
    assert {fact: sources[fact].origin for fact in case.get("origins", {})} == case.get(
        "origins", {}
    )
    for fact, phrase in case.get("whys", {}).items():
        assert phrase in sources[fact].why
    for fact, others in case.get("others", {}).items():
        assert others.items() <= dict(sources[fact].others).items()


@pytest.mark.parametrize("name", WORKING_NAMES)
def test_notes(name):
    case, node = expected(name), probe_machine(recorded_machine(name))
    for phrase in case["notes"]:
        assert any(phrase in note for note in node.notes), (phrase, node.notes)
    for phrase in case.get("no_notes", ()):
        assert not any(phrase in note for note in node.notes), (phrase, node.notes)
    if case.get("silent"):
        assert node.notes == ()


@pytest.mark.parametrize("name", [name for name in WORKING_NAMES if "gpu_ids" in expected(name)])
def test_gpu_devices(name):
    case, node = expected(name), probe_machine(recorded_machine(name))
    assert [gpu.id for gpu in node.gpu_devices] == case["gpu_ids"]
    assert [gpu.name for gpu in node.gpu_devices] == case.get(
        "gpu_names", [gpu.name for gpu in node.gpu_devices]
    )
    memory = [gpu.memory_mb for gpu in node.gpu_devices]
    assert memory == case.get("gpu_memory_mb", memory)
    assert sum(gpu.mig for gpu in node.gpu_devices) == case.get("mig", 0)


@pytest.mark.parametrize("name", WORKING_NAMES)
def test_every_number_has_its_source_and_reason(name):
    node = probe_machine(recorded_machine(name))
    sources = {source.fact: source for source in node.sources}
    assert {"cpus", "memory_mb", "disk_kb", "gpus"} <= set(sources)
    for fact, source in sources.items():
        assert source.origin
        assert source.why
        assert source.value == _fact(node, fact)
    assert len(node.gpu_devices) in (node.gpus, 0)


def _fact(node: Node, fact: str) -> int:
    value: int = (
        node.custom[fact[len("custom.") :]] if fact.startswith("custom.") else getattr(node, fact)
    )
    return value


@pytest.mark.parametrize("name", WORKING_NAMES)
def test_node_facts_survive_json(name):
    node = probe_machine(recorded_machine(name))
    assert node_from_facts(json.loads(json.dumps(node_facts(node)))) == node


@pytest.mark.parametrize("name", FAILING)
def test_a_machine_nobody_knows_is_an_error(name):
    with pytest.raises(ProbeError, match=expected(name)["error"]) as caught:
        probe_machine(recorded_machine(name))
    assert caught.value.hint
    assert caught.value.exit_status == 3
