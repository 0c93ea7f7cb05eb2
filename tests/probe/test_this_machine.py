"""The machine that runs the tests, compared with what its own tools and files say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import record_machine
from recorded import recorded_in

from htcq.probe import probe_machine, probe_node
from htcq.probe.machine import this_machine


@pytest.fixture(scope="module")
def node():
    return probe_node(execute="/")


def test_cpus_agree_with_nproc(node):
    quiet = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    usable = int(
        subprocess.run(["nproc"], capture_output=True, text=True, check=True, env=quiet).stdout
    )
    origin = {source.fact: source.origin for source in node.sources}["cpus"]
    if origin.startswith("cgroup"):
        assert 1 <= node.cpus <= usable
    else:
        assert node.cpus == usable


def test_memory_agrees_with_meminfo(node):
    lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    physical_mb, swap_mb = (
        int(lines[name].split()[0]) // 1024 for name in ("MemTotal", "SwapTotal")
    )
    origin = {source.fact: source.origin for source in node.sources}["memory_mb"]
    if origin.startswith("cgroup"):
        assert 1 <= node.memory_mb < physical_mb
    else:
        assert node.memory_mb == physical_mb
    assert node.swap_mb == swap_mb


def test_disk_agrees_with_df(node):
    answer = subprocess.run(
        ["df", "-k", "--output=avail", "/"], capture_output=True, text=True, check=True
    ).stdout
    available = int(answer.split()[-1])
    # Other programs write while this test runs.
    assert node.disk_kb == pytest.approx(available, rel=0.02, abs=100_000)


def test_the_host_is_named(node):
    assert node.hostname == os.uname().nodename


def test_a_recording_of_this_machine_is_probed_like_the_machine_itself(node, tmp_path):
    record_machine.save(tmp_path / "case", record_machine.record())
    again = probe_machine(recorded_in(tmp_path / "case"), execute="/")
    assert (again.cpus, again.memory_mb, again.physical_cpus) == (
        node.cpus,
        node.memory_mb,
        node.physical_cpus,
    )
    assert (again.condor_cpus, again.gpus, again.custom) == (
        node.condor_cpus,
        node.gpus,
        node.custom,
    )


def test_readers_of_a_real_machine(tmp_path):
    machine = this_machine()
    for name in ("card1", "card0", "other"):
        (tmp_path / name).write_text(name)
    assert machine.match(f"{tmp_path}/card*") == (f"{tmp_path}/card0", f"{tmp_path}/card1")
    assert machine.read(f"{tmp_path}/other") == "other"
    assert machine.psutil_facts()["affinity"] == sorted(os.sched_getaffinity(0))
    with pytest.raises(FileNotFoundError):
        machine.free_kb(f"{tmp_path}/missing")


def test_what_the_kernel_says_is_what_psutil_says():
    """A configuration is made of these numbers without psutil, which a probe for people loads."""
    kernel, libraries = this_machine(essential=True).psutil_facts(), this_machine().psutil_facts()
    assert kernel.pop("origin") == "the kernel"
    assert kernel == {name: libraries[name] for name in ("logical", "affinity", "memory_bytes")}


def test_an_essential_probe_decides_the_same_without_psutil():
    code = (
        "import sys; from htcq.probe import probe_node; node = probe_node('/', essential=True); "
        "print(node.cpus, node.memory_mb, node.gpus, 'psutil' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    node = probe_node(execute="/")
    assert done.stdout.split() == [str(node.cpus), str(node.memory_mb), str(node.gpus), "False"]
