"""The reference pages in docs/, written from the program itself; `python -m tests.references --write`."""
