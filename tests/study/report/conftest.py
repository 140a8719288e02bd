import matplotlib as mpl
import pytest

from geoforest_cli.study.report import site
from tests.study.report import sites

mpl.use("Agg")


@pytest.fixture(scope="session")
def whole_results(tmp_path_factory):
    return sites.results(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="session")
def kept_results(whole_results, tmp_path_factory):
    return sites.kept(whole_results, tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="session")
def whole_site(whole_results, tmp_path_factory):
    return site.write(whole_results, tmp_path_factory.mktemp("site") / "whole").parent


@pytest.fixture(scope="session")
def kept_site(kept_results, tmp_path_factory):
    return site.write(kept_results, tmp_path_factory.mktemp("site") / "kept").parent


@pytest.fixture(params=["whole_site", "kept_site"])
def folder(request):
    """A site: of results, and of what is kept of them."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def shown(folder):
    """Every page of a site, parsed."""
    return {path: sites.Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}
