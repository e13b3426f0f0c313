"""Read what a person says that a backward is given: `takes: g out x`."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.bridges.functions.conventions import Ask, Asked, Convention, Cotangent, Output, Saved
from gradcheck_cli.bridges.functions.facts import LAST_LAYER, OUTPUT_WORDS, Facts, Places, counted, is_cache
from gradcheck_cli.bridges.functions.told import require_all_asked
from gradcheck_cli.errors import near


def said_convention(facts: Facts, takes: Sequence[str]) -> Convention:
    """Return how a pair is called by what a person says: cotangents, arguments, outputs, `cache`, in order.

    Raises OperatorError for a word that means nothing there, for more words than the backward has
    parameters, or fewer than it needs.
    """
    places, outputs = _outputs(facts, takes)
    roles = [_role(facts, word, places, outputs) for word in takes]
    if not facts.loss and not any(isinstance(role, Cotangent) for role in roles):
        raise facts.error("is given no cotangent by what takes says", f"put a g where it takes that; {LAST_LAYER}")
    require_all_asked(facts, places, roles)
    saves = any(isinstance(role, Saved) for role in roles)
    count = facts.count or len(places.outputs) + saves
    asks = _assigned(facts, takes, roles)
    return Convention(outputs, places.outputs, count if facts.outputs is None else None, asks, places.ignored)


def _outputs(facts: Facts, takes: Sequence[str]) -> tuple[Places, tuple[str, ...]]:
    """Return where the outputs stand, and their names: as said, by the names of their cotangents, or the first."""
    if facts.outputs is not None:
        return facts.said_places, facts.said_outputs
    named = list(dict.fromkeys(word[2:] for word in takes if word.startswith("g_") and word not in facts.arguments))
    unknown = [name for name in named if name not in facts.names]
    if named and not unknown:
        places = Places(tuple(sorted(facts.names.index(name) for name in named)))
        return places, tuple(str(facts.names[place]) for place in places.outputs)
    if len(named) > 1:
        message = f"is given 'g_{unknown[0]}', and nothing that the forward returns is known as {unknown[0]}"
        raise facts.error(message, "name what the forward returns, in order: outputs: ...")
    free = [place for place, name in enumerate(facts.names) if not is_cache(name) and name not in takes]
    places = Places(tuple(free[:1]) or (0,))
    return places, tuple(named) or facts.output_names(places)


def _role(facts: Facts, word: str, places: Places, outputs: Sequence[str]) -> Asked:
    if word in facts.arguments:
        return facts.argument(word)
    if word == "g" and len(outputs) == 1:
        return Cotangent(0)
    if word.startswith("g_") and word[2:] in outputs:
        return Cotangent(list(outputs).index(word[2:]))
    if word in outputs:
        return Output(list(outputs).index(word))
    if word in OUTPUT_WORDS and len(outputs) == 1:
        return Output(0)
    if word in facts.names and facts.names.index(word) not in places.outputs:
        return Saved(facts.names.index(word))
    if word == "cache":
        return Saved()
    there = facts.words(outputs)
    raise facts.error(f"can't be given '{word}', as takes says", near(word, there) or f"there are: {', '.join(there)}")


def _assigned(facts: Facts, words: Sequence[str], roles: Sequence[Asked]) -> tuple[Ask, ...]:
    """Give the values in order to the parameters, those that are only passed by name last."""
    parameters = sorted(facts.parameters, key=lambda parameter: parameter.kind is parameter.KEYWORD_ONLY)
    left = list(roles)
    asks: list[Ask] = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            asks.append((parameter, tuple(left)))
            left = []
        elif left:
            asks.append((parameter, (left.pop(0),)))
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.name in facts.arguments:
            asks.append((parameter, (facts.argument(parameter.name),)))
        elif parameter.default is parameter.empty:
            raise facts.error(f"needs '{parameter.name}', too: takes says {' '.join(words)}")
    if left:
        message = f"has {counted(len(parameters), 'parameter')}, and takes says {len(words)}: {' '.join(words)}"
        raise facts.error(message)
    return tuple(asks)
