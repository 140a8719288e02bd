"""Claims as sentences: each can be read without the one before it."""

import re

import pytest

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
    texts = {
        f"{name}: {claim['id']}": claim["says"]
        for name in known_configs()
        for claim in open_config(name, "paper", []).config.claims
    }
    assert len(texts) > 400
    leaning = {at: says for at, says in texts.items() if BEGINS.match(says) or LEANS.search(says)}
    assert leaning == {}
