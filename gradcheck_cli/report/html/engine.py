"""The template engine, an extra that most installations go without."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from gradcheck_cli.core.extras import install_line
from gradcheck_cli.errors import GradcheckError, Problem, printable
from gradcheck_cli.report.html.markup import text

if TYPE_CHECKING:
    from jinja2 import Environment


def require_engine() -> None:
    """Raise GradcheckError, which says what to install, where the HTML report can't be written.

    For front doors, so that nobody learns of it only after a long run.
    """
    _engine()


def render(template: str, **values: Any) -> str:
    """Fill in a template of this folder. All text is escaped, and control characters are shown by their numbers."""
    return _engine().get_template(template).render(values)


def resource(name: str) -> str:
    """Return a file of this folder as text, its lines ended as the page's are."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def digest(content: str) -> str:
    """Return the name by which a Content-Security-Policy allows a style or a script of the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


@cache
def _engine() -> Environment:
    try:
        # Here, since it is an extra, and no other command has a use for it.
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        hint = f"install it: {install_line('report')}"
        problem = Problem(f"the HTML report needs Jinja2: {error}", code="missing-extra", hint=hint)
        raise GradcheckError(problem) from error

    def harmless(value: Any) -> Any:
        return value if isinstance(value, Markup) else printable(str(value))

    environment = Environment(
        loader=FunctionLoader(resource),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["lines"] = lambda lines: Markup("\n".join(map(text, lines)))
    return environment
