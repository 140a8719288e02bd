"""What a run has left as a research object and as a piece of a document."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from datetime import datetime

import pytest

from geoforest_cli.study.report import crate
from geoforest_cli.study.session import Study
from tests.e2e.inside import geoforest

PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
TOOLS = {"SoftwareApplication", "SoftwareSourceCode", "ComputationalWorkflow"}
ACTIONS = {"CreateAction", "ActivateAction", "UpdateAction"}


def described(folder):
    content = json.loads((folder / crate.FILE).read_text())
    graph = content["@graph"]
    entities = {one["@id"]: one for one in graph}
    assert len(entities) == len(graph)  # no id twice
    return content["@context"], entities


def listed(value):
    return [one["@id"] for one in (value if isinstance(value, list) else [value])]


def references(value):
    if isinstance(value, dict):
        yield from [value["@id"]] if value.keys() == {"@id"} else []
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def hold_to_the_profile(folder):
    """What RO-Crate 1.1 and the profile say a crate must have."""
    contexts, entities = described(folder)
    assert contexts[0] == "https://w3id.org/ro/crate/1.1/context"
    head, root = entities[crate.FILE], entities["./"]
    assert (head["@type"], head["about"]) == ("CreativeWork", {"@id": "./"})
    assert head["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert root["@type"] == "Dataset"
    assert root["name"]
    assert root["description"]
    assert datetime.fromisoformat(root["datePublished"]).tzinfo is not None
    assert entities[root["license"]["@id"]]["name"]
    assert PROFILE in listed(root["conformsTo"])
    assert entities[PROFILE]["@type"] == "CreativeWork"
    for one in entities.values():
        assert one["@type"]
        for name in references(one):
            known = name in entities or name == "https://w3id.org/ro/crate/1.1"
            assert known, name
    files = [one for one in entities.values() if one["@type"] == "File"]
    assert sorted(listed(root["hasPart"])) == sorted(one["@id"] for one in files)
    for one in files:
        data = (folder / one["@id"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
        assert one["contentSize"] == str(len(data))
    actions = [one for one in entities.values() if one["@type"] in ACTIONS]
    assert actions
    for one in actions:
        assert entities[one["instrument"]["@id"]]["@type"] in TOOLS
        assert one["@id"] in listed(root["mentions"])
        assert datetime.fromisoformat(one["startTime"]) <= datetime.fromisoformat(one["endTime"])
        assert listed(one["result"]) == listed(root["hasPart"])
    return entities, actions


@pytest.fixture
def folder(mine):
    return mine / "results" / "first" / "paper"


def test_every_run_leaves_a_process_run_crate(folder):
    entities, [action] = hold_to_the_profile(folder)
    there = {path.name for path in folder.iterdir()} - {crate.FILE}
    assert {one["@id"] for one in entities.values() if one["@type"] == "File"} == there
    record = json.loads((folder / "provenance.json").read_text())
    assert action["description"].startswith("geoforest run first --profile paper (12 cells, ")
    tool = entities[action["instrument"]["@id"]]
    assert tool["identifier"] == record["last_run"]["git"]["swhid"]
    assert tool["@id"] == f"https://archive.softwareheritage.org/{tool['identifier']}"
    assert listed(action["object"]) == ["#config-first", "#profile", "#seed"]


def test_each_origin_of_the_rows_is_an_action_of_its_own(folder):
    path = folder / "provenance.json"
    record = json.loads(path.read_text())
    [one] = record["made"]["origins"]
    changed = {**one, "commit": 40 * "a" + " with changes", "records": 5}
    record["made"]["origins"] = [one, changed, {**one, "commit": ""}]
    record["data"] = {"circle": "abc"}
    record["config"]["overrides"] = ["n=3"]
    record["config"]["extends"] = [{"name": "part.yaml", "sha256": "0", "text": ""}]
    path.write_text(json.dumps(record))
    crate.write(folder)
    entities, actions = hold_to_the_profile(folder)
    clean, dirty, unknown = (entities[one["instrument"]["@id"]] for one in actions)
    assert "description" not in clean
    assert "with changes" in dirty["description"]
    assert (dirty["@id"] != clean["@id"], "identifier" in dirty) == (True, False)
    assert unknown["@id"] == "#geoforest"
    assert {"#data-circle", "#config-part.yaml", "#overrides"} <= set(listed(actions[0]["object"]))
    assert "--set n=3" in actions[0]["description"]


def test_actions_begin_and_end_when_their_cells_did(folder):
    path = folder / "provenance.json"
    record = json.loads(path.read_text())
    [one] = record["made"]["origins"]
    times = [
        ("2024-01-01T00:00:00+00:00", "2024-01-02T00:00:00+00:00"),
        ("2025-03-01T10:00:00+00:00", "2025-03-01T11:30:00+00:00"),
    ]
    record["made"]["origins"] = [{**one, "first": first, "last": last} for first, last in times]
    path.write_text(json.dumps(record))
    crate.write(folder)
    entities, actions = hold_to_the_profile(folder)
    assert [(action["startTime"], action["endTime"]) for action in actions] == times
    assert entities["./"]["datePublished"] == record["last_run"]["ended"]


def test_the_software_has_the_version_that_made_the_rows_else_that_of_the_last_run(folder):
    path = folder / "provenance.json"
    record = json.loads(path.read_text())
    [one] = record["made"]["origins"]
    for packages, versions, wanted in [
        ({"geoforest": "2.0"}, ("1.0", "1.5"), ["1.0", "1.5"]),
        ({"geoforest": "2.0"}, ("1.0", None), ["1.0", "2.0"]),
        ({}, (None, "1.5"), ["unknown", "1.5"]),
    ]:
        record["last_run"]["packages"] = packages
        record["made"]["origins"] = [
            {**one, "commit": 40 * letter, "geoforest": version}
            for letter, version in zip("ab", versions, strict=True)
        ]
        path.write_text(json.dumps(record))
        crate.write(folder)
        entities, actions = hold_to_the_profile(folder)
        used = [entities[action["instrument"]["@id"]] for action in actions]
        assert [tool["softwareVersion"] for tool in used] == wanted


def test_without_origins_the_last_run_is_the_action(folder):
    path = folder / "provenance.json"
    record = json.loads(path.read_text())
    for git in ({"commit": 40 * "c"}, None):
        record["made"]["origins"], record["last_run"]["git"] = [], git
        path.write_text(json.dumps(record))
        crate.write(folder)
        entities, [action] = hold_to_the_profile(folder)
        last = record["last_run"]
        assert (action["startTime"], action["endTime"]) == (last["started"], last["ended"])
        assert action["description"] == "geoforest run first --profile paper"
        tool = entities[action["instrument"]["@id"]]
        assert ("identifier" in tool, tool["@id"] == "#geoforest") == (bool(git), not git)


def test_every_file_that_is_there_is_described_with_its_format(folder):
    there = [path for path in folder.iterdir() if path.name != crate.FILE]
    (folder / "checkout.diff").write_text("+ a\n")
    for missing in ("rows.csv", "summary.md", "figure.svg"):
        (folder / missing).unlink()
        crate.write(folder)
        entities, _ = hold_to_the_profile(folder)
        left = {path.name for path in folder.iterdir()} - {crate.FILE}
        files = {name: one for name, one in entities.items() if one["@type"] == "File"}
        assert set(files) == left
    assert len(left) == len(there) - 2
    assert {name: files[name]["encodingFormat"] for name in (
        "rows.parquet", "checkout.diff", "claims.json", "summary.csv", "figure.pdf"
    )} == {
        "rows.parquet": "application/vnd.apache.parquet", "checkout.diff": "text/x-diff",
        "claims.json": "application/json", "summary.csv": "text/csv",
        "figure.pdf": "application/pdf",
    }  # fmt: skip


def test_equal_files_give_equal_bytes_and_no_record_no_crate(folder):
    before = (folder / crate.FILE).read_bytes()
    crate.write(folder)
    assert (folder / crate.FILE).read_bytes() == before
    (folder / "provenance.json").unlink()
    crate.write(folder)
    assert not (folder / crate.FILE).exists()


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda record: record.update(schema=2), None),
        (lambda record: record.pop("last_run"), "KeyError: 'last_run'"),
        (lambda record: record.update(made=[]), "TypeError"),
        (lambda record: record["made"].update(origins=["x"]), "AttributeError"),
    ],
)
def test_a_record_of_another_version_gives_none_and_a_damaged_one_a_sentence(
    mine, folder, edit, told
):
    path = folder / "provenance.json"
    record = json.loads(path.read_text())
    edit(record)
    path.write_text(json.dumps(record))
    done = geoforest("figure", "first", cwd=mine)
    if told is None:
        assert (done.returncode, (folder / crate.FILE).exists()) == (0, False)
    else:
        [sentence] = done.stderr.splitlines()
        assert done.returncode == 2
        assert f"provenance.json is damaged or of another version ({told}" in sentence


def test_drawing_again_describes_what_is_there_then(mine, folder):
    (folder / "summary.tex").unlink()
    (folder / "rows.parquet").unlink()
    assert geoforest("figure", "first", cwd=mine).returncode == 0
    entities, _ = hold_to_the_profile(folder)
    assert "summary.tex" in entities
    assert "rows.parquet" not in entities


def test_the_validator_of_the_profile_accepts_it(folder):
    validator = shutil.which("rocrate-validator")
    if validator is None:
        pytest.skip("rocrate-validator is not installed: it needs an older rich than ours")
    words = ["-y", "validate", "--no-paging", "-p", "process-run-crate-0.5", folder]
    done = subprocess.run(
        [validator, *words],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_library_of_crates_reads_it(folder):
    rocrate = pytest.importorskip("rocrate.rocrate", reason="rocrate is not installed")
    found = rocrate.ROCrate(folder)
    assert found.dereference("#run-1")["instrument"]["name"] == "geoforest"
    assert len(found.data_entities) == len(list(folder.iterdir())) - 1


def test_a_fragment_shows_figures_counts_and_a_link(mine, folder):
    text = (folder / "fragment.md").read_text()
    assert text == (
        "![Points in a circle, first (Figure 1)](/results/first/paper/figure.svg)\n\n"
        "![Points in a circle, first (Figure 1, decades)]"
        "(/results/first/paper/figure_decades.svg)\n\n"
        "Sentences of the paper: 1 "
        + json.loads((folder / "claims.json").read_text())[0]["verdict"]
        + ". [Table and intervals](/results/first/paper/summary.md)\n"
    )
    small = (mine / "results" / "first" / "smoke" / "fragment.md").read_text()
    assert "(Figure 1, profile smoke: too small to judge the paper)" in small
    assert "Sentences of the paper: 1 not judged." in small


def test_paths_of_a_fragment_outside_of_the_project_are_those_of_files_beside_it(mine, monkeypatch):
    monkeypatch.chdir(mine)
    done = Study.open("first", "paper", (), mine / "results").render()
    text = (done.folder / "fragment.md").read_text()
    assert re.findall(r"\]\(([^)]*)\)", text) == ["figure.svg", "figure_decades.svg", "summary.md"]


def test_a_caption_is_no_markup(mine, monkeypatch):
    monkeypatch.chdir(mine)
    path = mine / "configs" / "first.yaml"
    path.write_text(
        path.read_text()
        .replace("title: Points", "title: '[*Points*] $x$ <b>'\nabout: in")
        .replace("in a circle, first", "x")
    )
    assert geoforest("figure", "first", cwd=mine).returncode == 0
    text = (mine / "results" / "first" / "paper" / "fragment.md").read_text()
    assert text.startswith("![\\[\\*Points\\*\\] \\$x\\$ \\<b\\> (Figure 1)](")
