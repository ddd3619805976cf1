"""Proofs of formulas: the search for them (SymPy, not trusted) and the checker that accepts them (trusted)."""
