"""From the merged keys of a case to its records: one for each combination of its matrix."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import field, replace
from typing import Any

from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import Location, Problem, near
from gradcheck_cli.knobs import Knobs, read_knobs
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.settings import Settings
from gradcheck_cli.spec.arrays.entry import Entry, Setting, array_keys
from gradcheck_cli.spec.arrays.files import ArrayFiles
from gradcheck_cli.spec.arrays.given import GivenValues
from gradcheck_cli.spec.arrays.records import read_array
from gradcheck_cli.spec.arrays.shapes import shape_words
from gradcheck_cli.spec.case import ArraySpec, Case
from gradcheck_cli.spec.devices import scopes_by_device
from gradcheck_cli.spec.expected import read_expectation, read_known_gradients, read_known_value
from gradcheck_cli.spec.language.expression import Expression, compile_expression
from gradcheck_cli.spec.matrix import Combination, read_matrix
from gradcheck_cli.spec.operator_files import OperatorFiles
from gradcheck_cli.spec.structure import Checked
from gradcheck_cli.spec.tags import read_tags
from gradcheck_cli.spec.text.nodes import Mark, Node, Scalar, Table, plain
from gradcheck_cli.spec.text.problems import Problems
from gradcheck_cli.spec.text.text_place import place_of

_EXAMPLE = "{expr: tanh(x), params: {x: 2 3}}"
# Compiling takes some 40 microseconds a character: this many are read in about 20 seconds.
_MOST_CHARACTERS = 500_000


@dataclass(frozen=True, eq=False)
class Draft:
    """One case before it is read: its merged keys, those of its own, its name and where it stands."""

    checked: Checked
    own: Table
    name: str
    mark: Mark

    def table(self, key: str) -> Table:
        """Return the mapping under a key, empty if there is none."""
        node = self.checked.table.items.get(key)
        return node if isinstance(node, Table) else Table(self.mark)

    def is_own(self, key: str, name: str) -> bool:
        """Tell whether an entry stands in the case itself, and is no default."""
        node = self.own.items.get(key)
        return isinstance(node, Table) and name in node.items


@dataclass(eq=False)
class CaseReader:
    """Reads the cases of one file, which share operators, files and compiled expressions.

    `unused` collects defaults, as `(key, name)`, that a case of the document did not use; `used` those
    that one did. `understood` says whether all of its expressions could be compiled.
    """

    problems: Problems
    operators: OperatorFiles
    files: ArrayFiles
    values: GivenValues
    settings: Settings
    used: set[tuple[str, str]] = field(default_factory=set)
    unused: set[tuple[str, str]] = field(default_factory=set)
    understood: bool = True
    _compiled: dict[tuple[Any, ...], Expression | None] = field(default_factory=dict)
    # Compiled expressions are found by the id of their scope, which is therefore kept.
    _scopes: list[Scope | None] = field(default_factory=list)
    _characters: int = 0

    def begin_document(self) -> None:
        """Forget which defaults were used: each document has its own."""
        self.used, self.unused, self.understood = set(), set(), True

    def read(self, draft: Draft) -> dict[str, Case | None]:
        """Return the case by name, once for each combination of its matrix.

        None stands for one that can't be used; what is wrong is said.
        """
        self._report_names(draft)
        matrix, dims = draft.table("matrix"), draft.table("dims")
        arrays = {*draft.table("params").items, *draft.table("inputs").items}
        matrix = matrix.without(arrays)
        scope = self._scope(draft)
        combinations = read_matrix(matrix, set(dims.items), self.problems)
        probe = self._expression(draft, scope, combinations[0])
        self.understood = self.understood and probe is not None
        if probe is not None:
            idle = self._idle(draft, matrix, probe)
            if idle:
                combinations = read_matrix(matrix.without(idle), set(dims.items), self.problems)
        scopes = scopes_by_device(scope, probe.operators) if scope and probe else {"": scope}
        self._scopes += scopes.values()
        return {
            (name := draft.name + combination.suffix + device): self._case(draft, name, on_device, combination)
            for device, on_device in scopes.items()
            for combination in combinations
        }

    def _report_names(self, draft: Draft) -> None:
        """Report what is missing, and names that mean two things."""
        parameters, inputs = draft.table("params"), draft.table("inputs")
        if "expr" not in draft.checked.table.items and "expr" not in draft.checked.damaged:
            self.problems.add(draft.mark, "the case has no expr", "no-expr", f"a minimal spec: {_EXAMPLE}")
        for name in inputs.items:
            if name in parameters.items:
                self._two_meanings(inputs.keys[name], name, "a parameter and an input")
        for other in ("dims", "matrix"):
            for name, mark in draft.table(other).keys.items():
                what = "a parameter" if name in parameters.items else "an input" if name in inputs.items else ""
                if what:
                    self._two_meanings(mark, name, f"{what} and {'a dim' if other == 'dims' else 'a key of matrix'}")

    def _two_meanings(self, mark: Mark, name: str, what: str) -> None:
        self.problems.add(mark, f"'{name}' is both {what}", "two-meanings", "rename one of them")

    def _scope(self, draft: Draft) -> Scope | None:
        if "ops" in draft.checked.damaged:
            return None
        return self.operators.scope(draft.checked.table.items.get("ops"))

    def _constants(self, draft: Draft, combination: Combination) -> dict[str, Any]:
        """Return dims and matrix values by name; `...` for one whose value was reported."""
        lost: dict[str, Any] = dict.fromkeys(draft.checked.lost_constants, ...)
        dims = {name: plain(node) for name, node in draft.table("dims").items.items()}
        chosen = {name: value for name, value in combination.values.items() if name != "dtype"}
        return lost | dims | chosen

    def _expression(self, draft: Draft, scope: Scope | None, combination: Combination) -> Expression | None:
        """Compile the expression; None if it can't be, which is said."""
        node = draft.checked.table.items.get("expr")
        if not isinstance(node, Scalar) or scope is None:
            return None
        text = str(node.value)
        arrays = {*draft.table("params").items, *draft.table("inputs").items, *draft.checked.lost_arrays}
        constants = self._constants(draft, combination)
        constants = {
            # A number stands for what was reported, so that only this expression's own problems are found.
            name: 1 if value is ... else value
            for name, value in constants.items()
            if name not in arrays
        }
        words = set(re.findall(r"\w+", text))
        mentioned = tuple((name, repr(value)) for name, value in sorted(constants.items()) if name in words)
        key = (id(node), id(scope), frozenset(arrays), mentioned, draft.checked.nameless)
        if key not in self._compiled:
            self._compiled[key] = self._compile(node, scope, arrays, constants, draft.checked.nameless)
        return self._compiled[key]

    def _compile(
        self,
        node: Scalar,
        scope: Scope,
        arrays: Collection[str],
        constants: Mapping[str, Any],
        nameless: bool,
    ) -> Expression | None:
        text = str(node.value)
        self._characters += len(text)
        if self._characters > _MOST_CHARACTERS:
            message = f"the expressions of all cases have more than {_MOST_CHARACTERS:,} characters"
            self.problems.add(node.mark, message, "too-large", "split the file, or list fewer values in matrix")
            return None
        found: list[Problem] = []
        expression = compile_expression(
            text,
            scope=scope,
            arrays=arrays,
            constants=constants,
            place=place_of(node, self.problems),
            problems=found,
        )
        self.problems.take([each for each in found if not (nameless and each.code == "undefined-name")], node.mark)
        return expression

    def _idle(self, draft: Draft, matrix: Table, expression: Expression) -> set[str]:
        """Return the keys of the matrix that nothing in the case uses; report those of its own."""
        used = {"dtype", *expression.names}
        for key in ("params", "inputs"):
            for node in draft.table(key).items.values():
                used |= _words(node)
        idle = set(matrix.items) - used
        for name in matrix.items:
            self._note("matrix", name, name in used)
            if name in idle and draft.is_own("matrix", name):
                dims = list(draft.table("dims").items)
                hint = near(name, [*dims, "dtype"]) or "a key names a dim, dtype, or a free name of the expression"
                hint = "no shape and no expression uses this dim" if name in dims else hint
                self.problems.add(matrix.keys[name], f"nothing uses the matrix key '{name}'", "unused-matrix", hint)
        return idle

    def _note(self, key: str, name: str, used: bool) -> None:
        (self.used if used else self.unused).add((key, name))

    def _case(self, draft: Draft, name: str, scope: Scope | None, combination: Combination) -> Case | None:
        """Read one case; None if something is wrong with it."""
        expression = self._expression(draft, scope, combination)
        knobs = self._knobs(draft, combination)
        setting = Setting(
            self._constants(draft, combination),
            expression.domains if expression else None,
            expression.indices if expression else frozenset(),
            knobs.dtype,
            self.files,
            self.values,
            self.problems,
        )
        parameters = self._arrays(draft, "params", setting, expression) | self._own_arrays(draft, expression, knobs)
        inputs = self._arrays(draft, "inputs", setting, expression)
        left_out = (set(draft.table("params").items) | draft.checked.lost_arrays) - set(parameters)
        if not parameters and "params" not in draft.checked.damaged:
            given = draft.table("params").items
            why = "the expression uses none of the params" if given else "the case has no params"
            hint = "" if given else f"a minimal spec: {_EXAMPLE}"
            self.problems.add(draft.mark, f"nothing to check: {why}", "no-params", hint)
        get = draft.checked.table.items.get
        expect = read_expectation(get("expect"), list(parameters), left_out, self.problems)
        value = read_known_value(get("value"), self.values)
        known = draft.checked.table.items.get("grad")
        gradients = read_known_gradients(known if isinstance(known, Table) else None, parameters, left_out, self.values)
        arrays = [*parameters.values(), *inputs.values()]
        if expression is None or scope is None or None in arrays:
            return None
        return Case(
            self.problems.file,
            name,
            Location(self.problems.file, draft.mark.line, draft.mark.column),
            expression,
            tuple(spec for spec in parameters.values() if spec),
            tuple(spec for spec in inputs.values() if spec),
            scope,
            int(plain(get("seed") or Scalar(draft.mark, self.settings.seed))),
            knobs,
            expect,
            value,
            gradients,
            read_tags(get("tags"), self.problems),
        )

    def _knobs(self, draft: Draft, combination: Combination) -> Knobs:
        own = {name: plain(node) for name, node in draft.table("check").items.items()}
        knobs = read_knobs({**self.settings.knobs, **own})
        dtype = combination.values.get("dtype")
        return replace(knobs, dtype=dtype) if dtype in ("float64", "float32") else knobs

    def _arrays(
        self, draft: Draft, key: str, setting: Setting, expression: Expression | None
    ) -> dict[str, ArraySpec | None]:
        """Read the arrays under a key, leaving out defaults that the expression doesn't use."""
        table = draft.table(key)
        specs: dict[str, ArraySpec | None] = {}
        for name, node in table.items.items():
            used = expression is None or name in expression.names
            self._note(key, name, used)
            if not used and not draft.is_own(key, name):
                continue
            if not used and not (key == "inputs" and name in draft.table("params").items):
                message = f"the {_what(key)} '{name}' is not used in the expression"
                self.problems.add(table.keys[name], message, f"unused-{_what(key)}", "leave it out")
            entry = Entry(name, array_keys(node), table.keys[name], key == "params", setting)
            with nullcontext() if draft.is_own(key, name) else self.problems.shared(entry.mark, draft.name):
                specs[name] = read_array(entry)
        return specs

    def _own_arrays(self, draft: Draft, expression: Expression | None, knobs: Knobs) -> dict[str, ArraySpec | None]:
        """Return the arrays that belong to the operators of the expression, and are parameters as all others."""
        own = expression.own if expression else {}
        place = Location(self.problems.file, draft.mark.line, draft.mark.column)
        return {
            name: ArraySpec(name, place, value.shape, knobs.dtype, value.astype(knobs.dtype))
            for name, value in own.items()
        }

    def report_idle(self, key: str, name: str, mark: Mark) -> None:
        """Say that no case uses an entry that stands among the defaults."""
        message = (
            f"no case uses the matrix key '{name}'" if key == "matrix" else f"no case uses the {_what(key)} '{name}'"
        )
        self.problems.add(mark, message, f"unused-{_what(key)}", "leave it out")


def _what(key: str) -> str:
    return {"params": "parameter", "inputs": "input"}.get(key, key)


def _words(node: Node) -> set[str]:
    """Return the names that an array's shape and bound are made of."""
    keys = array_keys(node).items
    return {word for key in ("shape", "below") if key in keys for word, _ in shape_words(keys[key])}
