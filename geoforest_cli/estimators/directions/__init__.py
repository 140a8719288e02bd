"""Which linear combinations of columns carry structure."""
