"""Judged claims and sentences as they come out, with what a test changes."""

from geoforest_cli.study.claims.results import ClaimResult, SentenceResult, Verdicts

CLAIM = {
    "id": "c", "sentence": None, "reading": False, "says": "it is so", "expect": "",
    "check": "greater", "quantity": "precision of gf minus that of umap", "where": {},
    "quantifier": "all", "allowed": (0.0, None), "tie": 0.0, "unit": "sample",
    "registration": "post hoc", "verdict": "supported", "estimate": 0.25, "low": 0.1, "high": 0.5,
    "n": 5,
}  # fmt: skip
SENTENCE = {
    "key": "best", "quote": "Forests are best.", "paraphrase": "", "section": "1", "why": "",
    "holds": "all", "verdict": "supported", "reason": "", "registration": "registered",
    "hangs": False, "parts": ("c",), "readings": (),
}  # fmt: skip


def claim(**changes):
    return ClaimResult.model_validate(CLAIM | changes)


def sentence(**changes):
    return SentenceResult.model_validate(SENTENCE | changes)


def judged(*claims, sentences=(), caution=""):
    return Verdicts(caution=caution, sentences=tuple(sentences), claims=tuple(claims))
