"""What the probe says of a configuration is what a real startd makes of it, and its cron form reaches the slot ads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorded import machine_from, recorded_machine
from testpool import Pool

from htcq.probe import cron_lines, probe_machine
from htcq.probe.commands import Answer
from htcq.probe.machine import Machine

SNIPPET = Path(__file__).parents[2] / "contrib" / "startd_cron" / "60-htcq-probe.config"
SITE = """
NUM_CPUS = $(DETECTED_CPUS) * 3
MEMORY = 1024 * 8
RESERVED_MEMORY = 384
DISK = 20000000
RESERVED_DISK = 1024
STARTD_DETECT_GPUS = -properties -simulate:2,2 -repeat 2
MACHINE_RESOURCE_Tokens = 12
MACHINE_RESOURCE_Fpga = fpga0, fpga1, fpga2, fpga2
OFFLINE_MACHINE_RESOURCE_Fpga = fpga1
MACHINE_RESOURCE_Hidden = 4
MACHINE_RESOURCE_NAMES = Tokens Fpga GPUs
"""


@pytest.fixture(scope="module", params=["sid", "trixie"])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    with Pool.start(suite=request.param, daemons=["STARTD"], settings=SITE) as started:
        yield started


def machine_of(pool: Pool) -> Machine:
    """The machine as the pool's own tools see it."""
    plain = machine_from({"files": {}, "psutil": None, "free_kb": {"/": 1000}})

    def command(words):
        done = pool.run(words, capture_output=True, text=True)
        return Answer(done.returncode, done.stdout, done.stderr)

    return Machine(
        plain.read, plain.match, command, plain.free_kb, plain.psutil_facts, plain.nvml_facts
    )


@pytest.mark.condor
def test_a_startd_advertises_what_the_probe_says(pool):
    node = probe_machine(machine_of(pool))
    (slot,) = pool.ads("slots")
    said = {
        "Cpus": node.cpus,
        "Memory": node.memory_mb,
        "Disk": node.disk_kb,
        "GPUs": node.gpus,
        **node.custom,
    }
    assert {name: slot[name] for name in said} == said
    assert slot["DetectedCpus"] == node.condor_cpus
    assert slot["DetectedMemory"] - 384 == node.condor_memory_mb
    assert "Hidden" not in slot
    assert slot["AssignedGPUs"].split(",") == [gpu.id for gpu in node.gpu_devices]
    assert slot["CondorVersion"].split()[1] == node.condor_version


@pytest.mark.condor
def test_the_cron_form_arrives_in_the_slot_ads(pool):
    lines = cron_lines(probe_machine(recorded_machine("cgroup-v2-limits")))
    tool = pool.path("htcq")
    tool.write_text(
        "#!/bin/sh\n[ \"$*\" = 'probe --cron' ] || exit 2\ncat <<'END'\n"
        + "\n".join(lines)
        + "\nEND\n"
    )
    tool.chmod(0o755)
    snippet = SNIPPET.read_text().replace("/usr/bin/htcq", "$(LOCAL_DIR)/htcq")
    (pool.config_dir / SNIPPET.name).write_text(snippet)
    before = pool.ads("slots")[0]
    pool.restart()
    pool.wait(
        lambda: "HtcqCpus" in pool.ads("slots")[0], 30, "the probe's attributes", logs=["StartLog"]
    )
    slot = pool.ads("slots")[0]
    assert (slot["HtcqCpus"], slot["HtcqMemory"], slot["HtcqCpusOrigin"]) == (
        1,
        1024,
        "cgroup v2 cpu.max",
    )
    assert "NUM_CPUS must be set to 1" in slot["HtcqNotes"]
    assert (slot["Cpus"], slot["Memory"], slot["SlotWeight"]) == (
        before["Cpus"],
        before["Memory"],
        before["SlotWeight"],
    )


def test_htcondors_own_parser_reads_the_example():
    names = ["JOBLIST", "HTCQ_EXECUTABLE", "HTCQ_ARGS", "HTCQ_MODE", "HTCQ_PERIOD"]
    code = (
        "import htcondor2; print(*(htcondor2.param['STARTD_CRON_' + name].strip() for name in "
        f"{names}), sep='\\n')"
    )
    # A process of its own: the bindings read the configuration once, when they are loaded.
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "CONDOR_CONFIG": str(SNIPPET)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["HTCQ", "/usr/bin/htcq", "probe --cron", "Periodic", "1h"]
