"""Hypothesis finds new examples on every run, except in CI, where the same commit must give the same answer."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100, print_blob=True)
settings.register_profile("here", deadline=None, max_examples=60)
settings.load_profile("ci" if os.environ.get("CI") else "here")
