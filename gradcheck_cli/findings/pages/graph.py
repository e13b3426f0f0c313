"""Pages of the health of a graph: gradients may be right and training fail all the same."""

PAGES = {
    "vanishing": """\
Gradients shrink from layer to layer, until nothing reaches the first.

**Why it happens.** Every layer multiplies by the slope of its activation and by its weights. A sigmoid's slope is at
most 1/4: over twelve layers less than a ten-millionth is left. Weights that start too small do the same.

**How to see it.** The norm of the gradient falls by about the same factor at every layer, from the output back.

**Repair.** ReLU or one of its kin, He or Xavier initialisation, normalisation (batch, layer), residual connections;
gates in recurrent networks.

**Example.** `gradcheck graph --health case.grad.yaml` shows it.

```yaml case.grad.yaml
dims: {n: 4, d: 8}
expr: |
  h1 = sigmoid(x @ W1)
  h2 = sigmoid(h1 @ W2)
  h3 = sigmoid(h2 @ W3)
  h4 = sigmoid(h3 @ W4)
  h5 = sigmoid(h4 @ W5)
  h6 = sigmoid(h5 @ W6)
  h7 = sigmoid(h6 @ W7)
  h8 = sigmoid(h7 @ W8)
  h9 = sigmoid(h8 @ W9)
  h10 = sigmoid(h9 @ W10)
  h11 = sigmoid(h10 @ W11)
  h12 = sigmoid(h11 @ W12)
  mean(h12)
inputs: {x: n d}
params:
  W1: {shape: d d, init: xavier}
  W2: {shape: d d, init: xavier}
  W3: {shape: d d, init: xavier}
  W4: {shape: d d, init: xavier}
  W5: {shape: d d, init: xavier}
  W6: {shape: d d, init: xavier}
  W7: {shape: d d, init: xavier}
  W8: {shape: d d, init: xavier}
  W9: {shape: d d, init: xavier}
  W10: {shape: d d, init: xavier}
  W11: {shape: d d, init: xavier}
  W12: {shape: d d, init: xavier}
```
""",
    "exploding": """\
Gradients grow from layer to layer.

**Why it happens.** Weights whose products stretch, the same weight applied many times in a recurrent network, a
learning rate that made the weights large.

**How to see it.** The norm of the gradient rises by about the same factor at every layer, from the output back. In
training the loss leaps, and turns to NaN.

**Repair.** Clip the norm of the gradient, initialise for the width of the layer, normalise, lower the learning rate.
Set gradients to zero before every step: forgotten, they add up from step to step, which looks the same.

**Example.** `gradcheck graph --health case.grad.yaml` shows it.

```yaml case.grad.yaml
dims: {n: 4, d: 8}
expr: |
  h1 = relu(x @ W1)
  h2 = relu(h1 @ W2)
  h3 = relu(h2 @ W3)
  h4 = relu(h3 @ W4)
  h5 = relu(h4 @ W5)
  h6 = relu(h5 @ W6)
  mean(h6)
inputs: {x: n d}
params:
  W1: {shape: d d, low: 5, high: 20}
  W2: {shape: d d, low: 5, high: 20}
  W3: {shape: d d, low: 5, high: 20}
  W4: {shape: d d, low: 5, high: 20}
  W5: {shape: d d, low: 5, high: 20}
  W6: {shape: d d, low: 5, high: 20}
```
""",
    "dead-relu": """\
A ReLU lets nothing through: its inputs are negative, and so its gradient is zero.

**Why it happens.** A large negative bias, a step of training that was too large, inputs that aren't centred. What is
off for every sample gets no gradient, and stays off.

**How to see it.** The share of zeros behind the ReLU is 1, or close to it; the gradients before it are zero.

**Repair.** Lower the learning rate, initialise biases with zero or a little above, use a leaky variant, normalise
inputs.

**Example.** `gradcheck graph --health case.grad.yaml` shows it.

```yaml case.grad.yaml
dims: {n: 4, d: 6}
expr: sum(relu(x @ W + b) ** 2)
inputs: {x: n d}
params:
  W: d d
  b: [-50, -50, -50, -50, -50, -50]
```
""",
    "saturated": """\
An activation works at its limits, where its slope is nearly zero.

**Why it happens.** tanh and sigmoid of large numbers are flat: weights that are too large, inputs that aren't scaled,
logits that grow without a penalty.

**How to see it.** The share of outputs close to the limits is high, and gradients before the activation are tiny.

**Repair.** Scale the inputs, initialise for the width of the layer, normalise, penalise large weights. For a loss use
the composite that takes logits.

**Example.** `gradcheck graph --health case.grad.yaml` shows it.

```yaml case.grad.yaml
dims: {n: 4, d: 6}
expr: sum(tanh(x @ W))
inputs: {x: n d}
params: {W: {shape: d d, low: 20, high: 50}}
```
""",
    "origin-of-nan": """\
The node at which numbers first went bad, seen from the output back.

**Why it happens.** log(0), a division by zero, exp of something large, 0 times infinity. Behind it everything is NaN,
so the loss tells nothing of where it began.

**How to see it.** The first node whose outputs aren't finite though its inputs are, with the range of these.

**Repair.** A stable composite (log-softmax, logsumexp, softplus), an epsilon in both passes, a domain that leaves the
bad point out; in training a lower learning rate and gradient clipping.

**Example.** `gradcheck graph --health case.grad.yaml` shows it.

```yaml case.grad.yaml
expr: mean(tanh(log(x)) * 2)
params: {x: [1.0, 0.0, 2.0]}
```
""",
}
