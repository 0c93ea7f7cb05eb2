"""Limits of control groups: the files' formats, which of several limits counts, and where they are looked for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.cgroups import parse_memberships, parse_mounts, read_limits

V2_MOUNT = "29 27 0:23 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
V1_MOUNTS = (
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
)


def reader(files):
    def read(path):
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return files[path]

    return read


def v2(files, group="/a/b"):
    return read_limits(
        reader({"/proc/self/cgroup": f"0::{group}\n", "/proc/self/mountinfo": V2_MOUNT, **files})
    )


def v1(files, group="/a"):
    memberships = f"4:memory:{group}\n3:cpu,cpuacct:{group}\n"
    return read_limits(
        reader({"/proc/self/cgroup": memberships, "/proc/self/mountinfo": V1_MOUNTS, **files})
    )


def test_no_control_groups_at_all():
    limits = read_limits(reader({}))
    assert (limits.cpus, limits.memory, limits.notes) == (None, None, ())


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("max 100000\n", None),
        ("150000 100000\n", Fraction(3, 2)),
        ("50000 50000", 1),
        ("garbage", None),
        ("", None),
    ],
)
def test_cpu_max(text, cpus):
    limit = v2({"/sys/fs/cgroup/a/b/cpu.max": text}).cpus
    assert (limit.amount if limit else None) == cpus


def test_v2_ancestors_count_and_high_counts_like_max():
    limits = v2(
        {
            "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "4096\n",
            "/sys/fs/cgroup/a/memory.high": "2048\n",
            "/sys/fs/cgroup/memory.max": "8192\n",
            "/sys/fs/cgroup/other/memory.max": "1\n",
        }
    )
    assert limits.memory.amount == 2048
    assert limits.memory.file == "/sys/fs/cgroup/a/memory.high"
    assert limits.memory.origin == "cgroup v2 memory.high"


def test_v1_unlimited_values_are_no_limits():
    limits = v1(
        {
            "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "-1\n",
            "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
        }
    )
    assert (limits.cpus, limits.memory) == (None, None)


def test_v1_limits_of_the_parent_count():
    limits = v1(
        {
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "250000\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1048576\n",
        }
    )
    assert limits.cpus.amount == Fraction(5, 2)
    assert limits.cpus.origin == "cgroup v1 cpu.cfs_quota_us"
    assert limits.memory.amount == 1048576


def test_a_group_outside_the_namespace_is_looked_for_at_the_mount_point():
    limits = v2({"/sys/fs/cgroup/memory.max": "4096\n"}, group="/../other")
    assert limits.memory.amount == 4096


def test_an_unreadable_file_is_noted_and_the_others_still_count():
    files = {
        "/proc/self/cgroup": "0::/a\n",
        "/proc/self/mountinfo": V2_MOUNT,
        "/sys/fs/cgroup/a/memory.max": "4096",
    }

    def read(path):
        if path.endswith("cpu.max"):
            raise PermissionError(13, "Permission denied", path)
        return reader(files)(path)

    limits = read_limits(read)
    assert limits.cpus is None
    assert limits.memory.amount == 4096
    assert limits.notes[0].startswith("/sys/fs/cgroup/a/cpu.max cannot be read (Permission denied)")


def test_mount_points_with_blanks_are_unescaped():
    (mount,) = parse_mounts(r"1 0 0:1 / /odd\040place rw - cgroup2 none rw")
    assert mount.point == "/odd place"


def test_a_group_name_may_hold_a_colon():
    assert parse_memberships("0::/a:b\n3:cpu,cpuacct:/x:y\n") == {
        "": "/a:b",
        "cpu": "/x:y",
        "cpuacct": "/x:y",
    }


@given(st.lists(st.one_of(st.none(), st.integers(1, 2**50)), min_size=1, max_size=6))
def test_the_smallest_limit_of_all_ancestors_counts(limits):
    folders = [
        "/sys/fs/cgroup" + "".join(f"/g{level}" for level in range(1, depth))
        for depth in range(1, len(limits) + 1)
    ]
    files = {
        f"{folder}/memory.max": "max" if limit is None else str(limit)
        for folder, limit in zip(folders, limits)
    }
    found = v2(files, group=folders[-1][len("/sys/fs/cgroup") :] or "/").memory
    set_limits = [limit for limit in limits if limit is not None]
    assert (found.amount if found else None) == (min(set_limits) if set_limits else None)


@given(st.text(max_size=200), st.text(max_size=200))
def test_strange_texts_never_fail(memberships, mounts):
    read_limits(reader({"/proc/self/cgroup": memberships, "/proc/self/mountinfo": mounts}))
