"""The specs here hold planted mistakes: `test_mutants.py` runs them, and pytest doesn't collect them beside it."""

collect_ignore_glob = ["*.grad.yaml"]
