"""Answers in markdown: what they look like, and that streaming them shows the same and stays cheap."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.render.lines import Drawn
from tui.render.markdown import MarkdownLines, markdown_lines
from tui.render.parts import LONGEST, MOST_ROWS


def text(source: str, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in markdown_lines(source, width)]


def styles(source: str, width: int = 60) -> dict[str, str]:
    return {words.strip(): style for line in markdown_lines(source, width) for words, style in line.pieces if style}


def streamed(source: str, width: int, cuts: list[int]) -> list[Drawn]:
    markdown = MarkdownLines()
    at = 0
    for size in cuts:
        markdown.feed(source[at : at + size])
        markdown.lines(width)
        at += size
    markdown.feed(source[at:])
    markdown.finish()
    return markdown.lines(width)


def test_emphasis_code_and_links_have_their_styles() -> None:
    found = styles("a *soft* **loud** ~~gone~~ `code` [here](https://x.dev/a) **`both`**")
    assert found == {
        "soft": "italic",
        "loud": "bold",
        "gone": "strike",
        "code": "$syn-num",
        "here": "underline",
        "https://x.dev/a": "$dim",
        "both": "bold $syn-num",
    }


def test_an_address_that_the_words_already_say_is_not_said_twice() -> None:
    assert text("<https://x.dev> [x.dev](https://x.dev/) <a@b.dev>") == ["https://x.dev x.dev a@b.dev"]


def test_a_heading_is_bold_with_a_blank_line_before() -> None:
    assert text("words\n# One\nmore\n\nTwo\n===") == ["words", "", "One", "more", "", "Two"]
    assert styles("# One `x`") == {"One": "bold", "x": "bold $syn-num"}


def test_lists_are_indented_and_wrap_under_their_text() -> None:
    assert text("- one two three\n- b\n  - c\n\n1. x\n1. y", 12) == [
        "  - one two", "    three", "  - b", "    - c", "", "  1. x", "  2. y",
    ]  # fmt: skip


def test_an_item_may_hold_paragraphs_and_fences_and_nothing() -> None:
    assert text("- a\n\n  b\n-\n- ```\n  c\n  ```") == ["  - a", "", "    b", "  -", "  -", "      c"]


def test_items_under_a_number_nest_even_when_indented_carelessly() -> None:
    assert text("1. a\n  - b\n2. c") == ["  1. a", "     - b", "  2. c"]


def test_a_number_inside_a_paragraph_begins_no_list() -> None:
    assert text("It was in\n1984. Or so.") == ["It was in 1984. Or so."]


def test_a_fence_stands_on_a_ground_with_its_language_at_the_right() -> None:
    first, second = markdown_lines("```python\nreturn 1\n\n```", 30)
    assert first.text == "  return 1              python"
    assert second.text == " " * 30
    assert first.pieces[0] == ("  ", "") and first.pieces[1] == ("return", "$syn-key on $block")
    assert first.pieces[-1] == ("python", "$dim on $block")


def test_long_code_is_wrapped_and_stays_on_its_ground() -> None:
    lines = markdown_lines("```\n" + "word " * 8 + "\n```", 22)
    assert [line.text.strip() for line in lines] == ["word word word word", "word word word word"]
    assert all(line.width == 22 for line in lines)


def test_a_string_over_many_lines_is_seen_once_the_fence_is_closed() -> None:
    lines = markdown_lines('```python\n"""\nfor\n"""\n```', 30)
    assert lines[1].pieces[1] == ("for", "$syn-str on $block")


def test_quotes_stand_behind_a_rail() -> None:
    lines = markdown_lines("> one two\n> three\n>\n> - four\n\nafter", 11)
    assert [line.text.rstrip() for line in lines] == ["╎ one two", "╎ three", "╎", "╎   - four", "", "after"]
    assert lines[0].pieces[0] == ("╎ ", "$line")


def test_a_table_has_aligned_columns_and_a_bold_header() -> None:
    source = "| name | n |\n|:--|--:|\n| a `b` | 1 |\n| c | 1234 |\n\nafter"
    assert text(source) == ["name     n", "a b      1", "c     1234", "", "after"]
    assert styles(source)["name"] == "bold"


def test_a_table_that_is_too_wide_turns_into_blocks() -> None:
    source = "| name | what |\n|--|--|\n| a | one two three four |\n| b | five \\| six |"
    assert text(source, 16) == ["name: a", "what: one two", "  three four", "", "name: b", "what: five | six"]


def test_html_is_text_and_an_image_its_description() -> None:
    assert text("<b>x</b> ![a tree](tree.png)") == ["<b>x</b> a tree"]


def test_breaks_that_are_wanted_are_kept_and_others_are_not() -> None:
    assert text("a\nb  \nc\\\nd") == ["a b", "c", "d"]


def test_punctuation_stays_with_the_word_it_follows() -> None:
    assert text("some words **bold**, more", 16) == ["some words bold,", "more"]


def test_nothing_in_an_answer_can_steer_the_terminal() -> None:
    assert text("a\x1b[2J &#27;[2J &#x202e; `\u202e`") == ["a\\x1b[2J \ufffd[2J \\u202e \\u202e"]
    assert text("```x\x07y\n\x1b]0;t\x07\n```")[0].startswith("  \\x1b]0;t\\x07")


def test_the_beginning_of_a_mark_is_not_shown_as_words() -> None:
    for start in ("-", "1", "1.", "##", "``", "| a", "> "):
        markdown = MarkdownLines()
        markdown.feed(f"words\n\n{start}")
        assert [line.text for line in markdown.lines(40)] == ["words"], start


def test_what_is_opened_and_not_yet_closed_is_closed_for_now() -> None:
    markdown = MarkdownLines()
    markdown.feed("a **bold wo")
    assert markdown.lines(40)[0].pieces == (("a ", ""), ("bold wo", "bold"))
    markdown.feed("rd** and `co")
    assert markdown.lines(40)[0].pieces[-1] == ("co", "$syn-num")


def test_a_text_that_only_grew_is_not_read_again_and_another_one_is() -> None:
    markdown = MarkdownLines()
    markdown.replace("one\n\ntw")
    markdown.lines(20)
    markdown.replace("one\n\ntwo")
    assert [line.text for line in markdown.lines(20)] == ["one", "", "two"]
    markdown.replace("other")
    assert [line.text for line in markdown.lines(20)] == ["other"]


def test_settled_lines_stay_as_they_are() -> None:
    markdown = MarkdownLines()
    before: list[Drawn] = []
    settled = 0
    for at in range(0, len(SAMPLE), 7):
        markdown.feed(SAMPLE[at : at + 7])
        lines = markdown.lines(50)
        assert lines[:settled] == before[:settled]
        before, settled = lines, markdown.settled
    assert settled > 30


def test_another_width_draws_everything_anew() -> None:
    markdown = MarkdownLines()
    markdown.feed(SAMPLE)
    markdown.finish()
    for width in (80, 30, 80):
        assert markdown.lines(width) == markdown_lines(SAMPLE, width)


WORDS = "the **cache** is `stale` when [its](x.md) hash_of_it differs, *not* its mtime; "
SAMPLE = (
    "# Title\n\n"
    + WORDS * 3
    + "\n\n- one\n- two\n  - three **x**\n\n1. first\n   ```python\n   x = 1\n   ```\n2. second\n\n"
    "> quote\n> more\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n| `x` | yyyy |\n\n```py\ndef f():\n    '''doc\n    for'''\n```\nend\n\n"
    + WORDS * 40
    + "\n\n***\n\n    code\n\nTitle\n-----\nlast [link](http://a.b) line"
)


@given(st.lists(st.integers(1, 60), max_size=60), st.integers(12, 90))
@settings(max_examples=40, deadline=None)
def test_streaming_ends_with_the_same_lines_as_reading_at_once(cuts: list[int], width: int) -> None:
    assert streamed(SAMPLE, width, cuts) == markdown_lines(SAMPLE, width)


@given(st.text(alphabet="ab -*_`#>|[]()\n1.~:=!<&\\\t", max_size=120), st.lists(st.integers(1, 20), max_size=12))
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_streamed_and_no_line_is_too_wide(source: str, cuts: list[int]) -> None:
    lines = streamed(source, 24, cuts)
    assert lines == markdown_lines(source, 24)
    assert all(line.width <= 24 or ">" in source or "-" in source or "*" in source for line in lines)


def test_an_endless_paragraph_is_wrapped_as_if_it_were_one() -> None:
    words = [random.Random(1).choice(["tide", "water", "a", "measured", "by"]) for _ in range(2000)]
    lines = text(" ".join(words), 70)
    assert " ".join(lines) == " ".join(words)
    assert all(len(line) + 1 + len(after.split()[0]) > 70 for line, after in itertools.pairwise(lines))
    assert len(" ".join(words)) > 5 * LONGEST


def test_a_word_without_end_is_not_torn_by_blanks() -> None:
    assert "".join(text("x" * 5000, 50)) == "x" * 5000


def test_a_table_without_end_keeps_its_columns() -> None:
    rows = [f"| row {number} | {number} |" for number in range(3 * MOST_ROWS)]
    lines = text("\n".join(["| name | n |", "|---|--:|", *rows]))
    assert len(lines) == 1 + 3 * MOST_ROWS
    assert lines[-1] == f"row {3 * MOST_ROWS - 1}  {3 * MOST_ROWS - 1}"


def _endless(kind: str, size: int) -> str:
    pattern = {
        "list": "- item with **bold** and `code` in it\n",
        "nested list": "  - item with **bold** and `code` in it\n",
        "fence": "    value = compute({}, 'text')  # note\n",
        "table": "| name {} | `value` | 12.5 |\n",
        "paragraph": "the **cache** is `stale` when its hash differs, {} ",
        "quote": "> the cache is stale when its *hash* differs\n",
        "one line of code": "value({}), ",
    }[kind]
    start = {"nested list": "- top\n", "fence": "```python\n", "one line of code": "```js\n"}.get(kind, "")
    start = "| a | b | c |\n|---|---|---|\n" if kind == "table" else start
    return start + "".join(pattern.replace("{}", str(number)) for number in range(size // len(pattern)))


@pytest.mark.parametrize("kind", ["list", "nested list", "fence", "table", "paragraph", "quote", "one line of code"])
def test_a_long_stream_costs_no_more_at_its_end_than_at_its_beginning(kind: str) -> None:
    source = _endless(kind, 100_000)
    markdown = MarkdownLines()
    markdown.feed(source[:2000])
    markdown.lines(100)
    halves = [0.0, 0.0]
    for at in range(2000, len(source), 120):
        started = time.process_time()
        for delta in range(at, at + 120, 4):
            markdown.feed(source[delta : delta + 4])
        markdown.lines(100)
        halves[at > len(source) // 2] += time.process_time() - started
    assert halves[1] <= 2 * halves[0] + 0.05
    # In each of them half of 25 000 small pieces; a fifth of a millisecond is what one may cost, times five for a slow day.
    assert sum(halves) < 25_000 * 0.001
