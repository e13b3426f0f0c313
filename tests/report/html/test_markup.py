from __future__ import annotations

from gradcheck_cli.report.html.markup import digits, element, label, picture, text


def test_text_can_mean_nothing() -> None:
    assert text("<a href='x'>&\"\n\x00") == "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;\\n\\x00"


def test_an_element_has_its_attributes_and_children() -> None:
    assert (
        element("path", d="M0 0", class_="a b", stroke_width=2, id=None)
        == '<path d="M0 0" class="a b" stroke-width="2"/>'
    )
    assert element("p", "<b>x</b>", "y") == "<p><b>x</b>y</p>"
    assert element("p", title='"><script>') == '<p title="&quot;&gt;&lt;script&gt;"/>'
    assert label(1.25, 2, "<x>", "end") == '<text x="1.2" y="2" text-anchor="end">&lt;x&gt;</text>'


def test_coordinates_are_short() -> None:
    assert [digits(value) for value in (1, 2.0, 3.14159, -0.04, -1.06)] == ["1", "2", "3.1", "0", "-1.1"]


def test_a_picture_is_read_out() -> None:
    assert picture(10, 20.5, "what <it> is", "curve", "<g/>") == (
        '<svg viewBox="0 0 10 20.5" width="10" height="20.5" role="img" aria-label="what &lt;it&gt; is" '
        'class="curve"><g/></svg>'
    )
