"""Sphinx settings of the reference and the gallery; ``make docs`` builds them."""

import importlib.util
import os
import warnings
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

import geoforest_cli

HERE = Path(__file__).parent

project = "geoforest"
author = "The geoforest developers"
project_copyright = author
version = release = geoforest_cli.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery/**", "templates/**"]

autodoc_typehints = "none"
autosummary_generate = True
templates_path = ["templates"]
numpydoc_show_class_members = False
default_role = "py:obj"
nitpicky = True
# names in single backticks may be those of scikit-learn or of parameters: these have no page here
nitpick_ignore_regex = [("py:obj", ".*"), ("py:class", ".*")]

myst_heading_anchors = 4

gallery = HERE / "gallery"
# UMAP says that neighbours which it is given cannot place new rows: no example does that
warnings.filterwarnings("ignore", message="precomputed_knn")
runs = "/plot_"
if not importlib.util.find_spec("scanpy"):
    runs = "/plot_(?!scanpy)"
    print("scanpy is not installed: its example is shown without being run.")
sphinx_gallery_conf = {
    "examples_dirs": str(gallery),
    "gallery_dirs": "examples",
    "filename_pattern": runs,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,  # its page loads scripts from elsewhere
    "plot_gallery": os.environ.get("GEOFOREST_GALLERY") != "none",
    "abort_on_example_error": True,
}

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"geoforest {version}"
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": []}
html_copy_source = False


def from_elsewhere(_app, _what, _name, member, skip, _options):
    """Leave out methods that come from scikit-learn: they are documented there."""
    module = getattr(member, "__module__", None) or ""
    return skip or not module.startswith("geoforest_cli") if callable(member) else None


def inline_formula(writer, node):
    """Write MathML, which browsers show without a script from elsewhere."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block_formula(writer, node):
    """Write MathML in a paragraph of its own."""
    writer.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app):
    """Connect the choice of methods, and the formulas."""
    app.connect("autodoc-skip-member", from_elsewhere)
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
