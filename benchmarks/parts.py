"""The parts of the benchmark that run in this process: ratios, backward against forward, nodes, shipped specs."""

import numpy as np

import gradcheck_cli.ops as F
from benchmarks.floor import floor
from benchmarks.frameworks import jax_vmap, torch_slow
from benchmarks.hand import hand_loop
from benchmarks.ours import HERE, bare_loop, evaluations, load, numbers_phase, whole_check, workloads
from benchmarks.timing import alternating
from gradcheck_cli import Variable, no_grad


def ratios(names, repetitions):
    """Return the seconds of every way to check each workload."""
    found = {}
    for name, work in workloads().items():
        if name not in names:
            continue
        given = name, work.inputs, list(work.params.values())
        calls = {
            "torch gradcheck (slow)": torch_slow(*given),
            "hand loop": hand_loop(*given),
            "jax vmap": jax_vmap(*given),
            "structured floor": floor(*given),
            "gradcheck, evaluations": evaluations(work),
            "gradcheck, numbers": numbers_phase(work),
            "gradcheck, whole check": whole_check(work),
        }
        found[name] = alternating(calls, repetitions)
    return found


def backward(repetitions):
    """Return the seconds of forward (nothing recorded), recording, and backward of W2 and W3."""
    found = {}
    for name in ("W2", "W3"):
        work = workloads()[name]
        recording = work.function.record(work.params)
        ones = tuple(np.ones_like(out) for out in recording.outputs)
        calls = {
            "forward": lambda work=work: _forward(work),
            "recording": lambda work=work: work.function.record(work.params),
            "backward": lambda recording=recording, ones=ones: recording.vjp(ones),
        }
        found[name] = alternating(calls, repetitions)
    return found


def _forward(work):
    with no_grad():
        work.function.outputs(work.params)


def nodes(repetitions):
    """Return the seconds of operators on 16 x 16 arrays, bare and recorded."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((16, 16)), rng.standard_normal((16, 16))
    v, w = Variable(x), Variable(y)
    calls = {
        ("tanh", "NumPy"): lambda: np.tanh(x),
        ("tanh", "recorded"): lambda: F.tanh(v),
        ("multiply", "NumPy"): lambda: np.multiply(x, y),
        ("multiply", "recorded"): lambda: F.multiply(v, w),
        ("add", "NumPy"): lambda: np.add(x, y),
        ("add", "recorded"): lambda: F.add(v, w),
    }
    return alternating(calls, repetitions)


def shipped(repetitions, least=100):
    """Return the seconds of the loop and of the check for every shipped case of more than `least` elements."""
    found = {}
    for work in load([HERE.parent / "specs"]):
        if work.elements <= least or not work.passes:
            continue
        calls = {"hand loop": bare_loop(work), "numbers": numbers_phase(work), "whole check": whole_check(work)}
        found[f"{work.name}, {work.elements} elements"] = alternating(calls, repetitions)
    return found
