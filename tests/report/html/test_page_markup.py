from __future__ import annotations

from gradcheck_cli.findings.page import pages, shown
from gradcheck_cli.report.html.page_markup import page_markup
from tests.report.html.reading import read


def test_paragraphs_code_and_strong_words() -> None:
    body = "**Why.** a `b < c` in\ntwo lines\n\n```python\nif x:\n    y = '<b>'\n```\n\nafter"
    assert page_markup(body) == (
        "<p><strong>Why.</strong> a <code>b &lt; c</code> in two lines</p>"
        '<pre tabindex="0"><code>if x:\n    y = &#x27;&lt;b&gt;&#x27;</code></pre>'
        "<p>after</p>"
    )


def test_a_star_or_a_backtick_by_itself_stays() -> None:
    assert page_markup("-p * sum(g * p) and ` and **") == "<p>-p * sum(g * p) and ` and **</p>"


def test_every_page_keeps_its_words_and_loses_its_signs() -> None:
    for page in pages().values():
        body = shown(page.body)
        read_again = read(page_markup(body))
        assert len(list(read_again.all("pre"))) == body.count("```") // 2, page.name
        assert "```" not in read_again.text
        assert "**" not in "".join(p.text for p in read_again.all("p")), page.name
        words = body.replace("```python", "").replace("```yaml", "")
        signs = str.maketrans("", "", "`*")
        assert read_again.text.translate(signs).replace(" ", "").replace("\n", "") == words.translate(signs).replace(
            " ", ""
        ).replace("\n", ""), page.name
