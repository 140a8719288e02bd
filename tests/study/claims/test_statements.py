"""What claims say: each sentence can be read without the one before it."""

import re

import pytest

from geoforest_cli.study.claims.validation import parse
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import open_config

# words at the beginning, and anywhere, that need another sentence
BEGINS = re.compile(
    r"(?:(?:Ours|Tested as)(?:, a limit)?: )?(?:\.\.\.|and |it |also |the same|nor )", re.IGNORECASE
)
LEANS = re.compile(
    r"the same (?:of|for|with|as)\b|the next\b|another claim|other claims|next two claims"
    r"|, it does\b|it does not\b|that rate\b|is that noise|, too$|, also$",
    re.IGNORECASE,
)


@pytest.mark.nightly
def test_every_claim_can_be_read_by_itself():
    found = {
        f"{name}: {claim['id']}": claim["says"]
        for name in known_configs()
        for claim in open_config(name, "paper", []).config.claims
    }
    assert len(found) > 450
    leaning = {at: says for at, says in found.items() if BEGINS.match(says) or LEANS.search(says)}
    assert leaning == {}


A, B, C = ({"name": name, "variant": "as_run"} for name in "abc")


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"check": "greater", "than": [B]}, "precision of a as_run minus that of b as_run"),
        (
            {"check": "less", "than": [B, C]},
            "precision of a as_run minus that of each of b as_run, c as_run",
        ),
        (
            {"check": "ratio", "over": B, "at_most": 2.0},
            "precision of a as_run over that of b as_run",
        ),
        ({"check": "at_least", "value": 0.5}, "precision of a as_run"),
        ({"check": "at_least", "times_chance": 2.0}, "precision of a as_run over chance"),
        (
            {"check": "range", "axis": "n", "tolerance": 0.1},
            "difference in precision of a as_run between two values of n",
        ),
        ({"check": "near", "target": 0.5, "tolerance": 0.1}, "precision of a as_run"),
        ({"check": "slope", "axis": "n", "at_most": 1.0}, "exponent of the precision of a as_run in n"),
        (
            {"check": "interaction", "axis": "n", "at": [1], "against": [2], "better": "greater",
             "than": [B]},
            "lead in precision of a as_run over b as_run at n 1, minus that at 2",
        ),
    ],
)  # fmt: skip
def test_the_quantity_of_a_claim_in_words(raw, words):
    about = {"id": "one", "says": "It is so", "origin": "ours"}
    assert parse(about | {"metric": "precision", "method": A} | raw).quantity() == words
