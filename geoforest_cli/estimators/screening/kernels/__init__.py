"""What numba compiles for the screens."""
