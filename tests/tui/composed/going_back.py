"""Going back to before a message, in pictures: what would change is told, as everything else is here."""

from __future__ import annotations

from agent.checkpoints.rewind import FilePlan, Plan
from agent.checkpoints.rewinds import Rewinds
from agent.checkpoints.steps import Gap
from agent.events import TurnEnded, TurnStarted, UserMessage
from tests.tui.composed.still import Story
from tests.tui.transcript.told import at

SAID = (
    "Cache entries must go stale by content hash, not by mtime.",
    "Prove it with a test that only touches the file.",
    "Now update the README for the new cache format.",
)
MADE = {1: (1, 3, 3), 2: (1, 21, 0), 3: (1, 2, 0)}
FILES = (
    FilePlan(at("tests/test_cache_touch.py"), "a", None, None),
    FilePlan(at("README.md"), "a", "b", "b", removed=2, others=(2, 1)),
    FilePlan(at("docs/cache.md"), "a", "a", "b", met=1, others=(1, 1)),
)
GAP = Gap(at("web/node_modules"), 212, "ignored", 2, 0.0)


async def rewind(story: Story) -> None:
    await _opened(story)
    await story.press("down")
    await story.until(lambda: _page(story)._plan is not None and _page(story)._shown().lit)


async def rewind_files(story: Story) -> None:
    await rewind(story)
    await story.press("enter", "down", "down", "m")


async def _opened(story: Story) -> None:
    session = story.app.turns.session
    assert session is not None
    _tell(session.rewinds)
    for number, words in enumerate(SAID, 1):
        story.hear(TurnStarted(number), UserMessage(words), TurnEnded("end_turn"), after=480)
    story.app.commands.rewind()
    await story.until(lambda: len(story.app.screen_stack) == 2 and _page(story)._plan is not None)
    await story.until(lambda: len(_page(story)._made) == len(SAID))


def _tell(rewinds: Rewinds) -> None:
    rewinds.made_in = MADE.__getitem__  # pyright: ignore[reportAttributeAccessIssue]
    rewinds.plan = lambda turn: Plan(turn, 4 - turn, 9, FILES, gaps=(GAP,), commands=2)  # pyright: ignore[reportAttributeAccessIssue]


def _page(story: Story):
    return story.app.screen
