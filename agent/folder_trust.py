"""The question whether a folder is trusted, and the person's yes to it in a session that already runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from agent.context.instructions import Instructions, read_instructions
from agent.policy import SessionPolicy
from agent.settings.brought import Brought, what_folder_brings
from agent.settings.merge import Flags, Settings, load_settings
from agent.settings.trust import may_be_kept, trust


@dataclass(frozen=True, slots=True)
class FolderTrust:
    """`take`: what the session does with what counts from now on."""

    folder: str
    home: str
    flags: Flags
    policy: SessionPolicy
    take: Callable[[Settings, Instructions], None]

    def to_ask_about(self) -> tuple[Brought, ...]:
        """What the folder brings and the person has not allowed yet; nothing where there is no question."""
        return () if self.policy.settings.trusted else what_folder_brings(self.folder, self.home)

    @property
    def would_be_kept(self) -> bool:
        """Whether a yes holds longer than this run."""
        return may_be_kept(os.path.realpath(self.folder))

    def unused(self) -> str:
        """For whoever cannot be asked: what is left aside, and how to use it; empty where nothing is."""
        kinds = Counter(one.what for one in self.to_ask_about())
        if not kinds:
            return ""
        listed = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds.items())
        return f"This folder is not trusted, so what it brings is not used ({listed}). Add --trust to use it."

    def give(self) -> bool:
        """Trust the folder, and use what it brings from now on. False where that holds for this run only."""
        kept = trust(self.folder)
        settings = load_settings(self.folder, self.home, replace(self.flags, trusted=True))
        self.take(settings, read_instructions(self.folder, self.home, settings.trusted))
        return kept
