"""The search for proofs: cases, definedness, and the arithmetic of polynomials; nothing in here is trusted."""
