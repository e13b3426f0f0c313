"""docs/operators.md: the built-in operators, from their declarations."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePath

from gradcheck_cli.core.checkpoint import in_expressions
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.numpy_names import other_names
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.report.operators import attribute_words, input_words, sample_words
from tests.references.markdown import anchor, code, table

INTRODUCTION = """\
# Operators

This page is written by `python -m tests.references --write`, from the declarations in `ops/`. `gradcheck list-ops`
lists the operators, those of `--ops` and of installed packages included; `gradcheck show-op NAME` shows one with a
spec that checks it.

Names are those of NumPy, SciPy and `torch.nn.functional`, and so are arguments and their order, with one name for one
thing: an operator of PyTorch has `x` for `input`, `axis` for `dim`, `keepdims` for `keepdim`, `slope` for
`negative_slope`, and `ddof` for `correction`; probabilities as targets have an operator of their own,
`soft_cross_entropy`. Arrays come first, attributes stand behind `*` or follow the arrays in order. In an expression
`a + b`, `a @ b`, `x[0]`, `x.T`, `x.sum(axis=0)` and `np.exp(x)` are these operators, too. *Inputs* are what
`check-ops` and specs draw from; an operator may take more."""


def families() -> dict[str, list[Operator]]:
    """Return the operators by family, the file in which they stand, each in alphabetical order."""
    found: dict[str, list[Operator]] = defaultdict(list)
    for operator in [*Loader().built_in.values(), in_expressions()]:
        found[PurePath(operator.file).stem].append(operator)
    return {name: sorted(found[name], key=lambda each: each.name) for name in sorted(found)}


def operators_page() -> str:
    """Return the page."""
    found = families()
    rows = [
        (name, ", ".join(f"[{each.name}](#{anchor(each.name)})" for each in members)) for name, members in found.items()
    ]
    parts = [INTRODUCTION, table(["family", "operators"], rows)]
    for name, members in found.items():
        parts += [f"## Family: {name}", *(part for member in members for part in _section(member))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(operator: Operator) -> list[str]:
    formula, *more = operator.doc.split("\n\n")
    others = other_names(operator.name)
    inputs = [input_words(operator, item, "\N{MULTIPLICATION SIGN}") for item in operator.inputs]
    several = f"Outputs: {', '.join(map(code, operator.outputs))}." if len(operator.outputs) > 1 else ""
    return [
        f"### {operator.name}",
        f"{code(operator.signature)}",
        formula,
        *more,
        several,
        f"Other names in expressions: {', '.join(map(code, others))}." if others else "",
        table(["input", "shape", "what it holds"], [(code(name), *rest) for name, *rest in inputs]),
        f"Sample function: {' '.join(sample_words(operator))}" if operator.sampler else "",
        table(
            ["attribute", "values"], [(code(name), rest) for name, rest in map(attribute_words, operator.attributes)]
        ),
    ]
