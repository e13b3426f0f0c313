"""The files that a person begins with: an operator and a spec that run at once, with comments that teach.

Text alone, so that it takes no NumPy to write them.
"""

from __future__ import annotations

import textwrap

_OPERATOR = '''\
"""An operator with a backward of its own. The formula is an example: put yours there.

Is its gradient right?   {check_command}
A spec that uses it:     {spec_command}
"""

import numpy as np
from gradcheck_cli import arr, keep, op


# Positional parameters are arrays. What stands behind the * are attributes: plain
# values, without a gradient. The decorator says what each of them may be, so that
# inputs can be drawn for the check:
#   arr()                                  real numbers of any shape, one for all inputs
#   arr("n k", low=0.1, high=5, avoid=1)   a shape in words, and where the numbers lie
#   arr("k", nondiff=True)                 an array without a gradient
#   ints("n", below="k"), mask("n k")      whole numbers, truth values: no gradient
#   [1.0, 2.5]                             the values of an attribute to try
# Here avoid=0 stays away from the corner of |x|.
@op(x=arr(avoid=0), scale=[1.0, 2.5])
def {name}(x, *, scale=1.0):
    """x / (scale + |x|)."""
    denominator = scale + np.abs(x)
    # keep() returns the output, and holds other values for the backward. Without
    # any, return the output alone.
    return keep(x / denominator, denominator=denominator)


# The backward asks by name for what it needs, and only that is kept for it: g (the
# gradient that arrives from above, shaped like the output), the inputs, the
# attributes, the output (out), and the values of keep(). It returns the gradient of
# each input in order, shaped like that input. Inputs of other shapes than the output
# were broadcast, and their gradients have to be summed. For x * y that is
#     from gradcheck_cli import unbroadcast
#     return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
# Break the backward (a sign, the square, the scale) and check again: see what is said.
@{name}.backward
def _(g, scale, denominator):
    return g * scale / denominator**2
'''

_OWN_SPEC = """\
{modeline}{heading}
#     {command}
# `gradcheck list-ops` lists the operators that an expression can call. For your own
# there is `ops: [my_ops.py]`, and `gradcheck new spec NAME --ops my_ops.py`.
{schema_note}
# Sizes by name, for the shapes below.
dims: {{batch: 4, features: 3, classes: 2}}

# A key that stands at the top holds for all cases. One case alone needs no `cases:`,
# its keys stand at the top.
cases:
  - name: a small network
    # Arrays whose gradients are checked, every element. A text is a shape, drawn from
    # the standard normal; a number or a list is a value; a mapping says more.
    params:
      W: {{shape: features classes, init: xavier}}
      b: classes
    # Arrays that are given, and not differentiated. `below` makes whole numbers.
    inputs:
      x: batch features
      labels: {{shape: batch, below: classes}}
    # The last line is the value: one number, or arrays (all of their elements count).
    expr: |
      logits = tanh(x @ W + b)
      cross_entropy(logits, labels) + 1e-3 * sum(W**2)
    # How to check. Without it: every element, and the rtol that stands here.
    check:
      rtol: 1e-7 # the largest relative error of a right gradient
      sample: 100 # at most so many random elements of each parameter

  - name: a step has no derivative where it jumps
    params:
      x: [-1.0, 0.0, 2.0]
    expr: where(x > 0, 1.0, 0.0)
    # What the check should say: pass (the default), fail, inconclusive, or a finding
    # by its name or code (`gradcheck explain` lists them).
    expect: jump
"""

_SCHEMA_NOTE = """\
#
# An editor completes and explains the keys after
#     gradcheck schema > gradcheck.schema.json
# with this above the first line:
#     # yaml-language-server: $schema=gradcheck.schema.json
"""


def operator_file(name: str, check_command: str, spec_command: str) -> str:
    """Return the text of a Python file that declares the operator `name`, with the commands that come next."""
    return _OPERATOR.format(name=name, check_command=check_command, spec_command=spec_command)


def spec_file(command: str, schema: str = "", where: str = "") -> str:
    """Return the text of a spec of built-in operators, which `command` checks.

    `where` says in which folder the command works, if not in the spec's: "from the root of the project". `schema` is
    where the JSON Schema of specs lies, seen from the spec; empty where there is none.
    """
    title = heading("A spec: expressions, and the arrays that they are given.", where)
    return _OWN_SPEC.format(command=command, modeline=modeline(schema), heading=title, schema_note=schema_note(schema))


def heading(what: str, where: str = "") -> str:
    """Return the comment that stands above the command which checks a spec."""
    text = f"{what} To check it{f', {where}' if where else ''}:"
    return textwrap.fill(text, 88, initial_indent="# ", subsequent_indent="# ")


def modeline(schema: str) -> str:
    """Return the line that tells an editor where the schema is; empty where there is none."""
    return f"# yaml-language-server: $schema={schema}\n" if schema else ""


def schema_note(schema: str) -> str:
    """Return the comment that says how to have a schema; empty where there is one."""
    return "" if schema else _SCHEMA_NOTE
