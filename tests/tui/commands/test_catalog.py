"""What a line that begins with a slash means."""

from tui.commands.catalog import ALIASES, COMMANDS, INSTEAD, Unknown, parse


def test_every_command_is_found_by_its_name() -> None:
    for command in COMMANDS:
        assert parse(f"/{command.name}") == (command, "")
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)


def test_what_follows_is_the_argument() -> None:
    found = parse("/export  notes of today.txt \n")
    assert isinstance(found, tuple)
    assert (found[0].name, found[1]) == ("export", "notes of today.txt")


def test_what_is_no_command_is_a_message() -> None:
    for text in ("", "hello", "/usr/bin/env is missing", " /clear", "/", "// a comment", "a /clear"):
        assert parse(text) is None


def test_an_unknown_command_names_the_nearest() -> None:
    for text, near in (("/claer", "/clear"), ("/mod", "/mode"), ("/exprot x", "/export")):
        found = parse(text)
        assert isinstance(found, Unknown)
        assert f"nearest: {near}." in found.sentence


def test_an_unknown_command_like_no_other_says_how_to_send_it() -> None:
    found = parse("/zzzzzz")
    assert isinstance(found, Unknown)
    assert found.sentence.startswith("There is no command /zzzzzz. ")
    assert "blank before it" in found.sentence


def test_what_is_said_instead_can_be_read_on_80_columns() -> None:
    assert {name: said for name, said in INSTEAD.items() if len(said) > 77} == {}


def test_a_command_that_takes_nothing_says_so() -> None:
    found = parse("/quit now")
    assert found == Unknown("/quit takes nothing after it.")


def test_habits_lead_to_a_command_of_ours_or_to_a_sentence() -> None:
    names = {command.name for command in COMMANDS}
    assert set(ALIASES.values()) <= names and not (set(ALIASES) | set(INSTEAD)) & names
    assert isinstance(found := parse("/exit"), tuple) and found[0].name == "quit"
    assert parse("/compact keep the plan") == Unknown(INSTEAD["compact"])
    assert all(sentence.endswith(".") and len(sentence) < 118 for sentence in INSTEAD.values())


def test_capitals_do_not_matter() -> None:
    found = parse("/Clear")
    assert isinstance(found, tuple) and found[0].name == "clear"


def test_our_own_words_use_only_characters_of_one_width() -> None:
    assert all((command.remark + command.hint + command.name).isascii() for command in COMMANDS)
