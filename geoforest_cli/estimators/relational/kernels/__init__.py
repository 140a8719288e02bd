"""Compiled steps of the Gibbs samplers."""
