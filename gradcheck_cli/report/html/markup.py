"""Elements of HTML and SVG as text, in which nothing that a name holds can mean anything."""

from __future__ import annotations

from html import escape

from gradcheck_cli.errors import printable


def text(content: str) -> str:
    """Return `content` as text between tags or in an attribute: markup and control characters are escaped."""
    return escape(printable(content))


def element(name: str, *children: str, **attributes: object) -> str:
    """Return an element. `children` are markup already; attributes are escaped, and left out where they are None.

    An underscore at the end of an attribute's name is dropped (`class_`), others are hyphens.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def digits(value: float) -> str:
    """Write a coordinate: a tenth of a pixel is more than can be seen."""
    shown = f"{value:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def picture(width: float, height: float, label: str, kind: str, *children: str) -> str:
    """Return an SVG that is read out as `label`; `kind` is its class, and its size in pixels that of the drawing."""
    return element(
        "svg",
        *children,
        viewBox=f"0 0 {digits(width)} {digits(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_=kind,
    )


def label(x: float, y: float, words: str, anchor: str | None = None, **attributes: object) -> str:
    """Return words of a drawing; `anchor` is the end that stands at x: start (None), middle or end."""
    return element("text", text(words), x=x, y=y, text_anchor=anchor, **attributes)


def _value(value: object) -> str:
    return digits(value) if isinstance(value, float) else text(str(value))
