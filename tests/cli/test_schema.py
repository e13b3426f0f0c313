"""`gradcheck schema`: one JSON document, the same for everybody, that an editor can use at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.spec.spec_texts import documents_of


def test_it_prints_a_schema_that_takes_a_right_spec_and_refuses_a_wrong_one(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("schema")
    assert (ended.code, ended.err) == (0, "")
    schema = Draft7Validator(ended.json)
    assert schema.is_valid({"expr": "tanh(x)", "params": {"x": 3}})
    assert not schema.is_valid({"expr": "tanh(x)", "parms": {"x": 3}})


def test_operators_have_one_of_their_own(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("schema", "--operators")
    assert (ended.code, ended.err) == (0, "")
    schema = Draft7Validator(ended.json)
    for right in ([{"pairs": "layers.py"}], {"ops": [{"relu": {"function": "net.py:ReLU"}}]}):
        assert schema.is_valid(right)
    for wrong in ([3], {"expr": "tanh(x)"}, {"ops": [{"relu": {"function": "net.py:ReLU", "kwarg": {}}}]}):
        assert not schema.is_valid(wrong)


@pytest.mark.parametrize("how", [{"COLUMNS": "30"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"FORCE_COLOR": "1"}])
def test_it_is_the_same_bytes_everywhere(
    gradcheck: Callable[..., Any], process: Callable[..., Any], how: dict[str, str]
) -> None:
    here, there = gradcheck("schema"), process("schema", env=how)
    assert (there.code, there.err) == (0, "")
    assert there.out == here.out
    assert here.out.isascii()


def test_a_spec_to_begin_with_validates(gradcheck: Callable[..., Any]) -> None:
    schema = Draft7Validator(gradcheck("schema").json)
    ended = gradcheck("new", "spec", "first", "--dry-run")
    assert ended.code == 0, ended.err
    documents = documents_of(ended.out)
    assert documents
    assert all(schema.is_valid(document) for document in documents)
