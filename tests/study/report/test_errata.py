"""The papers' slips are data, and every evidence names something that exists."""

from types import SimpleNamespace

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.report.errata import errata, parse
from geoforest_cli.study.report.site import build

NAMED = {erratum.evidence.config for erratum in errata()} - {None}
GOOD = """
- {id: a, paper: p, in: text, where: w, slip: s, ours: o, evidence: {none: because}}
"""


def test_all_four_papers_have_errata_of_text_and_program():
    found = {(one.paper, one.place) for one in errata()}
    papers = {"geodesic_forests", "morf", "smerf", "spherelets"}
    assert found == {(paper, place) for paper in papers for place in ("text", "program")}
    assert {one.paper for one in errata("morf")} == {"morf"}


def test_every_evidence_exists():
    known = known_configs()
    configs = {name: open_config(known[name], "paper").config for name in NAMED}
    for erratum in errata():
        evidence = erratum.evidence
        if evidence.config is None:
            assert evidence.none
            continue
        shown = configs[evidence.config]
        assert shown.paper == erratum.paper
        assert evidence.claim in {None, *(claim["id"] for claim in shown.claims)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("in: text", "in: margin"), "0.in"),
        (("slip: s", "slip: ''"), "at least 1"),
        (("{none: because}", "{}"), "with the reason"),
        (("{none: because}", "{none: n, claim: c}"), "needs its 'config'"),
        (("ours: o", "our: o"), "ours"),
    ],
)
def test_mistakes_in_errata_are_sentences(change, words):
    assert len(parse(GOOD)) == 1
    with pytest.raises(UserError, match=words):
        parse(GOOD.replace(*change))
    with pytest.raises(UserError, match="'a' is given twice"):
        parse(GOOD + GOOD)


def test_a_slip_and_its_evidence_in_a_sentence():
    (one,) = parse(GOOD.replace("slip: s", "slip: ' s '"))
    assert (str(one), str(one.evidence)) == ("p, text, w: s", "no evidence: because")
    for written, said in (("{config: c}", "c"), ("{config: c, claim: d}", "c: d")):
        (one,) = parse(GOOD.replace("{none: because}", written))
        assert str(one.evidence) == said
    assert parse("") == ()
    with pytest.raises(UserError, match="with the reason"):
        parse(GOOD.replace("{none: because}", "{none: n, config: c}"))
    with pytest.raises(UserError, match=r"errata: 0\.paper"):
        parse("- {id: a}")  # the first of several


def test_the_evidence_of_an_erratum_is_its_own_claim():
    with_claims = [one for one in errata() if one.evidence.config and one.evidence.claim]
    assert with_claims
    runs = {}
    for one in with_claims:
        run = runs.setdefault(one.evidence.config, SimpleNamespace(name=one.evidence.config))
        # others before and behind it, by name and by place
        names = ["", "~", one.evidence.claim, "zz", "a"]
        run.claims = [SimpleNamespace(raw={"id": name}) for name in names]
        papers = dict(build._errata(SimpleNamespace(main=[run])))
        (found,) = (row for rows in papers.values() for row in rows if row[0] == one)
        assert (found[1], found[2].raw["id"]) == (run, one.evidence.claim)
