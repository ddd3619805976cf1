"""Mutants of what is certified: broken statements are refuted, broken proofs rejected, and none is both."""
