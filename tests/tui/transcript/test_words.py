"""What was said: by the person, by the model, by the program; and the line that ends a turn."""

from __future__ import annotations

import pytest

from agent.events import (
    ModelWaiting,
    Notice,
    TextDelta,
    TextDone,
    ThinkingDelta,
    ThinkingDone,
    TurnEnded,
    TurnStarted,
    Usage,
    UserMessage,
)
from tests.tui.transcript.told import Told, at
from tools.bash.data import BashOutput
from tools.changing.change import FileChanged
from tools.diffs import diff_of
from tools.events import ToolFinished, ToolInputReady, ToolInputStarted, ToolStarted


def ended(exit_code: int, text: str = "") -> BashOutput:
    return BashOutput(
        output=text, exit_code=exit_code, total_bytes=0, total_lines=0, truncated=False, stored="", folder="/"
    )


def test_the_persons_words_stand_on_their_own_ground_behind_their_bar() -> None:
    story = Told().hear(UserMessage("Cache entries must go stale\nby content hash."))
    assert story.frame() == ["   Cache entries must go stale", "   by content hash."]
    first = story.rows[0].lines(story.look())[0]
    assert first.pieces[0] == (" ", "on $you") and first.ground == "on $block"


def test_long_words_are_eight_lines_until_they_are_opened() -> None:
    story = Told().hear(UserMessage("\n".join(f"line {number}" for number in range(30))))
    assert story.frame()[-2:] == ["   line 7", "   22 lines more"] and len(story.frame()) == 9
    story.entries[0].opened = True
    assert story.frame()[-1] == "   line 29"


def test_ten_lines_are_not_long() -> None:
    story = Told().hear(UserMessage("\n".join(map(str, range(10)))))
    assert len(story.frame()) == 10


def test_a_shell_line_is_the_persons_and_its_output_a_row_below() -> None:
    story = Told().hear(ToolInputStarted("shell-1", "Bash"), ToolInputReady("shell-1", {"command": "make lint"}))
    story.hear(ToolStarted("shell-1")).done("shell-1", ended(0, "fine"))
    shown = "\n".join(story.screen())
    assert "   ! make lint" in shown and shown.index("! make lint") < shown.index("╎ fine")


def test_an_answer_grows_letter_by_letter_and_keeps_to_a_hundred_columns() -> None:
    story = Told().turn().hear(TextDelta("I will"))
    assert story.frame() == ["   I will"]
    story.hear(TextDelta(" read " + "word " * 60))
    assert max(map(len, story.frame(width=160))) <= 3 + 100
    story.hear(TextDone("I will stop."))
    assert story.frame() == ["   I will stop."]


def test_an_answer_looks_the_same_while_it_grows_and_when_it_is_done() -> None:
    text = "# Title\n\nSome *words* and `code`.\n\n- one\n- two\n\n```python\nx = 1\n```\n"
    story = Told().turn()
    for letter in text:
        story.hear(TextDelta(letter))
        story.frame()
    growing = story.frame()
    assert story.hear(TextDone(text)).frame() == growing


def test_an_answer_of_blanks_is_no_row() -> None:
    story = Told().turn().hear(TextDone("  \n"))
    assert len(story.rows) == 1


def test_codes_in_an_answer_are_not_obeyed() -> None:
    story = Told().turn().hear(TextDone("before \x1b[2J\x1b]52;c;eA==\x07 after"))
    assert "\x1b" not in "".join(story.frame()) and "after" in story.frame()[0]


def test_a_thought_is_one_row_and_its_summary_shows_when_it_is_opened() -> None:
    story = Told().turn().hear(ThinkingDelta("The person"), after=1)
    assert story.transcript.thinking and len(story.rows) == 1
    story.hear(ThinkingDone("The person wants content to decide."), after=6)
    assert story.frame() == ["   Thought for 6s"] and not story.transcript.thinking
    assert story.styles()[0] == [("Thought for 6s", "italic $dim")]
    assert story.frame(verbose=True) == ["   Thought for 6s", "   The person wants content to decide."]


@pytest.mark.parametrize(("seconds", "rows"), [(0.2, 1), (3, 2)])
def test_a_wordless_thought_is_a_row_only_if_it_took_a_while(seconds: float, rows: int) -> None:
    story = Told().turn().hear(ThinkingDelta("")).hear(ThinkingDone(""), after=seconds)
    assert len(story.rows) == rows


@pytest.mark.parametrize(
    ("level", "mark", "style"), [("info", "", "$dim"), ("warning", "!", "bold $ask"), ("error", "✗", "$foreground")]
)
def test_a_notice_says_what_and_below_it_what_to_do(level: str, mark: str, style: str) -> None:
    story = Told().hear(Notice("One rule cannot work. The other rules are in force.", level))  # pyright: ignore
    assert story.frame() == [f" {mark or ' '} One rule cannot work", "   The other rules are in force."]
    assert ("One rule cannot work", style) in story.styles()[0]


def test_a_turn_ends_with_what_it_came_to() -> None:
    story = Told().turn(number=3)
    story.runs("e", "Edit", file_path=at("a.py")).done(
        "e", FileChanged(file_path=at("a.py"), kind="changed", diff=diff_of(at("a.py"), "1\n", "2\n3\n"))
    )
    story.runs("b", "Bash", command="pytest").done("b", ended(1, "1 failed"), after=14)
    story.hear(TurnEnded("done"), after=83.9)
    assert story.frame() == ["   turn 3   1m 38s   2 calls   1 file +2 -1   1 failed: Bash pytest"]
    assert story.styles()[0][-1] == ("1 failed: Bash pytest", "$bad")


def test_what_works_in_the_end_is_not_called_broken() -> None:
    story = Told().turn().runs("a", "Bash", command="pytest").done("a", ended(1))
    story.runs("b", "Bash", command="pytest").done("b", ended(0)).hear(TurnEnded("done"), after=1)
    assert story.frame() == ["   turn 1   1.2s   2 calls"]


def test_what_the_person_refused_or_stopped_is_not_called_broken() -> None:
    story = Told().turn().called("a", "Bash", command="x").hear(ToolFinished("a", "denied", error="no"))
    story.called("b", "Bash", command="y").hear(ToolFinished("b", "cancelled", error="Cancelled"))
    assert story.hear(TurnEnded("interrupted"), after=4).frame() == ["   turn 1   4.0s   2 calls   stopped by you"]


def test_a_turn_says_what_it_cost_and_verbose_what_was_read() -> None:
    story = Told().turn()
    story.transcript.model = "claude-opus-5-5"
    story.hear(Usage(input_tokens=1200, output_tokens=1, cache_read=17_000))
    story.hear(Usage(output_tokens=1400), TurnEnded("done"), after=2)
    assert story.frame() == ["   turn 1   2.0s   $0.04"]
    assert story.frame(verbose=True) == ["   turn 1   2.0s   18.2k in, 1.4k out, 93% cached   $0.04"]


def test_what_was_asked_of_another_model_beside_it_is_paid_too_and_fills_no_context() -> None:
    story = Told().turn()
    story.transcript.model = "claude-opus-5-5"
    story.hear(Usage(input_tokens=100_000, output_tokens=1000))
    alone = story.transcript.tally.cost("claude-opus-5-5")
    for _ in range(2):
        story.hear(Usage(input_tokens=1_000_000, output_tokens=100_000, model="claude-haiku-5-5"))
    tally = story.transcript.tally
    assert alone is not None and tally.cost("claude-opus-5-5") == pytest.approx(alone + 2 * 0.15)
    assert tally.tokens.context == 101_000 and tally.tokens.input == 100_000
    story.hear(TurnEnded("done"), after=2)
    assert story.frame() == ["   turn 1   2.0s   $0.72"]
    story.turn(number=2).hear(Usage(input_tokens=1000, model="claude-haiku-5-5"), TurnEnded("done"), after=2)
    assert tally.cost_of_turn("claude-opus-5-5") == pytest.approx(0.0001)


def test_where_a_price_beside_it_is_not_known_nothing_is_claimed() -> None:
    story = Told().turn().hear(Usage(input_tokens=1000), Usage(input_tokens=1000, model="somebody-elses"))
    assert story.transcript.tally.cost("claude-opus-5-5") is None


def test_a_turn_of_a_model_whose_price_is_not_known_claims_nothing() -> None:
    story = Told().turn()
    story.transcript.model = "somebody-elses-model"
    story.hear(Usage(input_tokens=900_000, output_tokens=90_000), TurnEnded("done"))
    assert "$" not in story.frame()[0]


def test_H13_the_tokens_of_a_reply_that_was_lost_are_paid_for_like_those_of_the_next_try() -> None:
    story = Told().turn().hear(Usage(input_tokens=1000, output_tokens=10), ModelWaiting("the connection broke", 1, 0.5))
    story.hear(Usage(input_tokens=1000, output_tokens=1), Usage(output_tokens=20), TurnEnded("done"))
    tokens = story.transcript.tally.tokens
    assert (tokens.input, tokens.output, tokens.context) == (2000, 30, 1020)


def test_only_what_this_turn_used_is_counted_for_it() -> None:
    story = Told().turn().hear(Usage(input_tokens=1000, output_tokens=10), TurnEnded("done"))
    story.turn(number=2).hear(Usage(input_tokens=2000, output_tokens=20), TurnEnded("done"))
    end = story.entries[-1]
    assert (end.input_tokens, end.output_tokens) == (2000, 20)
    assert story.transcript.tally.tokens.input == 3000 and story.transcript.tally.tokens.context == 2020


def test_a_turn_that_failed_says_why_and_that_nothing_is_lost() -> None:
    story = Told().turn().hear(TurnEnded("failed", "The model does not answer: 529 overloaded, 5 tries in 48s."))
    assert story.frame(-2) == [
        " ✗ The model does not answer: 529 overloaded, 5 tries in 48s",
        "   What was done stays. Up brings your message back, Enter sends it again.",
    ]


def test_half_an_answer_stays_when_the_turn_is_stopped() -> None:
    story = Told().turn().hear(TextDelta("half an ans"), TurnEnded("interrupted"))
    assert story.frame(-2) == ["   half an ans"]
    assert story.hear(TurnStarted(2), UserMessage("go on"), TextDelta("new")).frame() == ["   new"]
