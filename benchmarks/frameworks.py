"""The workloads in PyTorch and JAX, where these are installed."""

import importlib.util
from types import SimpleNamespace

import numpy as np

from benchmarks.hand import EPS, FORWARDS, compare

_PERTURBATIONS = 128
"""Perturbations that JAX evaluates at a time."""


def torch_slow(name, inputs, params):
    """Return a call of torch.autograd.gradcheck, which compares every element; None without PyTorch."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch
    import torch.nn.functional as F

    o = SimpleNamespace(
        tanh=torch.tanh,
        exp=torch.exp,
        log=torch.log,
        sin=torch.sin,
        relu=torch.relu,
        xent=F.cross_entropy,
        softmax=lambda z: torch.softmax(z, -1),
        conv2d=F.conv2d,
        layernorm=lambda x, g, b: F.layer_norm(x, x.shape[-1:], g, b, 1e-5),
        gelu=lambda x: F.gelu(x, approximate="tanh"),
    )
    c = SimpleNamespace(**{key: torch.from_numpy(np.array(value)) for key, value in inputs.items()})
    tensors = tuple(torch.from_numpy(np.array(p)).requires_grad_() for p in params)
    torch.set_num_threads(1)

    def run():
        if not torch.autograd.gradcheck(lambda *ps: FORWARDS[name](o, c, *ps), tensors, fast_mode=False):
            raise AssertionError("gradcheck")

    return run


def jax_vmap(name, inputs, params):
    """Return a call that evaluates perturbations by jit(vmap(f)), compiled before; None without JAX."""
    if importlib.util.find_spec("jax") is None:
        return None
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    c = SimpleNamespace(**{key: jnp.asarray(value) for key, value in inputs.items()})
    params = [jnp.asarray(p) for p in params]
    o = _jax_operators(jax, jnp)

    def f(*ps):
        return FORWARDS[name](o, c, *ps)

    def along(k):
        return jax.jit(jax.vmap(lambda p: f(*params[:k], p, *params[k + 1 :])))

    batched, gradient = [along(k) for k in range(len(params))], jax.jit(jax.grad(f, argnums=tuple(range(len(params)))))

    def run():
        numeric = []
        for k, p in enumerate(params):
            x, losses = np.ravel(np.asarray(p)), []
            many = min(x.size, _PERTURBATIONS // 2)
            for low in range(0, x.size, many):
                rows = np.tile(x, (2 * many, 1))
                elements = np.minimum(low + np.arange(many), x.size - 1)  # the last chunk has the shape of all others
                rows[np.arange(many), elements] += EPS
                rows[many + np.arange(many), elements] -= EPS
                out = np.asarray(batched[k](rows.reshape(-1, *p.shape)))
                losses.append((out[:many] - out[many:]) / (2 * EPS))
            numeric.append(np.concatenate(losses)[: x.size])
        compare([np.asarray(g) for g in gradient(*params)], numeric)

    run()
    return run


def _jax_operators(jax, jnp):
    def layernorm(x, gamma, beta):
        d = x - x.mean(-1, keepdims=True)
        return d * jax.lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * gamma + beta

    return SimpleNamespace(
        tanh=jnp.tanh,
        exp=jnp.exp,
        log=jnp.log,
        sin=jnp.sin,
        relu=jax.nn.relu,
        xent=lambda z, y: -jnp.mean(jax.nn.log_softmax(z)[jnp.arange(len(y)), y]),
        softmax=jax.nn.softmax,
        conv2d=lambda x, w, b: jax.lax.conv(x, w, (1, 1), "VALID") + b[:, None, None],
        layernorm=layernorm,
        gelu=lambda x: jax.nn.gelu(x, approximate=True),
    )
