"""Tables of things that a config can name, and the parameters of what they load."""

import importlib.metadata
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, ValidationError

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import Unavailable, UserError
from geoforest_cli.core.registry import Entry, Registry, parameter_model

SHAPES = Registry("shape", [Entry("sine", "math:sin", "a wave"), Entry("root", "math:sqrt", "x")])


def own_registry():
    return Registry("shape", [Entry("sine", "math:sin", "a wave")], make_entry=Entry)


def test_a_table_is_a_mapping_in_its_order():
    assert list(SHAPES) == ["sine", "root"]
    assert len(SHAPES) == 2
    assert SHAPES["root"].load()(9.0) == 3.0
    assert "sine" in SHAPES
    assert "cosine" not in SHAPES
    assert 3 not in SHAPES


def test_a_misspelt_name_gets_a_hint():
    with pytest.raises(UserError) as caught:
        SHAPES["sien"]
    assert str(caught.value) == "unknown shape 'sien'; did you mean 'sine'? (known: sine, root)"
    assert SHAPES.check("sine") == "sine"
    with pytest.raises(ValueError, match="unknown shape 'sien'; did you mean 'sine'"):
        SHAPES.check("sien")


def test_what_cannot_be_loaded_is_one_sentence():
    with pytest.raises(
        Unavailable, match=r"^'x' cannot be loaded here: No module named 'nowhere'$"
    ):
        Entry("x", "nowhere:thing", "").load()
    with pytest.raises(UserError, match=r"^'x': unknown name in math 'sqtr'; did you mean 'sqrt'"):
        Entry("x", "math:sqtr", "").load()


def test_only_a_table_that_allows_it_takes_things_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text("def bend(x):\n    return -x\n")
    registry = own_registry()
    with user_modules.searched_in(tmp_path):
        assert "mine:bend" in registry
        assert "mine:bend" not in SHAPES
        with pytest.raises(UserError, match=r"^unknown shape 'mine:bend' "):
            SHAPES["mine:bend"]
        entry = registry["mine:bend"]
        assert entry.name == entry.target == "mine:bend"
        assert entry.about == "user-defined, in mine.py"
        assert entry.version == user_modules.digest(tmp_path / "mine.py")
        assert entry.load()(2) == -2
        assert registry.check("mine:bend") == "mine:bend"
        with pytest.raises(ValueError, match="unknown name in mine 'bned'; did you mean 'bend'"):
            registry.check("mine:bned")
        with pytest.raises(ValueError, match="unknown shape 'thine:bend': there is no module"):
            registry.check("thine:bend")
    # user-defined things are not listed
    assert list(registry) == ["sine"]


def test_a_module_beside_the_config_hides_an_installed_one(tmp_path):
    (tmp_path / "yaml.py").write_text("dump = 3\n")
    registry = own_registry()
    assert registry["yaml:dump"].load()(None) == "null\n...\n"
    assert registry["yaml:dump"].version == f"PyYAML {importlib.metadata.version('PyYAML')}"
    with user_modules.searched_in(tmp_path):
        assert registry["yaml:dump"].load() == 3


@pytest.mark.parametrize("name", ["math:sin", "subprocess:Popen", "concurrent.futures:wait"])
def test_the_standard_library_has_nothing_to_name(name):
    module = name.partition(":")[0]
    said = f"unknown shape '{name}': '{module}' belongs to Python's standard library"
    with pytest.raises(UserError, match=said):
        own_registry()[name]


def test_entry_points_bring_more(monkeypatch):
    asked = []

    def entry_points(group):
        asked.append(group)
        return [
            importlib.metadata.EntryPoint("wave", "json:dumps", group),
            importlib.metadata.EntryPoint("sine", "json:loads", group),
        ]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    registry = own_registry()
    assert list(registry) == ["sine", "wave"]
    assert asked == ["geoforest.shapes"]
    assert registry["wave"].load()([1]) == "[1]"
    assert registry["wave"].about == "from the package json"
    assert registry["wave"].version == ""
    assert registry["sine"].target == "math:sin"
    with pytest.raises(UserError, match="did you mean 'wave'"):
        registry["wvae"]
    assert list(SHAPES) == ["sine", "root"]
    assert asked == ["geoforest.shapes"]


class Method:
    def __init__(
        self,
        trees: Annotated[int, Field(ge=1)] = 300,
        *,
        scale: float = 1.0,
        rule: Literal["a", "b"] = "a",
        sizes: tuple[int, ...] = (),
        anything=None,
        n_jobs: int | None = None,
        random_state: Any = None,
        **others: Any,
    ) -> None: ...


def test_parameters_are_those_of_the_signature_but_the_engines():
    model = parameter_model(Method)
    assert parameter_model(Method) is model
    assert model().model_dump() == {
        "trees": 300, "scale": 1.0, "rule": "a", "sizes": (), "anything": None
    }  # fmt: skip
    given = model(trees=5, scale=2, sizes=[1, 2], anything={"x": 1})
    assert isinstance(given.scale, float)
    assert given.sizes == (1, 2)


@pytest.mark.parametrize(
    "given",
    [{"trees": 0}, {"trees": 5.0}, {"trees": True}, {"scale": "1"}, {"rule": "c"}, {"n_jobs": 2},
     {"random_state": 1}, {"tree": 5}],
)  # fmt: skip
def test_parameters_that_are_refused(given):
    with pytest.raises(ValidationError):
        parameter_model(Method)(**given)


def test_a_parameter_without_a_default_is_required():
    def draw(n: int, kind="as_run"): ...

    with pytest.raises(ValidationError, match="n\n  Field required"):
        parameter_model(draw)()
    assert parameter_model(draw)(n=3).model_dump() == {"n": 3, "kind": "as_run"}
