"""Operators from plain functions: pairs, and values with their gradients."""
