"""Baselines of the papers, one module each."""
