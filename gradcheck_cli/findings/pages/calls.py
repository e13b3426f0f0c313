"""Pages of what an operator must not do when it is called."""

PAGES = {
    "input-modified": """\
An operator writes to what it was given.

**Why it happens.** `x *= 2`, `out=x`, `x[mask] = 0` or a sort in place change an array that belongs to the graph:
other operators, or the backward, still need it. So gradients are computed from numbers that the forward never saw.

**How to see it.** Arrays are given read-only, and their bytes are compared afterwards, since compiled code can write
all the same. The operator and the argument are named.

**Repair.** Work on a copy, or return a new array: `x = x * 2`. Where the writing is harmless and wanted, `check:
{allow: [input-modified]}` lets it pass and prints it.

**Example.**

```python ops.py
from gradcheck_cli import op


@op
def doubled(x):
    x *= 2  # wrong: should be x = x * 2
    return x + 0


@doubled.backward
def _(g):
    return 2 * g
```

```yaml case.grad.yaml
ops: [ops.py]
expr: doubled(x)
params: {x: {shape: 3}}
```
""",
    "not-repeatable": """\
Two calls with the same arguments give different results.

**Why it happens.** Dropout or noise without a seed, a layer in training mode that updates its statistics, a counter,
a cache, threads that add in another order.

**How to see it.** Every forward and backward is called twice before any number is compared. The global generators of
Python, NumPy and PyTorch are put into one state before each call, so only randomness of another kind shows.

**Repair.** Take the mask or the seed as an argument, set the mode to evaluation, keep no state between calls. A small
difference (a sum in parallel) is noise: `check: {repeat: 1e-10}` says how much of it there may be.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def jittered(x):
    rng = np.random.default_rng()  # wrong: should be rng = np.random.default_rng(0)
    return x + rng.normal(size=x.shape)


@jittered.backward
def _(g):
    return g
```

```yaml case.grad.yaml
ops: [ops.py]
expr: jittered(x)
params: {x: {shape: 3}}
```
""",
    "not-linear-in-g": """\
The backward is not linear in its cotangent.

**Why it happens.** A gradient is linear in what arrives from above, whatever the operator. Clipping, normalising or
the sign of `g` inside of the backward, a constant added to it, or a loss that leaves `g` out break that.

**How to see it.** The backward is run with -u, 1000 u, u + w and 0, which needs no differences.

**Repair.** Multiply by `g`, and let nothing else depend on it. Clipping belongs into the training loop, behind the
whole gradient. A last layer that takes no notice of `g` is declared `loss: true` in a bridge.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def clipped(x):
    return 3 * x


@clipped.backward
def _(g):
    return np.clip(3 * g, -1, 1)  # wrong: should be return 3 * g
```

```yaml case.grad.yaml
ops: [ops.py]
expr: clipped(x)
params: {x: {shape: 3}}
```
""",
    "layout-dependent": """\
The backward gives another result when its cotangent lies otherwise in memory.

**Why it happens.** Code that reads the buffer instead of the array: `g.ravel("K")`, strides that are taken for
granted, a pointer handed to C. A cotangent that comes out of a transpose or a slice isn't contiguous.

**How to see it.** The backward is run with the same numbers in another layout, and has to return the same.

**Repair.** `np.ascontiguousarray(g)` before compiled code; `reshape` and `ravel()` in the default order.

**Example.**

```python ops.py
from gradcheck_cli import arr, op


@op(x=arr("n m"))
def doubled(x):
    return 2 * x


@doubled.backward
def _(g):
    return 2 * g.ravel(order="K").reshape(g.shape)  # wrong: should be return 2 * g
```

```yaml case.grad.yaml
ops: [ops.py]
expr: doubled(x)
params: {x: 3 4}
```
""",
    "wrong-batch-declaration": """\
An operator doesn't take an extra leading axis as it declares to.

**Why it happens.** `batch="elementwise"` or `"leading"` lets many perturbations through one call. An operator that
sums over all axes, or looks at `len(x)`, mixes them up.

**How to see it.** Stacked inputs have to give what single ones give; the declaration isn't used, and the case fails.

**Repair.** Declare what holds, or nothing: then the operator is called for each perturbation, which is only slower.
In the operator use axes counted from the end, `x.sum(axis=-1)`.

**Example.**

```python ops.py
from gradcheck_cli import arr, op


@op(x=arr("n"), batch="leading")  # wrong: should be @op(x=arr("n"))
def centred(x):
    return x - x.mean()


@centred.backward
def _(g):
    return g - g.mean()
```

```yaml case.grad.yaml
ops: [ops.py]
expr: centred(x)
params: {x: {shape: 4}}
```
""",
    "forward-reverse-mismatch": """\
The operator's `jvp` and its backward don't belong to one function.

**Why it happens.** One of them was changed and not the other, or one has a mistake. For any tangent t and cotangent
u, u · jvp(t) has to equal vjp(u) · t.

**How to see it.** The two sides of that dot product are shown. It needs no differences, so it is exact to rounding.

**Repair.** The comparison with differences says which of the two is wrong: the backward if that fails as well, else
the `jvp`.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def wave(x):
    return np.sin(x)


@wave.backward
def _(g, x):
    return g * np.cos(x)


@wave.jvp
def _(t, x):
    return -t * np.cos(x)  # wrong: should be return t * np.cos(x)
```

```yaml case.grad.yaml
ops: [ops.py]
expr: wave(x)
params: {x: {shape: 3}}
```
""",
}
