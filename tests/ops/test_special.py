"""Special functions: values and slopes of SciPy, zeros and infinities, and life without SciPy."""

import numpy as np
import pytest
import scipy.special

import gradcheck_cli.ops as F
from gradcheck_cli.core import extras
from gradcheck_cli.core.declare import declare
from gradcheck_cli.errors import MissingExtra

X = np.linspace(0.3, 5.5, 9)
SLOPES = {
    "erf": lambda x: 2 / np.sqrt(np.pi) * np.exp(-(x**2)),
    "erfc": lambda x: -2 / np.sqrt(np.pi) * np.exp(-(x**2)),
    "lgamma": scipy.special.digamma,
    "digamma": lambda x: scipy.special.polygamma(1, x),
}


@pytest.mark.parametrize("name", SLOPES)
def test_values_and_slopes_are_those_of_scipy(name, check):
    theirs = getattr(scipy.special, {"lgamma": "gammaln"}.get(name, name))
    np.testing.assert_allclose(getattr(F, name)(X), theirs(X), rtol=1e-15)
    np.testing.assert_allclose(check.gradients(getattr(F, name), [X])[0], SLOPES[name](X), rtol=1e-14)


def test_logaddexp_shares_its_gradient_among_infinities(check):
    x, y = np.array([np.inf, -np.inf, np.inf, 1000.0, 0.0]), np.array([np.inf, -np.inf, 0.0, 0.0, 0.0])
    gx, gy = check.gradients(F.logaddexp, [x, y])
    np.testing.assert_array_equal(gx, [0.5, 0.5, 1.0, 1.0, 0.5])
    np.testing.assert_array_equal(gy, [0.5, 0.5, 0.0, 0.0, 0.5])


def test_xlogy_is_zero_where_x_is(check):
    x, y = np.array([0.0, 0.0, 2.0]), np.array([0.0, 3.0, 1.0])
    np.testing.assert_array_equal(F.xlogy(x, y), scipy.special.xlogy(x, y))
    gx, gy = check.gradients(F.xlogy, [x, y])
    np.testing.assert_allclose(gx, [0.0, np.log(3.0), 0.0])
    np.testing.assert_allclose(gy, [0.0, 0.0, 2.0])


def test_without_its_package_an_operator_is_named_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.setattr("gradcheck_cli.core.declare.is_installed", lambda package: False)

    def gamma(x):
        """A function."""
        return x

    def backward(g):
        return g

    operator, problems = declare(gamma, {"requires": "scipy"}, [((), backward)], None)
    assert problems == []
    assert operator.requires == "scipy"
    with pytest.raises(
        MissingExtra, match=r"gamma needs scipy, which isn't installed: pip install 'gradcheck-cli\[scipy\]'"
    ):
        operator.forward(X)


def test_what_is_no_name_of_a_package_is_refused():
    def gamma(x):
        """A function."""
        return x

    for wrong in ("sci py", "scipy>=1", 3, "."):
        _, problems = declare(gamma, {"requires": wrong}, [], None)
        assert "should be the name of a package" in problems[0].message


def test_packages_are_looked_for_without_importing_them():
    assert extras.is_installed("numpy")
    assert not extras.is_installed("no_such_package")
    assert not extras.is_installed("no_such_package.part")
    assert extras.install_line("numba") == "pip install numba"


@pytest.mark.parametrize("large", [0.0, 1e10, -1e10, 1e300])
def test_logaddexp_keeps_the_digits_of_its_slopes(large, check):
    for slopes in check.gradients(F.logaddexp, [np.array([large]), np.array([large])]):
        np.testing.assert_array_equal(slopes, [0.5])


@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_slopes_of_erf_vanish_at_huge_elements_without_a_warning(name, check):
    np.testing.assert_array_equal(check.gradients(getattr(F, name), [np.array([-1e160, 1e160])])[0], [0, 0])
