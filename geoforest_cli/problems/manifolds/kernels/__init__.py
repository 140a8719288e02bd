"""Compiled parts of the manifolds."""
