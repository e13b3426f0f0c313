"""The text of an expression: parsed within limits, with positions that count characters."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from dataclasses import field
from functools import cached_property

from gradcheck_cli.errors import Problem
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.language.grammar import NODE_LIMIT
from gradcheck_cli.spec.text.place import Place

# Every node takes four tokens at most (a call with one argument: name, two brackets, comma).
_TOKEN_LIMIT = 8 * NODE_LIMIT
_CHARACTER_LIMIT = 200_000
_LONGEST_MESSAGE = 500

# Pieces of Python's own messages, and what they mean to somebody who writes a spec.
_WORDS: tuple[tuple[str, str, str], ...] = (
    (r"'(.)' was never closed", r"'\1' is never closed", ""),
    (r"unmatched '(.)'", r"'\1' closes nothing", ""),
    (r"(closing parenthesis '.' does not match opening parenthesis '.')", r"\1", ""),
    (
        r"too many nested parentheses",
        "brackets are nested too deeply",
        "name inner parts on lines of their own: h = ...",
    ),
    (r"unterminated string|EOL while scanning|unterminated triple", "a quote is never closed", ""),
    (r"indent", "this line is indented differently", "all lines of an expression start at the same column"),
    (
        r"invalid (decimal|imaginary) literal",
        "this is no number",
        "a product needs its *: 2*x; names start with a letter",
    ),
    (r"invalid \w+ literal|invalid digit", "this is no number", ""),
    (r"leading zeros", "a number doesn't start with 0", "leave the zeros out"),
    (r"limit .*integer string|too large to convert", "this number has too many digits", "write it as 1e300 at most"),
    (r"(invalid (?:non-printable )?character .*)", r"\1", ""),
    (r"cannot assign|invalid target|cannot delete", "only names are assigned to", "h = ..., or loss, probs = f(x)"),
    (r"(positional argument follows keyword argument.*)", r"\1", "put arguments with names last"),
    (r"null byte", "the text holds a null byte", ""),
    (r"forgot a comma", "something is missing here", "a comma between arguments, or an operator such as *"),
    (r"invalid syntax|unexpected EOF|expected", "this is not an expression", ""),
)
# Signs that look like those of the language, and what to write instead.
_LOOK_ALIKE = {
    "\N{MULTIPLICATION SIGN}": "*", "\N{MIDDLE DOT}": "*", "\N{DOT OPERATOR}": "*", "\N{ASTERISK OPERATOR}": "*",
    "\N{DIVISION SIGN}": "/", "\N{DIVISION SLASH}": "/", "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-",
    "\N{SUPERSCRIPT TWO}": "**2", "\N{SUPERSCRIPT THREE}": "**3", "\N{FULLWIDTH COMMA}": ",",
    "\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{LEFT SINGLE QUOTATION MARK}": "'", "\N{RIGHT SINGLE QUOTATION MARK}": "'",
}  # fmt: skip


@dataclass
class Source:
    """The text of one expression, where it stands, and the problems found in it so far."""

    text: str
    place: Place
    problems: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Text cut out of a program may be indented as a whole.
        written = self.text.split("\n")
        first = next((number for number, line in enumerate(written) if line.strip()), 0)
        if written[first][:1] in (" ", "\t"):
            self.text = textwrap.dedent(self.text)
        self._margin = len(written[first]) - len(self.text.split("\n")[first])

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them: a form feed ends none."""
        return re.split(r"\r\n|\r|\n", self.text)

    def column(self, line: int, offset: int) -> int:
        """Turn an offset in UTF-8 bytes, as syntax trees have them, into a column from 1."""
        before = self.lines[line - 1].encode("utf-8", "replace")[:offset]
        return len(before.decode("utf-8", "replace")) + 1

    def position(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """Return line and column of what a message about `node` points to.

        That is its start; for `x + y` the operator, for `np.exp` and `x.sum` the last name.
        """
        if isinstance(node, ast.Call):
            return self.position(node.func) if isinstance(node.func, ast.Attribute) else self._start(node)
        if isinstance(node, ast.Attribute) and node.end_lineno and node.end_col_offset:
            return node.end_lineno, max(1, self.column(node.end_lineno, node.end_col_offset) - len(node.attr))
        if isinstance(node, ast.BinOp):
            return self._between(node.left, node.right)
        if isinstance(node, ast.Compare):
            return self._between(node.left, node.comparators[0])
        return self._start(node)

    def _start(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        return node.lineno, self.column(node.lineno, node.col_offset)

    def _between(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """Find the operator between two operands: what is there besides it is space, brackets and comments."""
        first, last = left.end_lineno or left.lineno, right.lineno
        for line in range(first, last + 1):
            begin = self.column(line, left.end_col_offset or 0) - 1 if line == first else 0
            end = self.column(line, right.col_offset) - 1 if line == last else None
            found = re.search(r"[^\s()\\]", self.lines[line - 1][begin:end].split("#")[0])
            if found:
                return line, begin + found.start() + 1
        return self._start(left)

    def say(self, node: ast.expr | ast.stmt | ast.keyword, message: str, code: str, hint: str = "") -> None:
        """Note a problem with `node`."""
        self.say_at(*self.position(node), message, code, hint)

    def say_at(self, line: int, column: int, message: str, code: str, hint: str = "") -> None:
        """Note a problem at a line and a column from 1."""
        self.problems.append(self.problem(line, column, message, code, hint))

    def problem(self, line: int, column: int, message: str, code: str, hint: str = "") -> Problem:
        """Describe a problem at a line and a column from 1."""
        shown = message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}..."
        return self.place.problem(shown, code, hint, line, column + self._margin)

    def parse(self) -> list[ast.stmt]:
        """Return the statements; none, with a problem noted, for what can't be read.

        Text that would take the parser to its own limits is refused before it is parsed.
        """
        if len(self.text) > _CHARACTER_LIMIT or _tokens(self.text) > _TOKEN_LIMIT:
            return self._too_long()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python warns of odd spellings that are refused below
                tree = ast.parse(self.text)
        except SyntaxError as error:
            self._say_syntax(error)
            return []
        except (RecursionError, MemoryError):
            hint = "name inner parts on lines of their own: h = ..."
            self.say_at(1, 1, "the expression is nested too deeply", "too-long", hint)
            return []
        except ValueError as error:
            words = (
                "the text holds a null byte" if "null" in str(error) else "the text holds characters that are no text"
            )
            self.say_at(1, 1, words, "syntax")
            return []
        if sum(isinstance(node, ast.expr | ast.stmt) for node in ast.walk(tree)) > NODE_LIMIT:
            return self._too_long()
        if not tree.body:
            self.say_at(1, 1, "the expression is empty", "syntax", "write what is to be checked, such as sum(tanh(x))")
        return tree.body

    def _too_long(self) -> list[ast.stmt]:
        message = f"the expression is too long: more than {NODE_LIMIT:,} names, numbers and operations"
        self.say_at(1, 1, message, "too-long", "write its inner part as an operator in a Python file")
        return []

    def _say_syntax(self, error: SyntaxError) -> None:
        message, hint = _plain_words(error.msg)
        line = min(max(error.lineno or 1, 1), len(self.lines))
        text = self.lines[line - 1]
        column = min(max(error.offset or 1, 1), len(text) + 1)
        if isinstance(error, IndentationError):
            column = len(text) - len(text.lstrip()) + 1
        self.say_at(line, column, message, "syntax", hint)


def _tokens(text: str) -> int:
    """Count words and signs, comments left out."""
    return len(re.findall(r"\w+|[^\w\s]", re.sub(r"#.*", "", text)))


def _plain_words(message: str) -> tuple[str, str]:
    for pattern, words, hint in _WORDS:
        if found := re.search(pattern, message, re.IGNORECASE):
            alike = re.search(r"character '(.)'", message)
            instead = _LOOK_ALIKE.get(alike[1], "") if alike else ""
            return found.expand(words), f"write {instead}" if instead else hint
    return f"Python's grammar doesn't allow this: {message}", ""
