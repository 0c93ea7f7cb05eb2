"""For all tests: in CI a skipped test is a failed one, because nobody looks at what did not run.

``--quota-cases`` and ``--quota-seed`` say how many random pools ``tests/condor/test_group_quotas.py`` draws, from what.
They stand here because pytest-xdist's controller, which does not collect, sees no file below ``tests`` in time.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator
from typing import Any

import pytest


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


def pytest_configure(config: pytest.Config) -> None:
    told = getattr(config, "workerinput", {})
    config.option.quota_seed = told.get("quota_seed") or config.option.quota_seed or secrets.token_hex(4)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let all workers of pytest-xdist draw from the same."""
    node.workerinput["quota_seed"] = node.config.option.quota_seed


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reports = (report for found in terminalreporter.stats.values() for report in found)
    if any("test_group_quotas" in getattr(report, "nodeid", "") for report in reports):
        terminalreporter.write_line(f"random group quotas: --quota-seed {config.option.quota_seed}")
