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
