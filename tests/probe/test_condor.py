"""HTCondor's configuration as its tool prints it, and as its bindings give it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import machine_from

from htcq.errors import ProbeError
from htcq.probe import probe_machine
from htcq.probe.commands import Answer
from htcq.probe.condor import parse_dump, read_knobs, whole_number
from htcq.probe.machine import Machine
from htcq.probe.readings import read_machine

BARE = {
    "files": {},
    "psutil": {
        "logical": 8,
        "physical": 4,
        "affinity": list(range(8)),
        "memory_bytes": 2**33,
        "swap_bytes": 0,
    },
    "free_kb": {"/": 1000000, "/scratch": 5000},
}


def machine(output="", *, status=0, params=None, facts=BARE, asked=None, discovery=None):
    """A machine whose condor_config_val prints ``output`` and whose condor_gpu_discovery prints ``discovery``."""
    plain = machine_from(facts)

    def command(words):
        if asked is not None:
            asked.append(tuple(words))
        if words[0] == "condor_config_val":
            return Answer(status, output, "it broke") if output is not None else None
        return Answer(0, discovery) if discovery is not None else None

    return Machine(
        plain.read,
        plain.match,
        command,
        plain.free_kb,
        plain.psutil_facts,
        plain.nvml_facts,
        condor_params=params,
    )


def knob(name, value, source="/etc/condor/condor_config, line 1"):
    return f"{name} = {value}\n # at: {source}\n # expanded: {value}\n"


DETECTED = knob("DETECTED_CPUS", 8, "<Detected>") + knob("DETECTED_MEMORY", 8192, "<Detected>")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4", 4), (" 2 * 3 + 1 ", 7), ("(1 + 2) * 4", 12), ("7 / 2", 3), ("7 / 2 * 2", 6),
        ("-3", -3), ("12.7", 12), ("3.0 * 1.5", 4),
        ("", None), ("2 GB", None), ("a, b", None), ("1 / 0", None), ("__import__('os')", None), ("True", None),
        ("2 ** 99", None), ("'x' * 3", None),
    ],
)  # fmt: skip
def test_whole_number(text, number):
    assert whole_number(text) == number


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.sampled_from("+-*/"))
def test_whole_number_divides_like_c(left, right, sign):
    expected = {"+": left + right, "-": left - right, "*": left * right, "/": int(left / right)}[
        sign
    ]
    assert whole_number(f"{left} {sign} {right}") == expected


@given(st.text(max_size=300))
def test_strange_texts_are_no_numbers_and_no_errors(text):
    assert whole_number(text) is None or isinstance(whole_number(text), int)
    parse_dump(text)


def test_the_startds_own_setting_beats_the_general_one():
    text = knob("STARTD.NUM_CPUS", 7) + knob("NUM_CPUS", 3)
    assert parse_dump(text)["NUM_CPUS"].value == "7"
    assert parse_dump(knob("NUM_CPUS", 3) + knob("STARTD.NUM_CPUS", 7))["NUM_CPUS"].value == "7"


def test_a_multi_line_value_does_not_disturb_its_neighbours():
    text = "EXECUTE @=end\n  a = 1\n@end\n # at: x, line 1\n # expanded: \n #     a = 1\n" + knob(
        "MEMORY", 5
    )
    assert parse_dump(text)["MEMORY"].value == "5"


def test_configuration_is_asked_once_and_as_the_startd_reads_it():
    asked = []
    read_machine(machine(DETECTED, asked=asked))
    calls = [words for words in asked if words[0] == "condor_config_val"]
    assert len(calls) == 1
    assert calls[0][:3] == ("condor_config_val", "-subsystem", "STARTD")


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ("", ("-properties",)),
        (
            knob("STARTD_DETECT_GPUS", "-properties -divide 2", "<Default>"),
            ("-properties", "-divide", "2"),
        ),
        (
            knob(
                "MACHINE_RESOURCE_INVENTORY_GPUs",
                "/usr/libexec/condor/condor_gpu_discovery  -properties -extra",
            ),
            ("-properties", "-extra"),
        ),
    ],
)
def test_gpu_discovery_gets_the_options_the_startd_gives_it(settings, options):
    asked = []
    read_machine(machine(DETECTED + settings, asked=asked, discovery="DetectedGPUs=0\n"))
    assert [words[1:] for words in asked if "gpu" in words[0]] == [options]


@pytest.mark.parametrize(
    ("settings", "origin"),
    [
        (knob("STARTD_DETECT_GPUS", ""), "STARTD_DETECT_GPUS"),
        (knob("MACHINE_RESOURCE_NAMES", "Tokens"), "MACHINE_RESOURCE_NAMES"),
        (knob("MACHINE_RESOURCE_GPUs", "0"), "MACHINE_RESOURCE_GPUs"),
    ],
)
def test_gpus_the_site_has_switched_off_are_none(settings, origin):
    node = probe_machine(machine(DETECTED + settings, discovery='DetectedGPUs="GPU-a0223334"\n'))
    assert node.gpus == 0
    assert {source.fact: source.origin for source in node.sources}["gpus"] == origin


def test_offline_gpus_are_taken_off():
    settings = knob("OFFLINE_MACHINE_RESOURCE_GPUs", "GPU-a0223334")
    node = probe_machine(
        machine(DETECTED + settings, discovery='DetectedGPUs="GPU-a0223334, GPU-b1223334"\n')
    )
    assert [gpu.id for gpu in node.gpu_devices] == ["GPU-b1223334"]


def test_discovery_that_says_nothing_is_noted():
    node = probe_machine(machine(DETECTED, discovery="cannot load libcuda\n"))
    assert node.gpus == 0
    assert any("no DetectedGPUs" in note for note in node.notes)


def test_a_value_that_is_no_number_is_noted_and_passed_over():
    node = probe_machine(machine(DETECTED + knob("MEMORY", "2 GB")))
    assert node.memory_mb == 8192
    assert any("MEMORY = 2 GB" in note for note in node.notes)


def test_a_site_that_hands_out_more_than_it_has_is_told():
    facts = {**BARE, "psutil": {**BARE["psutil"], "affinity": [0, 1]}}
    node = probe_machine(machine(DETECTED + knob("NUM_CPUS", 16), facts=facts))
    assert node.cpus == 16
    assert any(
        "NUM_CPUS = 16 is more than cpu affinity lets run (2)" in note for note in node.notes
    )


def test_reserved_memory_that_leaves_nothing_is_an_error():
    with pytest.raises(ProbeError, match="RESERVED_MEMORY = 9000 leaves nothing of 8192 MB"):
        probe_machine(machine(DETECTED + knob("RESERVED_MEMORY", 9000)))


def test_lvm_is_noted():
    node = probe_machine(machine(DETECTED + knob("STARTD_ENFORCE_DISK_LIMITS", "true")))
    assert any("LVM" in note for note in node.notes)


def test_execute_of_the_configuration_and_of_the_command_line():
    text = DETECTED + knob("EXECUTE", "/scratch")
    assert probe_machine(machine(text)).disk_kb == 5000
    assert probe_machine(machine(text), execute="/elsewhere").disk_kb == 1000000


def test_the_bindings_answer_where_the_tool_is_missing():
    asked = []

    def params(names):
        asked.extend(names)
        return {
            "DETECTED_CPUS": "6",
            "NUM_CPUS": "6",
            "DETECTED_CPUS_LIMIT": "6",
            "DETECTED_MEMORY": "4096",
        }

    node = probe_machine(machine(None, params=params))
    assert (node.cpus, node.condor_cpus, node.memory_mb) == (6, 6, 4096)
    assert {source.fact: source.origin for source in node.sources}["cpus"] == "DETECTED_CPUS"
    assert "MACHINE_RESOURCE_*" in asked


def test_a_setting_seen_through_the_bindings_is_the_sites():
    values = {"DETECTED_CPUS": "6", "DETECTED_CPUS_LIMIT": "6", "NUM_CPUS": "12", "MEMORY": "2048"}
    node = probe_machine(machine(None, params=lambda names: values))
    assert (node.cpus, node.memory_mb) == (12, 2048)


def test_a_broken_tool_is_an_error_of_its_own():
    with pytest.raises(ProbeError, match="condor_config_val failed: it broke"):
        read_knobs(machine("", status=1))


def test_what_htcq_wrote_for_another_size_is_told():
    file = "/etc/condor/config.d/50-claims.config"
    facts = {
        **BARE,
        "files": {file: "# Written by htcq 1.0 for an execution point\nNUM_CPUS = 6\n"},
        "psutil": {**BARE["psutil"], "affinity": [0, 1]},
    }
    node = probe_machine(machine(DETECTED + knob("NUM_CPUS", 6, f"{file}, line 2"), facts=facts))
    assert node.cpus == 2
    assert any(
        "NUM_CPUS = 6 stands in htcq's own configuration" in note and "2 are here" in note
        for note in node.notes
    )


def test_bindings_that_know_nothing_do_not_hide_a_broken_tool():
    node = probe_machine(machine("", status=1, params=lambda names: {}))
    assert node.cpus == 8
    assert any("condor_config_val failed: it broke" in note for note in node.notes)


@pytest.mark.parametrize(
    ("version", "gpus"),
    [("23.0.28", 2), ("23.8.1", 1), ("23.10.29", 1), ("24.0.1", 2), ("25.14.1", 2), ("", 2)],
)
def test_repeated_ids_count_except_in_the_versions_that_dropped_them(version, gpus):
    text = (
        DETECTED
        + knob("CONDOR_VERSION", version, "<Default>")
        + knob("MACHINE_RESOURCE_Fpga", "a, a")
    )
    node = probe_machine(machine(text, discovery='DetectedGPUs="GPU-a0223334, GPU-a0223334"\n'))
    assert (node.gpus, node.custom["Fpga"]) == (gpus, gpus)
    assert any("-repeat" in note for note in node.notes)
