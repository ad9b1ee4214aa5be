"""The same examples in every run; ``HYPOTHESIS_PROFILE=search`` looks for new ones. What was not run is told."""

from __future__ import annotations

import os

from hypothesis import settings

from tests.needs import pytest_terminal_summary

__all__ = ["pytest_terminal_summary"]

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
