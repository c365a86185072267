"""Gathers what the welcome and the status line say: the branch, the rules, the instructions, the last session."""

from __future__ import annotations

import os
import subprocess

from agent.context.reminders import branch_of
from agent.model.prices import window_of
from agent.session import Session
from agent.store.sessions import SessionInfo
from tools.bash.environment import find_program, for_command
from tools.bash.git_config import git_config_is_safe
from tools.view import ViewContext
from tui.controllers.scene import GitFacts
from tui.screens.welcome import InstructionFact, Latest, RuleCounts, Welcome, WelcomeNotice

GIT_SECONDS = 5.0
EXAMPLES = ("explain how this project is built", "find the slowest test and make it faster", "review what I changed")
TOUR_EXAMPLE = "press Enter, and the tour begins"


def git_facts(folder: str) -> GitFacts:
    """Not for the event loop. Git itself is asked only where its settings let a read run nothing else."""
    branch = branch_of(folder)
    if not branch or not git_config_is_safe(folder):
        return GitFacts(branch)
    git = find_program("git", os.environ, (folder,))
    if git is None:
        return GitFacts(branch)
    env = {**for_command(os.environ), "GIT_OPTIONAL_LOCKS": "0"}
    asked = [git, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "status", "--porcelain", "-z"]
    try:
        told = subprocess.run(
            asked, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return GitFacts(branch)
    return GitFacts(branch, sum(len(entry) > 3 and entry[2:3] == b" " for entry in told.stdout.split(b"\0")))


def welcome_of(
    session: Session, ctx: ViewContext, git: GitFacts, latest: SessionInfo | None, version: str, tour: bool
) -> Welcome:
    rules = session.policy.rules.rules
    kinds = [rule.kind for rule in rules]
    return Welcome(
        version=version,
        folder=_said(ctx),
        model="the built-in tour" if tour else session.about.model,
        mode=session.policy.mode,
        connected=not tour,
        context_tokens=None if tour else window_of(session.about.model),
        branch=git.branch,
        changed_files=git.changed,
        instructions=tuple(
            InstructionFact(ctx.short(file.path), file.text.count("\n") + 1) for file in session.about.instructions
        ),
        rules=RuleCounts(
            kinds.count("allow"),
            kinds.count("ask"),
            kinds.count("deny"),
            len({rule.source.file for rule in rules if rule.source.file}),
        ),
        watch_trouble=session.watcher.problem,
        notices=tuple(_notice(text, ctx) for text in session.to_announce),
        latest=Latest(latest.id, latest.title, latest.last_used) if latest is not None else None,
        examples=(TOUR_EXAMPLE,) if tour else EXAMPLES,
    )


def _said(ctx: ViewContext) -> str:
    if ctx.folder == ctx.home:
        return "~"
    return ViewContext("", ctx.home).short(ctx.folder)


def _notice(text: str, ctx: ViewContext) -> WelcomeNotice:
    """`path:line: what is wrong. What follows.` in its parts, as far as it has them."""
    where, colon, rest = text.partition(": ")
    placed = bool(colon) and os.path.isabs(where)
    first, dot, advice = (rest if placed else text).partition(". ")
    return WelcomeNotice(first.rstrip("."), ctx.short(where) if placed else "", "", advice if dot else "")
