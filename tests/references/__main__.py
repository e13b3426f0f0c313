"""Write the reference pages from the program: `python -m tests.references --write`, from the root of the checkout.

Without `--write` it says which pages are stale, and exit code 1 says that there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.references.pages import PAGES, stale


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the options ask for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    names = stale()
    if options.write:
        for name in names:
            path, make = PAGES[name]
            path.write_text(make(), encoding="utf-8")
    sys.stdout.writelines(f"{'wrote' if options.write else 'stale'}: docs/{name}\n" for name in names)
    return 0 if options.write or not names else 1


if __name__ == "__main__":
    sys.exit(main())
