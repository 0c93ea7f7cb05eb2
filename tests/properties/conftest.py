"""Hypothesis finds new examples on every run, except in CI, where the same commit must give the same answer."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100, print_blob=True)
settings.register_profile("here", deadline=None, max_examples=60)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let a test of random pools begin at each tenth of them."""
    if "first_of_ten" in metafunc.fixturenames:
        metafunc.parametrize("first_of_ten", range(0, metafunc.config.getoption("--why-pools"), 10))
