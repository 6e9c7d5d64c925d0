"""Every kind of edit: the bytes that it cuts, and the page that the next step reads."""

from __future__ import annotations

import pytest

from crunchpy.edit import Edit, Insert, Remove, RemoveText, Replace, SetAttribute, Unwrap
from crunchpy.page import Page
from crunchpy.plan import Plan
from crunchpy.protect import Protection
from tests.outline import outline

TEXT = "Some words that nobody takes away, so that the page is a page."


def page_of(html: str, **parse: str) -> Page:
    page = Page.parse(html.encode(), **parse)  # type: ignore[arg-type]
    assert isinstance(page, Page), page
    return page


def done(page: Page, *edits: Edit) -> str:
    """The page after one step with these edits; also checks that the tree says what the bytes say."""
    plan = Plan(page, Protection(page))
    for edit in edits:
        plan.add(edit)
    assert not plan.refused
    plan.carry_out()
    return page.render().decode()


def same_tree(page: Page) -> bool:
    fresh = Page.parse(page.render())
    assert isinstance(fresh, Page)
    return _text(fresh) == _text(page)


def _text(page: Page) -> list[str]:
    return " ".join(" ".join(page.root.itertext()).split()).split()


BOX = f"""<html><body><p>{TEXT}</p>
<div id=box>one<b id=b class='x y' title=t>two</b>three<i id=i>four</i>five</div></body></html>"""
IN_BOX = {
    "remove": (lambda p: [Remove(p.ids["b"], "w")], "onethree<i id=i>four</i>five"),
    "remove both": (lambda p: [Remove(p.ids["b"], "w"), Remove(p.ids["i"], "w")], "onethreefive"),
    "remove twice": (lambda p: [Remove(p.ids["b"], "w"), Remove(p.ids["b"], "w")], "onethree<i id=i>four</i>five"),
    "unwrap": (lambda p: [Unwrap(p.ids["b"], "w")], "onetwothree<i id=i>four</i>five"),
    "unwrap, then remove: the first counts": (
        lambda p: [Unwrap(p.ids["b"], "w"), Remove(p.ids["b"], "w"), Unwrap(p.ids["b"], "w")],
        "onetwothree<i id=i>four</i>five",
    ),
    "remove, then unwrap: the first counts": (
        lambda p: [Remove(p.ids["b"], "w"), Unwrap(p.ids["b"], "w")],
        "onethree<i id=i>four</i>five",
    ),
    "replace": (
        lambda p: [Replace(p.ids["i"], "<u>\u00e9 &amp; \u20ac</u>", "w")],
        "one<b id=b class='x y' title=t>two</b>three<u>&#233; &amp; &#8364;</u>five",
    ),
    "insert before and after": (
        lambda p: [Insert(p.ids["i"], "before", "<hr>", "w"), Insert(p.ids["i"], "after", "<br>", "w")],
        "one<b id=b class='x y' title=t>two</b>three<hr><i id=i>four</i><br>five",
    ),
    "insert first and last": (
        lambda p: [Insert(p.ids["box"], "first", "<hr>", "w"), Insert(p.ids["box"], "last", "<br>", "w")],
        "<hr>one<b id=b class='x y' title=t>two</b>three<i id=i>four</i>five<br>",
    ),
    "insert before what goes": (
        lambda p: [Insert(p.ids["i"], "before", "<hr>", "w"), Remove(p.ids["i"], "w")],
        "one<b id=b class='x y' title=t>two</b>three<hr>five",
    ),
    "text": (
        lambda p: [RemoveText(p.ids["box"], "text", "w")],
        "<b id=b class='x y' title=t>two</b>three<i id=i>four</i>five",
    ),
    "tail": (
        lambda p: [RemoveText(p.ids["b"], "tail", "w")],
        "one<b id=b class='x y' title=t>two</b><i id=i>four</i>five",
    ),
    "last tail": (
        lambda p: [RemoveText(p.ids["i"], "tail", "w")],
        "one<b id=b class='x y' title=t>two</b>three<i id=i>four</i>",
    ),
    "element and its tail": (
        lambda p: [Remove(p.ids["b"], "w"), RemoveText(p.ids["b"], "tail", "w")],
        "one<i id=i>four</i>five",
    ),
    "tail, then its element": (
        lambda p: [RemoveText(p.ids["b"], "tail", "w"), Remove(p.ids["b"], "w")],
        "one<i id=i>four</i>five",
    ),
    "set a new attribute": (
        lambda p: [SetAttribute(p.ids["i"], "title", 'a "b" <c> & \u00e9', "w")],
        "one<b id=b class='x y' title=t>two</b>three<i title=\"a &quot;b&quot; &lt;c> &amp; &#233;\" id=i>four</i>five",
    ),
    "set an old attribute": (
        lambda p: [SetAttribute(p.ids["b"], "class", "z", "w")],
        'one<b id=b class="z" title=t>two</b>three<i id=i>four</i>five',
    ),
    "take an attribute": (
        lambda p: [SetAttribute(p.ids["b"], "class", None, "w")],
        "one<b id=b title=t>two</b>three<i id=i>four</i>five",
    ),
    "set twice, the last counts": (
        lambda p: [SetAttribute(p.ids["b"], "title", "u", "w"), SetAttribute(p.ids["b"], "title", "v", "w")],
        "one<b id=b class='x y' title=\"v\">two</b>three<i id=i>four</i>five",
    ),
    "set, then take": (
        lambda p: [SetAttribute(p.ids["b"], "title", "u", "w"), SetAttribute(p.ids["b"], "title", None, "w")],
        "one<b id=b class='x y'>two</b>three<i id=i>four</i>five",
    ),
    "set on what goes": (
        lambda p: [SetAttribute(p.ids["b"], "title", "u", "w"), Remove(p.ids["b"], "w")],
        "onethree<i id=i>four</i>five",
    ),
    "two attributes of one tag": (
        lambda p: [SetAttribute(p.ids["b"], "title", None, "w"), SetAttribute(p.ids["b"], "lang", "de", "w")],
        "one<b lang=\"de\" id=b class='x y'>two</b>three<i id=i>four</i>five",
    ),
}


@pytest.mark.parametrize("what", IN_BOX)
def test_edit_gives_these_bytes(what: str) -> None:
    edits, expected = IN_BOX[what]
    page = page_of(BOX)
    result = done(page, *edits(page))
    head, _, rest = BOX.partition("<div id=box>")
    assert result == f"{head}<div id=box>{expected}{rest[rest.index('</div>') :]}"
    assert same_tree(page)


NESTED = f"<html><body><p>{TEXT}</p><div id=a>1<div id=b>2<div id=c>3</div>4</div>5</div><p id=z>6</p></body></html>"


@pytest.mark.parametrize("order", ["abc", "cba", "bac", "cab"])
def test_nested_cuts_in_any_order_are_the_outermost(order: str) -> None:
    page = page_of(NESTED)
    result = done(page, *(Remove(page.ids[name], "w") for name in order))
    assert result == f"<html><body><p>{TEXT}</p><p id=z>6</p></body></html>"
    assert page.total.words == len(TEXT.split()) + 1


def test_unwrap_round_a_cut() -> None:
    page = page_of(NESTED)
    result = done(page, Unwrap(page.ids["a"], "w"), Remove(page.ids["c"], "w"), Unwrap(page.ids["b"], "w"))
    assert result == f"<html><body><p>{TEXT}</p>1245<p id=z>6</p></body></html>"
    assert same_tree(page)


def test_steps_see_what_was_done_before() -> None:
    page = page_of(BOX)
    done(page, Remove(page.ids["b"], "w"))
    assert [element.tag for element in page.elements("b", "i")] == ["i"]
    # lxml joins the texts on both sides of what is gone; taking that text takes both stretches.
    result = done(page, RemoveText(page.ids["box"], "text", "w"))
    assert "<div id=box><i id=i>four</i>five</div>" in result
    assert same_tree(page)
    result = done(page, Unwrap(page.ids["i"], "w"), RemoveText(page.ids["i"], "tail", "w"))
    assert "<div id=box>four</div>" in result
    assert same_tree(page)


def test_text_round_comments_goes_and_comments_stay() -> None:
    page = page_of(
        f"<html><body><p>{TEXT}</p><div id=box>one<!-- c -->two<b>three</b>four<!-- d -->five</div></body></html>"
    )
    [b] = page.select("b")
    result = done(page, RemoveText(page.ids["box"], "text", "w"), RemoveText(b, "tail", "w"))
    assert "<div id=box><!-- c --><b>three</b><!-- d --></div>" in result
    assert same_tree(page)


def test_unwrapped_target_keeps_its_id() -> None:
    links = "<a href=/1>1</a>" * 6 + "<a href=#box>b</a>"
    page = page_of(f"<html><body><p>{TEXT}</p><div id=box><p>x</p></div>{links}</body></html>")
    result = done(page, Unwrap(page.ids["box"], "w"))
    assert f'<p>{TEXT}</p><a id="box"></a><p>x</p><a href=/1>' in result


def test_replaced_target_is_the_replacement_s_affair() -> None:
    page = page_of(f"<html><body><p>{TEXT}</p><div id=box>x</div></body></html>")
    assert "<hr>" in done(page, Replace(page.ids["box"], "<hr>", "w"))


REFUSED = {
    "the id of a target": (lambda p: SetAttribute(p.ids["box"], "id", None, "w"), "is the target of a link"),
    "what has no tag": (lambda p: SetAttribute(p.root, "lang", "de", "w"), "has no tag in the source"),
    "what is in a template": (lambda p: Remove(p.select("template b")[0], "w"), "is inside a template or noscript"),
    "formatting that is misnested": (lambda p: Remove(p.select("em")[0], "w"), "has no certain extent"),
    "the body": (lambda p: Remove(p.root.find("body"), "w"), "is the page itself"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_uncertain_edit_is_refused_and_named(what: str) -> None:
    make, reason = REFUSED[what]
    page = page_of(f"<p>{TEXT}<template><b>t</b></template><div id=box>x</div><em>a<p>b</em>c</p><a href=#box>see</a>")
    plan = Plan(page, Protection(page))
    plan.add(make(page))
    assert [refusal.reason for refusal in plan.refused] == [reason]
    plan.carry_out()
    assert page.render() == page.body


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<html><body><p>{}</p></body></html>\n", "<html><body><p>{}</p><hr></body></html>\n"),
        ("<html><body><p>{}</p></html>", "<html><body><p>{}</p><hr></html>"),
        ("<p>{}</p>", "<p>{}</p><hr>"),
        ("<p>{}", "<p>{}<hr>"),
        ("<body><p>{}</p></body><script>a</script></body>", "<body><p>{}</p></body><script>a</script><hr></body>"),
        ("<p>{}</p><script>'</body>'</script>", "<p>{}</p><script>'</body>'</script><hr>"),
        ("<p>{}</p><!-- </body> -->", "<p>{}</p><!-- </body> --><hr>"),
    ],
)
def test_insertion_at_the_end_of_the_body(html: str, expected: str) -> None:
    page = page_of(html.replace("{}", TEXT))
    assert done(page, Insert(page.root.find("body"), "last", "<hr>", "w")) == expected.replace("{}", TEXT)
    assert page.root.find("body/hr") is not None or page.root.find(".//hr") is not None


@pytest.mark.parametrize(
    "html", ["<p>{}</p><!-- open", "<p>{}</p><script>open", "<p>{}</p><textarea>open", "<p>{}</p><a hre"]
)
def test_nothing_is_inserted_where_it_would_be_swallowed(html: str) -> None:
    page = page_of(html.replace("{}", TEXT))
    plan = Plan(page, Protection(page))
    plan.add(Insert(page.root.find("body"), "last", "<hr>", "w"))
    assert [refusal.reason for refusal in plan.refused] == ["has no certain end"]


def test_xhtml_keeps_its_form() -> None:
    html = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head>'
        f'<body><p>{TEXT}</p><div id="box">a<br/>b</div></body></html>'
    )
    page = page_of(html, content_type="application/xhtml+xml")
    result = done(page, Remove(page.ids["box"], "w"), Insert(page.root.find("body"), "last", "<hr/>", "w"))
    assert result == html.replace('<div id="box">a<br/>b</div>', "<hr/>")


def test_plan_answers_as_if_done() -> None:
    page = page_of(BOX)
    plan = Plan(page, Protection(page))
    plan.add(Remove(page.ids["b"], "w"))
    plan.add(RemoveText(page.ids["box"], "text", "w"))
    assert plan.is_gone(page.ids["b"])
    assert not plan.is_gone(page.ids["i"])
    assert plan.counts_after(page.ids["box"]).words == 3
    assert plan.counts_after(page.ids["b"]).words == 0
    assert page.counts(page.ids["box"]).words == 5
    assert outline(page.render()) == outline(BOX.encode())
