"""What a model may write as the input of a call, and what of it is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.model.inputs import INPUT_CHARS, Invalid, parse_input

CUT = [
    '{"command":"rm -rf /tmp/build/x","timeout":120',
    '{"a":[1,2,3',
    '{"command":"rm -rf /tmp/bui',
    "{",
    '{"a":1,',
]


def problem(raw: str) -> str:
    read = parse_input(raw)
    assert isinstance(read, Invalid)
    # Whatever came, it can be stored and sent back.
    json.dumps(read.kept, ensure_ascii=False).encode()
    return read.problem


@pytest.mark.parametrize("raw", ["{oops}", "{'a': 1}", '{"a": 1} trailing', '{"a": "\x00"}', "{} {}"])
def test_T4_invalid_json_is_kept_as_it_came_and_named(raw: str) -> None:
    read = parse_input(raw)
    assert isinstance(read, Invalid)
    assert read.kept == {"INVALID_JSON": raw}
    assert "not run" in read.problem


@pytest.mark.parametrize("raw", CUT)
def test_T5_input_cut_is_never_completed(raw: str) -> None:
    assert "not valid JSON" in problem(raw)


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9), min_size=1, max_size=4), st.data())
def test_T5_no_proper_prefix_of_an_input_is_read_as_an_input(value: dict[str, Any], data: st.DataObject) -> None:
    raw = json.dumps(value)
    cut = data.draw(st.integers(1, len(raw) - 1))
    assert isinstance(parse_input(raw[:cut]), Invalid)


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ("[]", "a list"),
        ('"x"', "a string"),
        ("null", "null"),
        ("5", "a number"),
        ("1.5", "a number"),
        ("true", "a boolean"),
    ],
)
def test_T6_an_input_that_is_no_object_is_refused_by_its_kind(raw: str, named: str) -> None:
    assert problem(raw).endswith(f"not {named}.")


@pytest.mark.parametrize("raw", ["", "  \n"])
def test_T7_no_input_at_all_is_an_empty_object(raw: str) -> None:
    assert parse_input(raw) == {}


def test_T13_of_a_key_written_twice_the_last_counts_once_and_for_all() -> None:
    assert parse_input('{"a":1,"a":2}') == {"a": 2}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000])
def test_T14_what_is_no_plain_number_is_refused(number: str) -> None:
    problem(f'{{"n": [{number}]}}')


@pytest.mark.parametrize("depth", [65, 500, 100_000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")])
def test_T15_deep_nesting_is_refused(depth: int, pair: tuple[str, str]) -> None:
    opening, closing = pair
    assert "nested" in problem('{"a":' + opening * depth + "1" + closing * depth + "}")


def test_T15_ordinary_nesting_is_read() -> None:
    assert parse_input('{"a":' + "[" * 60 + "]" * 60 + "}") is not None
    assert not isinstance(parse_input('{"a":' + "[" * 60 + "]" * 60 + "}"), Invalid)


@pytest.mark.parametrize("raw", ['{"a": "\\ud800"}', '{"\\udc00": 1}', '{"a": ["x\\ud83d"]}', '{"a": "\ud800"}'])
def test_T16_half_a_surrogate_pair_is_refused_and_breaks_nothing(raw: str) -> None:
    problem(raw)


def test_T16_a_pair_that_came_in_two_halves_is_one_character() -> None:
    assert parse_input('{"a": "\ud83d\ude00"}') == {"a": "😀"}
    assert parse_input('{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


def test_T17_a_huge_input_is_refused_and_only_its_beginning_kept() -> None:
    read = parse_input('{"a": "' + "x" * INPUT_CHARS + '"}')
    assert isinstance(read, Invalid)
    assert "split the work" in read.problem
    assert len(read.kept["INVALID_JSON"]) < 30_000


@given(st.text())
def test_nothing_a_model_writes_raises(raw: str) -> None:
    read = parse_input(raw)
    assert isinstance(read, dict | Invalid)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.booleans())
def test_a_valid_object_is_read_as_it_was_written(value: dict[str, Any], ascii_only: bool) -> None:
    assert parse_input(json.dumps(value, ensure_ascii=ascii_only)) == value
