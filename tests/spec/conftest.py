"""Specs in a temporary folder, and what is wrong with them."""

import numpy as np
import pytest

from gradcheck_cli import arr, ints, mask, op
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.loader import load_spec
from gradcheck_cli.spec.text.yaml_reader import decode, read_documents


@pytest.fixture(scope="session")
def loader():
    """One loader, so that the built-in operators are collected once."""
    return Loader()


@pytest.fixture
def load(write, loader):
    """Write a spec, `spec.grad.yaml` or another name, and load it."""

    def load_text(text, name="spec.grad.yaml", given=None, data_only=False):
        path = write(name, text)
        return load_spec(path, shown=name, loader=loader, given=given or {}, data_only=data_only)

    return load_text


@pytest.fixture
def problems(load):
    """Load a spec that is wrong; return its problems."""

    def problems_of(text, **options):
        with pytest.raises(SpecError) as caught:
            load(text, **options)
        return list(caught.value.problems)

    return problems_of


@pytest.fixture
def said(problems):
    """Load a spec that is wrong; return its problems as `line:column message [code] (hint)`."""

    def said_of(text, **options):
        return [short(problem) for problem in problems(text, **options)]

    return said_of


def short(problem):
    where = f"{problem.location.line}:{problem.location.column}"
    return f"{where} {problem.message} [{problem.code}]" + (f" ({problem.hint})" if problem.hint else "")


@pytest.fixture
def document():
    """Read one YAML document; return its node and the collector of its problems."""

    def read(text):
        source, found = decode(text, "spec.yaml")
        documents = read_documents(source, found)
        assert len(documents) == 1, documents
        return documents[0], found

    return read


@pytest.fixture
def found_in():
    """List what a collector holds, as `line:column message [code] (hint)`."""

    def listed(found):
        try:
            found.raise_any()
        except SpecError as error:
            return [short(problem) for problem in error.problems]
        return []

    return listed


@pytest.fixture
def operators():
    """Operators with all kinds of domains, by name, as `--ops` would give them."""
    return {mark.operator.name: mark.operator for mark in (pick, pick_three, hide, root, factor, kinked)}


@op(x=arr("classes"), labels=ints("...", below="classes"))
def pick(x, labels):
    """x[labels]."""
    return x[labels]


@pick.backward
def _(g, x, labels):
    gradient = np.zeros_like(x)
    np.add.at(gradient, labels, g)
    return gradient


@op(x=arr("k"), labels=ints("...", below=3))
def pick_three(x, labels):
    """x[labels]."""
    return x[labels]


@pick_three.backward
def _(g, x, labels):
    gradient = np.zeros_like(x)
    np.add.at(gradient, labels, g)
    return gradient


@op(x=arr(), hidden=mask())
def hide(x, hidden):
    """x where hidden is false."""
    return np.where(hidden, 0, x)


@hide.backward
def _(g, hidden):
    return np.where(hidden, 0, g)


@op(x=arr(low=1, high=2))
def root(x):
    """Square root."""
    return np.sqrt(x)


@root.backward
def _(g, out):
    return g / (2 * out)


@op(A=arr("n n", spd=True))
def factor(A):
    """Trace of A."""
    return np.trace(A)


@factor.backward
def _(g, A):
    return g * np.eye(len(A))


@op(x=arr(avoid=0, distinct=True))
def kinked(x):
    """|x|."""
    return np.abs(x)


@kinked.backward
def _(g, x):
    return g * np.sign(x)
