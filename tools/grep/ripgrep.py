"""What ripgrep is told for one search, and what it means when it complains."""

from __future__ import annotations

from tools.grep.reading import LONGEST_LINE
from tools.grep.tool import GrepInput
from tools.search.ripgrep import common_arguments
from tools.search.root import Root

# The exit code of ripgrep, and of our own program, when something could not be done.
FAILED = 2
# In bytes: a line it cuts is always longer than what is shown of it, so that its own words on that are never seen.
LINE_BYTES = 4 * LONGEST_LINE
ALSO_SKIPPED = ("node_modules",)


def arguments(input: GrepInput, root: Root, *, in_order: bool = False) -> list[str]:
    """In order of the paths it searches with one thread only, which takes twice as long where there are two."""
    given = common_arguments(root, ALSO_SKIPPED)
    if in_order:
        given.append("--sort=path")
    match input.output_mode:
        case "files_with_matches":
            given.append("--files-with-matches")
        case "count":
            # Across lines it would count now lines, now matches, as the pattern has it.
            given += ["--count-matches" if input.multiline else "--count", "--with-filename"]
        case "content":
            given += _for_content(input)
    if input.ignore_case:
        given.append("--ignore-case")
    # Lines that end in \r\n end there for `$`, too; across lines that would change what \r means.
    given += ["--multiline", "--multiline-dotall"] if input.multiline else ["--crlf"]
    return [*given, *_which_files(input), f"--regexp={input.pattern}", "--", root.target]


def in_words(message: str) -> str:
    """Ripgrep's complaint without its advice on options that only a shell could give."""
    told = message.split("\n\nConsider enabling", 1)[0].removeprefix("rg: ")
    if "not allowed in a regex" in told:
        told += ". Set `multiline` to match across lines"
    if "unrecognized file type" in told:
        told += ". Use `glob` instead, such as `*.py`"
    return f"The search was not run: {told}"


def _for_content(input: GrepInput) -> list[str]:
    around = input.around or 0
    return [
        "--line-number",
        "--with-filename",
        "--no-heading",
        "--no-context-separator",
        f"--max-columns={LINE_BYTES}",
        "--max-columns-preview",
        f"--before-context={around if input.before is None else input.before}",
        f"--after-context={around if input.after is None else input.after}",
    ]


def _which_files(input: GrepInput) -> list[str]:
    """A type, and what narrows the search to the glob.

    `--glob` of what is wanted would bring back files that ignore files exclude. So a wanted glob becomes a type of
    its own here, as far as one can say it, and what is found is held against the whole of it afterwards.
    """
    given = [f"--type={input.type}"] if input.type else []
    glob = input.glob or ""
    name = glob.removeprefix("**/")
    if glob.startswith("!"):
        given.append(f"--glob={glob}")
    elif name and not input.type and "/" not in name and ":" not in name:
        given += [f"--type-add=asked:{name}", "--type=asked"]
    return given
