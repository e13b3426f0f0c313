"""Pages of what is wrong with a value or a gradient before any two numbers are compared."""

PAGES = {
    "gradient-count": """\
The backward returns another number of gradients than there are inputs to differentiate.

**Why it happens.** An argument was added to the forward and not to the backward, a single gradient is returned for
two inputs, or `None` for one that is thought to need none. Integers, masks and inputs declared `nondiff` have no
slot.

**How to see it.** The contract is checked before any number: the message says how many were returned, and for which.

**Repair.** Return one array for each differentiable input, in the order of the forward. Zeros of the right shape
stand for no influence; `x=arr(nondiff=True)` says that an input has no gradient at all.

**Example.**

```python ops.py
from gradcheck_cli import op


@op
def times(x, y):
    return x * y


@times.backward
def _(g, x, y):
    return g * y  # wrong: should be return g * y, g * x
```

```yaml case.grad.yaml
ops: [ops.py]
expr: times(x, y)
params: {x: {shape: 3}, y: {shape: 3}}
```
""",
    "gradient-shape": """\
A gradient has another shape than its input.

**Why it happens.** NumPy broadcast an input, and the backward returns the gradient of the larger array; a product is
transposed; `sum` dropped an axis that was of size 1.

**How to see it.** Both shapes are named, with the sum or the transpose that is missing where one makes them fit.

**Repair.** `unbroadcast(g, b.shape)` sums over what was broadcast. For Z = X W: dX = dZ Wᵀ, dW = Xᵀ dZ. Nothing here
repairs a shape in silence: a missing sum is the mistake that one looks for.

**Example.**

```python ops.py
from gradcheck_cli import arr, op


@op(x=arr("n d"), b=arr("d"))
def add_bias(x, b):
    return x + b


@add_bias.backward
def _(g):
    return g, g  # wrong: should be return g, g.sum(axis=0)
```

```yaml case.grad.yaml
ops: [ops.py]
expr: add_bias(x, b)
params: {x: 5 3, b: {shape: 3}}
```
""",
    "gradient-dtype": """\
A gradient has another dtype than its input.

**Why it happens.** A mask of integers is returned as it is, a constant is float32, `np.zeros(n, int)` collects the
gradient, complex numbers come out of a transform and aren't made real again.

**How to see it.** The dtype is named. With float32 in one place half of the digits are gone from there on, and no
comparison would be sharper than 1e-4.

**Repair.** Compute in the dtype of the input: `np.zeros_like(x)`, `mask * g`, `.astype(x.dtype)`, `.real`.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def ramp(x):
    return np.maximum(x, 0)


@ramp.backward
def _(g, x):
    return (g * (x > 0)).astype(np.float32)  # wrong: should be return g * (x > 0)
```

```yaml case.grad.yaml
ops: [ops.py]
expr: ramp(x)
params: {x: [-1.0, 0.5, 2.0]}
```
""",
    "non-finite": """\
The value, or a gradient, is infinite or not a number.

**Why it happens.** The logarithm of 0, a division by 0, the exponential of something large, the root of a negative
number or its slope at 0; softmax and cross-entropy done one after the other overflow in between.

**How to see it.** The first operator whose outputs went bad is named, with the range of its inputs; `gradcheck graph`
shows the way from the output back.

**Repair.** Compute the composite in one stable operator (log-softmax, softplus, log1p, logsumexp with the largest
subtracted), keep the argument inside of the domain, add an epsilon to both passes. In training: a lower learning
rate, gradient clipping, normalised inputs.

**Example.**

```yaml case.grad.yaml
expr: sum(log(x))
params: {x: [1.0, 0.0]}  # wrong: should be params: {x: [1.0, 0.5]}
```
""",
    "unexpected-value": """\
The value, or a gradient, is not the one that the spec knows.

**Why it happens.** The spec gives `value:` or `grad:`, and the expression gives something else: a formula was
changed, a number mistyped, the known result was another function's.

**How to see it.** Both numbers are shown; they have to agree to 1e-6.

**Repair.** Find out which of the two is wrong. When the gradients agree with differences the backward isn't to blame:
forward and backward are wrong together, or the known result is.

**Example.**

```yaml case.grad.yaml
expr: x * x + 1
params: {x: 3.0}
value: 9  # wrong: should be value: 10
```
""",
    "differs-from-reference": """\
A kernel computes something else than its reference.

**Why it happens.** The kernel and the plain function that it has to equal drifted apart: another epsilon, another
convention, a race, an index beyond the end of a block.

**How to see it.** The reference is checked by differences in float64; the kernel's outputs and gradients are held to
it at the kernel's own rounding, and what stands out is named.

**Repair.** Compare the two at the element named. A difference in the last block of an array only means a bound; one
that changes from run to run, a race.

**Example.** It needs PyTorch.

```python kernels.py
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def double(x):
    return 2.001 * x  # wrong: should be return 2 * x
```

```yaml case.grad.yaml
ops:
  - twice: {torch: "kernels.py:Double", reference: "kernels.py:double"}
expr: twice(x)
params: {x: {shape: 4}}
```
""",
}
