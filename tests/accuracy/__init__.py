"""How often is the checker right? Labelled operators and random functions with known gradients, and the counts.

Run `python -m tests.accuracy --help` from the root of the checkout.
"""
