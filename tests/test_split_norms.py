"""Norms over an axis that tensor parallelism splits: their devices add up, which the assumptions say."""

import pytest

from checks.configurations import TYPES, configuration
from checks.oracles.configured import ours

SAID = (
    "norms over all of a and g, which tp = t splits: devices add up s*b numbers in each of 2 a layer, "
    "which nothing counts"
)


@pytest.mark.parametrize("model_type", TYPES)
def test_norms_of_all_heads_say_that_devices_add_up(model_type: str):
    """Norms of all queries or all keys at once need sums of all devices; norms of one head or group do not."""
    fields = configuration(model_type, 0)
    for name, plan in (("activations", "tp=t"), ("activations", "tp=1"), ("states", "tp=t")):
        found = ours(fields, name, f"attention=flash,{plan}").assumptions
        wanted = model_type in ("olmo2", "olmoe") and (name, plan) == ("activations", "tp=t")
        assert [each for each in found if "norm" in each] == [SAID] * wanted
