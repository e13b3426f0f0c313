"""Values of options that several commands share."""

from enum import StrEnum


class Color(StrEnum):
    """When to colour the output."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Format(StrEnum):
    """What standard output holds: words for people, or data for programs."""

    TEXT = "text"
    JSON = "json"


class ReportFormat(StrEnum):
    """What standard output holds of a run."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"
    MARKDOWN = "markdown"

    @classmethod
    def meant(cls, text: str) -> str:
        """Return the option that writes a report of that name to a file; empty if `text` names none."""
        name, equals, path = text.partition("=")
        if name not in (*cls, "html") or not (equals or name == "html"):
            return ""
        return f"A file is written with --report {name}={path or 'FILE'}"
