"""Tests that need PyTorch carry the marker `torch`, by which `pytest -m torch` selects them."""

from pathlib import Path

TESTS = Path(__file__).parent
SKIPS = 'importorskip("torch"'


def test_what_is_skipped_without_pytorch_is_marked():
    files = [path for path in TESTS.rglob("test_*.py") if path.name != Path(__file__).name]
    texts = {path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8") for path in files}
    skipping = {name: text.count(SKIPS) for name, text in texts.items() if SKIPS in text}
    unmarked = [name for name, count in skipping.items() if texts[name].count("pytest.mark.torch") != count]
    assert skipping
    assert unmarked == []
