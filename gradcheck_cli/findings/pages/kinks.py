"""Pages of points at which a function has a corner or a jump, or one nearby."""

PAGES = {
    "invalid-at-kink": """\
At a kink the gradient is none of those that the sides allow.

**Why it happens.** max, abs, relu, a clip have a corner, where the slope to the left and the slope to the right
differ. Any number between them is a valid subgradient there; this one lies outside. Typically an equality (`x == 0`,
a tie) is treated apart, or counted on both sides.

**How to see it.** The slopes on both sides are shown with the gradient. Several kinks are looked at together, too:
two tied maxima may share the gradient, and can't both have all of it.

**Repair.** Return one side's slope, or a mean of both: `x > 0`, `np.sign(x)`; shares that add up to one for ties.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def ramp(x):
    return np.maximum(x, 0)


@ramp.backward
def _(g, x):
    return g * np.where(x == 0, 2.0, x > 0)  # wrong: should be return g * (x > 0)
```

```yaml case.grad.yaml
ops: [ops.py]
expr: ramp(x)
params: {x: [-1.0, 0.0, 2.0]}
```
""",
    "kink-at-point": """\
The point lies on a kink; the gradient is one that is valid there.

**Why it happens.** relu at 0, a maximum with ties, the absolute value of 0: zeros and repeated values are frequent in
practice, and rare in random numbers.

**How to see it.** One-sided differences part and stay apart as the step shrinks. The gradient lies between them, so
the parameter passes, with this note.

**Repair.** Nothing has to be mended. To check the smooth part, move the point: `avoid: 0`, `distinct: true`. `check:
{kinks: fail}` or `--strict` refuses kinks.

**Example.**

```yaml case.grad.yaml
expr: relu(x)
params: {x: [-1.0, 0.0, 2.0]}
```
""",
    "kink-nearby": """\
A kink lies so near that larger steps cross it; the gradient was judged below it.

**Why it happens.** Some element is within a step of a corner of max, abs, relu or a comparison. The difference over
the corner is a mean of two slopes, which would make a right gradient look wrong.

**How to see it.** Small steps agree with the gradient, larger ones part from it all at once.

**Repair.** Nothing has to be mended. Inputs that keep away from the kink (`avoid: 0`) make the check sharper and
faster.

**Example.**

```yaml case.grad.yaml
expr: relu(x)
params: {x: [1e-7, -0.5, 1.0]}
```
""",
    "jump": """\
The value jumps at the point: there is no derivative.

**Why it happens.** floor, round, sign, a comparison, an argmax, an index computed from numbers: at the point itself
the value leaps, and no gradient describes that.

**How to see it.** Differences grow as the step shrinks, at a constant size of the leap. The answer is inconclusive.

**Repair.** Check at a point that doesn't lie on the leap. If gradients are meant to pass through (a straight-through
estimator), they aren't those of this function: `expect: fail` says so.

**Example.**

```python ops.py
import numpy as np
from gradcheck_cli import op


@op
def sawtooth(x):
    return x - np.floor(x)


@sawtooth.backward
def _(g):
    return g
```

```yaml case.grad.yaml
ops: [ops.py]
expr: sawtooth(x)
params: {x: [1.0, 2.5]}
```
""",
}
