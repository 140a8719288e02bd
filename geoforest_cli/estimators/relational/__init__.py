"""Relational models of networks: infinite edge partition (EPM) and node attributes (NARM)."""
