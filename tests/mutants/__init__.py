"""Operators with a mistake of each kind, their right twins, and how often the first finding names the mistake."""
