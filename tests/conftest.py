"""For all tests: in CI a skipped test is a failed one, because nobody looks at what did not run.

``--quota-cases`` and ``--quota-seed`` say how many random pools ``tests/condor/test_group_quotas.py`` draws, from what;
``--cycle-cases`` and ``--cycle-seed`` say the same to ``tests/condor/test_simulate.py``.
They stand here because pytest-xdist's controller, which does not collect, sees no file below ``tests`` in time.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator
from typing import Any

import pytest

#: What is drawn at random: the test module, and what it draws.
_DRAWN = {
    "quota": ("condor/test_group_quotas.py", "random group quotas"),
    "cycle": ("condor/test_simulate.py", "random cycles"),
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure in CI."""
    report = yield
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quota-cases", type=int, default=50, help="how many random pools with group quotas to draw")
    parser.addoption("--quota-seed", help="draw them as a run did that named this seed; else anew")
    parser.addoption("--cycle-cases", type=int, default=6, help="how many random pools to negotiate, for each version")
    parser.addoption("--cycle-seed", help="draw them as a run did that named this seed; else anew")


def pytest_configure(config: pytest.Config) -> None:
    told = getattr(config, "workerinput", {})
    for what in _DRAWN:
        name = f"{what}_seed"
        given = told.get(name) or getattr(config.option, name)
        setattr(config.option, name, given or secrets.token_hex(4))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let all workers of pytest-xdist draw from the same."""
    for what in _DRAWN:
        node.workerinput[f"{what}_seed"] = getattr(node.config.option, f"{what}_seed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reports = [report for found in terminalreporter.stats.values() for report in found]
    for what, (module, title) in _DRAWN.items():
        if any(module in getattr(report, "nodeid", "") for report in reports):
            terminalreporter.write_line(f"{title}: --{what}-seed {getattr(config.option, f'{what}_seed')}")
