"""What a spec file holds, at a glance: the names that the loader gives, without the loader."""

import subprocess
import sys

import pytest

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.spec.loader import load_spec
from gradcheck_cli.spec.outline import CaseOutline, operators_in, outline
from tests.spec.spec_texts import ROOT, SHIPPED

# Only a framework, where it is installed, tells the devices that stand behind a name.
READABLE = [path for path in SHIPPED if path.name not in ("in_torch.grad.yaml", "in_jax.grad.yaml")]


@pytest.mark.parametrize("path", READABLE, ids=[str(path.relative_to(ROOT)) for path in READABLE])
def test_names_of_cases_are_those_of_the_loader(path):
    cases = load_spec(path, shown=path.name, loader=Library(), given={})
    seen = outline(path)
    assert [case.name for case in seen] == [case.name for case in cases]
    for case, found in zip(cases, seen, strict=True):
        own = [spec.name for spec in case.parameters if "." not in spec.name]  # what layers keep stands in their code
        assert list(found.parameters) == own


TEXTS = {
    "expr: tanh(x)\nparams: {x: 3}\n": ["spec"],
    "expr: tanh(x)\nparams: {x: 3}\n---\nexpr: exp(x)\nparams: {x: 3}\n": ["spec", "spec 2"],
    "params: {x: 3}\ncases: [{expr: tanh(x)}, {expr: x + x, name: ' b '}]\n": ["tanh(x)", "b"],
    f"params: {{x: 3}}\ncases: [{{expr: '{' + '.join(['x'] * 20)}'}}]\n": ["case 1"],
    "expr: sum(x * s)\nparams: {x: n}\ndims: {n: 2}\nmatrix: {s: [1, 0.5], n: [2, 3]}\n": [
        f"spec[s={s},n={n}]" for s in ("1", "0.5") for n in "23"
    ],
    "expr: tanh(x)\nparams: {x: 3}\nmatrix: {dtype: [float32, float64]}\n": [
        "spec[dtype=float32]",
        "spec[dtype=float64]",
    ],
    "params: {x: 3}\nmatrix: {s: [1, 2]}\ncases: [{expr: x * s, name: a}, {expr: x * 2, name: b}]\n": [
        "a[s=1]",
        "a[s=2]",
        "b",
    ],
}


@pytest.mark.parametrize(("text", "names"), TEXTS.items(), ids=[text[:50] for text in TEXTS])
def test_cases_are_named_as_by_the_loader(load, tmp_path, text, names):
    assert [case.name for case in load(text)] == names
    assert [case.name for case in outline(tmp_path / "spec.grad.yaml")] == names


def test_a_wrong_spec_still_has_names(write):
    path = write("spec.grad.yaml", "params: {x: 3}\nparms: 3\ncases: [{expr: tanh(}, {name: 3, expr: exp(x)}, 7, {}]\n")
    assert outline(path) == [CaseOutline("tanh(", ()), CaseOutline("exp(x)", ("x",))]


@pytest.mark.parametrize("text", ["", "[1", "3", "[a, b]", "x: y", "expr: &a *a", "\x07", "# " + "x" * 300_000])
def test_what_is_no_spec_has_no_names(write, text):
    assert outline(write("spec.grad.yaml", text)) in ([], [CaseOutline("spec", ())])
    assert outline(write("spec.grad.yaml", "").parent) == []


def test_operators_of_a_list_are_named(write):
    write("layers.py", "def f_forward(x): ...\ndef f_backward(g): ...\n")
    path = write(
        "ops.yaml", "- layers.py\n- {pairs: layers.py}\n- {g: {jax: a:g}, h: {}}\n- package.module:k\n- [3]\n- ~\n"
    )
    assert operators_in(path) == ["f", "g", "h", "k"]
    assert operators_in(write("one.yaml", "ops: {g: {jax: a:g}}\nexpr: g(x)\n")) == ["g"]


def test_reading_names_imports_no_numpy():
    program = "import sys, gradcheck_cli.spec.outline; print([n for n in ('numpy', 'pydantic') if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["[]"]
