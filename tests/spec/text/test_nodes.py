"""Values with positions: merging, following a path, words for messages."""

import pytest

from gradcheck_cli.spec.text.nodes import Mark, describe, holds_broken, merged, plain, resolve, shortened


def test_mappings_merge_key_by_key_and_the_rest_is_replaced(document):
    below = document("a: {x: 1, y: {p: 1, q: 2}}\nb: [1, 2]\nc: 1\n")[0]
    above = document("\n\na: {y: {q: 3}, z: 4}\nb: [3]\nd: 5\n")[0]
    both = merged(below, above)
    assert plain(both) == {"a": {"x": 1, "y": {"p": 1, "q": 3}, "z": 4}, "b": [3], "c": 1, "d": 5}
    assert both.keys == {"a": Mark(3, 1), "b": Mark(4, 1), "c": Mark(3, 1), "d": Mark(5, 1)}
    assert plain(below)["a"] == {"x": 1, "y": {"p": 1, "q": 2}}


def test_other_kind_of_value_replaces_a_mapping(document):
    both = merged(document("a: {x: 1}\nb: 2")[0], document("a: 3\nb: {y: 4}")[0])
    assert plain(both) == {"a": 3, "b": {"y": 4}}


def test_path_is_followed_past_steps_that_lead_nowhere(document):
    node = document("a: [{b: 7}]")[0]
    taken, found = resolve(node, ["a", "list[union]", 0, "b", "int"])
    assert (taken, plain(found)) == (["a", 0, "b"], 7)
    assert resolve(node, ["a", 3])[0] == ["a"]


def test_keys_can_be_left_out(document):
    table = document("a: 1\nb: 2\n")[0].without({"a", "z"})
    assert plain(table) == {"b": 2}
    assert list(table.keys) == ["b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{a: 1}", "a mapping"),
        ("[1]", "a list"),
        ("~", "empty"),
        ("true", "true"),
        ("1e-2", "the number 1e-2"),
        ("abc", "the text 'abc'"),
        ("'x\n\n  y'", "the text 'x...'"),
        ("y" * 50, "the text '" + "y" * 40 + "...'"),
    ],
)
def test_value_is_described_in_words(document, text, words):
    assert describe(document(text)[0]) == words


def test_short_text_stays_as_it_is():
    assert shortened("abc") == "abc"
    assert shortened("abcdef", 3) == "abc..."


def test_what_was_reported_is_found_at_any_depth(document):
    assert holds_broken(document("a: [{b: *x}]")[0])
    assert not holds_broken(document("a: [{b: x}]")[0])
