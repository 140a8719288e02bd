"""Claims of a paper, checked over rows: kinds of check, tests, verdicts.

A claim of a config names a kind of check (``CHECKS``), the rows it looks at, and the sentence it
stands for. Every kind turns the rows into points, each with one or several contrasts (one
statistic per repetition), and says in which region of the real line they must lie; `verdicts` and
`decision` do the rest. The rules and their error rates: ``docs/verdicts.md``.
"""
