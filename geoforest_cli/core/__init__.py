"""Errors, files, identity and seeds: all rooms share them. No science."""
