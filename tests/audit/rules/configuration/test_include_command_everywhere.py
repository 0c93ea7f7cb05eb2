"""Commands run on every reading of the configuration, but for those that write into a cache (config.cpp, 25.14)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, look, pool, slot

RULE = "include-command-everywhere"


@pytest.mark.parametrize(
    "line",
    [
        "include command : /usr/bin/quotas",
        "include : /usr/bin/quotas |",
        "LOCAL_CONFIG_FILE = /usr/bin/quotas |",
    ],
)
def test_a_command_that_everything_runs_is_found(line: str) -> None:
    (finding,) = found(RULE, pool(slot(), config=f"{line}\n"))
    assert finding.subject == "command /usr/bin/quotas"


def test_the_same_command_on_many_machines_is_one_finding() -> None:
    text = "LOCAL_CONFIG_FILE = $(LIBEXEC)/quotas |\nLIBEXEC = /opt\n"
    (finding,) = found(RULE, pool(slot(), execute={f"node{number}": text for number in range(5)}))
    assert (finding.subject, finding.count) == ("command /opt/quotas", 5)


@pytest.mark.parametrize(
    "text",
    [
        "include command into /var/cache/quotas : /usr/bin/quotas",
        "LOCAL_CONFIG_FILE = /etc/condor/local",
        "A = b |",
    ],
)
def test_files_and_caches_are_not(text: str) -> None:
    assert not found(RULE, pool(slot(), config=f"{text}\n"))


def test_without_any_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(slot())).not_checked
