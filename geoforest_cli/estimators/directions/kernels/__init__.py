"""Kernels that numba compiles for the directions."""
