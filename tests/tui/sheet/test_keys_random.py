"""Whatever is typed and whenever it is asked: no key of somebody's typing answers, and none is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tui.sheet.keys import Action, Press, SheetKeys, ToPrompt

ANSWERS = "yan"
# The rule's own figures, not the program's.
ARMING, BEFORE, AFTER = 0.4, 0.5, 0.15
CLOSE = 1e-6

# Gaps around every limit of the rule, in seconds.
GAPS = st.sampled_from([0.0, 0.01, 0.1, 0.149, 0.151, 0.2, 0.399, 0.401, 0.499, 0.501, 0.7, 0.999, 1.001, 1.5])
CHARS = st.sampled_from("yyynaxh 1")
EVENTS = st.lists(
    st.tuples(
        GAPS,
        st.one_of(
            st.tuples(st.just("key"), CHARS),
            st.tuples(st.just("key"), CHARS),
            st.tuples(st.just("paste"), st.sampled_from(["y", "yes\n"])),
            st.tuples(st.sampled_from(["enter", "tab", "shown", "emptied", "gone", "moved", "unseen"]), st.just("")),
        ),
    ),
    max_size=40,
)


@dataclass
class Desk:
    """A prompt and a sheet, with everything that was typed and what became of it."""

    keys: SheetKeys = field(default_factory=SheetKeys)
    now: float = 100.0
    typed: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    prompt: list[str] = field(default_factory=list[str])
    # The characters in the order in which they arrived anywhere.
    arrived: str = ""
    painted: float | None = None
    tabbed: float = -1.0
    waiting: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    def pass_time(self, gap: float) -> None:
        until = self.now + gap
        while (due := self.keys.deadline(self.now)) is not None and due <= until:
            self.now = max(due, self.now)
            self.take(self.keys.tick(self.now))
        self.now = until

    def take(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case ToPrompt(text):
                    self.arrived += text
                    self.prompt.append(text)
                    self.waiting.clear()
                case Press(key) if len(key) == 1:
                    self.arrived += key
                    (pressed,) = self.waiting
                    self.waiting.clear()
                    assert pressed[1] == key
                    self.it_stood_alone(pressed[0])
                case _:
                    pass

    def it_stood_alone(self, at: float) -> None:
        others = [time for time, _ in self.typed if time != at]
        assert self.painted is not None
        deliberate = self.tabbed >= self.painted
        assert deliberate or at >= self.painted + ARMING - CLOSE
        assert not [time for time in others if at - BEFORE + CLOSE < time <= at and time > self.tabbed]
        assert not [time for time in others if at < time < at + AFTER - CLOSE]
        assert sum(time == at for time, _ in self.typed) == 1
        assert at > self.tabbed

    def do(self, kind: str, text: str) -> None:
        match kind:
            case "key":
                self.typed.append((self.now, text))
                self.waiting.append((self.now, text))
                self.take(self.keys.key(text, self.now))
            case "paste":
                self.typed.append((self.now, text))
                self.take(self.keys.paste(text, self.now))
            case "enter":
                self.enter()
            case "tab":
                self.tab()
            case _:
                self.happen(kind)

    def tab(self) -> None:
        was = self.keys.state
        actions = self.keys.tab(self.now)
        if any(isinstance(action, ToPrompt) and action.text.endswith("\t") for action in actions):
            self.typed.append((self.now, "\t"))
        self.take(actions)
        if was == "prompt" and self.keys.state == "armed":
            self.tabbed = self.now

    def enter(self) -> None:
        before = self.keys.state
        actions = self.keys.enter(self.now)
        recent = [time for time, _ in self.typed if self.now - time < BEFORE - CLOSE]
        if any(isinstance(action, ToPrompt) for action in actions):
            self.typed.append((self.now, "\n"))
        elif before != "prompt":
            assert not recent or self.tabbed >= recent[-1]
        self.take(actions)

    def happen(self, kind: str) -> None:
        match kind:
            case "shown":
                self.painted = self.now
                self.take(self.keys.shown(self.now, bool(self.prompt), answers=ANSWERS))
            case "emptied":
                self.prompt.clear()
                self.take(self.keys.draft_changed(self.now, draft=False))
            case "gone":
                self.painted = None
                self.take(self.keys.gone(self.now))
            case "unseen":
                self.painted = None
                self.take(self.keys.unseen(self.now))
            case _:
                self.take(self.keys.moved(self.now))


@settings(deadline=None, max_examples=400)
@given(EVENTS)
def test_no_key_of_typing_answers_and_none_is_lost_or_reordered(events: list[tuple[float, tuple[str, Any]]]) -> None:
    desk = Desk()
    desk.do("shown", "")
    for gap, (kind, text) in events:
        desk.pass_time(gap)
        desk.do(kind, text)
    desk.pass_time(10.0)
    assert desk.arrived == "".join(text for _, text in desk.typed)


@settings(deadline=None, max_examples=400)
@given(st.lists(st.tuples(st.floats(0.0, 0.149), st.sampled_from("yan\n")), min_size=2, max_size=20), st.floats(0, 3))
def test_typing_faster_than_150_ms_never_answers_whenever_it_begins(
    burst: list[tuple[float, str]], start: float
) -> None:
    desk = Desk()
    desk.do("shown", "")
    desk.pass_time(start)
    for gap, char in burst:
        desk.take(desk.keys.enter(desk.now) if char == "\n" else desk.keys.key(char, desk.now))
        desk.pass_time(gap)
    # The last key had another before it, and all others one after them; only an Enter that begins is no text.
    assert "".join(desk.prompt) == "".join(char for _, char in burst).removeprefix("\n")
