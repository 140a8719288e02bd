"""Citations of configs, of results, of geoforest."""

import re

import pytest

from geoforest_cli.study import citations as citing
from geoforest_cli.study.config.loading import open_config
from geoforest_cli.study.plan import load
from geoforest_cli.study.results.record import RunRecord, write_record
from tests.e2e.inside import ROOT, geoforest

KEYS = {
    "geodesic_forests": "madhyastha2020geodesic", "morf": "perry2019manifold",
    "smerf": "tomita2020robust", "spherelets": "li2019geodesic",
}  # fmt: skip


def keys(text):
    return re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)


def test_geoforest_is_cited_as_its_citation_file_says():
    text = (ROOT / "CITATION.cff").read_text()
    entry = citing.of_software()
    assert keys(entry) == ["geoforest"]
    assert f"version = {{{re.search('^version: (.*)$', text, re.MULTILINE)[1]}}}" in entry
    assert "author = {{The geoforest developers}}" in entry
    assert "year = {2026}" in entry
    assert "CITATION.cff" in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("name", ["noise", "spiral_local", "circle", "smerf_distances", "torus"])
def test_a_config_cites_its_own_paper(name):
    cited = keys("\n".join(citing.of_plan(load(name, "smoke"))))
    assert KEYS[open_config(name, "smoke").config.paper] in cited


def test_methods_and_data_sets_are_cited_once():
    done = geoforest("cite", "connectome", "noise")
    assert done.returncode == 0, done.stderr
    cited = keys(done.stdout)
    assert cited[0] == "geoforest"
    assert {"tenenbaum2000global", "mcinnes2018umap", "data_drosophila_mb"} <= set(cited)
    assert len(cited) == len(set(cited))
    assert done.stdout.count("{") == done.stdout.count("}")
    assert "Eichler et al., The complete connectome" in done.stdout
    assert "data_drosophila_mb" not in geoforest("cite", "noise").stdout
    assert keys(geoforest("cite").stdout) == ["geoforest"]


def test_results_cite_what_their_records_say(tmp_path):
    for name, entries in (("a", ["@misc{one,\n}", "@misc{two,\n}"]), ("b", ["@misc{two,\n}"])):
        config = {"name": name, "text": ""}
        record = RunRecord(name=name, profile="paper", config=config, bibtex=entries)
        write_record(tmp_path / name / "paper", record)
    assert keys(geoforest("cite", tmp_path).stdout) == ["geoforest", "one", "two"]
    assert keys(geoforest("cite", tmp_path / "b" / "paper").stdout) == ["geoforest", "two"]
    (tmp_path / "b" / "paper" / "record.json").write_text('{"bibtex": [1]}')
    done = geoforest("cite", tmp_path)
    assert (done.returncode, "record.json is damaged" in done.stderr) == (2, True)
    (tmp_path / "empty").mkdir()
    done = geoforest("cite", tmp_path / "empty")
    assert (done.returncode, "does not hold the results of a run" in done.stderr) == (2, True)
