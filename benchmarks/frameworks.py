"""The workloads in PyTorch and JAX, where these are installed."""

import importlib.util
from types import SimpleNamespace

import numpy as np

from benchmarks.floor import CHUNK_BYTES
from benchmarks.hand import EPS, FORWARDS, compare


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
    """Return a call that evaluates perturbations by jit(map(vmap(f))), compiled before; None without JAX.

    There is one for each parameter, so that what it doesn't reach is evaluated once; it makes the perturbations itself,
    as many at a time as keep the largest array in the cache. No other way that was tried is as fast.
    """
    if importlib.util.find_spec("jax") is None:
        return None
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    c = SimpleNamespace(**{key: jnp.asarray(value) for key, value in inputs.items()})
    params = tuple(jnp.asarray(p) for p in params)
    o = _jax_operators(jax, jnp)

    def f(*ps):
        return FORWARDS[name](o, c, *ps)

    steps = jax.make_jaxpr(f)(*params).jaxpr

    def central(k):
        many = max(1, min(params[k].size, CHUNK_BYTES // (2 * 8 * _largest_reached(steps, k))))

        def differences(ps):
            def at(i, eps):
                moved = ps[k].reshape(-1).at[i].add(eps).reshape(ps[k].shape)
                return f(*ps[:k], moved, *ps[k + 1 :])

            def one(i):
                return (at(i, EPS) - at(i, -EPS)) / (2 * EPS)

            return jax.lax.map(one, jnp.arange(ps[k].size), batch_size=many)

        return jax.jit(differences).lower(params).compile()

    numeric = [central(k) for k in range(len(params))]
    gradient = jax.jit(jax.grad(f, argnums=tuple(range(len(params))))).lower(*params).compile()

    def run():
        compare([np.asarray(g) for g in gradient(*params)], [np.asarray(each(params)) for each in numeric])

    return run


def _largest_reached(jaxpr, k):
    """Return the elements of the largest array that parameter `k` reaches, itself included."""
    reached = {jaxpr.invars[k]}
    for step in jaxpr.eqns:
        if any(not hasattr(var, "val") and var in reached for var in step.invars):  # those with a value are numbers
            reached.update(step.outvars)
    return max(var.aval.size for var in reached)


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
