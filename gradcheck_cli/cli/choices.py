"""Values of options that several commands share."""

from enum import StrEnum


class Color(StrEnum):
    """When to colour the output."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Format(StrEnum):
    """What standard output holds."""

    TEXT = "text"
    JSON = "json"
