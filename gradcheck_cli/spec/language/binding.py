"""Sort the arguments of a call into arrays and attributes, and say what doesn't fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import Any, TypeAlias

from gradcheck_cli.core.arguments import may_be_empty, near_argument
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import REQUIRED, Input, Operator
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.language.constants import is_number, is_whole, too_large
from gradcheck_cli.spec.language.kinds import Broken, Constant, Group, Result, Several, Value, described
from gradcheck_cli.spec.language.program import Builder
from gradcheck_cli.spec.language.syntax import Source

_LARGEST_LIST = 1_000_000
_TAKE_ONE = "take them apart on a line of its own: {names} = ..."


@dataclass(frozen=True, eq=False)
class Argument:
    """A value given to an operator, and the part of the text that messages about it point to."""

    value: Value
    node: ast.expr | ast.keyword


@dataclass(frozen=True, eq=False)
class Call:
    """One application of `operator` in the text; `node` is what messages about the whole point to."""

    operator: Operator
    node: ast.expr
    positional: Sequence[Argument]
    named: Sequence[tuple[str, Argument]] = ()


Arrays: TypeAlias = list[tuple[Input, Argument | None]]


@dataclass
class Binder:
    """Binds calls, and notes the domain of each array that is a direct argument of an operator.

    `own` collects the operators' own arrays (a layer's weights) that a call leaves out. `in_index`
    says that what is bound stands in an index, where whole numbers stay integers.
    """

    source: Source
    builder: Builder
    builtins: Mapping[str, Operator]
    domains: dict[str, Domain] = field(default_factory=dict)
    own: dict[str, Array] = field(default_factory=dict)
    in_index: bool = False

    def bind(self, call: Call) -> tuple[tuple[int, ...], dict[str, Any]] | None:
        """Return the slots of the arrays and the attributes; None, with every problem noted, if there are any."""
        before = len(self.source.problems)
        arrays, attributes = self._sorted(call)
        slots = [self._input(call.operator, item, argument) for item, argument in arrays]
        values = {name: self._attribute(call.operator, name, argument) for name, argument in attributes.items()}
        given = [*call.positional, *(argument for _, argument in call.named)]
        bound = [slot for slot in slots if slot is not None]
        if len(self.source.problems) > before or any(isinstance(argument.value, Broken) for argument in given):
            return None
        if len(bound) < len(slots):  # a broken value inside of a list
            return None
        for item, argument in arrays:
            if argument is not None and isinstance(argument.value, Result) and argument.value.name:
                self._note_domain(argument.value.name, self._domain(call.operator, item, arrays))
        return tuple(bound), values

    def operand(self, argument: Argument, where: str, item: Input | None = None) -> int | None:
        """Return the slot of a value that stands for an array; None, with a problem noted, if it doesn't.

        `where` names the place of the array in messages, `item` is its declaration.
        """
        value = argument.value
        if isinstance(value, Broken):
            return None
        if isinstance(value, Result):
            return value.slot
        if isinstance(value, Constant):
            kind = "int" if self.in_index else item.domain.kind if item else "float"
            return self._literal(argument.node, value, where, kind)
        if isinstance(value, Several):
            hint = _TAKE_ONE.format(names=", ".join(value.operator.outputs))
        else:
            hint = "operators such as concatenate take a list of arrays"
        self._say(argument.node, f"{where} is one array, this is {described(value)}", hint)
        return None

    def _input(self, operator: Operator, item: Input, argument: Argument | None) -> int | None:
        if argument is None and item.name in operator.own:
            return self.builder.array(self._own_array(operator, item))
        left_out = argument is None or (isinstance(argument.value, Constant) and argument.value.value is None)
        if argument is None or (left_out and item.optional):
            return self.builder.slot()
        if item.loose and isinstance(argument.value, Constant):
            return self.builder.plain(argument.value.value)
        return self.operand(argument, f"'{item.name}' of {operator.name}", item)

    def _own_array(self, operator: Operator, item: Input) -> str:
        """Return the name under which a value of the operator's own is a parameter of the case: `net.W`."""
        name = f"{operator.name}.{item.name}"
        self.own[name] = operator.own[item.name]
        return name

    def _literal(self, node: ast.expr | ast.keyword, constant: Constant, where: str, kind: str) -> int | None:
        """Put numbers that stand for an array into a slot: floating, unless integers are needed there."""
        leaves = list(islice(_leaves(constant.value), _LARGEST_LIST + 1))
        if constant.whole and kind != "int":
            hint = "it has no gradient: in arithmetic divide with /"
            self._say(node, "'//' stands in attributes and indices only", hint)
        elif len(leaves) > _LARGEST_LIST:
            self._say(node, f"a list of more than {_LARGEST_LIST:,} numbers", "keep them in a file: {file: x.npy}")
        elif leaves and all(isinstance(leaf, bool) for leaf in leaves):
            return self._array(node, constant.value, "bool")
        elif not leaves or not all(map(is_number, leaves)):
            self._say(node, f"{where} is an array, this is {described(constant)}")
        elif constant.slot is not None and kind == "float":
            return constant.slot
        elif any(isinstance(leaf, int) and too_large(leaf) for leaf in leaves):
            self._say(node, "this number is too large")
        else:
            whole = kind == "int" and all(isinstance(leaf, int) for leaf in leaves)
            return self._array(node, constant.value, "int" if whole else "float")
        return None

    def _array(self, node: ast.expr | ast.keyword, value: Any, kind: str) -> int | None:
        try:
            return self.builder.literal(value, kind)
        except OverflowError:
            self._say(node, "this number is too large")
        except ValueError:
            self._say(node, "the rows of this list differ in length")
        return None

    def _attribute(self, operator: Operator, name: str, argument: Argument) -> Any:
        value = argument.value
        if isinstance(value, Constant):
            return value.value
        if not isinstance(value, Broken):
            message = f"{described(value)} can't be the attribute '{name}' of {operator.name}"
            self._say(argument.node, message, f"attributes are constants; it is {operator.signature}")
        return None

    def _sorted(self, call: Call) -> tuple[Arrays, dict[str, Argument]]:
        """Fill the arrays, then the attributes, in order; then those given by name."""
        operator, rest = call.operator, list(call.positional)
        attributes: dict[str, Argument] = {}
        known = [attribute.name for attribute in operator.attributes]
        if rest and "subscripts" in known and _is_text(rest[0].value):
            attributes["subscripts"] = rest.pop(0)
        fixed = [item for item in operator.inputs if not item.variadic]
        arrays = dict(zip((item.name for item in fixed), rest, strict=False))
        rest = rest[len(fixed) :]
        spread: list[Argument] = []
        if len(fixed) < len(operator.inputs):
            spread, rest = _spread(rest)
        free = [name for name in known if name not in attributes]
        if len(rest) > len(free):
            count = len(fixed) + len(known)
            message = f"{operator.name} takes {count} argument{'s' * (count != 1)}, got {len(call.positional)}"
            self._say(rest[len(free)].node, message, f"it is {operator.signature}")
        attributes.update(zip(free, rest, strict=False))
        for name, argument in call.named:
            self._place_named(operator, name, argument, arrays, attributes)
        self._say_missing(call, arrays, attributes, spread)
        ordered: Arrays = [(item, arrays.get(item.name)) for item in fixed]
        return [*ordered, *((operator.inputs[-1], argument) for argument in spread)], attributes

    def _place_named(
        self,
        operator: Operator,
        name: str,
        argument: Argument,
        arrays: dict[str, Argument],
        attributes: dict[str, Argument],
    ) -> None:
        names = [item.name for item in operator.inputs if not item.variadic]
        if name in arrays or name in attributes:
            self._say(argument.node, f"{operator.name} got '{name}' twice", f"it is {operator.signature}")
        elif name in names:
            arrays[name] = argument
        elif any(attribute.name == name for attribute in operator.attributes):
            attributes[name] = argument
        else:
            close = near_argument(name, [*names, *(attribute.name for attribute in operator.attributes)])
            stop = "" if close.endswith("?") else "."
            hint = f"{close}{stop} It is {operator.signature}" if close else f"it is {operator.signature}"
            self._say(argument.node, f"{operator.name} has no argument '{name}'", hint)

    def _say_missing(
        self, call: Call, arrays: Mapping[str, Argument], attributes: Mapping[str, Argument], spread: list[Argument]
    ) -> None:
        operator = call.operator
        missing = [
            item.name
            for item in operator.inputs
            if not (item.optional or item.variadic or item.name in arrays or item.name in operator.own)
        ]
        missing += [a.name for a in operator.attributes if a.default is REQUIRED and a.name not in attributes]
        for name in missing:
            self._say(call.node, f"{operator.name} needs '{name}'", f"it is {operator.signature}")
        variadic = bool(operator.inputs) and operator.inputs[-1].variadic
        if variadic and not spread and not may_be_empty(operator.inputs):
            message = f"{operator.name} needs at least one array for '*{operator.inputs[-1].name}'"
            self._say(call.node, message, f"it is {operator.signature}")

    def _domain(self, operator: Operator, item: Input, arrays: Arrays) -> Domain:
        """Return the domain of `item` in this call.

        A base may be negative where the exponent is a whole number: x**2 has no need of x > 0.
        """
        domain = item.domain
        if operator is self.builtins.get("power") and item is operator.inputs[0]:
            exponent = arrays[1][1].value if arrays[1][1] is not None else None
            if isinstance(exponent, Constant) and is_whole(exponent.value):
                return replace(domain, low=None, high=None, avoid=(0.0,) if exponent.value < 0 else ())
        return domain

    def _note_domain(self, name: str, domain: Domain) -> None:
        known = self.domains.get(name, domain)
        if known.kind == "float" and domain.kind != "float":  # a mask that is also multiplied is still a mask
            known, domain = domain, known
        self.domains[name] = known.narrowed(domain)

    def _say(self, node: ast.expr | ast.keyword, message: str, hint: str = "") -> None:
        self.source.say(node, message, "wrong-argument", hint)


def _spread(arguments: list[Argument]) -> tuple[list[Argument], list[Argument]]:
    """Split what follows into the arrays of `*xs` and the rest: a list in front is the arrays, and all of them."""
    if not arguments:
        return [], []
    value, node = arguments[0].value, arguments[0].node
    if isinstance(value, Group):
        items: Sequence[Value] = value.items
    elif isinstance(value, Several):
        items = value.results
    elif isinstance(value, Constant) and isinstance(value.value, list | tuple):
        items = [Constant(item) for item in value.value]
    else:
        return arguments, []
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else [node] * len(items)
    return [Argument(item, at) for item, at in zip(items, nodes, strict=True)], arguments[1:]


def _leaves(value: Any) -> Iterator[Any]:
    """Walk through the items of nested lists."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _is_text(value: Value) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, str)
