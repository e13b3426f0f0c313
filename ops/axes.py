"""Axes of arrays of which some have one more in front, that of many perturbations."""


def behind(axis):
    """Count an axis behind a new first one, that of many perturbations."""
    return axis if axis < 0 else axis + 1


def aligned(moved, **arrays):
    """Return arrays with as many axes as one another, in order: ones are filled in where broadcasting would.

    Those that are named in `moved` have the axis of perturbations in front, which stays there. None stays None.
    """
    ranks = {name: x.ndim - (name in moved) for name, x in arrays.items() if x is not None}
    rank = max(ranks.values())

    def filled(name, x):
        front = int(name in moved)
        return x.reshape((*x.shape[:front], *(1,) * (rank - ranks[name]), *x.shape[front:]))

    return tuple(None if x is None else filled(name, x) for name, x in arrays.items())
