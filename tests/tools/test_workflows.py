"""Every line that a workflow runs calls what is there; `make workflows` has actionlint for the rest."""

import importlib.util
import re
import shlex
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def scripts():
    for path in OURS:
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            yield from (step["run"] for step in job["steps"] if "run" in step)


def test_every_line_of_the_workflows_calls_what_is_there():
    verbs = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"results"}
    calls = 0
    for line in "\n".join(scripts()).splitlines():
        words = shlex.split(line)
        if words[:1] == ["make"]:
            assert {word for word in words[1:] if "=" not in word} <= verbs, line
            calls += 1
        if words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(words[2]), line
            calls += 1
        for word in words:
            if word.partition("/")[0] in folders:
                assert (ROOT / word).exists(), line
    assert calls > 8
