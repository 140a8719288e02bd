"""Running cells: the driver, executors, the store, rows, estimates, provenance, progress."""
