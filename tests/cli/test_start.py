"""Imports before there is anything to do with them."""

import subprocess
import sys

HEAVY = ("matplotlib", "numba", "pandas", "pebble", "pyarrow", "scipy", "sklearn", "umap")
# NumPy too: what only lists names has no arrays
LISTED = (*HEAVY, "numpy")
KINDS = "configs experiments methods manifolds datasets metrics checks errata"


def imported(code, names):
    code += f"\nprint([one for one in {names} if one in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


def test_what_only_lists_imports_nothing_heavy():
    words = ["--help", "--version", *(f"list {kind}" for kind in KINDS.split())]
    code = (
        "import contextlib\n"
        "from geoforest_cli.cli.main import cli\n"
        f"for words in {words}:\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        cli(words.split(), prog_name='geoforest', standalone_mode=False)"
    )
    assert imported(code, LISTED) == "[]"


def test_a_config_is_read_without_anything_heavy():
    code = (
        "from geoforest_cli.study.config.loading import open_config, profiles_of\n"
        "[open_config('noise', one) for one in profiles_of('noise')]"
    )
    assert imported(code, LISTED) == "[]"


def test_a_child_waits_for_its_cell_without_anything_heavy():
    assert imported("import geoforest_cli.study.engine.executors.cell_process", HEAVY) == "[]"
