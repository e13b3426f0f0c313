"""The keys of a spec and what each takes, as models: what a spec is held to, and what its JSON Schema is made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from gradcheck_cli.knobs import ALLOWED, read_knob

INITS = ("normal", "uniform", "zeros", "ones", "he", "xavier", "spd")

Whole = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
ListSchema = WithJsonSchema({"type": "array"})
Numbers = float | Annotated[list[Any], ListSchema]

# What the knobs accept is said where the knobs are; these are the forms that an editor has to know.
Share = Annotated[Any, WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1})]
Part = Annotated[Any, WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": 1})]
Multiple = Annotated[Any, WithJsonSchema({"type": "number", "exclusiveMinimum": 1})]
Amount = Annotated[Any, WithJsonSchema({"type": "number", "exclusiveMinimum": 0})]
Count = Annotated[Any, WithJsonSchema({"type": "integer", "minimum": 1})]
Switch = Annotated[Any, WithJsonSchema({"type": "boolean"})]
Seconds = Annotated[
    Any, WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "enum": ["none"]}]})
]
Precision = Annotated[Any, WithJsonSchema({"type": "string", "enum": ["float64", "float32"]})]
AtKinks = Annotated[Any, WithJsonSchema({"type": "string", "enum": ["pass", "fail"]})]
Accepted = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": list(ALLOWED)},
                {"type": "array", "items": {"type": "string", "enum": list(ALLOWED)}},
            ]
        }
    ),
]


def absent(description: str, *examples: Any) -> Any:
    """Make a key optional. It has no default that could be written: an empty value is wrong."""
    return Field(default_factory=lambda: None, description=description, examples=list(examples))


class _Strict(BaseModel):
    """No unknown keys, and no conversions: a quoted number is a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ArrayKeys(_Strict):
    """A parameter or an input in its long form."""

    shape: Whole | str | list[Whole | str] = absent(
        "The shape: sizes and names of dims with spaces between them, one size, or a list of them.",
        "batch hidden",
        5,
        [4, "hidden"],
    )
    value: Numbers = absent("The value: a number, or a nested list of numbers.", 0.5, [[1, 2], [3, 4]])
    file: str = absent(
        "The value: an .npy file, or an array of an .npz file; a path from the spec, under its folder or its project.",
        "data/weights.npy",
        "data/weights.npz:W1",
    )
    init: Literal["normal", "uniform", "zeros", "ones", "he", "xavier", "spd"] = absent(
        "How it is drawn. uniform is from 0 to 1, or from low to high; spd is a symmetric positive definite matrix; "
        "he and xavier take the last axis of a weight for its outputs.",
        "he",
        "uniform",
    )
    low: float = absent("The smallest number to draw.", 0.1)
    high: float = absent("The largest number to draw.", 2)
    avoid: float | list[float] = absent("Numbers to stay away from, as kinks are.", 0, [-1, 1])
    distinct: bool = absent("Draw no two numbers that are alike, so that a maximum is a single one.", True)
    below: Positive | str = absent(
        "Makes an input whole numbers, from 0 up to, not including, this number or dim.", 10, "classes"
    )
    dtype: str = absent("The type of its numbers: a floating one; for an input also an integer one, or bool.", "int64")
    sample: Positive = absent("Check so many random elements of this parameter in place of all.", 100)


class HealthKeys(_Strict):
    """From where on a graph is called ill: for the JSON Schema alone, since the knob checks itself."""

    vanishing: Part = absent(
        "GC401: the gradient of a layer is below this share of that of the layer next to the output.", 1e-6
    )
    exploding: Multiple = absent(
        "GC402: the gradient of a layer is above so many times that of the layer next to the output.", 1e6
    )
    dead: Part = absent("GC403: this share of the units of a ReLU give zero for every sample.", 0.5)
    saturated: Part = absent("GC404: more than this share of the elements of a sigmoid or tanh lie at its limits.", 0.9)


class CheckKeys(_Strict):
    """The knobs of a check; what each accepts is said where the knobs are."""

    rtol: Share = absent("The largest relative error of a right gradient.", 1e-6)
    eps: Share = absent(
        "The relative step of the first difference. Without it: the cube root of the machine's epsilon.", 1e-5
    )
    sweep: Switch = absent("Show the error at other steps for every parameter.", True)
    sample: Count = absent("Check so many random elements of each parameter in place of all.", 100)
    directions: Count = absent("Check so many random directions of each parameter in place of its elements.", 8)
    accuracy: Share = absent(
        "The relative error of gradients that are right but inexact, as those of an iterative solver.", 1e-5
    )
    dtype: Precision = absent(
        "The floating type in which the case computes; it is judged by its own rounding.", "float32"
    )
    kinks: AtKinks = absent("pass takes a valid subgradient at a kink, fail refuses the point.", "fail")
    repeat: Share = absent(
        "The relative difference that identical calls may have. Without it: 1000 times the machine's epsilon.", 1e-12
    )
    allow: Accepted = absent(
        "Broken contracts to accept; they are still printed.", ["input-modified"], "not-repeatable"
    )
    timeout: Amount = absent("Seconds that the case may take.", 30)
    memory: Amount = absent("MiB that perturbations may take which are evaluated together.", 1024)
    budget: Seconds = absent(
        "Seconds that the case may be expected to take. Above that fewer elements are checked, and random directions "
        "across the others, which is said before it starts; none checks all.",
        600,
        "none",
    )
    health: Any = absent(
        "From where on `gradcheck graph --health` and `gradcheck run --health` call a graph ill.", {"vanishing": 1e-6}
    )

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

    name: str = absent(
        "Name of the case, by which it is selected. Without it: a short expression itself.", "a classifier"
    )
    expr: str = absent(
        "The expression, in Python's grammar; its last line is the value, a tuple is several outputs.",
        "sum(tanh(x @ W + b))",
        "h = relu(x @ W)\nmean(h), max(h)",
    )
    params: dict[str, ArrayForm] = absent(
        "Arrays that are differentiated and checked: a value, shape words, or a mapping.",
        {"W": "pixels classes", "b": [0.1, -0.2], "scale": {"shape": 5, "low": 0.1}},
    )
    inputs: dict[str, ArrayForm] = absent(
        "Arrays that are given and not differentiated: a value, shape words, or a mapping.",
        {"x": "batch pixels", "labels": {"shape": "batch", "below": "classes"}},
    )
    dims: dict[str, Whole] = absent("Sizes by name, for shapes.", {"batch": 4, "pixels": 6, "classes": 3})
    ops: Any = absent(
        "Operators of the spec's own: files beside it, module:name of what is installed or in the project, and how "
        "other code is called.",
        ["my_ops.py"],
        ["my_package.ops:swish", {"pairs": "layers.py"}],
        [{"affine": {"forward": "layers.py:affine", "backward": "layers.py:affine_gradient"}}],
    )
    tags: str | list[str] = absent("Words by which cases are selected together (--tag).", "slow", ["slow", "gpu"])
    seed: Whole = absent("Seed of everything that is drawn.", 7)
    check: CheckKeys = absent("How to check.", {"rtol": 1e-6, "sample": 100})
    matrix: dict[str, list[Any]] = absent(
        "Values that multiply the case: one for each combination. The keys name dims, free names of the expression, "
        "or dtype.",
        {"slope": [0.01, 0.3], "dtype": ["float64", "float32"]},
    )
    expect: str | dict[str, str] = absent(
        "The expected verdict, or a finding by code or name; for the case, or as a mapping of parameters. "
        "An unexpected pass fails.",
        "fail",
        "GC203",
        {"gamma": "missing-term"},
    )
    value: Numbers = absent("The known value, which has to be met to a relative 1e-6.", 0.050876)
    grad: dict[str, Numbers] = absent(
        "Known gradients of an expression whose value is one number, which have to be met to a relative 1e-6.",
        {"w": -0.055139, "b": [-0.110279]},
    )


class SpecKeys(CaseKeys):
    """A spec: one case, or `cases` with defaults for all of them."""

    cases: list[CaseKeys] = absent(
        "The cases. What stands beside them are defaults for all; mappings merge key by key.",
        [{"expr": "tanh(x)", "params": {"x": 3}}, {"expr": "exp(x)", "params": {"x": "2 3"}}],
    )


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
