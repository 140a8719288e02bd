"""The outcome of runs, kept in the repository, and what has changed against it."""
