"""Small workflows are run for real; all of ours are read, and what they call is there."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoforest_cli.core.errors import UserError
from tests.study.conftest import commit
from tools.workflows import __main__ as program
from tools.workflows.expressions import condition, evaluate, substitute
from tools.workflows.reading import read_action, read_workflow
from tools.workflows.running import Runner

ROOT = Path(__file__).resolve().parents[2]
OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HEAD = "on: push\njobs:\n"
STEPS = HEAD + "  job:\n    runs-on: ubuntu-latest\n    steps:\n"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "there.txt").write_text("of the repository\n")
    (folder / "Makefile").write_text("greet:\n\t@echo hello\n")
    commit(folder)
    return folder


@pytest.fixture
def ran(repository, tmp_path):
    """Run a workflow; return its events as texts, and what it wrote to $NOTES."""

    def run(text, *only, dry=False, own=None):
        path = tmp_path / "one.yml"
        path.write_text(text.replace("$NOTES", str(tmp_path / "notes")))
        runner = Runner(repository, dry=dry, own=own or {})
        events = [
            f"{event.job}/{event.step or 'end'}: {event.outcome}" for event in
            runner.run(read_workflow(path), only)
        ]  # fmt: skip
        notes = tmp_path / "notes"
        return events, notes.read_text().splitlines() if notes.exists() else []

    return run


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("matrix.python == '3.11'", True),
        ("matrix.python != 3.11", False),
        ("github.event.pull_request.base.sha || github.event.before", "abc"),
        ("!github.event.before", False),
        ("(github.nothing || 'x') == 'X' && 'yes'", "yes"),
        ("github.nothing == ''", True),
        ("'it''s'", "it's"),
        ("contains(github.ref, 'MAIN')", True),
        ("startsWith(github.ref, 'main')", False),
        ("steps.look.outputs.nothing", None),
    ],
)
def test_expressions_say_what_github_makes_of_them(text, value):
    contexts = {
        "matrix": {"python": "3.11"},
        "github": {"event": {"before": "abc"}, "ref": "refs/heads/main"},
        "steps": {"look": {"outputs": {}}},
    }
    assert evaluate(text, contexts) == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("matrx.python", "unknown context of workflows 'matrx'; did you mean 'matrix'?"),
        ("matrix.pyhton", "matrix has no entry 'pyhton'; did you mean 'python'?"),
        ("allways()", "unknown function of workflows 'allways'; did you mean 'always'?"),
        ("matrix.python ==", "cannot read the expression"),
        ("(matrix.python", "cannot read the expression"),
        ("matrix.python 'x'", "cannot read the expression"),
        ("matrix.python @ 1", "cannot read the expression"),
        ("contains('x')", "cannot read the expression"),
    ],
)
def test_a_wrong_expression_is_refused(text, error):
    with pytest.raises(UserError, match=error.replace("?", r"\?").replace("(", r"\(")):
        evaluate(text, {"matrix": {"python": "3.11"}})


def test_conditions_wait_for_success_unless_they_ask():
    for failed in (False, True):
        contexts = {"failed": failed, "github": {}}
        assert condition("", contexts) is not failed
        assert condition("'x' == 'x'", contexts) is not failed
        assert condition("${{ 'x' == 'x' }}", contexts) is not failed
        assert condition("always()", contexts)
        assert condition("failure() && 'x' == 'x'", contexts) is failed
    assert not condition("github.nothing", {"failed": False, "github": {}})
    assert substitute("${{ true }} ${{ 3 }} ${{ null }}.", {}) == "true 3 ."


def test_steps_hand_on_outputs_variables_and_paths(ran):
    events, notes = ran(
        """\
on: [push]
env: {LEVEL: workflow, OTHER: workflow}
jobs:
  last:
    needs: first
    if: needs.first.outputs.number == '7'
    runs-on: ubuntu-latest
    steps:
      - run: echo "last ${{ needs.first.outputs.number }} ${{ needs.first.result }}" >> $NOTES
  never:
    needs: [first]
    if: needs.first.outputs.number == '8'
    runs-on: ubuntu-latest
    steps: [{run: exit 1}]
  first:
    runs-on: ubuntu-latest
    strategy: {matrix: {python: ["3.11", "3.13"]}}
    outputs: {number: "${{ steps.look.outputs.number }}"}
    env: {LEVEL: job}
    defaults: {run: {working-directory: part}}
    steps:
      - uses: actions/checkout@v4
      - id: look
        run: |
          cat there.txt >> $NOTES
          echo number=7 >> "$GITHUB_OUTPUT"
          echo FROM=before >> "$GITHUB_ENV"
          printf 'LONG<<END\\na\\nb\\nEND\\n' >> "$GITHUB_ENV"
          mkdir bin
          printf '#!/bin/sh\\necho own program' > bin/own
          chmod +x bin/own
          echo "$PWD/bin" >> "$GITHUB_PATH"
      - env: {LEVEL: step, PYTHON: "${{ matrix.python }}"}
        working-directory: .
        run: echo "$LEVEL $OTHER $PYTHON $FROM $(own) $(echo $(ls) $LONG)" >> $NOTES
"""
    )
    assert notes == [
        "of the repository",
        "step workflow 3.11 before own program Makefile part a b",
        "last 7 success",
    ]
    assert "never/end: skipped" in events
    assert "last/end: success" in events


def test_a_failure_ends_a_job_but_for_what_asks(ran):
    events, notes = ran(
        STEPS
        + """\
      - {id: may, name: may fail, run: exit 3, continue-on-error: true}
      - run: echo "${{ steps.may.outcome }} ${{ steps.may.conclusion }}" >> $NOTES
      - {name: fails, run: "false; echo not reached >> $NOTES"}
      - {name: piped, if: always(), shell: bash, run: "false | true"}
      - {name: after, run: "true"}
      - {name: told, if: failure(), run: echo told >> $NOTES}
  other:
    needs: job
    runs-on: ubuntu-latest
    steps: [{run: "true"}]
"""
    )
    assert notes == ["failure success", "told"]
    assert [one for one in events if "echo" not in one] == [
        "job/may fail: failure",
        "job/fails: failure",
        "job/piped: failure",
        "job/after: skipped",
        "job/told: success",
        "job/end: failure",
        "other/end: skipped",
    ]


def test_stand_ins_clone_and_look_for_what_is_uploaded(ran):
    events, notes = ran(
        STEPS
        + """\
      - uses: actions/checkout@v4
      - run: cat part/there.txt >> $NOTES
      - {uses: actions/upload-artifact@v4, with: {name: one, path: part}}
      - {uses: actions/upload-artifact@v4, with: {name: two, path: nowhere}}
"""
    )
    assert notes == ["of the repository"]
    assert events[-3:] == [
        "job/actions/upload-artifact@v4: success",
        "job/actions/upload-artifact@v4: failure",
        "job/end: failure",
    ]
    events, _ = ran(
        STEPS + "      - {uses: actions/setup-python@v5, with: {python-version: 3.0}}\n"
    )
    assert events[0] == "job/actions/setup-python@v5: failure"


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("uses: actions/chekout@v4", "did you mean 'actions/checkout'?"),
        ("uses: actions/checkout", "names no version"),
        ("{uses: actions/checkout@v4, with: {fetch_depth: 0}}", "did you mean 'fetch-depth'?"),
        ("{uses: actions/upload-artifact@v4, with: {name: x}}", "needs the input 'path'"),
        ("{run: 'true', working_directory: x}", "Extra inputs are not permitted"),
        ("{run: 'true', shell: fish}", "unknown shell 'fish'"),
        ("name: nothing", "a step has either 'run' or 'uses'"),
        ("run: make gret", "make has no verb 'gret'"),
        ("run: ./part/gone.sh", "there is no file ./part/gone.sh"),
        ("run: python -m pytest part/test_x.py::test_y", "there is no file part/test_x.py"),
        ("run: python -m part.gone", "there is no module part.gone"),
        ("run: if true; then", "bash cannot read the script"),
        ("run: echo ${{ steps.x.outputs.y }}", "steps has no entry 'x'"),
    ],
)
def test_what_is_not_known_or_not_there_is_an_error(ran, step, error):
    with pytest.raises(UserError) as raised:
        ran(f"{STEPS}      - {step}\n", dry=True)
    assert error in str(raised.value)


def test_what_is_there_is_none(ran):
    events, notes = ran(
        STEPS
        + """\
      - if: failure()
        run: |
          mkdir part/new && echo x > part/new/made
          cat part/there.txt | cat; make greet ARGS=x
          python -m pip install part/*.txt
          echo told >> $NOTES
""",
        dry=True,
    )
    assert (len(events), notes) == (1, [])


def test_jobs_that_need_each_other_or_nobody(ran):
    job = "{{runs-on: x, needs: {}, steps: [{{run: 'true'}}]}}"
    for needs, error in [(("b", "a"), "need each other"), (("c", "a"), "unknown job 'c'")]:
        text = HEAD + "".join(f"  {n}: {job.format(m)}\n" for n, m in zip("ab", needs, strict=True))
        with pytest.raises(UserError, match=error):
            ran(text)


ACTION = """\
name: own
description: greets
inputs:
  who: {description: whom, required: true}
  how: {description: the word, default: hello}
outputs:
  said: {description: what, value: "${{ steps.greet.outputs.said }}"}
runs:
  using: composite
  steps:
    - id: greet
      shell: bash
      env: {WHO: "${{ inputs.who }}"}
      run: |
        echo "said=${{ inputs.how }} $WHO $(cat "$GITHUB_ACTION_PATH/file")" >> "$GITHUB_OUTPUT"
"""


def test_a_composite_action_takes_inputs_and_gives_outputs(ran, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "action.yml").write_text(ACTION)
    (folder / "file").write_text("of the action")
    events, notes = ran(
        STEPS
        + """\
      - {id: own, uses: me/own@v1, with: {who: you}}
      - run: echo "${{ steps.own.outputs.said }}" >> $NOTES
""",
        own={"me/own": folder},
    )
    assert notes == ["hello you of the action"]
    assert events[1] == "job/me/own@v1: success"
    with pytest.raises(UserError, match="needs the input 'who'"):
        ran(STEPS + "      - uses: me/own@v1\n", own={"me/own": folder})
    (folder / "action.yml").write_text(ACTION.replace("      shell: bash\n", ""))
    with pytest.raises(UserError, match="names its shell"):
        read_action(folder / "action.yml")


def test_ours_are_valid_and_all_that_they_call_is_there():
    assert OURS
    for path in OURS:
        workflow = read_workflow(path)
        events = list(Runner(ROOT, dry=True).run(workflow))
        assert len(events) == sum(len(job.steps) for job in workflow.jobs.values())


def test_the_program_prints_steps_and_ends_with_their_status(tmp_path):
    def said(text, *words):
        path = tmp_path / "one.yml"
        path.write_text(text)
        done = CliRunner().invoke(program.main, [str(path), *words])
        return done.exit_code, done.output.splitlines()

    assert said(STEPS + "      - run: exit 1\n") == (
        1, ["one.yml job: exit 1: failure (exit status 1)", "one.yml job: failure"],
    )  # fmt: skip
    assert said(STEPS + "      - run: 'true'\n", "--job", "job")[0] == 0
    assert said(STEPS + "      - run: 'true'\n", "--job", "jbo") == (
        2, ["Error: unknown job 'jbo'; did you mean 'job'? (known: job)"],
    )  # fmt: skip
    assert said(STEPS + "      - run: make nothing_such\n", "--dry")[0] == 2
    assert said("on: [")[0] == 2
    done = subprocess.run(
        [sys.executable, "-m", "tools.workflows", "nowhere.yml"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.splitlines()) == (
        2, ["Error: cannot read nowhere.yml: No such file or directory"],
    )  # fmt: skip
