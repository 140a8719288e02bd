"""The reference names what is public, and the examples of the gallery run."""

import ast
import inspect
import re
import runpy
import warnings
from pathlib import Path
from urllib.parse import urlsplit

import matplotlib.pyplot as plt
import pytest
from threadpoolctl import threadpool_limits

import geoforest_cli
from geoforest_cli import tables
from geoforest_cli.estimators.baselines import umap
from tools.docs.site import gather

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))
PUBLIC = [name for name in geoforest_cli.__all__ if name != "__version__"]
VERBS = [name for name in tables.__all__ if name.startswith(("find_", "compare_", "cross_"))]
ENTRY = re.compile(r"^   ((?:\w+\.)*\w+)$", re.MULTILINE)
WRITTEN = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "llms.txt")),
    *(path for kind in ("*.md", "*.rst", "*.py") for path in (ROOT / "docs").rglob(kind)),
]


def listed():
    return ENTRY.findall((ROOT / "docs" / "sphinx" / "api.rst").read_text())


def sections(public):
    return set(re.findall(r"^(\w[\w ]*)\n-{3,}$", inspect.getdoc(public), re.MULTILINE))


def test_the_reference_has_every_public_name_once():
    names = listed()
    assert len(names) == len(set(names))
    assert {*PUBLIC, *(f"tables.{name}" for name in VERBS)} <= set(names)
    for name in names:
        *within, last = name.split(".")
        module = ".".join(["geoforest_cli", *within])
        assert hasattr(__import__(module, fromlist=[last]), last), name


def test_what_is_public_is_documented_in_full():
    whole = {"Parameters", "Returns", "Raises"}
    parts = {getattr(tables, name): whole | {"Examples"} for name in VERBS}
    parts |= {getattr(geoforest_cli, name): whole for name in ("run", "results")}
    estimators = (getattr(geoforest_cli, name) for name in PUBLIC if name[0].isupper())
    parts |= {estimator: {"Parameters", "Examples"} for estimator in estimators}
    for public, wanted in parts.items():
        assert wanted <= sections(public), public


def test_there_are_eight_examples_and_each_asks_one_question():
    assert len(EXAMPLES) == 8
    for path in EXAMPLES:
        _, first, *_ = ast.get_docstring(ast.parse(path.read_text())).split("\n\n")
        assert first.count("?") == 1, path.name
        assert first.endswith("?"), path.name


@pytest.mark.compiled
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_in_its_small_size_and_draws(path, monkeypatch):
    if path.stem == "plot_scanpy":
        pytest.importorskip("scanpy", reason="scanpy is not installed")
    if path.stem == "plot_umap":
        umap.keep_compiled()
    if path.stem in {"plot_scanpy", "plot_umap"}:
        # what other packages warn of does not concern us
        warnings.simplefilter("ignore")
    monkeypatch.setenv("GEOFOREST_GALLERY", "small")
    monkeypatch.setenv("MPLBACKEND", "agg")
    plt.close("all")
    try:
        # threads that wait for one another are slow beside other tests
        with threadpool_limits(1):
            small = runpy.run_path(str(path))
        assert small["SMALL"]
        assert len(plt.get_fignums()) == 1
        assert plt.gcf().axes
    finally:
        plt.close("all")


def test_a_build_starts_from_what_is_there_now(tmp_path):
    for name in ("gone.md", "reference/Gone.rst", "examples/kept.rst"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    gather(ROOT / "docs", tmp_path)
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert {"conf.py", "api.rst", "python.md", "gallery/plot_umap.py", "examples/kept.rst"} <= files
    assert not {"gone.md", "reference/Gone.rst"} & files


def test_every_page_is_in_the_table_of_contents():
    named = ENTRY.findall((ROOT / "docs" / "sphinx" / "pages.rst").read_text())
    assert sorted(named) == sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


def test_addresses_on_the_web_are_well_formed():
    text = "\n".join(path.read_text(encoding="utf-8") for path in WRITTEN)
    for address in re.findall(r"\bhttps?:[^\s)>\]`\"']*", text):
        parts = urlsplit(address)
        assert parts.scheme == "https", address
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc), address
        assert parts.netloc != "doi.org" or re.fullmatch(r"/10\.\d{4,9}/\S+", parts.path), address
