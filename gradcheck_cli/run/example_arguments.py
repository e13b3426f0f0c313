"""The arguments of an operator's example: those on which the usual mistakes show.

An attribute that stands at 1 hides a factor that is missing, inputs of one shape hide a sum that is missing, and two
elements are too few to name a mistake. So an example takes several values of an attribute, shapes that broadcast to one
another, and a few elements more, where the forward takes them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, Skipped
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.arguments import combinations
from gradcheck_cli.run.base_arguments import Arguments, base_arguments
from gradcheck_cli.run.base_draws import remaining
from gradcheck_cli.run.operator_case import check_trial, refusal
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.sizes import Shape, Shared, Sizes, draw_arrays, shape_words, sharing
from gradcheck_cli.run.trial import Trial
from gradcheck_cli.run.variants import Variant

Predicate: TypeAlias = Callable[[Any], bool]

_COMMON = (3, 4)
_LEADING = (2,)
_FREE = (2, 3)
"""What `...` stands for where it is the whole shape."""

_VECTORS = (6, 5, 7)
"""Sizes of words where all arrays are vectors: three elements say little about what is wrong."""

_DIFFERENT = (3, 4, 5)
_SMALL = (3, 4, 2)

_MOST_CASES = 8
"""Cases that the attribute values may make."""

_DRAWS = 16
_MOST_VALUES = 48
_FEW_VALUES = 6

_BROADCAST: Sequence[Mapping[Shared, Sequence[Shape]]] = (
    {"common": ((2, 3, 1), (3, 4), (2, 1, 4)), "leading": ((2, 1), (3,), (2, 3))},
    {"common": ((2, 3), (3,)), "leading": ((2,), ())},
)
"""Shapes of inputs that share one, the best first: each of them broadcast, then the second to the first."""


@dataclass(frozen=True)
class ExampleArguments:
    """What an example calls an operator with.

    `arrays` are values from a sample function (None: left out); without one, arrays are drawn in `sizes`. `attributes`
    holds the values to try of each; all of their combinations are taken.
    """

    sizes: Sizes
    attributes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    arrays: Sequence[Any] | None = None


def example_arguments(operator: Operator, can_be_written: Predicate) -> ExampleArguments:
    """Choose the arguments of an example; `can_be_written` tells whether a spec has words for an attribute's value.

    Code that raises, or that isn't there, leaves shapes and values as they are declared.
    """
    sizes = _sizes(operator)
    if operator.sampler is not None and (sampled := _sampled(operator)) is not None:
        arrays, given = sampled
        values = _values(operator, arrays, given, can_be_written)
        defaults = {each.name: each.default for each in operator.attributes}
        more = {name: column for name, column in values.items() if len(column) > 1 or column[0] is not defaults[name]}
        return ExampleArguments(sizes, {**{name: (value,) for name, value in given.items()}, **more}, arrays)
    values = _values(operator, _drawn(operator, sizes), {}, can_be_written)
    for changed in _broadcast(operator, sizes):
        drawn = _drawn(operator, changed)
        if drawn is not None and _are_taken(operator, drawn, values):
            return ExampleArguments(changed, values)
    return ExampleArguments(sizes, values)


def _sizes(operator: Operator) -> Sizes:
    """Choose sizes that differ, so that a transposed gradient shows."""
    words = shape_words(operator)
    shapes = [item.domain.words for item in operator.inputs if item.domain.words is not None]
    vectors = all(len(shape) < 2 for shape in shapes)
    sizes = _VECTORS if vectors else _DIFFERENT if len(words) <= len(_DIFFERENT) else _SMALL
    leading = _FREE if ("...",) in shapes else _LEADING
    return Sizes(
        dict(zip(words, itertools.cycle(sizes), strict=False)),
        {"common": _COMMON, "leading": leading},
    )


def _broadcast(operator: Operator, sizes: Sizes) -> Iterator[Sizes]:
    """Yield sizes in which inputs that share a shape have ones that broadcast."""
    for shapes in _BROADCAST:
        own: dict[int, Shape] = {}
        for shared, ways in shapes.items():
            # Those with a gradient first: it is their gradients that have to be summed.
            group = sorted(
                sharing(operator, shared), key=lambda slot: not operator.input_at(slot).domain.differentiable
            )
            if len(group) < 2:
                continue
            free = operator.input_at(group[0]).domain.words == ("...",)
            chosen = shapes["common"] if free else ways
            whole = np.broadcast_shapes(*chosen)
            own |= {slot: chosen[at] if at < len(chosen) else whole for at, slot in enumerate(group)}
        if own:
            yield sizes.with_own(own)


def _drawn(operator: Operator, sizes: Sizes) -> list[Any] | None:
    try:
        return draw_arrays(operator, sizes, np.random.default_rng(0))
    except ValueError:  # a domain that leaves nothing to draw, which the checks say
        return None


def _are_taken(operator: Operator, arrays: list[Any], values: Mapping[str, tuple[Any, ...]]) -> bool:
    """Tell whether an operator takes arrays that broadcast, and has gradients there that can be judged.

    A standard deviation over an axis of size 1 has none. A wrong gradient is judged, too, but for code that isn't ours:
    nobody said that it takes such shapes, so what is wrong with those alone is left to a person, as by `check-ops`.
    """
    rows = list(_rows(values))
    if not all(_takes(operator, arrays, row) for row in rows):
        return False
    try:
        result = check_trial(_trial(operator, arrays, rows[0]), OperatorOptions())
    except (Skipped, GradcheckError):
        return False
    if operator.bridged:
        return result.case.verdict is Verdict.PASS
    finite = all(finding.name != "non-finite" for finding in result.case.findings)
    return not result.skipped and result.case.verdict is not Verdict.INCONCLUSIVE and finite


def _takes(operator: Operator, arrays: list[Any], attributes: Mapping[str, Any]) -> bool:
    """Tell whether the forward has a value for these arguments."""
    try:
        return refusal(_trial(operator, arrays, attributes)) is None
    except (Skipped, GradcheckError):
        return False


def _trial(operator: Operator, arrays: list[Any], attributes: Mapping[str, Any]) -> Trial:
    return Trial(operator, Variant(Kind.BROADCAST, "", lambda _: None), "", arrays, attributes, 0)


def _values(
    operator: Operator, arrays: list[Any] | None, given: Mapping[str, Any], can_be_written: Predicate
) -> dict[str, tuple[Any, ...]]:
    """Choose the values of the attributes that are not `given`, as many as go together in all combinations."""
    try:
        choices = remaining(combinations(operator), given)
    except GradcheckError:  # one without a default and without values
        choices = []
    written = {
        each.name: [value for value in each.values if can_be_written(value)]
        for each in operator.attributes
        if each.name not in given
    }
    written = {name: values for name, values in written.items() if values}
    if not written:
        return {}

    def is_taken(row: Mapping[str, Any]) -> bool:
        return arrays is not None and _takes(operator, arrays, {**row, **given})

    first = {name: values[0] for name, values in written.items()}
    starts = [first, *({name: row[name] for name in written} for row in choices if _is_written(row, can_be_written))]
    start = next((row for row in starts if is_taken(row)), None)
    if start is None:
        return {name: (value,) for name, value in first.items()}
    return _grown({name: (value,) for name, value in start.items()}, written, is_taken)


def _is_written(row: Mapping[str, Any], can_be_written: Predicate) -> bool:
    return all(map(can_be_written, row.values()))


def _grown(
    columns: dict[str, tuple[Any, ...]], written: Mapping[str, list[Any]], is_taken: Predicate
) -> dict[str, tuple[Any, ...]]:
    """Add values one by one, to each attribute in turn; one that stays alone is none that hides a mistake."""

    def are_taken(columns: Mapping[str, tuple[Any, ...]]) -> bool:
        return math.prod(map(len, columns.values())) <= _MOST_CASES and all(map(is_taken, _rows(columns)))

    for turn in range(max(map(len, written.values()))):
        for name, values in written.items():
            if turn >= len(values) or not all(map(can_be_listed, (*columns[name], values[turn]))):
                continue
            column = tuple(map(_as_listed, (*columns[name], values[turn])))
            if len(set(map(repr, column))) == len(column) and are_taken({**columns, name: column}):
                columns = {**columns, name: column}
    for name, values in written.items():
        if len(columns[name]) == 1 and _is_idle(columns[name][0]):
            busy = ({**columns, name: (value,)} for value in values if not _is_idle(value))
            columns = next(filter(are_taken, busy), columns)
    return columns


def _as_listed(value: Any) -> Any:
    """Return what a value is when it comes from a matrix: a list is a tuple."""
    return tuple(map(_as_listed, value)) if isinstance(value, list | tuple) else value


def _rows(columns: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Yield the combinations of attribute values."""
    for row in itertools.product(*columns.values()):
        yield dict(zip(columns, row, strict=True))


def can_be_listed(value: Any) -> bool:
    """Tell whether a matrix has words for a value that an expression has words for."""
    if isinstance(value, list | tuple):
        return all(map(can_be_listed, value))
    if isinstance(value, float | np.floating):
        return bool(np.isfinite(value))
    return not isinstance(value, dict) and not (isinstance(value, str) and not value.isprintable())


def _is_idle(value: Any) -> bool:
    """Tell whether an attribute's value is one at which it does nothing."""
    return value is None or (isinstance(value, bool | int | float) and value in (0, 1))


def _sampled(operator: Operator) -> Arguments | None:
    """Choose the smallest of a few samples that has some elements, shapes that differ, and no idle attributes.

    None if the sample function can't be used.
    """
    drawn = []
    for seed in range(_DRAWS):
        try:
            drawn.append(base_arguments(operator, np.random.default_rng(seed)))
        except Exception:  # the user's code: the checks say what is wrong with it, an example only goes without
            return None

    def order(arguments: Arguments) -> tuple[bool, int, bool, int, int]:
        arrays, attributes = arguments
        given = [array for array in arrays if array is not None]
        size = sum(array.size for array in given)
        idle = sum(map(_is_idle, attributes.values()))
        return size > _MOST_VALUES, idle, size < _FEW_VALUES, -len({array.shape for array in given}), size

    return min(drawn, key=order)
