"""What a process can have: the machine, or less where its control group allows less."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from htcq.live.process_limits import memory_here

MACHINE = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
#: As the kernel's cgroup-v2.rst and cgroup-v1/memory.rst have them.
V2 = {
    "/proc/self/cgroup": "0::/system.slice/htcq-report.service\n",
    "/proc/self/mountinfo": "29 27 0:23 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n",
}
V1 = {
    "/proc/self/cgroup": "4:memory:/docker/1\n",
    "/proc/self/mountinfo": "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
}
SERVICE = "/sys/fs/cgroup/system.slice/htcq-report.service"


def reader(files: dict[str, str]) -> Callable[[str], str]:
    def read(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return files[path]

    return read


@pytest.mark.parametrize(
    ("files", "memory"),
    [
        ({}, MACHINE),
        (V2, MACHINE),
        ({**V2, f"{SERVICE}/memory.max": "max\n"}, MACHINE),
        ({**V2, f"{SERVICE}/memory.max": "134217728\n"}, 134217728),
        ({**V2, f"{SERVICE}/memory.max": f"{2 * MACHINE}\n"}, MACHINE),
        # A service that is over memory.high is slowed until it stands.
        ({**V2, f"{SERVICE}/memory.high": "67108864\n"}, 67108864),
        ({**V2, "/sys/fs/cgroup/system.slice/memory.max": "33554432\n"}, 33554432),
        ({**V1, "/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "67108864\n"}, 67108864),
    ],
)
def test_memory_is_that_of_the_machine_or_of_the_control_group(
    files: dict[str, str], memory: int
) -> None:
    assert memory_here(reader(files)) == memory
