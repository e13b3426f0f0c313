"""Bridges in a spec: from a mapping under `ops:` to the operators that it describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gradcheck_cli.bridges.domains import read_domains
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, Problem, near
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.folders import Unusable
from gradcheck_cli.spec.references import References
from gradcheck_cli.spec.text.nodes import Mark, Node, Table, describe, plain, resolve
from gradcheck_cli.spec.text.problems import Problems

_LISTS = ("outputs", "takes", "returns", "loss", "devices")
_EXAMPLE = "affine: {forward: layers.py:affine_forward, backward: layers.py:affine_backward}"


@dataclass
class Worked:
    """The operators of an entry; None if it can't be used, which was said."""

    operators: tuple[Operator, ...] | None = None


@dataclass(eq=False)
class BridgeEntries:
    """Reads the mappings under `ops:`; the code that they name is found through `references`."""

    references: References
    problems: Problems

    def is_search(self, node: Node) -> bool:
        """Tell whether an entry asks for whatever operators a file has."""
        pairs = node.items.get("pairs") if isinstance(node, Table) else None
        return pairs is not None and not isinstance(pairs, Table)

    def read(self, table: Table) -> tuple[Operator, ...] | None:
        """Return the operators of one mapping: `pairs: FILE`, or a bridge under the name of each operator.

        None if something in it is wrong, which is said.
        """
        if self.is_search(table):
            return self._bridge("", table)
        groups = [self._named(name, node, table.keys[name]) for name, node in table.items.items()]
        if None in groups or not groups:
            if not groups:
                self.problems.add(table.mark, "this entry names no operator", "wrong-type", _EXAMPLE)
            return None
        return tuple(operator for group in groups for operator in group or ())

    @contextmanager
    def reporting(self, mark: Mark) -> Iterator[Worked]:
        """Say at `mark` what is raised inside the `with` block about code that a spec names."""
        worked = Worked()
        try:
            yield worked
        except GradcheckError as error:
            self.problems.take([problem for problem in error.problems if _has_place(problem)], mark)
            for problem in error.problems:
                if not _has_place(problem):
                    self.problems.add(mark, problem.message, problem.code, problem.hint)
        except Unusable as error:
            self.problems.add(mark, str(error), "wrong-ops", error.hint)

    def _named(self, name: str, node: Node, mark: Mark) -> tuple[Operator, ...] | None:
        if not name.isidentifier():
            self.problems.add(
                mark, f"'{name}' can't be the name of an operator", "wrong-name", f"for example {_EXAMPLE}"
            )
            return None
        if not isinstance(node, Table):
            hint = f"{near(name, ['pairs'])} For example {_EXAMPLE}".strip()
            self.problems.add(
                mark, f"{name} should be a mapping that says how it is called, not {describe(node)}", "wrong-type", hint
            )
            return None
        return self._bridge(name, node)

    def _bridge(self, name: str, table: Table) -> tuple[Operator, ...] | None:
        # Imported only now: few specs have a bridge, and its models take long to make.
        from gradcheck_cli.spec.bridge_schema import BRIDGES

        kind = next((key for key in BRIDGES if key in table.items), None)
        if kind is None:
            hint = f"one of the keys {', '.join(BRIDGES)} says what it is"
            self.problems.add(table.mark, f"'{name}' says not what kind of code it is", "wrong-ops", hint)
            return None
        before = len(self.problems)
        self._validate(kind, table)
        if len(self.problems) > before:
            return None
        options = {key: _words(key, plain(node)) for key, node in table.items.items()}
        domains = self._domains(kind, table, options)
        if len(self.problems) > before:
            return None
        with self.reporting(table.items[kind].mark) as worked:
            # Imported only now: few specs have a bridge.
            from gradcheck_cli.spec.bridge_makers import make

            worked.operators = make(kind, name, options | domains, self.references)
        return worked.operators

    def _validate(self, kind: str, table: Table) -> None:
        """Say what the model of the bridge refuses."""
        # Imported only now, as in _bridge.
        from pydantic import ValidationError

        from gradcheck_cli.spec.bridge_schema import BRIDGES

        model = BRIDGES[kind]
        try:
            model.model_validate(plain(table))
        except ValidationError as error:
            for detail in error.errors(include_url=False, include_input=False):
                path, node = resolve(table, detail["loc"])
                key = str(detail["loc"][0])
                known = list(model.model_fields)
                if detail["type"] == "extra_forbidden":
                    hint = near(key, known) or f"there are: {', '.join(known)}"
                    self.problems.add(table.keys[key], f"unknown key '{key}'", "unknown-key", hint)
                elif detail["type"] == "missing":
                    self.problems.add(table.mark, f"'{kind}' needs '{key}', too", "wrong-ops")
                else:
                    where = ".".join(map(str, path))
                    self.problems.add(node.mark, f"{where} can't be {describe(node)}", "wrong-type", detail["msg"])

    def _domains(self, kind: str, table: Table, options: Mapping[str, Any]) -> dict[str, Any]:
        """Read the domains; those of a file of pairs stand under the name of each operator."""
        node = table.items.get("domain")
        if not isinstance(node, Table):
            return {}
        if kind != "pairs":
            return {"domain": self._read_domains(node, options["domain"])}
        return {
            "domain": {
                name: self._read_domains(inner, options["domain"][name])
                for name, inner in node.items.items()
                if isinstance(inner, Table)
            }
        }

    def _read_domains(self, table: Table, written: Mapping[str, Any]) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for name, node in table.items.items():
            try:
                found |= read_domains({name: written[name]})
            except ValueError as error:
                self.problems.add(node.mark, str(error), "wrong-domain")
        return found


def _has_place(problem: Problem) -> bool:
    return problem.location is not None and problem.location.file != ""


def _words(key: str, value: Any) -> Any:
    """Return what may be a list or a text of words as a list."""
    return value.split() if key in _LISTS and isinstance(value, str) else value
