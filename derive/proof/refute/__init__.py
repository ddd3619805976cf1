"""Statements at points: counterexamples, witnesses and points of equality, exactly, by a bounded search of our own."""
