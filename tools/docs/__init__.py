"""Pages of the project that are written from what is there: ``make docs``."""
