"""The options of a run: what holds where none is given, and that they can't change under a run."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from gradcheck_cli.run.options import Options


def test_the_defaults_override_nothing() -> None:
    options = Options()
    assert options.paths == (".",)
    assert (options.seed, dict(options.knobs), options.ops) == (None, {}, ())
    assert (options.strict, options.max_failures, options.data_only, options.keyword) == (False, None, False, "")


def test_options_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Options().seed = 3  # type: ignore[misc]
