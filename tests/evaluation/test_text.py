from __future__ import annotations

import pytest

from crunchpy.evaluation.text import normal, page_encoding, page_text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one</p><p>two</p>", "one two"),
        ("<p>o<b>n</b>e</p>two<br>three", "one two three"),
        ("a<!-- no --><script>no()</script><style>p{}</style>b", "ab"),
        ("<title>No</title><p>yes", "yes"),
        ("<p>1 &lt;b&gt; 2 &amp; 3", "1 <b> 2 & 3"),
        ("a&nbsp;&nbsp; \n\t b", "a b"),
        ("<noscript><p>no</noscript>yes", "yes"),
        ("<template><p>no</template>yes", "yes"),
        ("<svg><title>no</title><text>yes</text></svg>", "yes"),
        ("<iframe>no</iframe><video>no</video>yes", "yes"),
        ("<button>one</button><button>two</button>", "one two"),
        ("<p hidden>counts</p><p style='display:none'>too", "counts too"),
        ("<div><template shadowrootmode=open><p>shadow</template>light</div>", "shadow light"),
        ("", ""),
        ("<ul><li>a<li>b</ul>c", "a b c"),
        ("</body></html>after<p>the end", "after the end"),
        ("e\u0301", "\u00e9"),
    ],
)
def test_what_a_reader_gets(html: str, expected: str) -> None:
    assert page_text(html.encode()) == expected


def test_declared_encoding_is_obeyed() -> None:
    body = "<meta charset=gbk><p>\u4e2d\u6587".encode("gbk")
    assert page_text(body) == "\u4e2d\u6587"
    assert (page_encoding(body) or "").lower() == "gbk"


def test_given_encoding_outranks_what_is_left_of_the_page() -> None:
    # The filter cut the sentence by which the encoding was recognised.
    assert page_text("<p>\u0434\u0430".encode("cp1251"), encoding="windows-1251") == "\u0434\u0430"


def test_deep_nesting_is_no_recursion() -> None:
    assert page_text(b"<div>" * 3_000 + b"deep") == "deep"


def test_normal_makes_one_line() -> None:
    assert normal(" a\u00a0\u2003b\r\n c ") == "a b c"
