"""Pages of why an answer can't be had, or is worth less."""

PAGES = {
    "rounding-dominates": """\
Rounding of the value hides the gradient.

**Why it happens.** A difference of two values keeps what lies above their rounding: 1e-16 of their size, 1e-7 in
single precision. A large constant part, a sum that cancels, a gradient that is tiny beside the value leave nothing
above it.

**How to see it.** The message says how large the value is and below which size gradients are hidden. Over the steps
of the sweep the error falls and rises like 1/step.

**Repair.** Take the constant part out, rescale, check a part of the expression, compute in float64. A gradient that
is right but inexact passes with `check: {accuracy: ...}`.

**Example.**

```yaml case.grad.yaml
expr: 1e12 + x * x
params: {x: [0.001, 0.002]}
```
""",
    "truncation-dominates": """\
The function curves so much that no step is small enough and above the rounding as well.

**Why it happens.** The derivative changes within the smallest steps that rise above the noise: fast oscillation, a
pole close by, a very steep step of a sigmoid.

**How to see it.** Central differences don't settle: each smaller step tells another slope, until rounding takes over.

**Repair.** Check at another point, or a smoother part of the expression; scale the argument so that it changes over
its own size.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def ripple(x):
    return np.sin(3e9 * x)


@ripple.backward
def _(g, x):
    return 3e9 * g * np.cos(3e9 * x)
```

```yaml case.grad.yaml
ops: [ops.py]
expr: ripple(x)
params: {x: [0.4, 0.7, 1.3]}
```
""",
    "left-domain": """\
Steps leave the domain of the function, and too few remain to decide.

**Why it happens.** The point lies on the edge: log or sqrt close to 0, arcsin at 1, a probability of exactly 1. On
one side the value is infinite, not a number, or the operator refuses it.

**How to see it.** Only one side of the point has values.

**Repair.** Move the point inward: `low`, `high`, or the domain of the operator, `x=arr(low=0.1)`. Steps are relative
to the element's size, so a positive number that isn't tiny is enough.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def half_power(x):
    return (1 - x) ** 2.5


@half_power.backward
def _(g, x):
    return -2.5 * g * (1 - x) ** 1.5
```

```yaml case.grad.yaml
ops: [ops.py]
expr: half_power(x)
params: {x: [1.0, 0.5]}
```
""",
    "float32-inside": """\
Outputs hold single precision only, though their dtype is double.

**Why it happens.** Somewhere inside, numbers are converted to float32: a cast, a lookup table, a library that
computes in single precision. What comes out is float64 with half of the digits.

**How to see it.** All outputs are exact float32 values. The check judges by float32's rounding then: a right gradient
passes, with a wide resolution.

**Repair.** Find the cast, if it isn't meant: `astype`, `np.float32`, a default dtype. If it is, say so: `check:
{dtype: float32}`.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def quick(x):
    return np.tanh(x.astype(np.float32)).astype(np.float64)  # wrong: should be return np.tanh(x)


@quick.backward
def _(g, x):
    return g * (1 - np.tanh(x) ** 2)
```

```yaml case.grad.yaml
ops: [ops.py]
expr: quick(x)
params: {x: {shape: 4}}
```
""",
    "nothing-checked": """\
The parameter has no elements, so nothing was compared.

**Why it happens.** An axis has size 0: an empty batch, a slice past the end, a filter that keeps nothing.

**How to see it.** The table says 0 of 0 elements. The contract was checked all the same.

**Repair.** Give the parameter a shape with elements.

**Example.**

```yaml case.grad.yaml
expr: sum(x * x)
params: {x: {shape: 0 3}}
```
""",
    "vacuous": """\
Both gradients are zero everywhere: the check passes and says nothing.

**Why it happens.** The value doesn't change with the parameter at this point: all relus are off, a mask is zero, a
factor is 0, softmax is saturated. A backward that returns zeros by mistake would look the same.

**How to see it.** The parameter passes with this note and no resolution; `--strict` makes it a failure.

**Repair.** Choose a point where the parameter matters: smaller weights, another seed, a positive bias. Where nothing
depends on it anywhere, it is `disconnected`.

**Example.**

```yaml case.grad.yaml
expr: sum(relu(x))
params: {x: [-1.0, -2.0]}
```
""",
}
