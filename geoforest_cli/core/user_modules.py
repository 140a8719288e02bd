"""A user's own Python modules: finding them, importing them, and the digest of their code.

A digest stands for everything that a file's results can depend on in its own folder: the file
and what it imports from beside it. Comments, docstrings and layout do not count, nor does what
is marked as only drawing; so that a nicer picture does not cost a day of computing.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType

from geoforest_cli.core.errors import ConfigError, UserError

__all__ = [
    "digest",
    "files",
    "find_module",
    "folders",
    "importing_from",
    "is_installed",
    "is_module_name",
    "load",
    "require_below",
    "searched_in",
]

_folders: ContextVar[tuple[Path, ...]] = ContextVar("folders", default=())
# folder -> the modules imported from it: `sys.modules` holds them within `importing_from` only
_helpers: defaultdict[Path, dict[str, ModuleType]] = defaultdict(dict)
DRAWING = "drawing"  # the decorator of `geoforest_cli.study.experiment`
_INSTALLED = frozenset({"site-packages", "dist-packages"})


@contextmanager
def searched_in(*folders: Path) -> Iterator[None]:
    """Let names such as ``my_module:MyClass`` mean files of these folders while the block runs."""
    token = _folders.set(folders)
    try:
        yield
    finally:
        _folders.reset(token)


def folders() -> tuple[Path, ...]:
    """Return the folders of the block, the nearest first; none outside of one."""
    return _folders.get()


def find_module(module: str) -> tuple[Path, Path] | None:
    """Return the file of a module in one of the block's folders, and that folder; or None.

    Raises
    ------
    UserError
        If a link leads to a file outside of these folders.
    """
    if not is_module_name(module):
        return None
    for folder in _folders.get():
        below = folder.joinpath(*module.split("."))
        for path in (below.with_suffix(".py"), below / "__init__.py"):
            if path.is_file():
                return require_below(module, path, _folders.get()), folder
    return None


def is_module_name(text: str) -> bool:
    """Return whether a text is the dotted name of a module: never a path.

    Examples
    --------
    >>> [is_module_name(text) for text in ("kit.tool", "/tmp/tool", "../tool", "")]
    [True, False, False, False]
    """
    return all(part.isidentifier() for part in text.split("."))


def is_installed(path: Path) -> bool:
    """Return whether a file is of an installed package."""
    return not _INSTALLED.isdisjoint(path.parts)


def require_below(name: str, path: Path, folders: Iterable[Path]) -> Path:
    """Return the file that a config names, with links and ``..`` resolved.

    Parameters
    ----------
    name : str
        As the config names it.
    path : Path
        An existing file.
    folders : iterable of Path
        It has to lie in one of them, or below.

    Raises
    ------
    UserError
        If it lies elsewhere.
    """
    resolved = path.resolve()
    if not any(resolved.is_relative_to(folder.resolve()) for folder in folders):
        raise UserError(
            f"{name!r} lies outside of the folder of the config; allowed are files in that folder "
            "or below it, or in the folder of a config that it extends or below that"
        )
    return resolved


def load(path: Path, root: Path | None = None) -> ModuleType:
    """Import a module from its file, once for each state of the file.

    Its folder is searched first for what it imports, and the modules found there are its own:
    equally named helpers of two folders do not meet.

    Raises
    ------
    ConfigError
        If it cannot be imported, with the line where that fails.
    """
    # what only draws is not in the digest, but it may have been edited too
    texts = b"\0".join(file.read_bytes() for file in _code_digests(path, root))
    state = hashlib.sha256(texts).hexdigest()
    return _import(path.resolve(), state, root or path.resolve().parent)


@functools.cache
def _import(path: Path, state: str, root: Path) -> ModuleType:
    path_digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    name = f"geoforest_own_{path.stem}_{path_digest}_{state[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError("this is not a Python module", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _helpers[root].clear()  # one of them may have been edited
    try:
        with importing_from(root):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        message = f"the module cannot be imported ({cause})"
        raise ConfigError(message, path, _line(error, path)) from error
    return module


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Search a folder first for imports while the block runs.

    The modules found there are known within such blocks only: those of another folder may have
    the same names.
    """
    sys.path.insert(0, str(folder))
    # a compiled copy knows its source by size and second only: an edit could be overlooked
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    _forget_listing(folder)
    helpers = _helpers[folder]
    sys.modules.update(helpers)
    modules_before = set(sys.modules)
    try:
        yield
    finally:
        if len(sys.modules) != len(modules_before):
            for name in set(sys.modules) - modules_before:
                if _belongs_to(folder, name):
                    helpers[name] = sys.modules[name]
        for name in helpers:
            sys.modules.pop(name, None)
        sys.dont_write_bytecode = before
        sys.path.remove(str(folder))


def _forget_listing(folder: Path) -> None:
    """Forget what the folder held; `importlib.invalidate_caches` would forget all folders."""
    start = str(folder)
    for path in [path for path in sys.path_importer_cache if path.startswith(start)]:
        del sys.path_importer_cache[path]


def _belongs_to(folder: Path, name: str) -> bool:
    """Return whether a module is of that folder, and not of a package installed below it."""
    file = getattr(sys.modules[name], "__file__", None)
    if file is None or name.partition(".")[0] == __name__.partition(".")[0]:
        return False
    path = Path(file)
    return folder in path.parents and not is_installed(path)


def _line(error: BaseException, path: Path) -> int | None:
    """Return the line of the file where the error arose."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((each.lineno for each in reversed(frames) if each.filename == str(path)), None)


def digest(path: Path, root: Path | None = None) -> str:
    """Return 16 hexadecimal digits for a file and all that it imports from its folder.

    Raises
    ------
    ConfigError
        If one of the files is not Python, or cannot be read.
    """
    first, *others = digests = _code_digests(path, root)
    text = " ".join([digests[first], *(digests[other] for other in sorted(others))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def files(path: Path, root: Path | None = None) -> tuple[Path, ...]:
    """Return a file and all that it imports from its folder: what `digest` stands for.

    Raises
    ------
    ConfigError
        As `digest`.
    """
    return tuple(_code_digests(path, root))


def _code_digests(path: Path, root: Path | None) -> dict[Path, str]:
    """Return the file and all that it imports from its folder, each with its code's digest."""
    digests: dict[Path, str] = {}
    waiting = [path.resolve()]
    while waiting:
        file = waiting.pop()
        if file in digests:
            continue
        imported, digests[file] = _imports_and_digest(file)
        # an installed package imports installed packages only
        if not is_installed(file):
            folders = dict.fromkeys((file.parent, root or path.resolve().parent))
            waiting += [
                f for folder in folders for name in imported for f in _files_named(folder, name)
            ]
    return digests


def _files_named(folder: Path, name: str) -> list[Path]:
    top = folder / name
    if top.with_suffix(".py").is_file():
        return [top.with_suffix(".py").resolve()]
    if top.is_dir():
        return [file.resolve() for file in top.rglob("*.py")]
    return []


def _imports_and_digest(path: Path) -> tuple[tuple[str, ...], str]:
    """Return the names that a file imports, and the digest of its code."""
    try:
        return _parsed(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", path) from None
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(f"the module cannot be imported ({cause})", path, line) from None


@functools.lru_cache(maxsize=256)
def _parsed(data: bytes) -> tuple[tuple[str, ...], str]:
    tree = ast.parse(data)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    code = hashlib.sha256(repr(_canonical(tree)).encode()).hexdigest()
    return tuple(sorted(names)), code


def _canonical(node: object) -> object:
    """Return the tree as nested tuples without places, docstrings and what only draws."""
    if isinstance(node, list):
        parts = (_canonical(part) for part in node if not _only_draws(part))
        return tuple(part for part in parts if part is not None)
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return None  # a docstring, or as idle as one
    # empty fields are left out: which there are depends on the version of Python
    fields = ((name, _canonical(value)) for name, value in ast.iter_fields(node))
    return type(node).__name__, *(field for field in fields if field[1] not in {(), "None"})


def _only_draws(node: object) -> bool:
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return any(
        DRAWING in {getattr(part, "id", ""), getattr(part, "attr", "")}
        for part in node.decorator_list
    )
