"""The monitoring-plugins read ranges as we do: one of them counts processes, and we start some for it to count."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from htcq.errors import InputError
from htcq.report.formats.nagios import Measure, said
from htcq.report.verdict import read_range

CHECK_PROCS = "/usr/lib/nagios/plugins/check_procs"
COUNTS = range(4)
RANGES = (
    "0", "1", "2", "10", "1.5", ".5", "0:", "1:", "2:", "2.5:", "3:", "~:0", "~:1", "~:1.5", "~:", ":2", "0:0", "1:1",
    "1:2", "0:2", "2:10", "-1:1", "-5:-1", "-1:", "+1:2", "@0", "@1", "@0:0", "@1:1", "@1:2", "@2:", "@~:1", "@~:",
    "@-2:-1", "@0.5:2.5", "1.:3.",
)  # fmt: skip


@pytest.fixture(scope="module")
def families(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, str]]:
    """For each count, a text that so many processes have among their arguments."""
    place = tmp_path_factory.mktemp("family")
    names = {count: f"{place}/{count}-of-them" for count in COUNTS}
    waits = "import sys; sys.stdin.read()"
    started = [
        subprocess.Popen([sys.executable, "-c", waits, name], stdin=subprocess.PIPE)
        for count, name in names.items()
        for _ in range(count)
    ]
    yield names
    for process in started:
        process.communicate()


def counted(name: str, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [CHECK_PROCS, f"--argument-array={name}", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("text", RANGES)
def test_a_count_alerts_where_the_plugin_says_so(text: str, families: dict[int, str]) -> None:
    states = {
        count: counted(name, f"--critical={text}").returncode for count, name in families.items()
    }

    assert states == {
        count: Measure("procs", count, critical=read_range(text)).status for count in COUNTS
    }


def test_the_worse_range_decides_for_the_plugin_too(families: dict[int, str]) -> None:
    flags = ("--warning=0:1", "--critical=0:2")
    states = [counted(name, *flags).returncode for name in families.values()]

    assert states == [
        Measure("procs", count, read_range("0:1"), read_range("0:2")).status for count in COUNTS
    ]


def test_the_plugin_writes_its_performance_data_as_we_do(families: dict[int, str]) -> None:
    printed = counted(families[2], "--warning=1:2", "--critical=0:3").stdout.strip()
    ours = said(
        "PROCS", 0, "2 processes", [Measure("procs", 2, read_range("1:2"), read_range("0:3"), 0)]
    )

    assert printed.rstrip(";").partition(" | ")[2] == ours.partition(" | ")[2]


def test_a_range_that_ends_before_it_starts_is_one_for_neither(families: dict[int, str]) -> None:
    assert counted(families[0], "--critical=20:10").returncode not in (0, 1, 2)
    with pytest.raises(InputError):
        read_range("20:10")
