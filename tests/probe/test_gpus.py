"""GPUs as NVML and sysfs tell them, through a stand-in for NVIDIA's library."""

from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import machine_from

from htcq.errors import ProbeError
from htcq.probe import libraries
from htcq.probe.gpus import amd_gpus, gpus_of_nvml, parse_discovery, short_name

GIB = 2**30


class NVMLError(Exception):
    """As pynvml's: every failure of the library."""


class FakeNvml:
    """The calls of nvidia-ml-py that the probe makes, over made-up cards (NVML API Reference Guide)."""

    NVMLError = NVMLError
    NVML_DEVICE_MIG_ENABLE = 1

    def __init__(self, cards, failure=""):
        self.cards, self.failure, self.open = cards, failure, False

    def nvmlInit(self):  # noqa: N802 - NVML's name
        if self.failure == "init":
            raise NVMLError("Driver/library version mismatch")
        self.open = True

    def nvmlShutdown(self):  # noqa: N802
        self.open = False

    def nvmlDeviceGetCount(self):  # noqa: N802
        if self.failure == "count":
            raise NVMLError("GPU is lost")
        return len(self.cards)

    def nvmlSystemGetDriverVersion(self):  # noqa: N802
        return b"550.90.07"

    def nvmlDeviceGetHandleByIndex(self, index):  # noqa: N802
        return self.cards[index]

    def nvmlDeviceGetCudaComputeCapability(self, card):  # noqa: N802
        return (9, 0)

    def nvmlDeviceGetMigMode(self, card):  # noqa: N802
        if "slices" not in card:
            raise NVMLError("Not Supported")
        return (1, 1)

    def nvmlDeviceGetMaxMigDeviceCount(self, card):  # noqa: N802
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, card, index):  # noqa: N802
        if index >= len(card["slices"]):
            raise NVMLError("Not Found")
        return card["slices"][index]

    def nvmlDeviceGetUUID(self, card):  # noqa: N802
        return card["uuid"]

    def nvmlDeviceGetName(self, card):  # noqa: N802
        return card["name"]

    def nvmlDeviceGetMemoryInfo(self, card):  # noqa: N802
        return SimpleNamespace(total=card["memory"])


def card(uuid, memory=80 * GIB, **more):
    return {"uuid": uuid, "name": "NVIDIA H100", "memory": memory, **more}


@pytest.fixture
def nvml(monkeypatch):
    def install(cards=(), failure=""):
        fake = FakeNvml(cards, failure)
        monkeypatch.setitem(sys.modules, "pynvml", fake)
        monkeypatch.setattr(ctypes, "CDLL", lambda name: None)
        return fake

    return install


def test_without_nvidias_library_there_is_nothing_to_ask(monkeypatch):
    monkeypatch.setattr(libraries, "_NVML_LIBRARY", "libnvidia-ml-that-is-not-installed.so")
    assert libraries.nvml_facts() == {}


def test_cards_and_slices(nvml):
    fake = nvml(
        [
            card(
                "GPU-12345678-0000", slices=[card("MIG-aaaa", 10 * GIB), card("MIG-bbbb", 20 * GIB)]
            ),
            card("GPU-9abcdef0-1"),
        ]
    )
    facts = libraries.nvml_facts()
    assert facts["driver"] == "550.90.07"
    found = gpus_of_nvml(facts)
    assert [gpu.id for gpu in found] == ["MIG-aaaa", "MIG-bbbb", "GPU-9abcdef0"]
    assert [gpu.memory_mb for gpu in found] == [10240, 20480, 81920]
    assert [gpu.mig for gpu in found] == [True, True, False]
    assert {gpu.capability for gpu in found} == {"9.0"}
    assert not fake.open


@pytest.mark.parametrize("failure", ["init", "count"])
def test_a_broken_driver_is_one_clear_error(nvml, failure):
    fake = nvml([card("GPU-1")], failure)
    with pytest.raises(ProbeError, match=r"NVML: (Driver/library version mismatch|GPU is lost)"):
        libraries.nvml_facts()
    assert not fake.open


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_short_names(number, prefixed):
    uuid = f"{number:08x}-4445-5667-899a-abbccddeeff0"
    assert short_name(f"GPU-{uuid}" if prefixed else uuid) == f"GPU-{number:08x}"


@given(st.lists(st.sampled_from(["GPU-a0223334", "GPU-b1223334", "CUDA0"]), min_size=1, max_size=8))
def test_every_listed_id_counts(ids):
    assert [gpu.id for gpu in parse_discovery(f'DetectedGPUs="{", ".join(ids)}"\n')] == ids


def test_properties_of_the_device_beat_the_common_ones():
    text = (
        'DetectedGPUs="CUDA0"\nCommon=[ Capability=7.0; DeviceName="A; B"; ]\n'
        'CUDA0=[ id="CUDA0"; Capability=8.0; ]\n'
    )
    (gpu,) = parse_discovery(text)
    assert (gpu.capability, gpu.name) == ("8.0", "A; B")


def amd_machine(files, unreadable=()):
    return machine_from({"files": files, "free_kb": {}, "unreadable": unreadable})


def test_amd_cards_in_the_order_of_their_numbers():
    files = {}
    for number in (0, 2, 10):
        files[f"/sys/class/drm/card{number}/device/vendor"] = "0x1002\n"
        files[f"/sys/class/drm/card{number}/device/mem_info_vram_total"] = f"{(number + 1) * GIB}\n"
    files["/sys/class/drm/card10/device/product_name"] = "Instinct MI210\n"
    files["/sys/class/drm/card3/device/vendor"] = "0x8086\n"
    files["/sys/class/drm/card3/device/mem_info_vram_total"] = f"{GIB}\n"
    found, notes = amd_gpus(amd_machine(files))
    assert [(gpu.id, gpu.memory_mb, gpu.name) for gpu in found] == [
        ("card0", 1024, ""), ("card2", 3072, ""), ("card10", 11264, "Instinct MI210"),
    ]  # fmt: skip
    assert notes == ()


def test_an_unreadable_amd_card_is_noted_and_not_counted():
    files = {f"/sys/class/drm/card{number}/device/vendor": "0x1002\n" for number in (0, 1)}
    files["/sys/class/drm/card1/device/mem_info_vram_total"] = "what\n"
    memory = "/sys/class/drm/card0/device/mem_info_vram_total"
    found, notes = amd_gpus(amd_machine({**files, memory: "1"}, unreadable=(memory,)))
    assert found == ()
    assert len(notes) == 2
    assert "Permission denied" in notes[0]
