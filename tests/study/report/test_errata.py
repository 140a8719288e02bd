"""The papers' errata are data, and every evidence names something that exists."""

from types import SimpleNamespace

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.report.errata import errata, parse
from geoforest_cli.study.report.site import build
from tests.study.claims.by_hand import GREATER, around, judged

NAMED = {erratum.evidence.config for erratum in errata()} - {None}
GOOD = """
- {id: a, paper: p, in: text, where: w, slip: s, ours: o, evidence: {none: because}}
"""
SOURCE = "source: {repository: a/b, commit: 214866f, file: R/tree.R, lines: 70-72}"
PROGRAM = GOOD.replace("in: text", f"in: program, {SOURCE}")


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
        (("in: text", "in: program"), "an erratum of a program needs its 'source'"),
        (("in: text", f"in: text, {SOURCE}"), "a text has 'where'"),
        (("in: text", "in: text, later: {commit: 214866f, says: x}"), "a text has 'where'"),
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
        names = ["_", "~", one.evidence.claim, "zz", "a"]
        frame = around({"a": 0.6, "b": 0.5})
        run.judged = judged([{**GREATER, "id": name} for name in names], frame)
        papers = dict(build._errata(SimpleNamespace(main=[run])))
        (found,) = (row for rows in papers.values() for row in rows if row[0] == one)
        assert (found[1], found[2].raw.id) == (run, one.evidence.claim)


def test_an_erratum_of_a_program_has_its_place():
    for one in errata():
        assert bool(one.source) == (one.place == "program"), one.id
        for source in one.source:
            assert source.repository.count("/") == 1, one.id
            assert len(source.commit) >= 7, one.id
            assert source.file[0] != "/", one.id
            for lines in source.lines:
                first, _, last = lines.partition("-")
                assert int(first) <= int(last or first), one.id


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("a/b", "b"), "repository"),
        (("214866f", "main"), "commit"),
        (("70-72", "'70 to 72'"), r"lines\.0"),
        (("70-72", "[]"), "lines"),
        ((", lines: 70-72", ""), "lines"),
        ((", file: R/tree.R", ""), "file"),
    ],
)
def test_a_place_is_whole(change, words):
    assert len(parse(PROGRAM)) == 1
    with pytest.raises(UserError, match=words):
        parse(PROGRAM.replace(*change))


def test_a_place_in_a_sentence_and_as_a_link():
    later = "later: {commit: a7d29f4, says: mended}"
    (one,) = parse(PROGRAM.replace("slip: s", f"slip: s, {later}"))
    assert str(one) == "p, program, w: s (a/b 214866f R/tree.R:70-72) Later (a7d29f4): mended"
    (source,) = one.source
    assert source.link("70-72") == "https://github.com/a/b/blob/214866f/R/tree.R#L70"
    (one,) = parse(PROGRAM.replace("R/tree.R", "a b.ipynb"))
    assert one.source[0].link("9") == "https://github.com/a/b/blob/214866f/a%20b.ipynb?plain=1#L9"


def test_the_site_shows_places_and_what_changed():
    later = "later: {commit: a7d29f4, says: <mended>}"
    (one,) = parse(PROGRAM.replace("slip: s", f"slip: s, {later}"))
    page = build._environment().get_template("site/errata.html.jinja")
    shown = page.render(
        page="errata.html", root="", title="Errata", papers=[("P", [(one, None, None)])]
    )
    assert '<a href="https://github.com/a/b/blob/214866f/R/tree.R#L70">70-72</a>' in shown
    assert '&lt;mended&gt; (<a href="https://github.com/a/b/commit/a7d29f4">a7d29f4</a>)' in shown
