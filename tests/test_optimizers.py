"""Every optimizer at every quantity that it enters, as asked on the command line for a model."""

import json

import pytest

from derive.cli import main
from derive.precision import OPTIMIZERS

NAMES = ("states", "zero-1", "zero-3", "optimizer-bytes", "bytes-per-parameter", "checkpoint-bytes", "peak-memory")


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", NAMES)
def test_an_optimizer_of_a_model(capsys, name: str, optimizer: str):
    assert main([name, "--json", "--model", "llama3-8b", "--optimizer", optimizer, "--set", "n=8"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["free_symbols"] == []
    assert data["value"] is not None
    assert data["given"]["optimizer"]["value"] == optimizer
