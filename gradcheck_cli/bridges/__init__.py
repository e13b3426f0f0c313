"""Operators from code that was not written for this program: each bridge builds an `Operator` from something else."""
