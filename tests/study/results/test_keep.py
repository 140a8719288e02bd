"""Results that are kept, and those that are refused."""

import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from geoforest_cli.study.results import keep as snapshot
from tests.e2e.inside import geoforest
from tests.study.conftest import NAMES
from tests.study.results.edits import edit_claims, edit_record

FIGURES = {f"{stem}.{kind}" for stem in ("figure", "figure_decades") for kind in ("png", "svg")}
FILES = {"record.json", "rows.parquet", "summary.csv"}


def contents(folder):
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def made_with(*commits):
    def edit(record):
        [made] = record["environment"]["origins"]
        record["environment"]["origins"] = [{**made, "commit": commit} for commit in commits]

    return edit


def test_the_reference_is_small_deterministic_and_what_was_run(mine):
    first = geoforest("reference", "write", cwd=mine)
    assert first.returncode == 0, first.stderr
    kept = mine / "results" / "reference"
    files = contents(kept)
    for name in NAMES:
        assert {path.name for path in (kept / name).iterdir()} == {*FILES, *FIGURES}
        for file in FILES:
            assert (
                files[f"{name}/{file}"] == (mine / "results" / name / "paper" / file).read_bytes()
            )
    assert "Without results: " in first.stderr
    assert "noise" in first.stderr  # a config of the package without results
    assert "first" not in first.stderr
    assert geoforest("reference", "write", "-o", "again", cwd=mine).returncode == 0
    assert contents(mine / "again") == files
    size = sum(map(len, files.values()))
    assert f"2 configs, {size / 1e6:.2f} MB" in first.stdout


def test_files_of_an_earlier_reference_do_not_stay(mine):
    folder = mine / "out" / "first"
    folder.mkdir(parents=True)
    (folder / "figure_dropped.png").write_text("old")
    assert geoforest("reference", "write", "-o", "out", cwd=mine).returncode == 0
    assert {path.name for path in folder.iterdir()} == {*FILES, *FIGURES}


def test_one_config_is_written_and_the_other_stays(mine):
    assert geoforest("reference", "write", cwd=mine).returncode == 0
    kept = mine / "results" / "reference"
    before = contents(kept)
    edit_claims(mine / "results" / "second" / "paper", note="other")
    done = geoforest("reference", "write", "first", cwd=mine)
    assert done.returncode == 0
    assert "Unchanged: second" in done.stderr
    assert contents(kept) == before


@pytest.mark.parametrize(
    ("commits", "message"),
    [
        ([40 * "a" + " with changes"], "(aaaaaaaaaaaa with changes: first)"),
        ([40 * "a", 40 * "b" + " with changes"], "(bbbbbbbbbbbb with changes: first)"),
        ([""], "(unknown: first)"),
    ],
)
def test_results_of_uncommitted_code_are_refused_unless_wished(mine, commits, message):
    edit_record(mine / "results" / "first" / "paper", made_with(*commits))
    done = geoforest("reference", "write", cwd=mine)
    assert done.returncode == 2
    [sentence] = done.stderr.splitlines()
    assert message in sentence
    assert not (mine / "results" / "reference").exists()
    assert geoforest("reference", "write", "--uncommitted", cwd=mine).returncode == 0


def with_lost(status):
    lost = {"cell": "c", "what": "knn", "status": status}
    return lambda record: record["cells"]["failed"].append(lost)


def test_incomplete_results_are_refused(mine):
    folder = mine / "results" / "first" / "paper"
    edit_record(folder, with_lost("missing"))
    done = geoforest("reference", "write", cwd=mine)
    assert (done.returncode, "first (1 cells have not run)" in done.stderr) == (2, True)
    assert not (mine / "results" / "reference").exists()
    assert geoforest("reference", "write", "second", cwd=mine).returncode == 0


def test_a_failed_cell_is_an_outcome_and_is_reported(mine):
    edit_record(mine / "results" / "first" / "paper", with_lost("timeout"))
    done = geoforest("reference", "write", cwd=mine)
    assert done.returncode == 0
    assert "first: 1 failed cell" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["frist"], "'frist'; did you mean 'first'?"),
        (["--results", "nowhere"], "there is no folder nowhere"),
        (["--results", "configs"], "configs holds no outcome of profile paper"),
        (["--profile", "huge"], "results holds no outcome of profile huge"),
    ],
)
def test_what_is_not_there_is_reported_in_a_sentence(mine, words, message):
    done = geoforest("reference", "write", *words, cwd=mine)
    assert done.returncode == 2
    [sentence] = done.stderr.splitlines()
    assert message in sentence


def test_a_reference_is_of_one_profile(mine):
    assert geoforest("reference", "write", cwd=mine).returncode == 0
    done = geoforest("reference", "write", "--profile", "smoke", cwd=mine)
    assert (done.returncode, "at profile paper, not smoke" in done.stderr) == (2, True)
    done = geoforest("reference", "write", "--profile", "smoke", "-o", "small", cwd=mine)
    assert done.returncode == 0


def noise_picture(path, width):
    """Noise cannot be compressed."""
    size = (width, width)
    parts = [Image.effect_noise(size, 90) for _ in range(3)]
    Image.merge("RGB", parts).save(path.with_suffix(".png"))


def test_a_figure_has_few_colours_and_one_width(mine):
    stem = mine / "results" / "first" / "paper" / "figure"
    noise_picture(stem, 1600)
    assert geoforest("reference", "write", "-o", "out", cwd=mine).returncode == 0
    with Image.open(mine / "out" / "first" / "figure.png") as image:
        assert (image.size, image.mode) == ((1400, 1400), "P")


def test_thin_lines_keep_their_colours_beside_shaded_bands(tmp_path):
    lines = ["#D55E00", "#0072B2", "#009E73", "#56B4E9", "#CC79A7", "#882255"]
    shades = np.linspace(0, 255, 600).astype(np.uint8)
    picture = Image.fromarray(np.dstack([np.tile(shades, (400, 1)), np.full((400, 600), 200),
                                         np.tile(shades[::-1], (400, 1))]).astype(np.uint8))  # fmt: skip
    for number, color in enumerate(lines):
        picture.paste(color, (0, 50 * number, 40, 50 * number + 1))
    picture.save(tmp_path / "figure.png")
    with Image.open(io.BytesIO(snapshot.small_png(tmp_path / "figure.png"))) as image:
        shown = np.asarray(image.convert("RGB")).astype(int)
    for number, color in enumerate(lines):
        assert np.abs(shown[50 * number, 20] - ImageColor.getrgb(color)).max() < 16, color


def test_a_reference_that_is_too_large_is_refused(mine, monkeypatch):
    assert geoforest("reference", "write", "first", "-o", "out", cwd=mine).returncode == 0
    before = contents(mine / "out")
    monkeypatch.setattr(snapshot, "MAX_BYTES", sum(map(len, before.values())) + 1)
    done = geoforest("reference", "write", "second", "-o", "out", cwd=mine)
    assert (done.returncode, "name fewer configs" in done.stderr) == (2, True)
    assert contents(mine / "out") == before
