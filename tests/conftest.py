"""Hypothesis profiles: in CI the same examples every time, nowhere a deadline."""

import os

from hypothesis import settings

settings.register_profile("here", deadline=None)
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("fixed" if os.environ.get("CI") == "true" else "here")
