"""`gradcheck explain`: what a finding means, why it happens, and what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcheck_cli.cli.choices import Color, Format
from gradcheck_cli.cli.completion import complete_findings
from gradcheck_cli.cli.options import ColorOption, FormatOption
from gradcheck_cli.cli.streams import user_output_to_stderr


def explain(
    finding: Annotated[
        str | None,
        typer.Argument(
            autocompletion=complete_findings,
            help="A finding's code or name, for instance GC203.",
            metavar="CODE|NAME",
            show_default="all",
        ),
    ] = None,
    color: ColorOption = Color.AUTO,
    output: FormatOption = Format.TEXT,
) -> None:
    """Explain a finding: what it is, why it happens, how to see it, repair, and an example. Without one: list them."""
    # Here, since these import NumPy and rich.
    from gradcheck_cli.cli.console import is_colored, make_console
    from gradcheck_cli.findings.page import FAMILIES, find_page, pages
    from gradcheck_cli.report.explain import list_json, list_pages, page_json, page_text, print_page

    with user_output_to_stderr() as stdout:
        if finding is None:
            every = pages().values()
            stdout.write(
                list_json(every) if output is Format.JSON else list_pages(every, FAMILIES, stdout.encoding or "utf-8")
            )
            return
        page = find_page(finding)
        if output is Format.JSON:
            stdout.write(page_json(page))
        elif stdout.isatty() or is_colored(stdout, color):
            print_page(page, make_console(stdout, color))
        else:
            stdout.write(page_text(page, stdout.encoding or "utf-8"))
