"""Kernels that numba compiles for the screens."""
