"""The open questions of a session as the person works through them: what is shown, and what a key that counts does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.rulebook import Reach, Rulebook, SavingPlace
from tools.events import PermissionRequest
from tools.permissions.gate import Answer, SavingScope
from tools.view import ViewContext
from tui.render.look import Look
from tui.sheet.answers import always_off
from tui.sheet.draw import most_scroll
from tui.sheet.slider import chosen
from tui.sheet.view import Changed, Field, SheetView, changeable, changed_input, is_grave

# Where a rule is saved: the first, unless the person chooses another one.
USUAL: tuple[SavingScope, ...] = ("local", "project", "user", "session")
SAME_AS = {"1": "y", "2": "a", "3": "n"}


@dataclass(frozen=True, slots=True)
class Open:
    """One question that waits, with whose it is and what happened to its file meanwhile."""

    request: PermissionRequest
    revision: int
    agent: str = ""
    changed: Changed | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The person's word on a question as it was shown to them."""

    request_id: str
    revision: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class _Looking:
    """How the person looks at the question in front; each question starts afresh."""

    stop: int = 0
    # Which of the places a rule can be saved in; the first is where it is saved unless the person says otherwise.
    place: int = 0
    field: Field | None = None
    confirm: bool = False
    changing: bool = False
    scroll: int = 0
    # How far down the subject was in sight.
    seen: int = 0
    full: bool = False
    why: bool = False


class SheetModel:
    def __init__(self, ctx: ViewContext, rulebook: Rulebook | None = None) -> None:
        self.ctx = ctx
        self._rulebook = rulebook
        self._reached: tuple[tuple[str, ...], Reach] = ((), Reach())
        self._open: tuple[Open, ...] = ()
        # Of the subject as it was drawn last, the lines that have never been in sight.
        self._unseen = 0
        self._looking = _Looking()

    # -- what is shown

    def update(self, questions: Sequence[Open]) -> bool:
        """Take over the open questions, oldest first. True: another one is shown, or a new revision; the keys must
        be armed anew once it is painted."""
        before, self._open = self.front, tuple(questions)
        after = self.front
        if before is None or after is None or before.request.id != after.request.id:
            self._looking = _Looking()
            return before is not after
        if before.revision == after.revision:
            return False
        same_rules = before.request.stops == after.request.stops
        self._looking = replace(self._looking, confirm=False, seen=0, stop=self._looking.stop if same_rules else 0)
        if self._looking.field is not None and self._looking.field.yes and not self._may_say_yes:
            self._looking = replace(self._looking, field=replace(self._looking.field, yes=False))
        return True

    @property
    def front(self) -> Open | None:
        return self._open[0] if self._open else None

    @property
    def field_open(self) -> bool:
        return self._looking.field is not None

    @property
    def of_this_kind(self) -> frozenset[tuple[str, int]]:
        """The questions, each in its revision, that one answer to all of this kind would reach."""
        return frozenset((waiting.request.id, waiting.revision) for waiting in self._of_this_kind())

    @property
    def keys(self) -> frozenset[str]:
        """The printable keys that mean something just now; all others are typing."""
        if self.front is None:
            return frozenset()
        keys = "y1a2n3wd"
        if self.front.request.problem:
            keys += "r"
        elif not always_off(self._view()):
            keys += "ts"
        if changeable(self.front.request):
            keys += "e"
        if len(self._of_this_kind()) > 1:
            keys += "AN"
        return frozenset(keys)

    def view(self, look: Look, *, armed: bool = False, draft_has_keys: bool = False) -> SheetView | None:
        if not self._open:
            return None
        self._unseen = self._not_seen(look)
        return self._view(armed, draft_has_keys)

    # -- what keys do

    def press(self, key: str) -> list[Answered]:
        """A key that counts; the answers it gives, if it gives any."""
        if self.front is None:
            return []
        confirmed = self._looking.confirm
        self._looking = replace(self._looking, confirm=False)
        if key in ("tab", "enter", "escape"):
            return self._press_named(key)
        match SAME_AS.get(key, key):
            case "y":
                return self._yes(confirmed)
            case "a" | "t" as kind:
                return self._with_rules("always" if kind == "a" else "turn")
            case "n":
                return self._answer(Answer("no"))
            case "r" if self.front.request.problem:
                return self._answer(Answer("tell_model"))
            case "A" | "N":
                return self._all(key == "A")
            case _:
                self._look(key)
                return []

    def slide(self, by: int) -> None:
        """Narrow or widen the rule that would be saved."""
        if self.front is not None:
            last = max(len(self.front.request.stops) - 1, 0)
            self._looking = replace(self._looking, stop=min(max(self._looking.stop + by, 0), last))

    def scroll(self, by: int, look: Look) -> None:
        if self._open:
            most = most_scroll(self._view(), look)
            scroll = min(max(self._looking.scroll + by, 0), most)
            seen = self._looking.seen if self._looking.why else max(self._looking.seen, scroll)
            self._looking = replace(self._looking, scroll=scroll, seen=seen)

    def write(self, text: str) -> None:
        """Into the comment field; it is one line."""
        if self._looking.field is not None:
            joined = self._looking.field.text + " ".join(text.splitlines())
            self._looking = replace(self._looking, field=replace(self._looking.field, text=joined))

    def erase(self) -> None:
        if self._looking.field is not None:
            shorter = self._looking.field.text[:-1]
            self._looking = replace(self._looking, field=replace(self._looking.field, text=shorter))

    # -- writing the call anew

    @property
    def changing(self) -> bool:
        return self._looking.changing

    def begin_change(self) -> str:
        """What is to be written anew; empty where that cannot be."""
        text = changeable(self.front.request) if self.front is not None else ""
        self._looking = replace(self._looking, changing=bool(text))
        return text

    def change(self, text: str) -> list[Answered]:
        """The text as it is to run. Unchanged, it is a plain yes."""
        self.leave_change()
        if self.front is None or self.front.request.problem:
            return []
        before = changeable(self.front.request)
        input = changed_input(self.front.request, text) if text != before else None
        return self._answer(Answer("once", input=input))

    def leave_change(self) -> None:
        self._looking = replace(self._looking, changing=False)

    # -- how it is done

    def _view(self, armed: bool = False, draft_has_keys: bool = False) -> SheetView:
        front, *rest = self._open
        looking = self._looking
        return SheetView(
            front.request,
            front.revision,
            self.ctx,
            total=len(self._open),
            then=tuple(waiting.request for waiting in rest),
            agent=front.agent,
            armed=armed and looking.field is None,
            draft_has_keys=draft_has_keys,
            stop=looking.stop,
            place=self._place,
            reach=self._reach(front.request),
            mode=self._rulebook.mode if self._rulebook is not None else "",
            field=looking.field,
            confirm=looking.confirm,
            changing=looking.changing,
            changed=front.changed,
            scroll=looking.scroll,
            unseen=self._unseen,
            full=looking.full,
            why=looking.why,
        )

    def _not_seen(self, look: Look) -> int:
        overflow = most_scroll(replace(self._view(), why=False), look)
        return max(overflow - self._looking.seen, 0)

    @property
    def _places(self) -> tuple[SavingPlace, ...]:
        """Where rules can be kept, the usual one first."""
        found = self._rulebook.places() if self._rulebook is not None else ()
        return tuple(sorted(found, key=lambda place: USUAL.index(place.scope)))

    @property
    def _place(self) -> SavingPlace | None:
        places = self._places
        return places[self._looking.place % len(places)] if places else None

    def _reach(self, request: PermissionRequest) -> Reach | None:
        """What the chosen rules would have allowed; looked up once for each stop."""
        rules = chosen(request, self.ctx, self._looking.stop)
        if self._rulebook is None or not rules:
            return None
        if self._reached[0] != rules:
            self._reached = (rules, self._rulebook.reach(rules))
        return self._reached[1]

    @property
    def _may_say_yes(self) -> bool:
        """Whether one press is enough for a yes."""
        return self.front is not None and not self.front.request.problem and not is_grave(self.front.request)

    def _press_named(self, key: str) -> list[Answered]:
        field = self._looking.field
        match key:
            case "escape" if field is None:
                return self._answer(Answer("stop"))
            case "escape":
                self._looking = replace(self._looking, field=None)
            case "tab" if field is None:
                self._looking = replace(self._looking, field=Field())
            case "tab" if field is not None and self._may_say_yes:
                self._looking = replace(self._looking, field=replace(field, yes=not field.yes))
            case "enter" if field is not None:
                return self._answer(Answer("once" if field.yes else "no", comment=field.text.strip()))
            case _:
                pass
        return []

    def _yes(self, confirmed: bool) -> list[Answered]:
        if self._may_say_yes or (confirmed and self.front is not None and not self.front.request.problem):
            return self._answer(Answer("once"))
        if self.front is not None and not self.front.request.problem:
            self._looking = replace(self._looking, confirm=True)
        return []

    def _with_rules(self, kind: Literal["always", "turn"]) -> list[Answered]:
        if self.front is None or not self._may_say_yes or self._unseen or always_off(self._view()):
            return []
        rules = chosen(self.front.request, self.ctx, self._looking.stop)
        place = self._place
        scope: SavingScope = place.scope if place is not None else "local"
        return self._answer(Answer(kind, rules, scope=scope))

    def _all(self, yes: bool) -> list[Answered]:
        """All that wait of this kind, but no yes for what wants one of its own."""
        answered: list[Answered] = []
        for waiting in self._of_this_kind():
            needs_its_own = bool(waiting.request.problem) or is_grave(waiting.request)
            if not (yes and needs_its_own):
                answer = Answer("once" if yes else "no")
                answered.append(Answered(waiting.request.id, waiting.revision, answer))
        return answered if self._may_say_yes or not yes else []

    def _of_this_kind(self) -> list[Open]:
        return [waiting for waiting in self._open if waiting.request.tool == self._open[0].request.tool]

    def _look(self, key: str) -> None:
        if key == "w":
            self._looking = replace(self._looking, why=not self._looking.why, scroll=0)
        elif key == "s":
            self._looking = replace(self._looking, place=(self._looking.place + 1) % max(len(self._places), 1))
        elif key == "d":
            self._looking = replace(self._looking, full=not self._looking.full, scroll=0, seen=0)

    def _answer(self, answer: Answer) -> list[Answered]:
        assert self.front is not None
        return [Answered(self.front.request.id, self.front.revision, answer)]
