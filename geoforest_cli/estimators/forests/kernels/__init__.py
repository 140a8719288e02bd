"""Numba kernels of the forest engine: arrays in, arrays out; they import kernels only."""
