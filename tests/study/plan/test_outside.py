"""Code and tables that a config names lie in its folder, or below, or are installed."""

import re

import pytest

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import UserError
from geoforest_cli.estimators.methods import METHODS
from geoforest_cli.study.plan import load
from tests.study.plan.toy import EXPERIMENT, edited

METHOD = """
class Far:
    kind = "neighbors"

    def fit(self, X):
        return self
"""
NAMED = "experiment: ./toy.py"
USED = "use: geodesic_forest\n    params: {n_estimators: 10}"
PLAIN = (("params: {min_parent: 20}", "params: {}"), ("params: {n_estimators: 30}", "params: {}"),
         ("{params: {criterion: fast_bic_legacy}}", "{}"), ("gf: {params: {n_estimators: 2}}", ""),
         ("methods: {}", "methods: {gf: {}}"))  # fmt: skip
OUTSIDE = "lies outside of the folder of the config; allowed are files in that folder or below it"


@pytest.fixture
def outside(tmp_path):
    """Write modules into another folder; return it, and a function that tells whether one ran."""
    folder = tmp_path / "outside"
    (folder / "kit").mkdir(parents=True)
    mark = tmp_path / "it ran"
    evil = f"open({str(mark)!r}, 'w').close()\n"
    (folder / "evil.py").write_text(edited(EXPERIMENT, ("from typing", f"{evil}from typing")))
    (folder / "far.py").write_text(evil + METHOD)
    (folder / "kit" / "far.py").write_text(evil + METHOD)
    (folder / "t.csv").write_text("a,b,kind\n" + "1,2,x\n2,1,y\n" * 4)
    return folder, mark.exists


def linked(folder, name, target):
    """Make a link in a folder that may have to be made first."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).symlink_to(target)


@pytest.mark.parametrize(
    "word",
    [
        "../outside/evil.py",
        "./link.py",
        "./links/evil.py",
    ],
)
def test_an_experiment_outside_of_the_folder_never_runs(write, outside, tmp_path, word):
    folder, ran = outside
    here = tmp_path / "mine"
    path = write((NAMED, f"experiment: {word}"), folder=here)
    linked(here, "link.py", folder / "evil.py")
    linked(here, "links", folder)
    sentence = rf"toy_config\.yaml:3:13: {re.escape(repr(word))} {OUTSIDE}"
    with pytest.raises(UserError, match=sentence):
        load(path)
    assert not ran()


@pytest.mark.parametrize("linked_folder", [False, True])
def test_a_named_experiment_that_is_a_link_never_runs(write, outside, tmp_path, linked_folder):
    folder, ran = outside
    path = write((NAMED, "experiment: evil"), folder=tmp_path / "configs")
    if linked_folder:
        linked(tmp_path, "experiments", folder)
    else:
        linked(tmp_path / "experiments", "evil.py", folder / "evil.py")
    with pytest.raises(UserError, match=rf"toy_config\.yaml:3:13: 'evil' {OUTSIDE}"):
        load(path)
    assert not ran()


@pytest.mark.parametrize(
    ("use", "words"),
    [
        ("link:Far", OUTSIDE),
        ("package:Far", OUTSIDE),
        ("{}/far:Far", "there is no module '{}/far' beside the config or among the installed"),
        ("..outside.far:Far", "there is no module '..outside.far' beside the config"),
    ],
)
def test_a_method_outside_of_the_folder_never_runs(write, outside, tmp_path, use, words):
    folder, ran = outside
    here = tmp_path / "mine"
    path = write((USED, f"use: '{use.format(folder)}'"), *PLAIN, folder=here)
    linked(here, "link.py", folder / "far.py")
    linked(here, "links", folder / "kit")
    linked(here / "package", "__init__.py", folder / "far.py")
    at = r"toy_config\.yaml:13:10: .*"
    with pytest.raises(UserError, match=at + re.escape(words.format(folder))):
        load(path)
    assert not ran()


def test_what_lies_below_the_folder_runs(write, outside, tmp_path):
    folder, ran = outside
    (folder / "kit" / "evil.py").write_text((folder / "evil.py").read_text())
    path = write(
        (NAMED, "experiment: ./kit/../kit/evil.py"), (USED, "use: 'kit.far:Far'"), *PLAIN,
        folder=folder,
    )  # fmt: skip
    assert type(load(path).experiment).__name__ == "Toy"
    assert ran()
    # a link to what lies below leads nowhere else
    linked(folder, "near.py", folder / "kit" / "far.py")
    with user_modules.searched_in(folder):
        assert METHODS["near:Far"].load().__name__ == "Far"


def test_a_table_outside_of_the_folder_is_not_read(outside, tmp_path):
    folder, _ = outside
    here = tmp_path / "mine"
    linked(here, "link.csv", folder / "t.csv")
    path = here / "mine.yaml"
    for name in ("../outside/t.csv", str(folder / "t.csv"), "link.csv"):
        path.write_text(
            "title: mine\nexperiment: own_neighbors\ngrid: {k: [1]}\n"
            f"params: {{table: {name}, label: kind}}\n"
            "methods: {euclidean: {variants: {as_written: {}}}}\n"
        )
        with pytest.raises(
            UserError, match=rf"mine\.yaml:4:9: params: '{re.escape(name)}' {OUTSIDE}"
        ):
            load(path)
    path.write_text(path.read_text().replace("link.csv", "t.csv"))
    (here / "t.csv").write_bytes((folder / "t.csv").read_bytes())
    assert load(path).jobs
