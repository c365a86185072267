"""The screens of the review and of one file in the pictures: changes of real files in a folder that is never named."""

from __future__ import annotations

import os

from tests.tui.composed.still import Story
from tests.tui.composed.stories import AFTER, BEFORE, CACHE, README, TASK, TEST
from tools.files import hash_bytes
from tools.keeping import Image
from tui.review.bases import Sources
from tui.review.blocks import Naming
from tui.screens.file import FilePage
from tui.screens.review import Doings, ReviewPage

ENTRY = AFTER.replace("line 12\n", "        self.entries[path] = Entry(digest=digest(path))\n")
THEIRS = README.replace("12\n", "twelve, says somebody else\n", 1)
BOTH = THEIRS + "Caches written before 0.4 are converted when they are first read.\n"


class Changes:
    """Makes them, and tells the history of the session."""

    def __init__(self, story: Story) -> None:
        session = story.app.turns.session
        assert session is not None
        self.session = session
        self._story = story
        self._folder = os.path.realpath(session.trust.folder)
        self._turn = 0
        session.history.turn = lambda: self._turn

    def asked(self, words: str) -> None:
        self._turn += 1
        self._story.turn(words, self._turn)

    def made(self, name: str, before: str | None, after: str | None, tool: str = "") -> None:
        """By a call of that tool, a minute later; without one by somebody else."""
        path = self.path_of(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if after is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
        call = f"{tool}-{self._turn}-{name}" if tool else ""
        if tool:
            self._story.called(call, tool, file_path=name)
        self._story.hear(after=61)
        history = self.session.history
        by, attribution = ("call", "") if tool else ("outside", "external")
        history.note(path, self._kept(before), self._kept(after), by, call=call, attribution=attribution)

    def path_of(self, name: str) -> str:
        return os.path.join(self._folder, name)

    @property
    def naming(self) -> Naming:
        stage = self._story.app.scene.stage
        assert stage is not None
        return Naming(stage.makers, lambda path: os.path.relpath(path, self._folder))

    def _kept(self, text: str | None) -> str | None:
        if text is None:
            return None
        image = Image(hash_bytes(text.encode()), text.encode())
        self.session.history.keep(image)
        return image.hash


def of_a_day(story: Story) -> Changes:
    changes = Changes(story)
    changes.asked(TASK)
    changes.made(CACHE, BEFORE, AFTER, "Edit")
    changes.made(CACHE, AFTER, ENTRY, "Edit")
    changes.asked("Prove it with a test")
    changes.made("tests/test_cache_touch.py", None, f"{TEST}ale(reading)\n", "Write")
    changes.made("notes.txt", "to be thrown away\n", None, "Bash")
    changes.made("README.md", README, THEIRS)
    changes.made("README.md", THEIRS, BOTH, "Edit")
    return changes


async def reviewed(story: Story) -> None:
    """One hunk is kept, one has a comment, one is somebody else's."""
    page = await _review(story)
    await story.press("k", "c", *"name it", "enter")
    await story.until(lambda: bool(page._review.comments))


async def nothing_to_review(story: Story) -> None:
    await _review(story, Changes(story))


async def commit_message(story: Story) -> None:
    await _review(story)
    await story.press("k", "m", *"Content decides")


async def _review(story: Story, changes: Changes | None = None) -> ReviewPage:
    changes = changes or of_a_day(story)
    nothing = Doings(lambda *_: None, str, lambda _: True, story.app.scene.status, lambda: False)
    page = ReviewPage(changes.session, changes.naming, nothing)
    await story.app.push_screen(page)
    await story.until(lambda: page._ready)
    return page


async def one_file(story: Story) -> None:
    changes = of_a_day(story)
    session = changes.session
    sources = Sources(session.history, lambda _: None, session.trust.folder, lambda: True)
    page = FilePage(changes.path_of("README.md"), sources, changes.naming, session.bus, lambda *_: None)
    await story.app.push_screen(page)
    await story.until(lambda: page._compared is not None)
