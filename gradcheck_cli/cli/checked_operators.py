"""What `gradcheck check-ops` found, in every format."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from gradcheck_cli.cli.choices import Color, ReportFormat
from gradcheck_cli.cli.github import workspace
from gradcheck_cli.cli.reports import Output
from gradcheck_cli.light_dataclass import dataclass

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator
    from gradcheck_cli.operator_records import OperatorsResult
    from gradcheck_cli.report.variant_spec import Frame


@dataclass(frozen=True)
class Checked:
    """Operators and what became of them in `seconds`.

    `frame` is what specs of their variants have in common, `words` are those of a command line that checks an operator
    again in the same way.
    """

    operators: Sequence[Operator]
    result: OperatorsResult
    frame: Frame
    words: tuple[str, ...]
    seconds: float

    def show(self, stream: TextIO, output: Output) -> None:
        """Write it for a person."""
        # Here and below, since each format has its own and few are wanted.
        from rich.text import Text

        from gradcheck_cli.cli.console import make_console
        from gradcheck_cli.report.operator_table import OperatorView, render_operators

        console = make_console(stream, output.color)
        width = console.width if stream.isatty() else None
        view = OperatorView(output.verbosity, width, console.encoding, self.words, self.frame)
        lines = render_operators(self.operators, self.result, view, self.seconds)
        console.print(Text("\n").join(lines), soft_wrap=True)

    def written(self, name: str, limit: int | None = None) -> str:
        """Return it in the format of that name; `limit` is the largest size of a summary in bytes."""
        if name == "text":
            stream = io.StringIO()
            stream.writelines(f"{problem}\n" for problem in self.result.problems)
            self.show(stream, Output(ReportFormat.TEXT, color=Color.NEVER))
            return stream.getvalue()
        if name == "json":
            from gradcheck_cli.report.operator_json import operators_json

            return operators_json(self.operators, self.result, self.frame)
        from gradcheck_cli.report.formats import Request, written
        from gradcheck_cli.report.operator_run import as_run

        # No command line runs a variant alone.
        return written(name, as_run(self.result, self.seconds), Request(root=workspace(), command=""), limit)
