"""Forests of the four papers: one grower, any projection sampler, any split criterion."""
