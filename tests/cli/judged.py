"""Verdicts of made-up claims, for what the command line says of them."""

from geoforest_cli.study.claims.results import Answer, Verdicts
from tests.study.claims import by_hand
from tests.study.claims.by_hand import GREATER, around

ANSWER = Answer(question="Which is best?", text="GF\nis.", verdict="supported")
MEASURED = {"estimate": 0.25, "low": 0.1, "high": 0.5}


def claim(name="c", verdict="supported", **changes):
    """A claim of ours with an estimate, as it is or with changes."""
    (found,) = by_hand.judged([GREATER], around({"a": 0.6, "b": 0.5})).claims
    changes = {"id": name, "verdict": verdict, "preliminary": None, **MEASURED, **changes}
    return found.model_copy(update=changes)


def verdicts(*claims, caution=""):
    """The verdicts of some claims, of ours or parts of the sentence "best"."""
    parts = [one for one in claims if one.sentence]
    whole = by_hand.judged([{**GREATER, "sentence": "best"}], around({"a": 0.6, "b": 0.5}))
    changes = {"parts": tuple(one.id for one in parts if not one.reading),
               "readings": tuple(one.id for one in parts if one.reading)}  # fmt: skip
    sentences = [one.model_copy(update=changes) for one in whole.sentences if parts]
    return Verdicts(caution=caution, sentences=tuple(sentences), claims=claims)
