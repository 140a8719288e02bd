"""The commands of the pages: all can be called, and those of a user's own table run as they stand."""

import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from geoforest_cli.cli.main import cli
from geoforest_cli.estimators.baselines import umap
from tests.e2e.inside import geoforest
from tests.test_docs import execute, snippets

ROOT = Path(__file__).resolve().parents[1]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "llms.txt"]
PAGES += sorted((ROOT / "docs").glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\.venv/bin/)?((?:geoforest|make|python) .*)", re.MULTILINE)
ELSEWHERE = re.compile(r"\bHOST\b|\bbig/")  # a scheduler, or a table larger than the memory


def fenced(page):
    """The words of each command in a block of commands."""
    blocks = BLOCK.findall(page.read_text("utf-8"))
    text = "".join(block for language, block in blocks if language in {"", "sh"})
    return [shlex.split(words, comments=True) for words in COMMAND.findall(text)]


def inline(page):
    text = BLOCK.sub("", page.read_text("utf-8"))
    return [shlex.split(words) for words in re.findall(r"`((?:geoforest|make) [^`]*)`", text)]


RUN = [page for page in PAGES if fenced(page) and page.stem != "tutorial"]


def call(words):
    """Parse the words of a command, as far as before its files are read."""
    program, *words = words
    if program == "make":
        assert words[0] in TARGETS
    command, name = cli, program
    while program == "geoforest" and isinstance(command, click.Group) and words[0][0] != "-":
        name, *words = words
        command = command.get_command(None, name)
        assert command, name
        if not isinstance(command, click.Group):
            command.make_context(name, words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_command_of_a_page_can_be_called(page):
    for words in fenced(page):
        call(words)
    for words in inline(page):
        # a text may name a command without its arguments
        with contextlib.suppress(click.MissingParameter, click.BadOptionUsage):
            call(words)


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_as_they_stand(page, tmp_path, monkeypatch):
    """In a clean clone, after the snippets of the page; what takes long is planned."""
    monkeypatch.chdir(tmp_path)
    umap.keep_compiled()
    for name in ("configs", "experiments", "results/reference"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    namespace = {}
    for code in snippets(page):
        execute(code, namespace)
    for program, *words in fenced(page):
        if ELSEWHERE.search(" ".join(words)):
            continue
        if program == "geoforest":
            done = geoforest(*words, *(["--plan"] if words[0] == "run" else []), cwd=tmp_path)
        else:
            command = [sys.executable, *words] if program == "python" else ["make", "-n", *words]
            folder = tmp_path if program == "python" else ROOT
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stderr)
