"""Between the keys, the sheet and the session's gate: who gets a key while something asks, and what it answers.

`tui/sheet/keys.py` has the rule, `tui/sheet/model.py` what a key does; here they meet the widgets and the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from textual import events

from tools.permissions.gate import Answer
from tui.painted import Painted
from tui.prompt.box import PromptBox
from tui.render.look import Look
from tui.sheet.draw import sheet_lines, too_low_lines
from tui.sheet.keys import Action, GiveFocus, Press, Send, SheetKeys, ShowState, TakeFocus, ToField, ToPrompt
from tui.sheet.model import Open, SheetModel
from tui.sheet.picks import Picking, picking_of

Decide = Callable[[str, int, Answer], bool]
SCROLL_LINES = 5
FOR_ALL = "AN"
# What of the screen stands around the sheet at least: the activity line, the prompt and the status line.
AROUND_LINES = 3


@dataclass(frozen=True, slots=True)
class Around:
    """`seen` says whether the sheet is in sight, `elsewhere` whether the keys are with something else than the box, and
    `pick` shows a change hunk by hunk. `now` is a clock that only goes forward."""

    seen: Callable[[], bool]
    elsewhere: Callable[[], bool]
    pick: Callable[[Picking, Callable[[str | None], None]], None]
    now: Callable[[], float]


class Approvals:
    def __init__(
        self,
        model: SheetModel,
        box: PromptBox,
        sheet: Painted,
        look: Callable[[], Look],
        decide: Decide,
        around: Around,
    ) -> None:
        self._model = model
        self._box = box
        self._sheet = sheet
        self._look = look
        self._decide = decide
        self._seen = around.seen
        self._elsewhere = around.elsewhere
        self._pick = around.pick
        self._now = around.now
        self._keys = SheetKeys()
        self._due: asyncio.TimerHandle | None = None
        # The question and revision that was painted last, and those that one answer to all of its kind reaches.
        self._painted: tuple[str, int] | None = None
        self._reach: frozenset[tuple[str, int]] = frozenset()
        # The answers are not in sight: nothing can be answered.
        self._too_low = False
        # The sheet says that the draft has the keys.
        self._says_draft = False

    @property
    def has_keys(self) -> bool:
        """Whether the sheet has the keys, not the prompt."""
        return self._keys.state != "prompt"

    def show(self, questions: Sequence[Open], again: bool = False) -> None:
        """What is open now, oldest first; whatever changed is drawn, and a new one is armed once it is painted.

        `again`: what is shown already is armed anew, because it was out of sight."""
        self._model.update(questions)
        if not self._model.changing:
            # The question it was about is gone.
            self._box.leave_other_text(remember=True)
        front = self._model.front
        self._draw()
        shown = (front.request.id, front.revision) if front is not None else None
        if shown == self._painted and not again:
            self._widen()
            return
        self._painted = shown
        if shown is None:
            self._do(self._keys.gone(self._now()))
        else:
            # Only what the person can see may be answered: the keys count from the paint on.
            self._do(self._keys.unseen(self._now(), self._model.field_open))
            self._sheet.call_after_refresh(self._was_painted, shown)

    def stop(self) -> None:
        """The screen goes away."""
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def close(self) -> None:
        """Another session takes the screen."""
        self.stop()
        self._sheet.show(())
        self._box.remove_class("quiet", "asked")

    def _was_painted(self, shown: tuple[str, int]) -> None:
        if shown == self._painted and self._seen() and not self._too_low:
            self._reach = self._model.of_this_kind
            self._do(self._keys.shown(self._now(), self._has_draft, None, self._model.keys))

    def _widen(self) -> None:
        """Others wait behind the same question: an answer to all of its kind is for those who have seen that."""
        reach, before = self._model.of_this_kind, self._reach
        if reach != before:
            self._reach = reach
            self._do(self._keys.widened(self._now(), self._model.keys, FOR_ALL if reach - before else ""))

    @property
    def _has_draft(self) -> bool:
        # A call that is being written anew keeps the keys also while nothing of it is left.
        return bool(self._box.text) or self._elsewhere() or self._model.changing

    @property
    def _draft_has_keys(self) -> bool:
        return self._has_draft and not self.has_keys

    # -- keys

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Whether this key was for the sheet, or was put where it belongs; else it goes its usual way."""
        if isinstance(event, events.Paste):
            return self._takes_paste(event)
        if self._model.changing:
            return self._in_change(event)
        if not self.has_keys:
            return self._passes_by(event)
        now = event.time
        match event.key:
            case "enter":
                self._do(self._keys.enter(now))
            case "tab":
                self._do(self._keys.tab(now))
            case "escape":
                self._do(self._keys.escape(now))
            case "left" | "right" | "pageup" | "pagedown" | "up" | "down" | "backspace":
                return self._looks(event.key, now)
            case _ if event.is_printable and event.character:
                self._do(self._keys.key(event.character, now))
            case _:
                self._do(self._keys.moved(now))
                return False
        return True

    def draft_changed(self) -> None:
        self._do(self._keys.draft_changed(self._now(), self._has_draft))
        if self._painted is not None and self._says_draft != self._draft_has_keys:
            self._draw()

    def redraw(self) -> None:
        """The size or the colours have changed."""
        was_too_low = self._too_low
        self._draw()
        if self._painted is not None and self._too_low != was_too_low:
            self._do(self._keys.unseen(self._now(), self._model.field_open))
            self._sheet.call_after_refresh(self._was_painted, self._painted)

    def sent(self, text: str) -> bool:
        """Whether what was sent is the call written anew, not a message."""
        if not self._model.changing:
            return False
        answered = self._model.change(text)
        self._box.leave_other_text(remember=not answered)
        for one in answered:
            self._decide(one.request_id, one.revision, one.answer)
        return True

    def _in_change(self, event: events.Key) -> bool:
        """The box holds what would run; Enter runs it, Esc leaves it as it was."""
        if self._box.menu is not None:
            return False
        if event.key == "enter":
            return not self._keys.runs(event.time)
        if event.key != "escape":
            self._keys.wrote(event.time, typing=event.is_printable)
            return False
        self._model.leave_change()
        self._box.leave_other_text()
        self._do(self._keys.shown(self._now(), self._has_draft, None, self._model.keys))
        return True

    def _takes_paste(self, event: events.Paste) -> bool:
        if not self.has_keys:
            self._do(self._keys.typed(event.time))
            return False
        self._do(self._keys.paste(event.text, event.time))
        return True

    def _passes_by(self, event: events.Key) -> bool:
        """The prompt has the keys; the sheet hears of them, and gets Tab."""
        if event.key == "enter" and self._box.menu is None:
            actions = self._keys.enter(event.time)
            if actions == [Send()]:
                return False
            self._do(actions)
            return True
        if event.key == "tab" and self._box.menu is None and self._model.front is not None:
            self._do(self._keys.tab(event.time))
            return True
        if event.key != "escape":
            self._do(self._keys.typed(event.time))
        return False

    def _looks(self, key: str, now: float) -> bool:
        """Keys that change how the sheet looks, and answer nothing."""
        if self._model.field_open:
            if key == "backspace":
                self._model.erase()
        else:
            self._do(self._keys.moved(now))
            match key:
                case "left" | "right":
                    self._model.slide(1 if key == "right" else -1)
                case "pageup" | "pagedown":
                    self._model.scroll(SCROLL_LINES if key == "pagedown" else -SCROLL_LINES, self._look())
                case "up" | "down":
                    self._model.scroll(1 if key == "down" else -1, self._look())
                case _:
                    pass
        self._draw()
        return True

    # -- what is to be done

    def _do(self, actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case ToPrompt(text):
                    self._box.paste(text) if len(text) > 1 else self._box.add_text(text)
                case ToField(text):
                    self._model.write(text)
                case Press(key):
                    self._press(key)
                case TakeFocus():
                    self._box.add_class("quiet")
                    self._box.screen.set_focus(None)
                case GiveFocus():
                    self._box.remove_class("quiet")
                    self._box.screen.set_focus(self._box)
                case ShowState() | Send():
                    pass
        if actions:
            self._draw()
        self._wait()

    def _press(self, key: str) -> None:
        match key:
            case "e":
                self._begin_change()
                return
            case "d" if self._pick_hunks():
                return
            case _:
                pass
        for answered in self._model.press(key):
            self._decide(answered.request_id, answered.revision, answered.answer)
        self._do(self._keys.field(self._now(), self._model.field_open))

    def _pick_hunks(self) -> bool:
        """The whole change on a page of its own, where it consists of several hunks."""
        front = self._model.front
        picking = picking_of(front.request) if front is not None else None
        if picking is None or front is None:
            return False
        picking = replace(picking, path=self._model.ctx.short(picking.path))
        shown = (front.request.id, front.revision)

        def picked(text: str | None) -> None:
            now = self._model.front
            if text is not None and now is not None and (now.request.id, now.revision) == shown:
                for one in self._model.change(text):
                    self._decide(one.request_id, one.revision, one.answer)

        self._pick(picking, picked)
        return True

    def _begin_change(self) -> None:
        if text := self._model.begin_change():
            self._do(self._keys.give_away())
            self._box.take_other_text(text)
            self._draw()

    def _draw(self) -> None:
        look = self._look()
        self._says_draft = self._draft_has_keys
        view = self._model.view(look, armed=self._keys.lit, draft_has_keys=self._says_draft)
        lines = sheet_lines(view, look) if view is not None else ()
        missing = len(lines) + AROUND_LINES - look.height
        self._too_low = view is not None and missing > 0
        # A long draft does not push what it is typed into out of sight.
        self._box.set_class(view is not None, "asked")
        self._sheet.show(too_low_lines(view, look, missing) if view is not None and missing > 0 else lines)

    def _wait(self) -> None:
        """Be called again when the rule says that something may change by itself."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        now = self._now()
        deadline = self._keys.deadline(now)
        if deadline is not None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(max(deadline - now, 0.0), self._tick)

    def _tick(self) -> None:
        self._due = None
        if self._sheet.is_attached:
            self._do(self._keys.tick(self._now()))
