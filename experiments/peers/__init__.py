"""Peers, plain programs and other screens that experiments compare with."""
