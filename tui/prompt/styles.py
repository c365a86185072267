"""The colours of the prompt: bar and chevron in the hue of the mode, all grey while a question has the keys."""

from __future__ import annotations

# The permission modes and the theme's word for each.
MODES = {
    "default": "default",
    "acceptEdits": "edits",
    "plan": "plan",
    "auto": "auto",
    "dontAsk": "dontask",
    "bypassPermissions": "bypass",
}

_BASE = """
PromptArea {
    height: auto;
    max-height: 8;
    border: none;
    padding: 0 1 0 3;
    color: $foreground;
    background: $block;
    scrollbar-size: 0 0;
    &:focus { border: none; }
    &.roomy { padding: 1 1 1 3; max-height: 10; }
    &.asked { max-height: 16vh; }
    &:dark .text-area--cursor { color: $block; background: $foreground; text-style: none; }
    &:light .text-area--cursor { color: $block; background: $foreground; text-style: none; }
    & .text-area--placeholder { color: $dim; }
    & .text-area--selection { color: $foreground; background: $pick; }
    & .prompt-area--mention { color: $run; }
    & .prompt-area--bar { background: $mode-default; }
    & .prompt-area--chevron { color: $mode-default; text-style: bold; }
"""
_QUIET = """
    &.quiet { height: 1; padding: 0 1 0 3; color: $dim; background: $background; }
    &.quiet .prompt-area--bar { background: $line; }
    &.quiet .prompt-area--chevron { color: $line; }
    &.quiet .prompt-area--mention { color: $dim; }
    &.quiet .text-area--placeholder { color: $background; }
}
"""


def mode_class(mode: str) -> str:
    return f"-mode-{MODES.get(mode, 'default')}"


def _of_mode(word: str) -> str:
    return f"""
    &.-mode-{word} .prompt-area--bar {{ background: $mode-{word}; }}
    &.-mode-{word} .prompt-area--chevron {{ color: $mode-{word}; }}
"""


CSS = _BASE + "".join(map(_of_mode, MODES.values())) + _QUIET
