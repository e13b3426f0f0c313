from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given

from gradcheck_cli.report.xml_text import xml_text
from tests.report.hostile import hostile_text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain <&\"'>", "plain <&\"'>"),
        ("a\x00\x08\x0b\x0c\x1f\x1bb", "ab"),
        ("tab\tline\nreturn\r", "tab\tline\nreturn\r"),
        ("\ud800\udfff\ufffe\uffff", ""),
        ("\x7f\x85\ud7ff\ue000\ufffd\U00010000\U0010ffff", "\x7f\x85\ud7ff\ue000\ufffd\U00010000\U0010ffff"),
    ],
)
def test_only_what_xml_forbids_is_removed(text: str, left: str) -> None:
    assert xml_text(text) == left


@given(hostile_text)
def test_what_is_left_comes_back_from_an_attribute(text: str) -> None:
    element = ElementTree.Element("a", {"name": xml_text(text)})
    assert ElementTree.fromstring(ElementTree.tostring(element)).attrib["name"] == xml_text(text)
