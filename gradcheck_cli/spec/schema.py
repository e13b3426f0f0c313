"""The keys of a spec and what each takes, as models (from which a JSON Schema can be made)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, WithJsonSchema, field_validator
from pydantic_core.core_schema import ValidationInfo

from gradcheck_cli.knobs import read_knob

INITS = ("normal", "uniform", "zeros", "ones", "he", "xavier", "spd")

Whole = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
ListSchema = WithJsonSchema({"type": "array"})


class _Strict(BaseModel):
    """No unknown keys, and no conversions: a quoted number is a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ArrayKeys(_Strict):
    """A parameter or an input in its long form."""

    shape: Whole | str | list[Whole | str] | None = None
    value: float | Annotated[list[Any], ListSchema] | None = None
    file: str | None = None
    init: Literal["normal", "uniform", "zeros", "ones", "he", "xavier", "spd"] | None = None
    low: float | None = None
    high: float | None = None
    avoid: float | list[float] | None = None
    distinct: bool | None = None
    below: Positive | str | None = None
    dtype: str | None = None
    sample: Positive | None = None


class CheckKeys(_Strict):
    """The knobs of a check; what each accepts is said where the knobs are."""

    rtol: float | None = None
    eps: float | None = None
    sweep: bool | None = None
    sample: int | None = None
    dtype: str | None = None
    timeout: float | None = None
    directions: Any = None
    accuracy: Any = None
    repeat: Any = None
    allow: Any = None
    kinks: Any = None

    @field_validator("*", mode="before")
    @classmethod
    def _read(cls, value: Any, info: ValidationInfo) -> Any:
        return read_knob(str(info.field_name), value)


def _form(value: Any) -> str | None:
    """Tell the forms of a parameter apart."""
    if isinstance(value, bool):
        return None
    forms = {int: "number", float: "number", str: "words", list: "list", dict: "keys", ArrayKeys: "keys"}
    return forms.get(type(value))


ArrayForm = Annotated[
    Annotated[float, Tag("number")]
    | Annotated[str, Tag("words")]
    | Annotated[list[Any], ListSchema, Tag("list")]
    | Annotated[ArrayKeys, Tag("keys")],
    Discriminator(_form),
]


class CaseKeys(_Strict):
    """One case: an expression with its parameters."""

    name: Annotated[str | None, Field(description="Name of the case, used to select it")] = None
    expr: Annotated[str | None, Field(description="The expression; its last line is the value")] = None
    params: Annotated[dict[str, ArrayForm] | None, Field(description="Arrays to differentiate and check")] = None
    inputs: Annotated[dict[str, ArrayForm] | None, Field(description="Arrays that are given")] = None
    dims: Annotated[dict[str, Whole] | None, Field(description="Sizes by name, for shapes")] = None
    ops: Annotated[
        Any,
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        Field(description="Operator files beside the spec, or module:name"),
    ] = None
    seed: Annotated[Whole | None, Field(description="Seed of everything that is drawn")] = None
    check: Annotated[CheckKeys | None, Field(description="Knobs of the check")] = None
    matrix: Annotated[dict[str, list[Any]] | None, Field(description="Values that multiply the case")] = None
    expect: Annotated[str | dict[str, str] | None, Field(description="The expected verdict")] = None
    value: Annotated[float | Annotated[list[Any], ListSchema] | None, Field(description="The known value")] = None
    grad: Annotated[
        dict[str, float | Annotated[list[Any], ListSchema]] | None, Field(description="Known gradients")
    ] = None


class SpecKeys(CaseKeys):
    """A spec: one case, or `cases` with defaults for all of them."""

    cases: list[CaseKeys] | None = None


EXPECTED: dict[tuple[str, ...], str] = {
    ("name",): "a text",
    ("expr",): "a text",
    ("params",): "a mapping of names to shapes or values",
    ("inputs",): "a mapping of names to shapes or values",
    ("*",): "a number, a list of numbers, shape words or a mapping",
    ("*", "shape"): "shape words, a size or a list of sizes",
    ("*", "value"): "a number or a list of numbers",
    ("*", "file"): "the path of an .npy or .npz file",
    ("*", "init"): f"one of {', '.join(INITS)}",
    ("*", "low"): "a number",
    ("*", "high"): "a number",
    ("*", "avoid"): "a number or a list of numbers",
    ("*", "distinct"): "true or false",
    ("*", "below"): "a whole number, 1 or more, or the name of a dim",
    ("*", "dtype"): "the name of a number type",
    ("*", "sample"): "a whole number of elements, 1 or more",
    ("dims",): "a mapping of names to sizes",
    ("dims", "*"): "a size: a whole number, 0 or more",
    ("seed",): "a whole number, 0 or more",
    ("check",): "a mapping of knobs to values",
    ("matrix",): "a mapping of names to lists of values",
    ("matrix", "*"): "a list of values",
    ("expect",): "a verdict, or a mapping of parameters to verdicts",
    ("expect", "*"): "a verdict",
    ("value",): "a number or a list of numbers",
    ("grad",): "a mapping of parameters to numbers or lists",
    ("grad", "*"): "a number or a list of numbers",
}
"""What a key takes, in words: by key, or by mapping and entry; entries of params and inputs are `*`."""
