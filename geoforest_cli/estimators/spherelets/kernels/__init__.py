"""Compiled loops of the graph geodesics."""
