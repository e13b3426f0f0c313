"""Which classes are found in a Python file that marks no operator, and which aren't taken for one."""

from __future__ import annotations

import sys
import textwrap
from types import SimpleNamespace

import pytest

from gradcheck_cli import check
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError
from tests.bridges.discovering import CLASSES, X, by_name


def test_classes_with_forward_and_backward_are_found(found):
    pytest.importorskip("gradcheck_cli.bridges.objects.classes")
    result = found(CLASSES, "framework.py")
    operators = by_name(result)
    assert result.lines == ("Square: {function: framework.py:Square}", "Cube: {function: framework.py:Cube}")
    assert check(operators["Square"], {"x": X}).verdict == "pass"
    assert check(operators["Cube"], {"x": X}).verdict == "fail"
    (note,) = result.notes
    assert note == "Scale is made with arguments: Scale: {layer: framework.py:Scale, kwargs: {factor: ...}}"


def test_a_class_that_is_not_written_yet_is_found_all_the_same(found):
    pytest.importorskip("gradcheck_cli.bridges.objects.classes")
    result = found("class Relu:\n    def forward(self, x):\n        pass\n    def backward(self, gy):\n        pass\n")
    assert result.lines == ("Relu: {function: layers.py:Relu}",)


def test_imported_classes_are_not_the_files_own(found):
    others = {"framework.py": textwrap.dedent(CLASSES)}
    with pytest.raises(OperatorError, match="nothing to check"):
        found("from framework import *\nfrom framework import Square as Mine", others=others)


def test_functions_of_pytorch_are_found_where_it_is_imported(found, monkeypatch):
    class Function:
        """Stands for torch.autograd.Function."""

    made = []

    def from_torch(name, cls, *, home):
        made.append((name, cls.__name__))
        return (Operator(name, cls.forward, ()),)

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(autograd=SimpleNamespace(Function=Function)))
    monkeypatch.setattr("gradcheck_cli.bridges.torch_code.pytorch.from_torch", from_torch)
    text = """
        import torch

        class Swish(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x

            @staticmethod
            def backward(ctx, g):
                return g
    """
    result = found(text)
    assert result.lines == ("Swish: {torch: layers.py:Swish}",)
    assert made == [("Swish", "Swish")]
