"""A config that extends others: what it takes, where things stand, what is refused."""

import pytest

from geoforest_cli.core.errors import ConfigErrors, UserError
from geoforest_cli.study.config.extend import open_document, read_heading
from geoforest_cli.study.config.loading import open_config, profiles_of

PART = """\
experiment: ./toy.py
params: {n: 20}
grid:
  k: [5, 10]
methods:
  gf: {use: geodesic_forest, params: {n_estimators: 10, min_parent: 5}, variants: {as_run: {}}}
  isomap: {variants: {as_run: {}}}
profiles:
  smoke:
    params: {n: 7}
    methods: {gf: {params: {n_estimators: 2}}, isomap: {label: small}}
claims:
  - {id: one, says: first, check: at_least, metric: score, value: 1}
  - {id: two, says: second, check: at_least, metric: score, value: 2}
published: [{source: a, artifact: b}]
figure: {x: k, y: [score]}
"""


@pytest.fixture
def write(tmp_path):
    def make(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    make("parts/base.yaml", PART)
    return make


def test_own_values_lie_above_those_of_a_part(write):
    path = write(
        "mine.yaml",
        "title: mine\nextends: parts/base\nparams: {m: 1}\ngrid: {k: [3]}\n"
        "methods: {gf: {params: {min_parent: 8}}, umap: {variants: {as_run: {}}}}\n",
    )
    config = open_config(path, "paper").config
    assert config.title == "mine"
    assert config.params == {"n": 20, "m": 1}
    assert config.grid == {"k": (3,)}
    assert list(config.methods) == ["gf", "isomap", "umap"]
    assert config.methods["gf"].params == {"n_estimators": 10, "min_parent": 8}
    assert [claim["id"] for claim in config.claims] == ["one", "two"]
    assert config.published == ({"source": "a", "artifact": "b"},)
    small = open_config(path, "smoke")
    assert small.config.params == {"n": 7, "m": 1}
    assert small.config.methods["gf"].params == {"n_estimators": 2, "min_parent": 8}
    assert small.base_grid == {"k": [3]}
    assert small.parents == (path.parent / "parts" / "base.yaml",)
    assert profiles_of(path) == ("smoke", "paper")


def test_claims_are_merged_by_id(write):
    path = write(
        "mine.yaml",
        "title: mine\nextends: parts/base.yaml\nclaims:\n  - {id: three, says: third}\n"
        "  - {id: one, expect: more, value: 7}\n",
    )
    claims = open_config(path, "paper").config.claims
    assert [claim["id"] for claim in claims] == ["one", "two", "three"]
    first = {"id": "one", "says": "first", "check": "at_least", "metric": "score"}
    assert claims[0] == {**first, "value": 7, "expect": "more"}
    document = open_document(path).document
    assert document.locate(("claims", 0, "value")).line == 5
    assert document.locate(("claims", 0, "says")).file.endswith("base.yaml")
    assert document.locate(("claims", 2, "says")).file.endswith("mine.yaml")


def test_words_on_one_artifact_are_not_taken_from_a_config(write):
    write("whole.yaml", "title: whole\nartifact: Figure 1\nabout: text\nquestion: Is it?\n" + PART)
    path = write("mine.yaml", "title: mine\nextends: whole\n")
    config = open_config(path, "paper").config
    assert (config.title, config.artifact, config.about) == ("mine", None, "")
    assert config.question == ""
    assert config.claims == config.published == ()
    assert config.figure == {"x": "k", "y": ["score"]}


def test_of_several_files_the_later_count_and_files_extend_files(write):
    write("parts/far.yaml", "extends: base\nseed: 1\nparams: {n: 30}\n")
    write("parts/near.yaml", "seed: 2\n")
    path = write("mine.yaml", "title: mine\nextends: [parts/far, parts/near]\n")
    opened = open_config(path, "paper")
    assert (opened.config.seed, opened.config.params) == (2, {"n": 30})
    assert [parent.stem for parent in opened.parents] == ["far", "base", "near"]
    assert [folder.name for folder in opened.folders] == [path.parent.name, "parts"]


def test_a_config_may_have_the_name_of_the_one_it_extends(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write("noise.yaml", "title: mine\nextends: noise\nparams: {n: 50}\n")
    opened = open_config(path, "paper")
    assert opened.config.params["n"] == 50
    assert opened.config.experiment == "manifold_neighbors"
    assert opened.parents[0].name == "noise.yaml"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("extends: parts/bsae\n", r"mine\.yaml:2:10: unknown config 'parts/bsae'; did you mean 'parts/base'"),
        ("extends: [parts/base, 7]\n", r"mine\.yaml:2:23: extends must be .*, not 7"),
        ("extends: {a: b}\n", r"mine\.yaml:2:10: extends must be the name of a config"),
        ("extends: mine\n", r"mine\.yaml:2:10: a config cannot extend itself: .*mine\.yaml extends .*mine\.yaml"),
        ("extends: other\n", r"other\.yaml:1:10: a config cannot extend itself: .*mine\.yaml extends .*other\.yaml extends .*mine\.yaml"),
        ("extends: parts/broken\n", r"broken\.yaml:1: this is not a config"),
        ("extends: parts/empty\n", r"empty\.yaml:1:1: the config is empty"),
        ("extends: parts/list\n", r"list\.yaml:1:1: a config is a mapping"),
        ("extend: parts/base\n", r"mine\.yaml:2:1: unknown key 'extend'; did you mean 'extends'"),
    ],
)  # fmt: skip
def test_what_cannot_be_extended(write, text, sentence):
    write("other.yaml", "extends: mine\n")
    write("parts/broken.yaml", "a: [")
    write("parts/list.yaml", "- 1")
    write("parts/empty.yaml", "")
    with pytest.raises(UserError, match=sentence):
        open_config(write("mine.yaml", "title: mine\n" + text), "paper")


def test_a_mistake_is_shown_in_the_file_where_it_stands(write):
    write("parts/base.yaml", PART.replace("{n: 7}", "{n: 7}\n    seed: few"))
    path = write("mine.yaml", "title: mine\nextends: parts/base\nrepetitions: no\n")
    with pytest.raises(ConfigErrors) as caught:
        open_config(path, "smoke")
    places = [sentence.split(": ")[0].rsplit("/", 1)[1] for sentence in caught.value.sentences]
    assert sorted(places) == ["base.yaml:11:11", "mine.yaml:3:14"]


@pytest.mark.parametrize(
    "text",
    [
        "secret word\n",
        "- secret\n",
        "a: *secret\n",
        "a: !secret x\n",
        "secret: 1\nsecret: 2\n",
        "a: 1\n--- secret\n",
        b"a: secret \xff",
    ],
)
def test_nothing_is_quoted_of_an_extended_file_that_is_no_config(write, tmp_path, text):
    outside = tmp_path / "outside.yaml"
    outside.write_bytes(text if isinstance(text, bytes) else text.encode())
    path = write("mine/mine.yaml", "title: mine\nextends: ../outside\n")
    with pytest.raises(UserError) as caught:
        open_config(path, "paper")
    (sentence,) = caught.value.sentences
    position, _, words = sentence.partition(": ")
    assert position.partition("yaml:")[0].endswith("outside.")
    assert words in {
        "this is not a config; 'geoforest check' of the file itself says more",
        "a config is a mapping (key: value), not a list or a single value",
    }


def test_a_file_with_another_ending_is_never_read(write, tmp_path):
    (tmp_path / "outside.txt").write_text("secret: 1\n")
    path = write("mine/mine.yaml", "title: mine\nextends: ../outside.txt\n")
    with pytest.raises(
        UserError, match=r"mine\.yaml:2:10: '../outside.txt' is not a config: its name ends"
    ):
        open_config(path, "paper")
    # a config beside it that has the same name but for the ending is meant
    write("outside.txt.yaml", PART)
    assert open_config(path, "paper").config.params == {"n": 20}


def test_a_heading_is_that_of_the_whole_config(write):
    write("whole.yaml", "title: a\npaper: morf\nartifact: Figure 1\ngrid: {n: [1]}\n")
    write("part.yaml", "paper: smerf\nartifact: Figure 2\n")
    for text in ("title: b\nextends: whole\n", "extends: part\n", "extends: [part, whole]\n"):
        path = write("mine.yaml", text)
        whole = open_document(path).document.data
        heading = {key: whole[key] for key in ("title", "paper", "artifact") if key in whole}
        assert read_heading(path) == heading
