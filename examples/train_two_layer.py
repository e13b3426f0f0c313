"""Train a two-layer network with gradient descent on the library alone.

    python examples/train_two_layer.py

He initialisation, mean squared error, plain gradient descent. `zero_grad=False` shows what
happens when the gradients of the last step are forgotten in place: they pile up, and the loss
diverges.
"""

import argparse

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli import Variable


def he(rng, inputs, outputs):
    """Draw a weight matrix with the standard deviation sqrt(2 / inputs)."""
    return Variable(rng.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs))


def train(steps=2000, learning_rate=0.1, zero_grad=True, seed=0):
    """Fit sin(3x) on 64 points with 32 hidden units; return the loss of every step."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, 64).reshape(-1, 1)
    y = np.sin(3 * x)
    W1, b1 = he(rng, 1, 32), Variable(np.zeros(32))
    W2, b2 = he(rng, 32, 1), Variable(np.zeros(1))
    losses = []
    for _ in range(steps):
        hidden = F.tanh(x @ W1 + b1)
        loss = F.mse_loss(hidden @ W2 + b2, y)
        losses.append(loss.item())
        if not np.isfinite(losses[-1]):
            break
        for parameter in (W1, b1, W2, b2):
            if zero_grad:
                parameter.zero_grad()
        loss.backward()
        for parameter in (W1, b1, W2, b2):
            parameter.data -= learning_rate * parameter.grad
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-zero-grad", action="store_true", help="forget to zero the gradients")
    losses = train(zero_grad=not parser.parse_args().no_zero_grad)
    for step in range(0, len(losses), max(1, len(losses) // 10)):
        print(f"step {step:5d}   loss {losses[step]:.6g}")
    print(f"step {len(losses) - 1:5d}   loss {losses[-1]:.6g}")
