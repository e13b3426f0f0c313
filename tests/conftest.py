"""What holds for every test: the environment decides nothing, and drawn examples are the same each time."""

import os

from hypothesis import settings

# Read by rich and typer, some of them on import. Removed rather than patched, so that child processes agree.
for variable in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS"):
    os.environ.pop(variable, None)

# No deadline: a machine that runs other things beside the tests is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
