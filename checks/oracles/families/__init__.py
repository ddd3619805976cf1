"""Witnesses of one family of models each, where transformers has something of its own there."""
