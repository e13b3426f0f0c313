"""Tell how a pair is called from signatures, and from the text of its forward.

Nothing is guessed where two readings are possible: the wrong one would call a right gradient wrong.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence

from gradcheck_cli.bridges.functions.conventions import Ask, Asked, Convention, Cotangent, Operand, Output, Saved
from gradcheck_cli.bridges.functions.facts import LAST_LAYER, OUTPUT_WORDS, Facts, Places, counted, is_cache, stem
from gradcheck_cli.bridges.gradients import forms_of
from gradcheck_cli.errors import OperatorError

_COTANGENTS = {
    *(
        "g",
        "gy",
        "gz",
        "go",
        "gout",
        "dout",
        "dy",
        "dz",
        "da",
        "dh",
        "dl",
        "dj",
        "ct",
        "delta",
        "cotangent",
        "upstream",
    ),
    *("gradient", "grad", "grads", "grad_out", "grad_output", "grad_outputs", "out_grad", "output_grad", "top_diff"),
    *("d_out", "doutput", "d_output", "dvalues", "dloss", "dscores", "dlogits", "dnext", "d_next", "g_out"),
    *("upstream_grad", "upstream_gradient", "dupstream", "dldy", "dl_dy", "dldz", "dl_dz", "dldout", "dl_dout"),
}
"""What a cotangent is called, in small letters, when it isn't named after its output."""

_LIKE_COTANGENT = re.compile(r"(d|g|grad|delta)_?[a-zA-Z]")


def told_convention(facts: Facts) -> Convention:
    """Return how a pair is called. Raises OperatorError, saying what to say, for what can't be told."""
    return _Teller(facts).convention()


class _Teller:
    """Tells the role of each parameter of a backward by its name, its place, and what is left over."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.parameters = facts.parameters
        self.cotangents = self._cotangents()
        if not self.cotangents and not facts.loss:
            spread = [p.name for p in self.parameters if p.kind is p.VAR_POSITIONAL and p.name not in facts.arguments]
            if spread:
                raise self._cannot_tell(f"*{spread[0]}")
            message = "takes no cotangent, the gradient that arrives from above"
            raise facts.error(message, f"that is its first argument; {LAST_LAYER}")
        self.places = self._places()

    def convention(self) -> Convention:
        facts, places = self.facts, self.places
        asks: list[Ask] = []
        for parameter in self.parameters:
            if parameter in self.cotangents:
                asks.append((parameter, (Cotangent(self.cotangents.index(parameter)),)))
            else:
                asks.append((parameter, self._role(parameter)))
        require_all_asked(facts, places, [asked for _, group in asks for asked in group])
        saves = any(isinstance(asked, Saved) for _, group in asks for asked in group)
        count = facts.count or len(places.outputs) + saves
        outputs = facts.output_names(places, [parameter.name for parameter in self.cotangents])
        return Convention(
            outputs, places.outputs, count if facts.outputs is None else None, tuple(asks), places.ignored
        )

    def _cotangents(self) -> list[inspect.Parameter]:
        """Find the parameters that take what arrives from above: by their names, else the first one."""
        facts = self.facts
        returned = [name for name in (*facts.names, *facts.said_outputs) if name]
        taken = {*facts.arguments, *returned, *OUTPUT_WORDS}
        free = [p for p in self.parameters if p.kind is not p.VAR_POSITIONAL and p.name not in taken]
        free = [parameter for parameter in free if not is_cache(parameter.name)]
        named = set().union(*map(forms_of, returned))
        # Where all that was saved is in one argument, nothing else can be meant by dc beside dh.
        closed = any(is_cache(p.name) and p.name not in facts.arguments for p in self.parameters)
        found = [
            parameter
            for parameter in free
            if parameter.name in named
            or parameter.name.lower() in _COTANGENTS
            or (closed and _LIKE_COTANGENT.match(parameter.name) and parameter.default is parameter.empty)
        ]
        return found or [parameter for parameter in self.parameters[:1] if parameter in free]

    def _places(self) -> Places:
        """Find the outputs among the returned values: those that the cotangents are named after, else the first."""
        facts, needed = self.facts, max(len(self.cotangents), 1)
        if facts.outputs is not None:
            places = facts.said_places
            if len(places.outputs) != needed:
                said = counted(len(places.outputs), "output")
                message = f"takes {counted(needed, 'cotangent')}, and outputs names {said}"
                raise facts.error(message, "write _ for a returned value that has no gradient")
            return places
        if facts.count is None or facts.count == 1:
            if facts.count == 1 and needed > 1:
                names = ", ".join(parameter.name for parameter in self.cotangents)
                message = f"seems to take {needed} cotangents ({names}), and the forward returns one value"
                raise facts.error(message, self._examples())
            return Places(tuple(range(needed)))
        others = {parameter.name for parameter in self.parameters if parameter not in self.cotangents}
        free = [place for place, name in enumerate(facts.names) if not is_cache(name)]
        if len(free) > needed:  # a value that the backward asks for by its name was saved for it
            twice = {facts.names[place] for place in free if facts.is_again(place)}
            free = [place for place in free if facts.names[place] not in others - twice and not facts.is_again(place)]
        named = [self._named_after(parameter.name) for parameter in self.cotangents]
        found = [place for place in named if place is not None]
        if len(set(found)) < needed:
            found = free[:needed]
        if len(found) < needed or any(n not in (None, p) for n, p in zip(named, found, strict=False)):
            message = f"takes {counted(needed, 'cotangent')} that can't be matched with what the forward returns"
            raise facts.error(message, facts.say_outputs())
        if found != sorted(found):
            raise facts.error("takes its cotangents in another order than that of the outputs", self._examples())
        return Places(tuple(found))

    def _named_after(self, cotangent: str) -> int | None:
        """Return which returned value a cotangent is named after."""
        matches = [place for place, name in enumerate(self.facts.names) if name and cotangent in forms_of(name)]
        return matches[0] if len(matches) == 1 else None

    def _role(self, parameter: inspect.Parameter) -> tuple[Asked, ...]:
        """Tell what a parameter that is no cotangent is given; nothing where it keeps its default."""
        facts, name = self.facts, parameter.name
        place = facts.names.index(name) if name in facts.names else None
        if place is not None and place not in self.places.outputs:
            return (Saved(place),)
        is_output = place in self.places.outputs or name in facts.said_outputs
        if is_output and name in facts.arguments:
            message = f"asks for '{name}', which is an argument of the forward and the name of what it returns"
            raise facts.error(message, self._examples(name))
        if is_output:
            names = facts.said_outputs or [facts.names[place] for place in self.places.outputs]
            return (Output(list(names).index(name)),)
        if name in facts.arguments:
            if is_cache(name) and any(is_cache(facts.names[place]) for place in self._rest()):
                raise self._cannot_tell(name)
            return (facts.argument(name),)
        if name in OUTPUT_WORDS and len(self.places.outputs) == 1:
            return (Output(0),)
        if parameter.kind is parameter.VAR_POSITIONAL:
            return self._spread(parameter)
        if parameter.default is not parameter.empty and not (is_cache(name) and facts.count != 1):
            return ()
        return (self._saved(parameter),)

    def _spread(self, parameter: inspect.Parameter) -> tuple[Asked, ...]:
        """Give all inputs in order to `*xs`, unless something is saved or an input is asked for by its name."""
        facts = self.facts
        named = [p for p in self.parameters if p.name in facts.arguments or is_cache(p.name)]
        if named or (facts.count or 1) > len(self.places.outputs):
            raise self._cannot_tell(f"*{parameter.name}")
        return tuple(Operand(name) for name in facts.operands)

    def _saved(self, parameter: inspect.Parameter) -> Asked:
        """Give a parameter what the forward saved, if it can be nothing else."""
        facts, name = self.facts, parameter.name
        unknown = [other for other in self.parameters if self._is_unknown(other)]
        caches = [other for other in unknown if is_cache(other.name)]
        if len(caches or unknown) > 1 or (not is_cache(name) and (caches or _LIKE_COTANGENT.match(name))):
            raise self._cannot_tell(name)
        if facts.outputs is not None:
            return Saved()
        if facts.count is None:
            # A variable that is returned is one value, most likely: then it can't be told what is asked for.
            if not is_cache(name) and any(facts.names):
                raise self._cannot_tell(name)
            return Saved()
        asked = {other.name for other in self.parameters}
        left = [place for place in self._rest() if facts.names[place] not in asked]
        if len(left) != 1:
            raise self._cannot_tell(name)
        return Saved(left[0])

    def _rest(self) -> list[int]:
        """Return where the values stand that the forward returns beside its outputs."""
        return [place for place in range(self.facts.count or 0) if place not in self.places]

    def _is_unknown(self, parameter: inspect.Parameter) -> bool:
        """Tell whether a name alone says nothing: it is no argument, nothing returned by name, and no cotangent."""
        known = {*self.facts.arguments, *self.facts.names, *self.facts.said_outputs}
        if parameter.kind is parameter.VAR_POSITIONAL or parameter in self.cotangents or parameter.name in known:
            return False
        is_output = parameter.name in OUTPUT_WORDS and len(self.places.outputs) == 1
        return not is_output and (parameter.default is parameter.empty or is_cache(parameter.name))

    def _cannot_tell(self, name: str) -> OperatorError:
        return self.facts.error(f"asks for '{name}', and it can't be told what that is", self._examples(name))

    def _examples(self, unknown: str = "") -> str:
        """Show how it is said what the backward is given."""
        facts = self.facts
        asked = [parameter.name for parameter in self.parameters]
        inputs = [name for name in facts.operands if name not in asked or name == unknown]
        inputs.sort(key=lambda name: name != unknown)
        saved = [name for name in facts.names[1:] if name and name not in asked and is_cache(unknown)]
        lines = [
            f"takes: {' '.join(self._word(p, unknown.lstrip('*'), candidate) for p in self.parameters)}"
            for candidate in [*inputs[:1], *saved, "out", "cache"][:2]
        ]
        there = f"it can say {', '.join(facts.words())}"
        return f"say what it is given, in order, for instance {' or '.join(dict.fromkeys(lines))}; {there}"

    def _word(self, parameter: inspect.Parameter, unknown: str, candidate: str) -> str:
        if parameter in self.cotangents:
            return "g" if len(self.cotangents) == 1 else f"g_{stem(parameter.name) or parameter.name}"
        return candidate if parameter.name == unknown else parameter.name


def require_all_asked(facts: Facts, places: Places, asked: Sequence[Asked]) -> None:
    """Refuse to drop a returned value of which the backward knows nothing: its gradient may be forgotten.

    Raises OperatorError.
    """
    if facts.outputs is not None or Saved() in asked:
        return
    for place in range(facts.count or 0):
        name = facts.names[place]
        if place in places or Saved(place) in asked or is_cache(name) or facts.is_again(place):
            continue
        what = f"'{name}'" if name else f"value {place + 1}"
        message = f"knows nothing of {what} among the {facts.count} values that the forward returns"
        raise facts.error(message, facts.say_outputs(places))
