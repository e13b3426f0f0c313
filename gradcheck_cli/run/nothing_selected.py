"""Say why a run has nothing to check."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.select import keyword_matcher, tag_matcher

_MOST = 20
"""Tags that are listed; of more it is only said that there are more."""


def why_nothing(found: Sequence[Selected], options: Options) -> str:
    """Say why nothing of what was found is checked, and what there is to choose from, in lines."""
    if not found:
        names = ", ".join(options.settings.include)
        return f"nothing to check: no case was found (folders are walked for {names})"
    keyword, tagged = keyword_matcher(options.keyword), tag_matcher(options.tags)
    how_many = f"of {len(found)} cases" if len(found) > 1 else "of the only case"
    if not any(keyword(f"{item.case.id}::{name}") for item in found for name in item.parameters):
        return (
            f"nothing to check: no id {how_many} matches -k '{options.keyword}'\n"
            "  hint: --list without it shows the ids"
        )
    if not any(tagged(item.case.tags) for item in found):
        tags = sorted({tag for item in found for tag in item.case.tags})
        listed = ", ".join(tags[:_MOST]) + (", ..." if len(tags) > _MOST else "")
        return (
            f"nothing to check: the tags {how_many} don't match --tag '{options.tags}'\n"
            f"  hint: {f'tags: {listed}' if tags else 'none has tags'}"
        )
    return f"nothing to check: none {how_many} matches both -k '{options.keyword}' and --tag '{options.tags}'"
