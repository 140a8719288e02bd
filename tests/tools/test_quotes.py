"""Quotes are found in the texts of papers as these come: wrapped, hyphenated, scanned."""

from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from tools import quotes
from tools.quotes import Quote, Text, closest_passage, plain_words, problems, quotes_of

PAPER = """A title
Abstract
Our forests keep their shape in deep noise.
1 Introduction
Earlier trees fail. They need, for exam-
ple, clean columns.
2.1\tSP ORF and its kin
At every node SP ORF draws a pro-
jection and is
3
on par with others (“robust”) – most of the time.
Figure 1: Trees and their leaves.

Figure 1 shows what they keep.
A.2 More Figures
Nothing more is said.
"""


def asked(text, section="", paper="one"):
    return list(problems([Quote(paper, section, text, ("c: id",))], {"one": [Text(PAPER)]}))


@pytest.mark.parametrize(
    "quote",
    [
        "Our forests keep their shape in deep noise.",
        "for example, clean columns",  # hyphenated over two lines
        "At every node SPORF draws a projection",  # a space inside of a name
        "draws a projection and is on par with others",  # over the number of a page
        '"robust" - most of the time',
        "OUR FORESTS",
    ],
)
def test_what_the_text_says_is_found(quote):
    assert not asked(quote)


@pytest.mark.parametrize(
    ("quote", "alike"),
    [
        ("our forests lose their shape", "our forests keep their shape"),
        ("very node", "node"),  # letters of a word are no word
        ("trees and the leaves", "trees and their leaves"),
    ],
)
def test_what_is_not_said_comes_with_the_passage_most_like_it(quote, alike):
    (problem,) = asked(quote)
    assert problem.startswith(f"not found: {quote!r} (c: id)")
    assert alike in problem


@pytest.mark.parametrize(
    ("quote", "right", "wrong"),
    [
        ("deep noise", "abstract, 2.1", "1"),
        ("for example", "section 1", "2.1"),
        ("others", "2, Figure 1", "Appendix A"),
        ("their leaves", "Figure 1", "1"),
        ("what they keep", "2.1", "1"),
        ("Nothing more is said", "Appendix A", "2.1"),
    ],
)
def test_a_quote_stands_in_its_section(quote, right, wrong):
    assert not asked(quote, right)
    (problem,) = asked(quote, wrong)
    assert problem.startswith(f"not in {wrong} but ")


def test_a_heading_of_no_text_is_not_asked_for_and_one_is_enough():
    assert not asked("deep noise", "discussion")
    texts = {"one": [Text("Nothing here."), Text(PAPER)]}
    assert not list(problems([Quote("one", "2.1", "on par with others", ())], texts))
    assert closest_passage("one two three four", ("two", "three")) == "two three"
    assert plain_words("State-of-the-\nart  “GF”, 0.5") == "state of theart gf 0 5"


def test_quotes_and_phrases_are_collected_once_with_their_users():
    said = {"quote": "said so", "section": "2"}
    configs = {
        "one": SimpleNamespace(paper="p", sentences={"a": said, "b": said}, claims=()),
        "two": SimpleNamespace(
            paper="q",
            sentences={"c": {"paraphrase": "formula", "section": "3"}},
            claims=(
                {"id": "a", "sentence": "c", "says": 'the "far above" of the text, and "near"'},
                {"id": "b", "says": 'against "far away"'},
            ),
        ),
    }
    assert quotes_of(configs) == [
        Quote("p", "2", "said so", ("one: a", "one: b")),
        Quote("q", "", "far above", ("two: a",)),
    ]


@pytest.mark.nightly
def test_the_command_ends_with_1_and_says_what_is_not_there(tmp_path, monkeypatch):
    (tmp_path / "one.txt").write_text(PAPER, encoding="utf-8")
    listed = [Quote("one", "", "deep noise", ()), Quote("one", "", "deep sleep", ("c: id",))]
    monkeypatch.setattr(quotes, "quotes_of", lambda *_: listed)
    monkeypatch.setattr(quotes, "absent", list)
    ended = CliRunner().invoke(quotes.main, [str(tmp_path)])
    assert ended.exit_code == 1
    assert "'deep sleep' (c: id)" in ended.output
    assert "1 of 2 quotes are in the papers' texts" in ended.output
    monkeypatch.setattr(quotes, "quotes_of", lambda *_: listed[:1])
    assert CliRunner().invoke(quotes.main, [str(tmp_path)]).exit_code == 0
    monkeypatch.setattr(quotes, "quotes_of", lambda *_: [Quote("two", "", "a b", ())])
    ended = CliRunner().invoke(quotes.main, [str(tmp_path)])
    assert ended.exit_code == 2
    assert "has no text of " in ended.output
