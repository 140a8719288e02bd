"""Small results and their sites, for the tests of the site."""

import contextlib
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from unittest import mock
from urllib.parse import unquote, urlsplit

from matplotlib.figure import Figure

from geoforest_cli.study.plan import load
from geoforest_cli.study.report.render import render
from tests.study.report import synthetic

KEPT = ("record.json", "summary.csv")
PLANS = {
    ("noise", "paper"): ["grid.manifold=helix", "grid.noise_dims=[10, 100, 10000]"],
    ("noise", "smoke"): ["grid.manifold=helix"],
    ("leaderboard", "smoke"): ["grid.manifold=linear"],
    ("smerf_variance", "paper"): [],
}


def results(folder):
    """Folders that runs leave, for a paper's figure in two sizes and for what goes beyond it."""
    for (name, profile), overrides in PLANS.items():
        plan = replace(load(name, profile, overrides), overrides=())
        target = folder / name / profile
        target.mkdir(parents=True)
        quick = mock.patch.object(plan.experiment, "draw", return_value=Figure(figsize=(4, 2)))
        with contextlib.nullcontext() if (name, profile) == ("noise", "paper") else quick:
            render(plan, synthetic.rows(plan), target, facts(plan))
    return folder


def facts(plan, **more):
    """Where the rows of a plan come from."""
    parts = [{"name": path.name, "text": plan.texts[path]} for path in plan.parents]
    origin = {"first": "2026-01-02T03", "last": "2026-01-03T03", "seconds": 90, "commit": "c0"}
    return {
        "config": {"name": plan.name, "text": plan.texts[plan.path], "extends": parts},
        "environment": {"origins": [origin]},
        "bibtex": ["@article{one, title = {One & <two>}}"],
        **more,
    }


def kept(whole, folder):
    """Of the same results the outcome alone, with the figures that a reference keeps."""
    for name, profile in PLANS:
        if not (folder / name).exists():
            (folder / name).mkdir(parents=True)
            for file in (*KEPT, "figure.png"):
                shutil.copy(whole / name / profile / file, folder / name)
            if name != "leaderboard":
                shutil.copy(whole / name / profile / "figure.svg", folder / name)
    return folder


class Page(HTMLParser):
    """The parts of a page that can be checked without a browser."""

    VOID = frozenset({"meta", "link", "img", "br", "input", "hr"})

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded, self.images = [], [], [], []
        self.headings, self.open, self.claims, self.inline = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.inline += [name for name in values if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in values):
            self.inline.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        if tag == "img":
            self.images.append(values)
        if tag in {"script", "img", "link"}:
            self.loaded.append(values.get("src") or values["href"])
        if tag in {"h1", "h2", "h3", "h4"}:
            self.headings.append(int(tag[1]))
        if "data-verdict" in values:
            self.claims.append(values)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> without a beginning"
        opened = self.open.pop()
        assert opened == tag, f"<{opened}> is ended by </{tag}>"


def target(page, link):
    """The file that a link leads to, and the place in it; None for another address."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = (page.parent / unquote(parts.path)) if parts.path else page
    return path, unquote(parts.fragment)
