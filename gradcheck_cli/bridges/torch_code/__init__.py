"""Operators from PyTorch code, which is imported only when it is used."""
