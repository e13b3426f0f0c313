"""The keys of a spec and what each takes, as models (from which a JSON Schema can be made)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationInfo, WithJsonSchema, field_validator

from gradcheck_cli.knobs import read_knob

INITS = ("normal", "uniform", "zeros", "ones", "he", "xavier", "spd")

Whole = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
ListSchema = WithJsonSchema({"type": "array"})


def absent() -> Any:
    """Make a key optional. It has no default that could be written: an empty value is wrong."""
    return Field(default_factory=lambda: None)


class _Strict(BaseModel):
    """No unknown keys, and no conversions: a quoted number is a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ArrayKeys(_Strict):
    """A parameter or an input in its long form."""

    shape: Whole | str | list[Whole | str] = absent()
    value: float | Annotated[list[Any], ListSchema] = absent()
    file: str = absent()
    init: Literal["normal", "uniform", "zeros", "ones", "he", "xavier", "spd"] = absent()
    low: float = absent()
    high: float = absent()
    avoid: float | list[float] = absent()
    distinct: bool = absent()
    below: Positive | str = absent()
    dtype: str = absent()
    sample: Positive = absent()


class CheckKeys(_Strict):
    """The knobs of a check; what each accepts is said where the knobs are."""

    rtol: float = absent()
    eps: float = absent()
    sweep: bool = absent()
    sample: int = absent()
    dtype: str = absent()
    timeout: float = absent()
    memory: float = absent()
    budget: Any = absent()
    directions: Any = absent()
    accuracy: Any = absent()
    repeat: Any = absent()
    allow: Any = absent()
    kinks: Any = absent()
    health: Any = absent()

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

    name: Annotated[str, Field(description="Name of the case, used to select it")] = absent()
    expr: Annotated[str, Field(description="The expression; its last line is the value")] = absent()
    params: Annotated[dict[str, ArrayForm], Field(description="Arrays to differentiate and check")] = absent()
    inputs: Annotated[dict[str, ArrayForm], Field(description="Arrays that are given")] = absent()
    dims: Annotated[dict[str, Whole], Field(description="Sizes by name, for shapes")] = absent()
    ops: Annotated[
        Any,
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        Field(description="Operator files beside the spec, or module:name"),
    ] = absent()
    tags: Annotated[str | list[str], Field(description="Words by which cases are selected together")] = absent()
    seed: Annotated[Whole, Field(description="Seed of everything that is drawn")] = absent()
    check: Annotated[CheckKeys, Field(description="Knobs of the check")] = absent()
    matrix: Annotated[dict[str, list[Any]], Field(description="Values that multiply the case")] = absent()
    expect: Annotated[str | dict[str, str], Field(description="The expected verdict")] = absent()
    value: Annotated[float | Annotated[list[Any], ListSchema], Field(description="The known value")] = absent()
    grad: Annotated[dict[str, float | Annotated[list[Any], ListSchema]], Field(description="Known gradients")] = (
        absent()
    )


class SpecKeys(CaseKeys):
    """A spec: one case, or `cases` with defaults for all of them."""

    cases: list[CaseKeys] = absent()


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
    ("tags",): "a text or a list of texts",
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
