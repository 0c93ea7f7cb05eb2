"""The names left out are those of HTCondor's default LOCAL_CONFIG_DIR_EXCLUDE_REGEXP (param_info.in, 25.14)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, look, pool, slot

RULE = "config-file-ignored"
DIRECTORY = "LOCAL_CONFIG_DIR = /etc/condor/config.d, /opt/config.d/\n"


@pytest.mark.parametrize(
    "name", ["quota.py", "quota.sh", "quota.pl", "50-quota~", ".quota", "#quota#", "quota.rpmsave"]
)
def test_a_file_that_the_directory_leaves_out_is_found(name: str) -> None:
    config = DIRECTORY + f"SLOT_WEIGHT = Cpus\n # at: /etc/condor/config.d/{name}, line 3\n"
    (finding,) = found(RULE, pool(slot(), config=config))
    assert finding.subject == f"file /etc/condor/config.d/{name}"


@pytest.mark.parametrize(
    "line",
    [
        "LOCAL_CONFIG_FILE = /etc/condor/local, /opt/config.d/quota.py\n",
        "D = /opt\nLOCAL_CONFIG_FILE = $(D)/config.d/quota.py\n",
        "include : /opt/config.d/quota.py\n",
        "include ifexist : $(NOWHERE:/opt)/config.d/quota.py\n",
    ],
)
def test_a_file_that_something_else_names_is_found(line: str) -> None:
    (finding,) = found(RULE, pool(slot(), config=DIRECTORY + line))
    assert finding.subject == "file /opt/config.d/quota.py"


@pytest.mark.parametrize(
    "place",
    [
        "/etc/condor/config.d/50-quota.config",
        "/etc/condor/config.d/00.conf",
        "/usr/libexec/quota.py",
        "<Default>",
    ],
)
def test_files_that_are_read_or_lie_elsewhere_are_not(place: str) -> None:
    config = DIRECTORY + f"SLOT_WEIGHT = Cpus\n # at: {place}, line 3\n"
    assert not found(RULE, pool(slot(), config=config))


def test_the_sites_own_pattern_counts() -> None:
    config = DIRECTORY + "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = ^.*\\.off$\nSLOT_WEIGHT = Cpus\n"
    assert not found(RULE, pool(slot(), config=config + " # at: /opt/config.d/a.py, line 1\n"))
    assert found(RULE, pool(slot(), config=config + " # at: /opt/config.d/a.off, line 1\n"))


def test_a_pattern_that_cannot_be_read_is_told() -> None:
    assert look(
        RULE, pool(slot(), config=DIRECTORY + "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = (((\n")
    ).not_checked
