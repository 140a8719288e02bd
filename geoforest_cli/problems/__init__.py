"""Manifolds, simulations and data sets with their truths, and how answers are scored."""
