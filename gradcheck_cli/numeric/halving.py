"""Hand on chunks of perturbations, in halves where there is no room for what is made of them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import TypeVar

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.evaluator import Announce, Chunk, Evaluator

_Taken = TypeVar("_Taken")


def each_that_fits(
    evaluator: Evaluator, elements: Array, values: Array, announce: Announce, take: Callable[[Chunk], _Taken]
) -> Iterator[_Taken]:
    """Evaluate as `Evaluator.one_by_one` does; yield what `take` makes of each chunk.

    Where memory runs out in `take`, the chunk is evaluated once more in halves, until they fit. Raises MemoryError if
    one element doesn't.
    """
    done = 0
    while done < len(elements):
        start, many = done, 0
        for chunk in evaluator.one_by_one(elements[start:], values[:, start:], announce):
            try:
                taken = take(chunk._replace(start=start + chunk.start, stop=start + chunk.stop))
            except MemoryError as error:
                many = chunk.stop - chunk.start
                if many == 1:
                    raise
                traceback.clear_frames(error.__traceback__)  # they hold what was made of the chunk
                break
            yield taken
            done = start + chunk.stop
        if many:
            del chunk
            evaluator.at_most(many // 2)
