"""Calls of notebooks and the command line, without processes and figures."""

from types import SimpleNamespace

import pandas as pd
import pytest

from geoforest_cli.core.errors import MissingData, UserError
from geoforest_cli.study import session as study
from geoforest_cli.study.engine.older import describe_older
from geoforest_cli.study.engine.progress import Progress
from geoforest_cli.study.engine.store import Store, store_path
from geoforest_cli.study.plan import Plan
from geoforest_cli.study.session import Study
from tests.study.engine import toy


@pytest.fixture
def opened(tmp_path):
    def make(*changes, **options):
        return Study(toy.make_plan(tmp_path, *changes, **options), tmp_path / "results")

    return make


def _fails(a):
    return toy.Inline(lambda job: "failed" if job.cell.setting.params["a"] == a else "ok")


def test_data_are_fetched_before_anything_is_run(opened, monkeypatch):
    def lost(_):
        raise MissingData("no such data")

    monkeypatch.setattr(Plan, "prepare", lost)
    executor = toy.Inline()
    with pytest.raises(MissingData):
        opened().run(executor=executor)
    assert executor.ran == []
    assert not opened().results.exists()


def test_a_method_that_is_not_installed_stays_if_all_of_it_ran(opened, monkeypatch):
    two = ("methods:", "methods:\n  isomap: {variants: {as_written: {}}}")
    whole, partial = opened(two), opened(("4, 5", "4"), two)
    monkeypatch.setattr(Plan, "unavailable", lambda _: {"isomap": "it is not here"})
    assert partial.left_out() == {"isomap": "it is not here"}
    monkeypatch.setattr(Plan, "unavailable", lambda _: {})
    partial.run(executor=toy.Inline())
    monkeypatch.setattr(Plan, "unavailable", lambda _: {"isomap": "it is not here"})
    assert partial.left_out() == {}
    assert whole.left_out() == {"isomap": "it is not here"}
    executor = toy.Inline()
    assert whole.run(executor=executor).total == 6
    monkeypatch.setattr(Plan, "unavailable", lambda _: dict.fromkeys(("isomap", "still"), ""))
    with pytest.raises(UserError, match="no method is left to run"):
        opened(two, name="other").run(executor=executor)


def test_results_of_another_size_are_no_results(opened):
    opened().run(executor=toy.Inline())
    small = opened(("{a: [0, 1]}", "{a: [8]}"), profile="smoke")
    with pytest.raises(UserError) as caught:
        small.render()
    assert str(caught.value).startswith("no cell of toy (profile smoke) has been run into ")
    assert str(caught.value).endswith("; there are results of --profile paper")
    assert not small.folder.exists()


def test_a_config_that_is_deleted_while_it_runs_is_rendered(opened):
    study = opened()
    text = study.plan.path.read_text()
    study.plan.path.unlink()
    assert study.render(study.run(executor=toy.Inline())).record.config.text == text


def test_an_interrupted_run_is_not_rendered(monkeypatch):
    asked = {}

    def ran(**options):
        asked.update(options)
        return SimpleNamespace(interrupted=True)

    stub = SimpleNamespace(run=ran, render=lambda _: pytest.fail("it was rendered"))
    monkeypatch.setattr(Study, "open", lambda *_: stub)
    with pytest.raises(KeyboardInterrupt):
        study.run("noise", jobs=3, retry_failed=True)
    assert asked == {"jobs": 3, "retry_failed": True, "progress": None}


@pytest.fixture
def older(opened, tmp_path):
    """The results of a run, and the same config after an edit of the experiment's code."""
    study = opened()
    study.render(study.run(executor=toy.Inline()))
    with toy.write_protocol(tmp_path).open("a") as file:
        file.write("\nEDITED = True\n")
    return opened()


OLDER = (
    "6 cells of another version of the experiment's code, a method or the data: kept in the "
    "store, not used; a run computes the cells again"
)


def test_cells_of_older_code_are_kept_and_computed_again(older):
    notes = []
    progress = Progress()
    progress.note = notes.append
    assert older.older() == OLDER
    assert older.run(executor=toy.Inline(), progress=progress).ran == 6
    assert notes == [OLDER]
    assert older.older() == ""
    with Store(store_path(older.plan, older.results)) as store:
        assert len(store.identities()) == 12


def test_results_of_older_code_are_drawn_until_computed_again(older):
    before = pd.read_csv(older.folder / "rows.csv")
    assert len(older.render().rows) == len(before)


def test_without_rows_of_an_older_version_there_is_one_sentence(older):
    (older.folder / "record.json").unlink()
    with pytest.raises(UserError) as caught:
        older.render()
    assert str(caught.value) == OLDER


def test_a_cell_of_this_version_that_lacks_values_is_not_older(opened):
    session = opened()
    session.run(executor=toy.Inline())
    with Store(store_path(session.plan, session.results)) as store:
        assert describe_older(session.plan.jobs.values(), store) == ""


def test_the_first_repetition_is_drawn_while_the_others_run(opened, monkeypatch):
    monkeypatch.setattr(study.driver, "_MIN_SECONDS_LEFT", 0.0)
    notes = []
    progress = Progress()
    progress.note = notes.append
    toy_study = opened(("methods:", "repetitions: 2\nmethods:"))

    def look(job):
        if job.cell.repetition:
            rows = pd.read_csv(toy_study.folder / "rows.csv")
            assert len(rows) == 6
            assert (toy_study.folder / "figure.png").exists()
        return "ok"

    assert toy_study.run(executor=toy.Inline(look), progress=progress).ran == 12
    assert notes == [f"{toy_study.folder / 'figure.png'}: preliminary, 1 of 2 repetitions"]


def test_a_drawing_that_fails_does_not_end_the_run(opened, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("no axis")

    monkeypatch.setattr(study.driver, "_MIN_SECONDS_LEFT", 0.0)
    monkeypatch.setattr(study, "render", broken)
    notes = []
    progress = Progress()
    progress.note = notes.append
    toy_study = opened(("methods:", "repetitions: 2\nmethods:"))
    assert toy_study.run(executor=toy.Inline(), progress=progress).ran == 12
    assert notes == ["no figure yet (preliminary, 1 of 2 repetitions): ZeroDivisionError: no axis"]
