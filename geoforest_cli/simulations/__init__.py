"""Simulated data for supervised methods."""
