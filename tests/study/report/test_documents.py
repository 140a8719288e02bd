"""Markdown as a page of the site: its title, identifiers, links, tables and code."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoforest_cli.study.report.site import build
from geoforest_cli.study.report.site.documents import to_html
from geoforest_cli.study.report.site.wording import SITE

BOX = '<div class="scroll"'
WORD = st.text("abc XY9-_.é", min_size=1, max_size=6).filter(lambda text: text.strip(" -_."))


@pytest.mark.parametrize(
    ("text", "title", "begin"),
    [
        ("", "", ""),
        ("only words", "", "<p>only words</p>"),
        ("## Part\n\nwords", "", '<h2 id="part">Part</h2>'),
        ("# Title\n\n## Part", "Title", '<h2 id="part">Part</h2>'),
        ("words\n\n# Late", "", "<p>words</p>"),
        ("# One\n\n# Two", "One", '<h1 id="two">Two</h1>'),
    ],
)
def test_the_title_is_a_first_heading_of_the_first_level_alone(text, title, begin):
    found = to_html(text, {})
    assert found[0] == title
    assert found[1].startswith(begin)
    assert ("late" in found[1]) == ("Late" in text)
    assert (found[1] == "") == (text == "")


@given(st.lists(WORD, min_size=1, max_size=5))
@settings(max_examples=20)
def test_every_heading_has_an_identifier_that_an_address_can_hold(words):
    twice = [*words, *words]
    body = to_html("\n\n".join(f"## x{word}" for word in twice), {})[1]
    ids = re.findall(r'<h2 id="([^"]*)">', body)
    assert len(ids) == len(twice)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one) for one in ids)
    assert all("--" not in one for one in ids)


def test_headings_of_equal_words_are_counted_and_those_without_letters_are_parts():
    body = to_html("## A b\n\n### a  B!\n\n## a-b\n\n## §\n\n## C", {})[1]
    assert re.findall(r'<h\d id="([^"]*)">', body) == ["a-b", "a-b-2", "a-b-3", "part", "c"]


def test_words_in_code_type_lead_to_their_page_but_not_inside_a_link():
    links = {"noise": "n.html"}
    to = '<a href="n.html"><code>noise</code></a>'
    for text, shown in [
        ("`noise` and `other`", f"{to} and <code>other</code>"),
        (
            "[`noise`](https://a.org) `noise`",
            f'<a href="https://a.org"><code>noise</code></a> {to}',
        ),
        ("[`noise`](gone.md) `noise`", f"<code>noise</code> {to}"),
        ("**`noise`**", f"<strong>{to}</strong>"),
    ]:
        assert to_html(text, links)[1] == f"<p>{shown}</p>\n"
    assert to_html("# `noise`\n", links)[0] == "`noise`"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://a.org/b", True), ("HTTP://a.org", True), ("#part", True), ("gone.md", False),
        ("gone.md#part", False), ("ftp://a.org", False), ("mailto:a", False),
    ],
)  # fmt: skip
def test_a_link_that_the_site_has_no_page_for_is_plain_text(address, kept):
    link = f'<a href="{address}">b</a>' if kept else "b"
    assert to_html(f"a [b]({address}) c [d](https://d.org)", {})[1] == (
        f'<p>a {link} c <a href="https://d.org">d</a></p>\n'
    )


def test_a_document_leads_to_its_page_with_the_part_that_is_named():
    for name, about in SITE["documents"].items():
        body = to_html(f"[a]({name}) [b]({name}#part)", {})[1]
        assert (
            body == f'<p><a href="{about["page"]}">a</a> <a href="{about["page"]}#part">b</a></p>\n'
        )


TABLE = "| a | b | c |\n|---|---:|:--|\n| 1 | 2 | 3 |\n"


@pytest.mark.parametrize("tables", [0, 1, 3])
def test_tables_alone_stand_in_boxes_and_numbers_to_the_right(tables):
    body = to_html("# T\n\n## A\n\nwords\n\n- one\n\n" + f"\n{TABLE}\nwords\n" * tables, {})[1]
    assert body.count(BOX) == body.count("</div>") == tables
    assert len(re.findall(rf"{BOX}[^>]*>\s*<table>.*?</table>\s*</div>", body, re.DOTALL)) == tables
    assert body.count('class="n"') == 2 * tables
    assert body.count('<td class="n">2</td>') == body.count("<td>3</td>") == tables
    assert "style" not in body


def test_code_stands_as_it_is_in_a_box_of_its_own():
    body = to_html("```python\na < b  # <!-- x -->\n\n    c\n```\n\nwords\n", {})[1]
    (box,) = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", body, re.DOTALL)
    assert box == "a &lt; b  # &lt;!-- x --&gt;\n\n    c\n"
    assert body.endswith("<p>words</p>\n")


def headings(count, level=2):
    return "".join(
        f'<h{level} class="c" id="i{i}"> <b>w &amp;</b>\n {i}</h{level}>' for i in range(count)
    )


def test_few_headings_need_no_contents_and_of_many_the_main_ones_are_listed():
    assert build._headings(headings(2)) == []
    assert build._headings(headings(3)) == [("2", f"i{i}", f"w & {i}") for i in range(3)]
    mixed = build._headings(headings(10) + headings(20, 3))
    assert [level for level, *_ in mixed] == ["2"] * 10 + ["3"] * 20
    assert build._headings(headings(10) + headings(21, 3)) == build._headings(headings(10))
    assert build._headings(headings(2) + headings(29, 3)) == []
    assert build._headings(headings(9, 1) + headings(9, 4)) == []


@given(st.text("aZ09_ é/<-", max_size=8))
@settings(max_examples=50)
def test_a_slug_has_letters_digits_and_single_hyphens_between_them(text):
    found = build._slug(text)
    assert re.fullmatch(r"(\w+(-\w+)*)?", found, re.ASCII)
    kept = [one for one in re.split(r"[^A-Za-z0-9_]+", text) if one]
    assert found.split("-") == (kept or [""])


@pytest.mark.parametrize("profile", ["paper", "smoke", "huge", "zoo", "a b"])
def test_the_command_of_a_run_names_each_size_but_the_papers(profile):
    record = SimpleNamespace(profile=profile, overrides=[])
    run = SimpleNamespace(name="noise", record=SimpleNamespace(config=record))
    told = "" if profile == "paper" else f" --profile {profile}"
    assert build._command(run) == f"geoforest run noise{told}"
    record.overrides = ["params.n=5 6", "seed=1"]
    assert build._command(run) == (f"geoforest run noise{told} --set 'params.n=5 6' --set seed=1")


def test_a_config_that_has_changed_since_its_run_is_told(tmp_path, monkeypatch):
    (tmp_path / "noise.yaml").write_text("title: a")
    monkeypatch.setattr(build, "known_configs", lambda: {"noise": Path(tmp_path, "noise.yaml")})
    for text, known in (("title: a", True), ("title: b", False), ("", True)):
        record = SimpleNamespace(config=SimpleNamespace(text=text))
        assert build._is_known(SimpleNamespace(name="noise", record=record)) == known
