"""Hypothesis profiles: in CI the same examples every time, nowhere a deadline; and a place without Z3."""

import os

import pytest
from hypothesis import settings

from derive.proof import smt

settings.register_profile("here", deadline=None)
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("fixed" if os.environ.get("CI") == "true" else "here")


@pytest.fixture
def no_z3(monkeypatch):
    """As if Z3 were not installed."""
    monkeypatch.setattr(smt, "available", lambda: False)
