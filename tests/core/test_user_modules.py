"""Python files of a user's own: found, imported, digested."""

import os
import sys

import pytest

from geoforest_cli.core import user_modules
from geoforest_cli.core.errors import ConfigError

CODE = '''"""A module."""

from decorators import drawing

SIZE = 3


class Thing:
    """A thing."""

    def half(self, n: int = 1):
        """Halve."""
        return n / 2

    @drawing
    def draw(self):
        return "red"
'''


@pytest.fixture
def write(tmp_path):
    """Write a file below the test's folder; return its path."""

    def make(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return make


def replaced(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_file_is_imported_once_and_again_when_it_is_edited(write):
    path = write("one.py", "x = 1\n")
    first = user_modules.load(path)
    assert first.x == 1
    assert user_modules.load(path) is first
    path.write_text("x = 22\n")
    assert user_modules.load(path).x == 22
    path.write_text("x = 1\n")
    assert user_modules.load(path) is first


def test_an_edit_is_seen_whatever_the_clock_says(write, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    # compiled copies know their source by its size and the second of its last change
    path, helper = write("one.py", "import aid\nx = 1\n"), write("aid.py", "y = 1\n")
    for file in (path, helper):
        os.utime(file, (10**9, 10**9))
    assert (user_modules.load(path).x, user_modules.load(path).aid.y) == (1, 1)
    for file in (path, helper):
        replaced(file, "= 1", "= 2")
        os.utime(file, (10**9, 10**9))
    module = user_modules.load(path)
    assert (module.x, module.aid.y) == (2, 2)


@pytest.mark.parametrize("edited", ["one.py", "aid.py"])
def test_what_only_draws_is_imported_again_when_it_is_edited(write, edited):
    write("decorators.py", "def drawing(thing):\n    return thing\n")
    path = write("one.py", "from aid import Thing\n")
    drawn = write(edited, CODE)
    before = user_modules.digest(drawn)
    assert user_modules.load(path).Thing().draw() == "red"
    replaced(drawn, '"red"', '"blue"')
    assert user_modules.digest(drawn) == before
    assert user_modules.load(path).Thing().draw() == "blue"


def test_equally_named_helpers_of_two_folders_do_not_meet(write):
    here, there = (write(f"{name}/one.py", "import aid\n") for name in ("here", "there"))
    write("here/aid.py", "y = 'here'\n")
    write("there/aid.py", "y = 'there'\n")
    assert [user_modules.load(path).aid.y for path in (here, there, here)] == [
        "here",
        "there",
        "here",
    ]
    assert "aid" not in sys.modules


def test_a_module_leaves_the_search_path_as_it_was(write):
    before = list(sys.path)
    user_modules.load(write("one.py", "import sys\nfolder = sys.path[0]\n"))
    with pytest.raises(ConfigError):
        user_modules.load(write("two.py", "1 / 0\n"))
    assert sys.path == before
    assert not [name for name in sys.modules if name.startswith("geoforest_own_two")]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = 1\n\n1 / 0\n", 3, "the module cannot be imported (ZeroDivisionError: division by"),
        ("x = 1\ndef\n", 2, "the module cannot be imported (SyntaxError: "),
        ("\nimport no_such_module\n", 2, "(ModuleNotFoundError: No module named 'no_such_module')"),
        ("def f():\n    raise KeyError(3)\n\nf()\n", 2, "(KeyError: 3)"),
        ("raise SystemExit(3)\n", 1, "(SystemExit: 3)"),
        ("raise ValueError('two\\nlines')\n", 1, "(ValueError: two lines)"),
        ("x = 1\nimport broken\n", 2, "(RuntimeError: no luck)"),
    ],
)
def test_an_import_error_carries_its_line(write, text, line, words):
    write("broken.py", "raise RuntimeError('no luck')\n")
    path = write("one.py", text)
    with pytest.raises(ConfigError) as caught:
        user_modules.load(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_syntax_error_of_a_helper_is_told_at_its_place(write):
    helper = write("aid.py", "x = 1\ny = (\n")
    with pytest.raises(ConfigError) as caught:
        user_modules.load(write("one.py", "import aid\n"))
    assert str(caught.value).startswith(f"{helper}:2: the module cannot be imported (SyntaxError")


def test_a_mended_module_can_be_imported(write):
    path, helper = write("one.py", "import aid\n"), write("aid.py", "1 / 0\n")
    with pytest.raises(ConfigError, match=r"one\.py:1: "):
        user_modules.load(path)
    helper.write_text("y = 1\n")
    assert user_modules.load(path).aid.y == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""A module."""\n', ""),
        ('    """A thing."""\n', '    """Something else."""\n'),
        ("SIZE = 3\n", "# how many\nSIZE = 3  # three\n\n\n"),
        ("return n / 2", "return (\n            n / 2\n        )"),
        ('return "red"', 'return "blue"'),
        (
            "    @drawing\n",
            '    @drawing\n    def more(self):\n        """Draw."""\n\n    @drawing\n',
        ),
    ],
)
def test_comments_docstrings_layout_and_drawing_do_not_count(write, old, new):
    path = write("one.py", CODE)
    before = user_modules.digest(path)
    replaced(path, old, new)
    assert user_modules.digest(path) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return n / 2", "return n / 3"),
        ("return n / 2", "return n / 2.0"),
        ("return n / 2", "return 2 / n"),
        ("SIZE = 3", "SIZE = '3'"),
        ("SIZE = 3", "SIZE = None"),
        ("n: int = 1", "n: int = 2"),
        ("n: int = 1", "n: float = 1"),
        ("def half", "def halve"),
        ("class Thing", "class Think"),
        ("class Thing:", "class Thing(object):"),
        ("    @drawing\n", ""),
        ("    @drawing\n", "    @property\n"),
        ("SIZE = 3\n", ""),
        ("SIZE = 3\n", "SIZE = 3\nimport math\n"),
        ("SIZE = 3\n", "if True:\n    SIZE = 3\n"),
    ],
)
def test_code_counts(write, old, new):
    path = write("one.py", CODE)
    before = user_modules.digest(path)
    assert len(before) == 16
    assert int(before, 16) >= 0
    replaced(path, old, new)
    assert user_modules.digest(path) != before


HELPERS = {
    "aid.py": "import further\n",
    "further.py": "z = 1\n",
    "kit/__init__.py": "",
    "kit/tool.py": "t = 1\n",
    "kit/inner/__init__.py": "",
    "kit/inner/deep.py": "d = 1\n",
    "lazy.py": "l = 1\n",
    "under.py": "u = 1\n",
    "loose/part.py": "p = 1\n",
}
IMPORTER = """import math, aid
import kit.tool as tool
from loose.part import p
try:
    from under import u
except ImportError:
    u = 0

def later():
    from lazy import l
    return l
"""


@pytest.mark.parametrize("edited", [name for name, text in HELPERS.items() if "= 1" in text])
def test_all_that_is_imported_from_beside_counts(write, edited):
    for name, text in HELPERS.items():
        write(name, text)
    write("kit/tool.py", "import kit.inner.deep\nt = 1\n")
    path = write("one.py", IMPORTER)
    before = user_modules.digest(path)
    assert user_modules.load(path).u == 1
    helper = write(edited, (path.parent / edited).read_text() + "# a comment\n")
    assert user_modules.digest(path) == before
    replaced(helper, "= 1", "= 2")
    assert user_modules.digest(path) != before


def test_files_that_import_each_other_are_read_once(write):
    path, other = write("one.py", "import two\n"), write("two.py", "import one\n")
    assert len({user_modules.digest(path), user_modules.digest(other)}) == 2


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path):
    path = tmp_path / "none.py"
    with pytest.raises(ConfigError) as caught:
        user_modules.digest(path)
    assert str(caught.value) == f"{path}: the file cannot be read: No such file or directory"
    path.write_bytes(b"x = '\xff'\n")
    with pytest.raises(ConfigError, match="the module cannot be imported"):
        user_modules.digest(path)


def test_modules_are_found_beside_the_config_only(write, tmp_path):
    path = write("here/one.py", "x = 1\n")
    package = write("here/kit/__init__.py", "x = 1\n")
    inside = write("here/kit/tool.py", "x = 1\n")
    write("one.py", "x = 1\n")
    assert user_modules.find_module("one") is None
    with user_modules.searched_in(tmp_path / "here"):
        assert user_modules.find_module("one") == (path.resolve(), tmp_path / "here")
        assert user_modules.find_module("kit") == (package.resolve(), tmp_path / "here")
        assert user_modules.find_module("kit.tool") == (inside.resolve(), tmp_path / "here")
        assert user_modules.find_module("two") is None
        assert user_modules.find_module("here") is None
        with user_modules.searched_in(tmp_path, tmp_path / "here"):
            assert user_modules.find_module("one") == ((tmp_path / "one.py").resolve(), tmp_path)
        assert user_modules.folders() == (tmp_path / "here",)
    assert user_modules.folders() == ()
    assert user_modules.find_module("one") is None


def test_what_is_installed_is_digested_alone(write):
    path = write("site-packages/one.py", "import aid\n")
    before = user_modules.digest(path)
    write("site-packages/aid.py", "y = 1\n")
    assert user_modules.digest(path) == before
    replaced(path, "import aid\n", "import aid, math\n")
    assert user_modules.digest(path) != before


def test_what_is_installed_below_the_folder_is_left_alone(tmp_path):
    """A virtual environment often lies beside a user's config."""
    installed = tmp_path / "lib" / "site-packages"
    installed.mkdir(parents=True)
    (installed / "thing_of_all.py").write_text("x = 1\n")
    (tmp_path / "own_one.py").write_text("y = 2\n")
    path = tmp_path / "mine.py"
    path.write_text("import thing_of_all, own_one\n")
    sys.path.insert(0, str(installed))
    try:
        user_modules.load(path)
        assert "thing_of_all" in sys.modules
        assert "own_one" not in sys.modules
        with user_modules.importing_from(tmp_path):
            import own_one

            assert own_one is user_modules.load(path).own_one
    finally:
        sys.path.remove(str(installed))
        sys.modules.pop("thing_of_all", None)
