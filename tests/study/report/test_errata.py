"""The papers' errata are data, and every evidence names something that exists."""

import re

from geoforest_cli.study.config.find import known_configs
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.report.errata import Erratum, errata

NAMED = {erratum.evidence.config for erratum in errata()} - {None}


def test_all_four_papers_have_errata_of_text_and_program():
    pairs = {(erratum.paper, erratum.medium) for erratum in errata()}
    papers = {"geodesic_forests", "morf", "smerf", "spherelets"}
    assert pairs == {(paper, part) for paper in papers for part in ("text", "program")}
    assert {erratum.paper for erratum in errata("morf")} == {"morf"}


def test_every_evidence_exists():
    paths = known_configs()
    configs = {name: open_config(paths[name], "paper").config for name in NAMED}
    for erratum in errata():
        evidence = erratum.evidence
        assert (evidence.config is None) == bool(evidence.none)
        if evidence.config is None:
            continue
        shown = configs[evidence.config]
        assert shown.paper == erratum.paper
        assert evidence.claim in {None, *(claim["id"] for claim in shown.claims)}


def test_an_erratum_of_a_program_has_its_place():
    assert len({erratum.id for erratum in errata()}) == len(errata())
    for erratum in errata():
        assert bool(erratum.source) == (erratum.medium == "program"), erratum.id
        assert erratum.source or not erratum.later, erratum.id
        for source in erratum.source:
            assert re.fullmatch(r"[\w-]+/[\w.-]+", source.repository), erratum.id
            assert re.fullmatch(r"[0-9a-f]{7,40}", source.commit), erratum.id
            assert source.file[0] != "/", erratum.id
            for lines in source.lines:
                first, _, last = lines.partition("-")
                assert 0 < int(first) <= int(last or first), erratum.id


def test_an_erratum_in_a_sentence_and_its_source_as_a_link():
    source = {"repository": "a/b", "commit": "214866f", "file": "a b.ipynb", "lines": "70-72"}
    erratum = Erratum.model_validate({
        "id": "x", "paper": "p", "in": "program", "where": "w", "slip": " s ", "ours": "o",
        "evidence": {"none": "because"}, "source": source,
        "later": {"commit": "a7d29f4", "says": "mended"},
    })  # fmt: skip
    assert str(erratum) == (
        "p, program, w: s (a/b 214866f a b.ipynb:70-72) Later (a7d29f4): mended"
    )
    assert str(erratum.evidence) == "no evidence: because"
    (link,) = (part.link("70-72") for part in erratum.source)
    assert link == "https://github.com/a/b/blob/214866f/a%20b.ipynb?plain=1#L70"
