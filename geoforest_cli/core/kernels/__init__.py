"""Compiled linear algebra that is the same on every processor."""
