"""Operator files in a temporary folder, as a user would write them."""

import pytest


@pytest.fixture
def operator_text():
    """The text of a right operator: `operator_text("relu")`."""

    def text(name, body="x * 2", import_line="from gradcheck_cli import op"):
        return (
            f'{import_line}\n\n\n@op\ndef {name}(x):\n    """Some function."""\n    return {body}\n'
            f"\n\n@{name}.backward\ndef _(g):\n    return 2 * g\n"
        )

    return text
