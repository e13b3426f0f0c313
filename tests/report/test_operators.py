# ruff: noqa: RUF001 (the sign for times is what is printed)
from __future__ import annotations

import json
import math
from dataclasses import replace
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from gradcheck_cli import arr, ints, keep, mask, op
from gradcheck_cli.core.batching import MEANINGS, Batch, Linear
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.report.operators import list_json, list_text, show_json, show_text


@op(x=arr(avoid=0), slope=[0.01, 0.3])
def leaky(x, *, slope=0.01):
    """x where x > 0, else slope * x.

    Its gradient at 0 is slope.
    """
    return np.where(x > 0, x, slope * x)


@leaky.backward
def _leaky(g, x, slope):
    return np.where(x > 0, g, slope * g)


@op(
    logits=arr("... n k", low=-2, high=2, distinct=True),
    labels=ints("n", below="k"),
    weights=arr("", low=0, nondiff=True),
    kept=mask("n"),
    outputs="loss probs",
    mode=["a", "b"],
)
def xent(logits, labels, weights, kept=None, *, mode, smoothing=None):
    """-log p[label]."""
    return keep(logits, logits, target=labels)


@xent.backward
def _xent(g_loss, g_probs, target):
    return g_loss + g_probs


@op
def joined(*xs):
    return np.concatenate(xs)


@joined.backward("xs")
def _joined(g, xs):
    return [g for _ in xs]


def moved(definition: Any, file: str = "my_ops.py", line: int = 12) -> Operator:
    """Return the record as if the operator stood in `file`, its backward six lines below."""
    operator: Operator = definition.operator
    rules = tuple(replace(rule, file=file, line=line + 6) for rule in operator.rules)
    return replace(operator, file=file, line=line, rules=rules)


def renamed(name: str, file: str = "my_ops.py", doc: str = "x.") -> Operator:
    return replace(moved(leaky), name=name, file=file, doc=doc, attributes=())


def block(text: str) -> str:
    return dedent(text).lstrip("\n")


def test_operators_are_listed_by_family_and_name() -> None:
    long = renamed("an_operator_whose_name_is_very_long", "lib/b.py", "y.\n\nMore.")
    assert list_text([renamed("zeta", "lib/b.py"), long, moved(leaky), renamed("eta", "lib/b.py", "")]) == block("""
        b
         an_operator_whose_name_is_very_long(x)
                                                y.
         eta(x)
         zeta(x)                                x.

        my_ops
         leaky(x, *, slope=0.01)                x where x > 0, else slope * x.
    """)


def test_families_of_one_name_are_told_apart_by_their_files() -> None:
    listed = list_text([renamed("b", "two/ops.py"), renamed("a", "one/ops.py"), renamed("c", "three.py")])
    assert [line for line in listed.splitlines() if line and not line.startswith(" ")] == [
        "ops   one/ops.py",
        "ops   two/ops.py",
        "three",
    ]


def test_the_list_does_not_depend_on_the_order_it_is_given() -> None:
    operators = [renamed("b", "one.py"), renamed("a", "two.py"), renamed("c", "one.py")]
    assert list_text(operators) == list_text(operators[::-1])
    assert list_json(operators) == list_json(operators[::-1])


def test_an_operator_is_shown_in_full() -> None:
    assert show_text(moved(leaky)) == block("""
        leaky(x, *, slope=0.01)

          x where x > 0, else slope * x.

          Its gradient at 0 is slope.

        inputs
          x   any shape   real numbers, away from 0

        attributes
          slope   default 0.01; tried with 0.01, 0.3

        outputs
          out

        many perturbations
          one call for each: the operator has no batch=

        source
          forward    my_ops.py:12
          backward   my_ops.py:18   for x, from g, x, slope

        example
          expr: leaky(x, slope=slope)
          matrix:
            slope: [0.01, 0.3]
          params:
            x: 3 4
    """)


def test_domains_are_put_in_words() -> None:
    shown = show_text(moved(xent)).splitlines()
    assert shown[shown.index("inputs") + 1 : shown.index("many perturbations") - 1] == [
        "  logits    ...×n×k   real numbers from -2 to 2, no two alike",
        "  labels    n         whole numbers from 0 to k - 1; no gradient",
        "  weights   scalar    real numbers from 0 up; no gradient",
        "  kept      n         true or false; may be left out; no gradient",
        "",
        "attributes",
        "  mode        required; tried with 'a', 'b'",
        "  smoothing   default None",
        "",
        "outputs",
        "  loss, probs",
    ]


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (arr(), "real numbers"),
        (arr(high=1.5), "real numbers up to 1.5"),
        (arr(avoid=(-0.5, 0.5)), "real numbers, away from -0.5 and 0.5"),
        (arr("n n", spd=True), "real numbers, symmetric positive definite"),
        (ints(below=10), "whole numbers from 0 to 9; no gradient"),
    ],
)
def test_each_kind_of_domain_has_its_words(domain: Any, words: str) -> None:
    operator = moved(leaky)
    changed = replace(operator, inputs=(replace(operator.inputs[0], domain=domain),))
    assert f"   {words}\n" in show_text(changed)


def test_a_variadic_input_takes_any_number() -> None:
    shown = show_text(moved(joined))
    assert "  *xs   common shape   real numbers; any number of arrays\n" in shown
    assert "  expr: joined(x1, x2)\n" in shown


def test_text_for_a_plain_screen_is_ascii() -> None:
    shown = show_text(replace(moved(xent), doc="−Σ log p"), encoding="ascii")
    assert shown.isascii()
    assert "...xnxk" in shown
    assert r"\u2212\u03a3 log p" in shown
    assert list_text([replace(moved(leaky), doc="σ")], "ascii").isascii()


def test_hostile_docstrings_and_files_are_harmless() -> None:
    hostile = replace(moved(leaky, "a\x1b[2J.py"), doc="\x1b]0;t\x07[red]x[/red]\u202e")
    for shown in (show_text(hostile), list_text([hostile])):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "[red]x[/red]" in shown


def test_the_json_list_is_the_contract() -> None:
    (x,) = (
        {
            "name": "x",
            "kind": "float",
            "shape": None,
            "differentiable": True,
            "optional": False,
            "variadic": False,
            "low": None,
            "high": None,
            "avoid": [0.0],
            "distinct": False,
            "spd": False,
            "below": None,
        },
    )
    record = {
        "name": "leaky",
        "file": "my_ops.py",
        "line": 12,
        "inputs": [x],
        "attributes": [{"name": "slope", "required": False, "default": 0.01, "values": [0.01, 0.3]}],
        "outputs": ["out"],
        "doc": "x where x > 0, else slope * x.\n\nIts gradient at 0 is slope.",
        "requires": None,
        "available": True,
        "family": "my_ops",
        "signature": "leaky(x, *, slope=0.01)",
        "formula": "x where x > 0, else slope * x.",
        "other_names": [],
        "batch": None,
        "linear": None,
        "jointly_linear": False,
        "sample": None,
    }
    assert json.loads(list_json([moved(leaky)])) == [record]
    assert list(json.loads(list_json([moved(leaky)]))[0]) == list(record)


def test_json_tells_inputs_and_required_attributes_apart() -> None:
    (record,) = json.loads(list_json([moved(xent)]))
    kinds = [(each["name"], each["kind"], each["shape"], each["differentiable"]) for each in record["inputs"]]
    assert kinds == [
        ("logits", "float", "... n k", True),
        ("labels", "int", "n", False),
        ("weights", "float", "", False),
        ("kept", "bool", "n", False),
    ]
    assert record["inputs"][1]["below"] == "k"
    assert record["inputs"][3]["optional"] is True
    assert record["attributes"][0] == {"name": "mode", "required": True, "default": None, "values": ["a", "b"]}
    assert record["attributes"][1]["required"] is False
    assert record["outputs"] == ["loss", "probs"]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (math.inf, "inf"),
        ((1, (2.5, None)), [1, [2.5, None]]),
        ({"mode": (1,)}, {"mode": [1]}),
        (slice(None, 2), "slice(None, 2, None)"),
        (..., "Ellipsis"),
        (np.float32, "float32"),
        (math.sqrt, "sqrt"),
        (True, True),
    ],
)
def test_attribute_values_become_json(value: Any, written: Any) -> None:
    operator = moved(leaky)
    changed = replace(operator, attributes=(replace(operator.attributes[0], default=value, values=(value,)),))
    (record,) = json.loads(list_json([changed]))
    assert record["attributes"][0]["default"] == written
    assert record["attributes"][0]["values"] == [written]


@pytest.mark.parametrize(
    ("batch", "linear", "words", "record"),
    [
        (None, None, ["one call for each: the operator has no batch="], (None, None, False)),
        (
            Batch("elementwise"),
            Linear(("x",), jointly=False),
            [f"together, batch='elementwise': {MEANINGS['elementwise']}", "linear in x"],
            ("elementwise", ["x"], False),
        ),
        (
            Batch("leading", ("...",)),
            Linear(("x", "y", "z"), jointly=True),
            [f"together, batch='leading': {MEANINGS['leading']}", "linear in x, y and z together"],
            ("...", ["x", "y", "z"], True),
        ),
        (
            Batch("leading", ("...", "n", "_")),
            Linear(("x", "y"), jointly=False),
            [
                "together, batch='... n _': each index along the leading axes and n is on its own",
                "linear in x and y, each alone",
            ],
            ("... n _", ["x", "y"], False),
        ),
        (Batch("function", (), len), None, ["together, by a function of its own"], ("function", None, False)),
    ],
)
def test_it_is_shown_how_many_perturbations_are_taken(batch: Any, linear: Any, words: Any, record: Any) -> None:
    operator = replace(moved(leaky), batch=batch, linear=linear)
    shown = show_text(operator).splitlines()
    assert shown[shown.index("many perturbations") + 1 :][: len(words) + 1] == [*(f"  {each}" for each in words), ""]
    shown_json = json.loads(show_json(operator))
    assert (shown_json["batch"], shown_json["linear"], shown_json["jointly_linear"]) == record
    assert "many perturbations" not in show_text(replace(operator, rules=()))


def test_sample_function_is_shown_by_its_docstring() -> None:
    def sampler(rng: Any) -> Any:
        """Draw targets that are 1 or -1."""

    shown = replace(moved(leaky), sampler=sampler)
    assert "sample function\n  Draw targets that are 1 or -1.\n" in show_text(shown)
    assert json.loads(list_json([shown]))[0]["sample"] == "Draw targets that are 1 or -1."
    sampler.__doc__ = None
    line = sampler.__code__.co_firstlineno
    assert f"sample function\n  Draws for check-ops in test_operators.py:{line}.\n" in show_text(shown)
    assert "sample function" not in show_text(moved(leaky))


def test_every_built_in_sample_function_says_what_it_draws() -> None:
    operators = [each for each in Loader().built_in.values() if each.sampler is not None]
    assert [each.name for each in operators if not each.sampler.__doc__] == []
    assert len(operators) > 30


def test_other_names_of_numpy_are_shown() -> None:
    largest = replace(moved(leaky), name="max")
    assert "other names\n  amax\n" in show_text(largest)
    assert json.loads(list_json([largest]))[0]["other_names"] == ["amax"]
    assert "other names" not in show_text(moved(leaky))


def test_one_operator_as_json_adds_signature_rules_and_example() -> None:
    shown = json.loads(show_json(moved(leaky), ["my_ops.py"]))
    assert shown["name"] == "leaky"
    assert shown["signature"] == "leaky(x, *, slope=0.01)"
    assert shown["backward"] == [{"inputs": ["x"], "asks": ["g", "x", "slope"], "file": "my_ops.py", "line": 18}]
    assert shown["example"].startswith("ops: [my_ops.py]\nexpr: leaky(x, slope=slope)\nmatrix:\n  slope: [0.01, 0.3]\n")


def test_every_built_in_operator_can_be_shown() -> None:
    operators = Loader().module("gradcheck_cli.ops")
    listed = list_text(operators)
    assert len(operators) > 30
    for operator in operators:
        assert f"\n {operator.signature}" in listed
        assert operator.doc.splitlines()[0] in show_text(operator)
        example = json.loads(show_json(operator))["example"]
        assert bool(example) is any(item.domain.differentiable for item in operator.inputs)
