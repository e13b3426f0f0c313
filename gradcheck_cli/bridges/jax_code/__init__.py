"""Operators from JAX code, which is imported only when it is used."""
