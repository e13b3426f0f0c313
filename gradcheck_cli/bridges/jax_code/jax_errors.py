"""What JAX raises, as a person can use it: broken contracts by their names, other messages without the lecture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gradcheck_cli.bridges.foreign import Description
from gradcheck_cli.bridges.jax_code.jax_arrays import jax_module
from gradcheck_cli.core.returned import shape_hint
from gradcheck_cli.errors import ContractViolation

_COUNT = re.compile(
    r"bwd rule must produce an output with the same container .*got bwd output structure PyTreeDef\((.*?)\) for"
)
_SHAPE = re.compile(r"at output\[(\d+)\] the bwd rule produced an output of .*? \w+\[([\d,]*)\] .* \w+\[([\d,]*)\]")
_TRANSPOSE = re.compile(r"[Tt]ranspose rule|[Tt]ransposition")
_LECTURE = ("See https://", "The error occurred while tracing", "This Tracer was created", "For simplicity, JAX")
_HERE = str(Path(__file__).parent)


@contextmanager
def explained(described: Description, gradient_names: Sequence[str]) -> Iterator[None]:
    """Raise ContractViolation for the wrong gradients that JAX finds, and say what it lacks: that is no code to write.

    `gradient_names` are the arguments whose gradients the custom rule returns, in order.
    """
    try:
        yield
    except NotImplementedError as error:
        if _is_raised_by_user(error):
            raise
        if _TRANSPOSE.search(str(error)):
            message = (
                f"its derivative rule is not linear in the tangents, so JAX makes no backward of it: {_short(error)}"
            )
            hint = "every term of a jvp is a factor times one tangent"
            raise ContractViolation("not-linear-in-g", message, described.name, described.places[1], hint) from error
        raise RuntimeError(_short(error)) from error
    except (TypeError, ValueError) as error:
        violation = _violation(str(error), described, gradient_names)
        if violation is not None:
            raise violation from error
        error.args = (_short(error),)
        raise


def _violation(text: str, described: Description, names: Sequence[str]) -> ContractViolation | None:
    """Return the broken contract of a backward that a message is about, if it is."""
    where = described.places[1]
    if match := _COUNT.search(text.replace("\n", " ")):
        got = match[1].count("*") + match[1].count("None") if match[1].startswith("(") else 0
        counted = f"{got} gradient{'s' * (got != 1)}" if got else "no tuple of gradients"
        wanted = f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})" if names else "its arguments"
        message = f"its backward returned {counted} for {wanted}"
        hint = "return one gradient per argument, as a tuple; None for one that has none"
        return ContractViolation("gradient-count", message, described.name, where, hint)
    if match := _SHAPE.search(text.replace("\n", " ")):
        position = int(match[1])
        name = names[position] if position < len(names) else f"argument {position}"
        got_shape, wanted_shape = (tuple(int(size) for size in re.findall(r"\d+", match[group])) for group in (2, 3))
        if got_shape != wanted_shape:
            message = f"the gradient of {name} has shape {got_shape}, {name} has {wanted_shape}"
            hint = shape_hint(name, got_shape, wanted_shape)
            return ContractViolation("gradient-shape", message, described.name, where, hint)
    return None


def _is_raised_by_user(error: BaseException) -> bool:
    """Tell whether a user's own line raises, as the body of a function that isn't written yet does."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    file = frame.tb_frame.f_code.co_filename if frame else ""
    return not file.startswith((_HERE, str(Path(jax_module().__file__).parent)))


def _short(error: BaseException) -> str:
    """Return what an error says, without how JAX works and where that is written."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    end = next((at for at, line in enumerate(lines) if line.startswith(_LECTURE)), len(lines))
    return " ".join(lines[: max(end, 1)])
