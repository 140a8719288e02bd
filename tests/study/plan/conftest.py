"""A small experiment and config on disk, for tests of what comes before a run."""

import pytest

from tests.study.plan.toy import CONFIG, EXPERIMENT


@pytest.fixture
def write(tmp_path):
    """Write the toy experiment and a config with some text replaced; return its path."""

    def make(*replacements, name="toy_config.yaml", experiment=EXPERIMENT, folder=tmp_path):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "toy.py").write_text(experiment)
        text = CONFIG
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        path = folder / name
        path.write_text(text)
        return path

    return make


@pytest.fixture
def toy(write):
    """The toy config as it stands."""
    return write()
