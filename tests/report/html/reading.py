"""A page of HTML as a test reads it, by the standard library's parser: elements, their attributes and their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def kinds(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def all(self, name: str = "", kind: str = "") -> Iterator[Element]:
        """Yield what is inside, of a name and a class where these are given."""
        for child in self.children:
            if isinstance(child, Element):
                if name in ("", child.name) and (not kind or kind in child.kinds):
                    yield child
                yield from child.all(name, kind)

    def first(self, name: str = "", kind: str = "") -> Element:
        return next(self.all(name, kind))

    def lines(self) -> list[str]:
        """Return the text, line by line, without indentation and empty lines."""
        return [line.strip() for line in self.text.split("\n") if line.strip()]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: {tag} {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes {self.open[-1].name}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(page: str) -> Element:
    """Parse a page or a part of one; fails the test where tags aren't closed in order."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, f"never closed: {[element.name for element in reader.open[1:]]}"
    return reader.root
