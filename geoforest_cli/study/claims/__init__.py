"""Sentences of a paper and claims, checked over rows.

`model` has what a config states. Every kind of check makes contrasts of the rows, weighted sums of
series (`contrasts`), and a region in which they must lie; `estimates` has the tests, `verdicts` the
rule over points and parts, `evaluation` puts them together. The rules: ``docs/verdicts.md``.
"""
