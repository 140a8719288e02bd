"""What numba compiles for the directions."""
