"""Which frames the traceback of a check shows: those of the function under check, and not those that called it."""

from __future__ import annotations

from types import TracebackType

from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.numeric import function, own_gradient

_PACKAGE = __name__.partition(".")[0]
_SAY_WHAT_A_FUNCTION_DID_WRONG = (function.__name__, own_gradient.__name__)


def frames_to_show(error: BaseException, caller: str) -> TracebackType | None:
    """Return the part of an exception's traceback that concerns a person.

    `caller` is the file whose function `call` calls the function under check. What came out of that function keeps its
    frames from there on; what is said of it (its operators, what it returned) has none of this package. A traceback
    that shows neither is returned whole.
    """
    frames = _listed(error.__traceback__)
    codes = [each.tb_frame.f_code for each in frames]
    begin = next((at for at, code in enumerate(codes) if (code.co_filename, code.co_name) == (caller, "call")), None)
    inside = [] if begin is None else frames[begin + 1 :]
    if isinstance(error, GradcheckError):
        return _linked([each for each in inside if not _is_ours(each)])
    if begin is None and frames and frames[-1].tb_frame.f_globals.get("__name__") in _SAY_WHAT_A_FUNCTION_DID_WRONG:
        return None
    return error.__traceback__ if begin is None else _linked(inside)


def _listed(link: TracebackType | None) -> list[TracebackType]:
    frames = []
    while link is not None:
        frames.append(link)
        link = link.tb_next
    return frames


def _linked(frames: list[TracebackType]) -> TracebackType | None:
    link = None
    for each in reversed(frames):
        link = TracebackType(link, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return link


def _is_ours(link: TracebackType) -> bool:
    return str(link.tb_frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE
