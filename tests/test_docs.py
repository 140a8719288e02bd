"""The snippets of README and docs run; the tests that the docs name exist."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from geoforest_cli.estimators.baselines import umap

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "scikit_learn.md"
FOREIGN = {"umap", "anndata", "scanpy", "openTSNE"}


def snippets(path):
    """The code of a page, but for the files that tests/e2e/test_tutorial.py writes and runs."""
    text = path.read_text()
    blocks = re.findall(r"([^\n]*)\n+```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [code for before, code in blocks if not before.endswith(".py`:")]


def execute(code, namespace):
    foreign = FOREIGN & set(re.findall(r"^import (\w+)", code, re.MULTILINE))
    for name in sorted(foreign):
        pytest.importorskip(name, reason=f"{name} is not installed")
    if "umap" in foreign:
        umap.keep_compiled()
    with warnings.catch_warnings():
        if foreign:
            # what other packages warn of does not concern us
            warnings.simplefilter("ignore")
        exec(code, namespace)


SETUP, *DOORS = snippets(PAGE)


@pytest.mark.compiled
@pytest.mark.parametrize("code", DOORS, ids=lambda code: re.findall(r"import (\w+)", code)[0])
def test_snippets_of_the_docs_run(code):
    namespace = {}
    exec(SETUP, namespace)
    execute(code, namespace)


@pytest.mark.compiled
def test_snippets_of_the_page_on_python_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    t = np.sort(np.random.default_rng(0).uniform(size=120))
    namespace = {"X": np.c_[4 * t, 6 * t**2, 9 * np.sqrt(t)]}
    for code in snippets(ROOT / "docs" / "python.md"):
        execute(code, namespace)
    assert (tmp_path / namespace["spiral"].figure).stat().st_size > 5000
    assert namespace["adaptive"].describe() in (ROOT / "docs" / "python.md").read_text()
    assert namespace["unrolled"].shape == (120, 1)
    assert namespace["columns_kept"].tolist() == [0, 1, 2]
