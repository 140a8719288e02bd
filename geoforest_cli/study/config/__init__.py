"""Configs: strict YAML in, a validated config out."""
