"""config.cpp:Parse_macros ignores the exit status of an include command; one of LOCAL_CONFIG_FILE is looked at."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, look, pool, slot

RULE = "include-command-unchecked"


@pytest.mark.parametrize(
    "line", ["include command : /usr/bin/quotas --all", "@include ifexist command : /usr/bin/quotas --all",
             "include : /usr/bin/quotas --all |", "INCLUDE COMMAND : /usr/bin/quotas \\\n  --all"]
)  # fmt: skip
def test_a_command_whose_status_nobody_looks_at_is_found(line: str) -> None:
    (finding,) = found(RULE, pool(slot(), config=f"A = 1\n{line}\n"))
    assert finding.subject == "command /usr/bin/quotas --all"
    assert finding.evidence[0].place == "config.txt:2"


@pytest.mark.parametrize(
    "text",
    [
        "include command into /var/cache/quotas : /usr/bin/quotas",
        "include : /etc/condor/quotas",
        "LOCAL_CONFIG_FILE = /usr/bin/quotas |\ninclude : /etc/condor/quotas",
        "include command : /usr/bin/quotas\nif ! defined QUOTAS_DONE\n  error : no quotas\nendif",
        "use ROLE : Execute",
    ],
)
def test_what_is_checked_or_no_command_is_not(text: str) -> None:
    assert not found(RULE, pool(slot(), config=f"{text}\n"))


def test_a_dump_cannot_show_it() -> None:
    assert look(RULE, pool(slot(), config="SLOT_WEIGHT = Cpus\n")).not_checked
