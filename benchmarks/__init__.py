"""How fast a complete check is, beside what else one could run: `python -m benchmarks --help`."""
