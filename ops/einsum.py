"""Sums of products, named by the letters of their axes."""

import numpy as np

from gradcheck_cli import arr, op, unbroadcast


@op(operands=arr("..."), linear="operands")
def einsum(*operands, subscripts, optimize=False):
    """Sum of the products of elements of operands that subscripts name: "ij,jk->ik" is a matrix product.

    Any number of operands; a letter that an operand repeats takes its diagonal; `...` stands for axes that
    broadcast, as do axes of size 1; without `->` the letters that stand once come out, in alphabetical order.
    """
    return np.einsum(subscripts, *operands, optimize=optimize)


@einsum.backward
def _(g, *operands, subscripts, optimize):
    terms, output = _labels(subscripts, [x.ndim for x in operands])
    gradients = []
    for slot, (term, x) in enumerate(zip(terms, operands, strict=True)):
        others = [each for k, pair in enumerate(zip(operands, terms, strict=True)) if k != slot for each in pair]
        known = set(output).union(*(label for k, label in enumerate(terms) if k != slot))
        own = list(dict.fromkeys(term))
        met = [label for label in own if label in known]
        product = np.einsum(g, output, *others, met, optimize=optimize)
        gradients.append(_spread(product, [own.index(label) for label in met], own, term, x.shape))
    return gradients


def _spread(product, met, own, term, shape):
    """Put the gradients of a term's different labels where they belong in an operand of `shape`."""
    sizes = [shape[term.index(label)] for label in own]
    # A label that nothing else has was summed alone: each of its elements gets the same gradient.
    full = np.expand_dims(product, [axis for axis in range(len(own)) if axis not in met])
    full = unbroadcast(np.broadcast_to(full, np.broadcast_shapes(full.shape, sizes)), tuple(sizes))
    if len(own) == len(term):
        return full
    gradient = np.zeros(shape, product.dtype)
    np.einsum(gradient, term, own)[...] = full  # a view of the diagonal
    return gradient


def _labels(subscripts, ranks):
    """Write the letters as numbers, `...` as one number for each of its axes: those of each operand, of the output."""
    left, arrow, right = subscripts.replace(" ", "").replace("...", ".").partition("->")
    terms = left.split(",")
    if not arrow:
        once = sorted(letter for letter in set(left) if letter.isalpha() and left.count(letter) == 1)
        right = "." * ("." in left) + "".join(once)
    letters = {letter: number for number, letter in enumerate(sorted(set(left) - set(".,")))}
    widths = [rank - len(term) + 1 if "." in term else 0 for term, rank in zip(terms, ranks, strict=True)]
    hidden = [len(letters) + axis for axis in range(max(widths))]

    def numbers(term, width):
        parts = [hidden[len(hidden) - width :] if letter == "." else [letters[letter]] for letter in term]
        return [number for part in parts for number in part]

    return [numbers(term, width) for term, width in zip(terms, widths, strict=True)], numbers(right, len(hidden))


@einsum.batch
def _(moved, *operands, subscripts, optimize=False):
    there = [f"operands[{slot}]" in moved for slot in range(len(operands))]
    terms, output = _labels(subscripts, [x.ndim - more for x, more in zip(operands, there, strict=True)])
    front = 1 + max((label for term in terms for label in term), default=-1)
    pairs = [(x, [front] * more + term) for x, more, term in zip(operands, there, terms, strict=True)]
    return np.einsum(*(part for pair in pairs for part in pair), [front, *output], optimize=optimize)


@einsum.sample
def _(rng):
    """Draw subscripts, and operands with the axes that they name."""
    subscripts, *shapes = _SAMPLES[rng.integers(len(_SAMPLES))]
    return subscripts, *(rng.standard_normal(shape) for shape in shapes)


_SAMPLES = [
    ("ij,jk->ik", (3, 4), (4, 2)),
    ("ij,jk,k", (2, 3), (3, 4), (4,)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 2)),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("ij->", (3, 4)),
    ("ij->ji", (3, 4)),
    ("ii", (3, 3)),
    ("iij,jk->ik", (3, 3, 4), (4, 2)),
    ("ij,i->i", (3, 4), (3,)),
    ("ij,ij->ij", (3, 1), (3, 4)),
    ("...ij,...jk", (2, 1, 3, 4), (5, 4, 2)),
    ("i...,i->...", (3, 2, 4), (3,)),
]
