"""Strict YAML: values with positions, and a sentence for everything that is refused."""

import pytest
import yaml

from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.text import yaml_reader
from gradcheck_cli.spec.text.nodes import Listing, Mark, Scalar, Table, plain
from gradcheck_cli.spec.text.yaml_reader import decode, read_documents


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def both_parsers(request, monkeypatch):
    """PyYAML's own parser stands in where libyaml isn't installed: both say the same."""
    if request.param == "python":
        monkeypatch.setattr(yaml_reader, "EVENT_LOADER", yaml.SafeLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML without libyaml")


def read(data):
    text, found = decode(data, "spec.yaml")
    return read_documents(text, found), found


def refusals(data):
    with pytest.raises(SpecError) as caught:
        read(data)[1].raise_any()
    return [f"{p.location.line}:{p.location.column} {p.message} [{p.code}]" for p in caught.value.problems]


def test_values_are_read_with_their_positions():
    documents, found = read("a: 1\nb:\n  - x y\n  - {c: 'q'}\n")
    assert len(found) == 0
    top = documents[0]
    assert plain(top) == {"a": 1, "b": ["x y", {"c": "q"}]}
    assert isinstance(top, Table)
    assert (top.mark, top.keys) == (Mark(1, 1), {"a": Mark(1, 1), "b": Mark(2, 1)})
    listing = top.items["b"]
    assert isinstance(listing, Listing)
    assert [item.mark for item in listing.items] == [Mark(3, 5), Mark(4, 5)]
    assert listing.items[1].keys["c"] == Mark(4, 6)
    assert listing.items[1].items["c"].mark == Mark(4, 9)


def test_only_unquoted_words_are_numbers():
    documents, _ = read("[1, '1', \"true\", true, on, null, ~, '']")
    assert plain(documents[0]) == [1, "1", "true", True, "on", None, None, ""]


def test_several_documents_are_read():
    documents, _ = read("---\na: 1\n---\nb: 2\n...\n")
    assert [plain(document) for document in documents] == [{"a": 1}, {"b": 2}]


def test_byte_order_mark_and_line_ends_of_windows_are_read():
    documents, found = read("\ufeffa: 1\r\nb: |\r\n  x\r\n  y\r\n".encode())
    assert plain(documents[0]) == {"a": 1, "b": "x\ny\n"}
    assert documents[0].keys["b"] == Mark(2, 1)
    assert found.lines[1] == "b: |"


def test_bytes_and_text_are_the_same():
    assert plain(read("a: ü")[0][0]) == plain(read("a: ü".encode())[0][0]) == {"a": "ü"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\na: 2\n", ["2:1 duplicate key 'a' [duplicate-key]"]),
        (
            "x: {b: 1, 'b': 2, b: 3}",
            ["1:11 duplicate key 'b' [duplicate-key]", "1:19 duplicate key 'b' [duplicate-key]"],
        ),
        ("a: &here 1", ["1:4 '&here' is an anchor of YAML: anchors are refused [anchor]"]),
        (
            "a: &l [1]\nb: *l\n",
            [
                "1:4 '&l' is an anchor of YAML: anchors are refused [anchor]",
                "2:4 '*l' is an alias of YAML: aliases are refused [alias]",
            ],
        ),
        (
            "a: !!python/name:os.system 1",
            ["1:4 'tag:yaml.org,2002:python/name:os.system' is a tag of YAML: tags are refused [tag]"],
        ),
        ("a: !own [1]", ["1:4 '!own' is a tag of YAML: tags are refused [tag]"]),
        ("<<: {a: 1}\nb: 2", ["1:1 merge keys (<<) are refused [merge-key]"]),
        ("1: a", ["1:1 a key should be a text: '1' is none [not-text-key]"]),
        ("true: a", ["1:1 a key should be a text: 'true' is none [not-text-key]"]),
        ("{'': 1, ~: a}", ["1:9 a key should be a text: '~' is none [not-text-key]"]),
        ("? [a]\n: 1", ["1:3 a key should be a text, not a list or a mapping [not-text-key]"]),
        (
            "? {a: b}\n: {a: b, a: c}",
            [
                "1:3 a key should be a text, not a list or a mapping [not-text-key]",
                "2:10 duplicate key 'a' [duplicate-key]",
            ],
        ),
        ("a: 1e999", ["1:4 the number is too large for a float64 [number-too-large]"]),
        ('a: "x\\u0007y"', ["1:4 a text holds the control character U+0007 [control-character]"]),
    ],
)
def test_what_a_spec_has_no_use_for_is_refused(text, expected):
    assert refusals(text) == expected


@pytest.mark.parametrize("text", ["'<<': 1", "'1': a", "on: 1", "a: '&x'", "a: 'x: y'", "a: b*c", "a: 'é\\n'"])
def test_what_only_looks_like_it_is_read(text):
    documents, found = read(text)
    assert len(found) == 0
    assert len(plain(documents[0])) == 1


def test_reading_goes_on_behind_what_is_refused():
    documents, found = read("a: *x\nb: 1\nb: 2\nc: !t 3\nd: 4\n")
    assert plain(documents[0]) == {"a": None, "b": 1, "c": None, "d": 4}
    assert documents[0].items["a"].broken
    assert documents[0].items["c"].broken
    assert len(found) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b: c", "1:5 not YAML: a ':' that can't stand here [not-yaml]"),
        ("a: 1\n b: 2\n", "2:3 not YAML: a ':' that can't stand here [not-yaml]"),
        ("expr: x\nparams\n  x: 3\n", "2:1 not YAML: this line is neither 'key: value' nor a list item [not-yaml]"),
        ("a: [1, 2\nb: 3\n", "2:2 not YAML: a list that opened on line 1 isn't closed [not-yaml]"),
        ("a: 'x\nb: 1\n", "1:4 not YAML: the quote that opens here is never closed [not-yaml]"),
        ("a: @x", "1:4 not YAML: a text can't begin with this character [not-yaml]"),
        ("a:\n\t- 1\n", "2:1 a tab indents this line [not-yaml]"),
        ("a:\n  b: 1\n\tc: 2\n", "3:1 a tab indents this line [not-yaml]"),
        ("- 1\na: 2\n", "2:1 not YAML: this line doesn't fit what stands above it [not-yaml]"),
        ("a: 1\n...\nb\n", "3:1 not YAML: text after the end of a document [not-yaml]"),
        ("x: ]", "1:4 not YAML: a value is missing here [not-yaml]"),
        ("%YAML 3.0\n---\na: 1", "1:1 not YAML: a version of YAML that isn't known here [not-yaml]"),
    ],
)
def test_text_that_is_no_yaml_gives_one_error_in_plain_words(text, expected):
    assert refusals(text) == [expected]


@pytest.mark.parametrize(
    "text", ['a: "\\q"', 'a: "\\UFFFFFFFF"', 'a: "\\ud800"', "{a: 1", "a: |x\n", "a: %b", "a: >5\n x"]
)
def test_other_text_that_is_no_yaml_gives_one_error_inside_the_file(text):
    found = refusals(text)
    assert len(found) == 1
    line, column = map(int, found[0].split(" ")[0].split(":"))
    assert (1, 1) <= (line, column) <= (len(text.split("\n")), len(text) + 1)


def test_error_shows_line_and_what_to_do():
    with pytest.raises(SpecError) as caught:
        read("a: 1\na: 2\n")[1].raise_any()
    assert str(caught.value) == (
        "spec.yaml:2:1: error: duplicate key 'a' [duplicate-key]\n  a: 2\n  ^\n  hint: it stands on line 1 already"
    )


def test_problems_before_the_end_of_yaml_are_said_too():
    found = refusals("a: 1\na: 2\nb: [1\n")
    assert [text.split("[")[1] for text in found] == ["duplicate-key]", "not-yaml]"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a: 1\nb: \xff\n", "2:4 not UTF-8: byte 0xff [not-utf8]"),
        ("a: ü\n".encode("latin-1"), "1:4 not UTF-8: byte 0xfc [not-utf8]"),
        ("a: 1\n".encode("utf-16"), "1:1 not UTF-8: byte 0xff [not-utf8]"),
        ("é: \x07", "1:4 the control character U+0007 stands here [control-character]"),
        ("a: 1\nb: x\x1b[31m\n", "2:5 the control character U+001B stands here [control-character]"),
        ("a: b\x00", "1:5 the control character U+0000 stands here [control-character]"),
        ("a: b\u2028c", "1:5 the control character U+2028 stands here [control-character]"),
        ("a: b\x85c", "1:5 the control character U+0085 stands here [control-character]"),
        ("a: \ufeffc", "1:4 the control character U+FEFF stands here [control-character]"),
    ],
)
def test_bytes_that_are_no_text_are_refused(data, expected):
    assert refusals(data) == [expected]


def test_lone_surrogate_of_a_broken_pipe_is_refused():
    assert refusals("a: \udc80") == ["1:4 not UTF-8: byte 0xed [not-utf8]"]


def test_file_may_have_a_mebibyte_and_no_more():
    fitting = b"a: 1\n#" + b"x" * (yaml_reader.LARGEST_FILE - 6)
    assert plain(read(fitting)[0][0]) == {"a": 1}
    assert refusals(fitting + b"x") == ["1:1 the file is larger than 1 MiB [too-large]"]


def test_values_may_be_forty_deep_and_no_deeper():
    def nested(depth):
        return "[" * depth + "1" + "]" * depth

    assert isinstance(read(nested(yaml_reader.DEEPEST))[0][0], Listing)
    assert refusals(nested(yaml_reader.DEEPEST + 1)) == ["1:41 nested deeper than 40 levels [too-deep]"]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_any_depth_ends_quickly(opening):
    found = refusals(opening * 100_000)
    assert len(found) == 1
    assert "nested" in found[0]


def test_number_of_documents_is_bounded():
    assert refusals("---\n" * 20_000)[0].endswith("more than 10,000 documents [too-large]")


def test_reading_stops_after_a_thousand_problems():
    found = refusals("{" + "a, " * 5000 + "}")
    assert len(found) == 1001
    assert found[-1].endswith("1,000 problems: the rest of the file was not read [too-many]")


def test_long_line_is_not_shown():
    with pytest.raises(SpecError) as caught:
        read("{a: 1, a: 2, b: '" + "x" * 500 + "'}")[1].raise_any()
    assert caught.value.problems[0].source == ""


def test_empty_text_has_no_document():
    assert read("")[0] == []
    assert read("# only a comment\n")[0] == []


def test_scalar_remembers_how_it_was_written():
    documents, _ = read("- 1e-2\n- 'a'\n- |\n  b\n- >-\n  c\n")
    written = [(item.text, item.style) for item in documents[0].items if isinstance(item, Scalar)]
    assert written == [("1e-2", ""), ("a", "'"), ("b\n", "|"), ("c", ">")]
