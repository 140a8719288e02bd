"""The page of findings has the numbers of the reference, and none of its own."""

import re
import shutil
from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path

import pytest

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.results.record import read_record
from tests.study.results.edits import edit_record, signed
from tools.docs import findings

pytestmark = pytest.mark.nightly
ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results" / "reference"
PAGE = (ROOT / "docs" / "findings.md").read_text()
FORMULA = {"0.1", "-0.1"}  # of simulation C's exponent


def parts(text):
    return re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]


def test_the_page_is_what_the_command_writes():
    assert findings.page(REFERENCE) == PAGE


@pytest.mark.parametrize("size", [0.1189, 0.29, 1.208e-10, 0.0])
def test_nothing_falls_below_or_exceeds_a_bound(size):
    assert float(findings.bound(size, ROUND_FLOOR)) <= size
    assert float(findings.bound(size, ROUND_CEILING)) >= size


def test_ten_findings_have_a_number_and_the_claims_that_show_it():
    findings = parts(PAGE)
    assert len(findings) == 10
    for part in findings:
        assert re.search(r"\.\d\d", part), part
        last = part.strip().split("\n\n")[-1]
        assert re.fullmatch(r"Claims: (`\w+\.\w+`\s\([a-z ]+\)[,.]\s?)+", last + "\n"), last


def test_every_decimal_of_the_sentences_comes_from_the_reference():
    sentences = re.sub(r"\{\{.*?\}\}", "", findings.TEMPLATE.read_text(), flags=re.DOTALL)
    assert set(re.findall(r"(?<![\w`])-?\d*\.\d+", sentences)) == FORMULA


@pytest.fixture
def reference(tmp_path):
    return shutil.copytree(REFERENCE, tmp_path / "reference")


def test_other_numbers_give_another_page(reference):
    for config, claim, change in (
        ("spiral_local", "fitted_sphere_is_fourth_order", {"estimate": 3.21}),
        ("noise", "flann_degrades_fastest", {"verdict": "tie"}),
    ):
        index = [item.id for item in read_record(reference / config).claims].index(claim)

        def edit(content, index=index, change=change):
            content["claims"][index].update(change)

        edit_record(reference / config, edit)
    path = reference / "noise" / "summary.csv"
    path.write_text(
        re.sub(r"^(linear,10000,50,euclidean,as_run,precision),[^,]+", r"\1,0.42",
               path.read_text(), flags=re.MULTILINE)
    )  # fmt: skip
    signed(reference / "noise", "summary.csv")
    ours, kept = (" ".join(text.split()) for text in (findings.page(reference), PAGE))
    for words in ("the power is 3.21", "FLANN degrades fastest is then tie", "distance .05 to .42"):
        assert words in ours
        assert words not in kept


def test_what_the_reference_lacks_is_an_error(reference):
    edit_record(reference / "torus", lambda content: content.update(claims=[], sentences=[]))
    with pytest.raises(UserError, match="torus has no claim 'dense_truth_is_biased'"):
        findings.page(reference)
    shutil.rmtree(reference / "torus")
    with pytest.raises(UserError, match="unknown config of the reference 'torus'"):
        findings.page(reference)
