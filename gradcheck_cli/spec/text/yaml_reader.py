"""Strict YAML: from text to values with positions, refusing what a spec has no use for.

The parser's events are read, not its composed nodes: composing recurses and resolves aliases
before anybody can object, while a loop over events stops at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

import yaml

from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.text.nodes import Listing, Mark, Node, Scalar, Table
from gradcheck_cli.spec.text.problems import Problems
from gradcheck_cli.spec.text.scalars import read_plain
from gradcheck_cli.spec.text.yaml_errors import mark_of, report_yaml_error

LARGEST_FILE = 1 << 20
DEEPEST = 40
MOST_DOCUMENTS = 10_000

_START = Mark(1, 1)

EVENT_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Written as what is refused: the pattern of all that is allowed takes 5 ms to compile.
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")


def decode(data: bytes | str, shown: str) -> tuple[str, Problems]:
    """Return the text of a file, with line ends as newlines, and a collector for its problems.

    Raises SpecError for a file that is too large, is no UTF-8, or holds control characters.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > LARGEST_FILE:
        _refuse(Problems(shown), _START, "the file is larger than 1 MiB", "too-large", "split it")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8").removeprefix("\ufeff")
        problems = Problems(shown, tuple(_unix_lines(raw.decode("utf-8", "replace")).split("\n")))
        hint = "it looks like UTF-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "save the file as UTF-8"
        _refuse(problems, _end_of(_unix_lines(before)), f"not UTF-8: byte 0x{raw[error.start]:02x}", "not-utf8", hint)
    text = _unix_lines(text.removeprefix("\ufeff"))
    problems = Problems(shown, tuple(text.split("\n")))
    unreadable = _UNREADABLE.search(text)
    if unreadable:
        message = f"the control character U+{ord(unreadable[0]):04X} stands here"
        _refuse(problems, _end_of(text[: unreadable.start()]), message, "control-character", "delete it")
    return text, problems


def read_documents(text: str, problems: Problems) -> list[Node]:
    """Return the documents of a decoded file. What is wrong but can be read past goes to `problems`.

    Raises SpecError, with these problems, for a text that is no YAML or is nested too deeply.
    """
    builder = _Builder(problems)
    last = _START
    try:
        for event in _events(text):
            last = mark_of(event.start_mark) or last
            builder.take(event, last)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        report_yaml_error(error, problems, last)
        problems.raise_any()
    return builder.documents


def _events(text: str) -> Iterator[yaml.Event]:
    return yaml.parse(text, Loader=EVENT_LOADER)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _end_of(text: str) -> Mark:
    return Mark(text.count("\n") + 1, len(text) - text.rfind("\n"))


def _refuse(problems: Problems, mark: Mark, message: str, code: str, hint: str) -> None:
    problems.add(mark, message, code, hint)
    problems.raise_any()


@dataclass
class _Frame:
    """A mapping or list that is being read. `key` waits for its value; `skipping` drops the next one."""

    node: Table | Listing
    key: str | None = None
    key_mark: Mark = _START
    skipping: bool = False


@dataclass
class _Builder:
    """Builds values from events with a stack of its own."""

    problems: Problems
    documents: list[Node] = field(default_factory=list)
    stack: list[_Frame] = field(default_factory=list)

    def take(self, event: yaml.Event, mark: Mark) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._refuse_alias(event, mark)
            self._attach(Scalar(mark, None, broken=True))
        elif isinstance(event, yaml.ScalarEvent):
            self._refuse_properties(event, mark)
            self._attach(self._scalar(event, mark))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._refuse_properties(event, mark)
            if len(self.stack) >= DEEPEST:
                _refuse(self.problems, mark, f"nested deeper than {DEEPEST} levels", "too-deep", "")
            self.stack.append(_Frame(Table(mark) if isinstance(event, yaml.MappingStartEvent) else Listing(mark)))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._attach(self.stack.pop().node)

    def _attach(self, node: Node) -> None:
        """Put a finished value where it belongs."""
        if not self.stack:
            if len(self.documents) >= MOST_DOCUMENTS:
                _refuse(self.problems, node.mark, f"more than {MOST_DOCUMENTS:,} documents", "too-large", "split it")
            self.documents.append(node)
            return
        frame = self.stack[-1]
        if isinstance(frame.node, Listing):
            frame.node.items.append(node)
        elif frame.skipping:
            frame.skipping = False
        elif frame.key is None:
            self._key(frame, frame.node, node)
        else:
            frame.node.items[frame.key] = node
            frame.node.keys[frame.key] = frame.key_mark
            frame.key = None

    def _key(self, frame: _Frame, table: Table, node: Node) -> None:
        frame.skipping = True  # until the key turns out to be one
        if not isinstance(node, Scalar):
            self.problems.add(node.mark, "a key should be a text, not a list or a mapping", "not-text-key")
        elif node.broken:
            pass
        elif not isinstance(node.value, str):
            written = f"'{node.text}'" if node.text else "an empty key"
            hint = f"quote it: '{node.text}'" if node.text else "a name is missing before the ':'"
            self.problems.add(node.mark, f"a key should be a text: {written} is none", "not-text-key", hint)
        elif node.value == "<<" and not node.style:
            hint = "keys at the top of a document are defaults for all of its cases"
            self.problems.add(node.mark, "merge keys (<<) are refused", "merge-key", hint)
        elif node.value in table.keys:
            message = f"duplicate key '{node.value}'"
            hint = f"it stands on line {table.keys[node.value].line} already"
            self.problems.add(node.mark, message, "duplicate-key", hint)
        else:
            frame.key, frame.key_mark, frame.skipping = node.value, node.mark, False

    def _scalar(self, event: yaml.ScalarEvent, mark: Mark) -> Scalar:
        text, style = str(event.value), event.style or ""
        control = _CONTROL.search(text)
        if control:
            message = f"a text holds the control character U+{ord(control[0]):04X}"
            self.problems.add(mark, message, "control-character", "leave it out")
            return Scalar(mark, None, broken=True)
        if event.tag is not None:
            return Scalar(mark, None, broken=True)
        if style:
            return Scalar(mark, text, text, style)
        try:
            return Scalar(mark, read_plain(text), text)
        except ValueError as error:
            self.problems.add(mark, str(error), "number-too-large")
            return Scalar(mark, None, broken=True)

    def _refuse_alias(self, event: yaml.AliasEvent, mark: Mark) -> None:
        hint = f"quote a text that begins with a star: '*{event.anchor}'"
        self.problems.add(mark, f"'*{event.anchor}' is an alias of YAML: aliases are refused", "alias", hint)

    def _refuse_properties(
        self, event: yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent, mark: Mark
    ) -> None:
        if event.anchor is not None:
            message = f"'&{event.anchor}' is an anchor of YAML: anchors are refused"
            self.problems.add(mark, message, "anchor", "write the value out where it is needed")
        if event.tag is not None:
            message = f"'{event.tag}' is a tag of YAML: tags are refused"
            self.problems.add(mark, message, "tag", "quote a text that begins with an exclamation mark")
