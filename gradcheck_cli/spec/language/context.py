"""What is known while one expression is compiled: its names, its problems, the program so far."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import near
from gradcheck_cli.spec.language.binding import Argument, Binder, Call
from gradcheck_cli.spec.language.constants import too_large
from gradcheck_cli.spec.language.grammar import refusal
from gradcheck_cli.spec.language.kinds import BROKEN, Broken, Constant, Result, Several, Value
from gradcheck_cli.spec.language.lookup import Lookup
from gradcheck_cli.spec.language.program import Apply, Builder
from gradcheck_cli.spec.language.syntax import Source


class Assigned:
    """What one assignment gave to its names; `read` once any of them was used."""

    def __init__(self, node: ast.expr) -> None:
        self.node = node
        self.read = False


class Context:
    """The names that an expression may use, and what was made of them."""

    def __init__(self, source: Source, lookup: Lookup, arrays: Collection[str], constants: Mapping[str, Any]) -> None:
        self.source = source
        self.lookup = lookup
        self.builder = Builder()
        self.binder = Binder(source, self.builder, lookup.builtins)
        # Python's grammar normalises names, so those of the spec are found by their normal form.
        self.arrays = {unicodedata.normalize("NFKC", name): name for name in arrays}
        self.constants = {unicodedata.normalize("NFKC", name): (name, value) for name, value in constants.items()}
        self.assigned: dict[str, tuple[Value, Assigned]] = {}
        self.names: set[str] = set()
        self.indices: set[str] = set()
        self.operators: dict[Operator, None] = {}

    def say(self, node: ast.expr | ast.stmt | ast.keyword, message: str, code: str, hint: str = "") -> Broken:
        """Note a problem with `node`, and return what becomes of it."""
        self.source.say(node, message, code, hint)
        return BROKEN

    def refuse(self, node: ast.expr | ast.stmt) -> Broken:
        """Say that the language has no such thing as `node`, whose parts are not looked at."""
        self.mark_read(node)
        return self.refuse_sign(node, node)

    def refuse_sign(self, node: ast.expr | ast.stmt, sign: ast.AST) -> Broken:
        """Say that the language has no such `sign` as the one between the parts of `node`."""
        message, hint = refusal(sign)
        return self.say(node, message, "not-allowed", hint)

    def mark_read(self, node: ast.AST) -> None:
        """Count the assigned names inside a refused part as used: that they are not is no second problem."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in self.assigned:
                self.assigned[inner.id][1].read = True

    def has(self, name: str) -> bool:
        """Tell whether `name` is a value here."""
        return name in self.assigned or name in self.arrays or name in self.constants

    def constant(self, name: str) -> Any:
        """Return the constant of that name, which counts as used; None if there is none."""
        if name not in self.constants:
            return None
        self.names.add(self.constants[name][0])
        return self.constants[name][1]

    def name(self, node: ast.Name) -> Value:
        """Return what a name that stands alone means."""
        name = node.id
        if name in self.assigned and name != "_":
            value, assignment = self.assigned[name]
            assignment.read = True
            return value
        if name in self.arrays:
            self.names.add(self.arrays[name])
            return Result(self.builder.array(self.arrays[name]), self.arrays[name])
        if name in self.constants:
            return Constant(self.constant(name))
        if name.startswith("_"):
            return self.say(node, "names that start with _ are not available", "not-allowed")
        if self.lookup.is_operator(name):
            return self.say(node, f"'{name}' is an operator, not a value", "undefined-name", f"call it: {name}(...)")
        known = [*self.arrays.values(), *(spelt for spelt, _ in self.constants.values()), *self.assigned]
        hint = near(name, known) or "name it under params:, inputs: or dims:, or assign it on a line above"
        return self.say(node, f"undefined name '{name}'", "undefined-name", hint)

    def literal(self, node: ast.Constant) -> Value:
        """Return the constant that is written out."""
        value = node.value
        if isinstance(value, complex | bytes):
            kind = "a complex number" if isinstance(value, complex) else "a text of bytes"
            return self.say(node, f"{kind} is not part of the language", "not-allowed")
        if value is ... and not self.binder.in_index:
            return self.say(node, "... stands in an index only", "not-allowed", "x[..., 0]")
        if isinstance(value, int | float) and too_large(value):
            return self.say(node, "this number is too large", "wrong-number", "infinity is np.inf")
        return Constant(value)

    def apply(self, call: Call, key: Any = None) -> Value:
        """Add a step that applies an operator; `key` is an index with arrays in it."""
        bound = self.binder.bind(call)
        if bound is None:
            return BROKEN
        operands, attributes = bound
        outputs = tuple(self.builder.slot() for _ in call.operator.outputs)
        position = self.source.position(call.node)
        self.builder.add(Apply(call.operator, operands, attributes, outputs, position, key))
        self.operators[call.operator] = None
        results = tuple(Result(slot) for slot in outputs)
        return results[0] if len(results) == 1 else Several(call.operator, results)

    def apply_builtin(
        self,
        node: ast.expr,
        name: str,
        positional: Sequence[Argument],
        named: Sequence[tuple[str, Argument]] = (),
        key: Any = None,
    ) -> Value:
        """Add a step that applies the built-in operator `name`, as arithmetic and methods do."""
        operator = self.lookup.builtin(name)
        if operator is None:
            return self.say(node, f"there is no built-in operator '{name}'", "unknown-operator")
        return self.apply(Call(operator, node, positional, named), key)
