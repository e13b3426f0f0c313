"""The example that trains a two-layer network: it learns, and forgetting to zero the gradients ruins it."""

import math
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "train_two_layer.py"


@pytest.fixture(scope="module")
def train():
    return runpy.run_path(str(EXAMPLE))["train"]


@pytest.fixture(scope="module")
def losses(train):
    return train()


def test_the_loss_falls_at_least_a_hundredfold(losses):
    assert losses[0] / losses[-1] >= 100
    assert losses[-1] < 0.005


def test_the_loss_falls_all_along(losses):
    quarters = [losses[len(losses) * part // 4] for part in range(4)] + [losses[-1]]
    assert quarters == sorted(quarters, reverse=True)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_network_learns_from_other_initial_weights_too(train, seed):
    losses = train(seed=seed)
    assert losses[0] / losses[-1] >= 100


def test_training_repeats_exactly(train):
    assert train(steps=20, seed=3) == train(steps=20, seed=3)


def test_forgetting_to_zero_the_gradients_diverges(train, losses):
    with np.errstate(over="ignore"):
        forgotten = train(zero_grad=False)
    assert not math.isfinite(forgotten[-1])
    assert math.isfinite(losses[-1])


@pytest.mark.parametrize("seed", [1, 2])
def test_forgetting_to_zero_the_gradients_learns_worse_from_any_weights(train, seed):
    with np.errstate(over="ignore"):
        assert not train(zero_grad=False, seed=seed)[-1] < 10 * train(seed=seed)[-1]


def test_the_first_step_does_not_need_zeroing(train):
    assert train(steps=2, zero_grad=False) == train(steps=2)


@pytest.mark.parametrize(("options", "words"), [([], "loss 0.00"), (["--no-zero-grad"], "loss")])
def test_the_example_runs_as_a_program(options, words, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("step")
    assert words in last
