"""Text that users write or their files hold: anything, lone surrogates included, and what each format is wary of."""

from __future__ import annotations

from hypothesis import strategies as st

NASTY = (
    "\x1b[31mred",
    "a\rb\nc\td\x0b\x0c\x1c\x85\u2028\u2029",
    "x\n::error::injected",
    "::stop-commands::x",
    "##[error]x",
    "100%25 %0A,file=/etc/passwd:1",
    "]]></failure><!-- & \"q\" 'q'",
    "| a | b \\| c \\",
    "``` ` `` x`",
    "</code></summary><script>alert(1)</script>",
    "@octocat #1 [x](http://x) ![y](z) www.x.org *b* _i_ ~~s~~ :+1:",
    "\udcff\ud800",
    "\ufffe\uffff\x00",
    "\u202egnp.exe",
    "größe 末",
    " spaces  around ",
)

_anything = st.text(st.characters(exclude_categories=()), max_size=30)
hostile_text = st.one_of(
    _anything, st.sampled_from(NASTY), st.builds("".join, st.tuples(_anything, st.sampled_from(NASTY)))
)
"""Any text."""
