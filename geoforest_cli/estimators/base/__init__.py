"""Common parts of the estimators."""
