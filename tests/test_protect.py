"""What no plugin can take, whatever it asks for: each kind of it, one by one, on a small page."""

from __future__ import annotations

import pytest

from crunchpy.chain import Chain, Step
from crunchpy.edit import Edit, Remove, Replace, Unwrap
from crunchpy.page import Page
from crunchpy.plan import Plan
from crunchpy.protect import Protection

PROSE = " ".join(["word"] * 30) + "."


def page_of(body: str, head: str = "") -> Page:
    page = Page.parse(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode())
    assert isinstance(page, Page)
    return page


def planned(page: Page, *edits: Edit) -> tuple[str, Plan]:
    plan = Plan(page, Protection(page))
    for edit in edits:
        plan.add(edit)
    plan.carry_out()
    return page.render().decode(), plan


PROTECTED = {
    "the h1": ("h1", f"<h1>Title</h1><p>{PROSE}</p>", "is the main heading"),
    "the h1 in main, not the site's": ("main h1", f"<h1>Site</h1><main><h1>Title</h1></main><p>{PROSE}</p>", "heading"),
    "main with most of the text": ("main", f"<main><p>{PROSE}</p></main><p>a b</p>", "is the main with most"),
    "article with most of the text": ("article", f"<article><p>{PROSE}</p></article><p>a b</p>", "is the article with"),
    "role=main with most of the text": (
        "[role=main]",
        f"<div role=main>{PROSE}</div><p>a b</p>",
        "is the main with most",
    ),
    "a form": ("form", f"<p>{PROSE}</p><form><input name=q></form>", "is a form"),
    "a form that a script sends": ("form", f"<p>{PROSE}</p><form><input type=hidden name=t></form>", "is a form"),
    "a form round the page": ("form", f"<form><p>{PROSE}</p><input type=hidden name=s></form>", "is a form round"),
    "what is in a form": ("img", f"<p>{PROSE}</p><form><img src=c.png alt=letters><input name=q></form>", "is a form"),
    "its switched-off button": (
        "button",
        f"<p>{PROSE}</p><form><input name=q><button disabled>Go</button></form>",
        "form",
    ),
    "a button of a form elsewhere": (
        "button",
        f"<p>{PROSE}</p><form id=f></form><button form=f>Go</button>",
        "control",
    ),
    "an input": ("input", f"<p>{PROSE}<input name=q></p>", "is a form control"),
    "a hidden field": ("input", f"<p>{PROSE}<input type=hidden name=csrf value=z1></p>", "is a form control"),
    "a select": ("select", f"<p>{PROSE}<select><option>a</select></p>", "is a form control"),
    "a textarea": ("textarea", f"<p>{PROSE}<textarea></textarea></p>", "is a form control"),
    "a label by for": ("label", f"<p>{PROSE}</p><label for=q>Find</label><input id=q>", "is the label"),
    "a label round its control": ("label", f"<p>{PROSE}</p><label>Find <input></label>", "is the label"),
    "a skip link": ("a", f"<a href=#t>Skip</a><div id=t>{PROSE}</div>", "is a skip link"),
    "a late skip link by its class": (
        "a.skip",
        "<a href=/1>1</a>" * 9 + f"<a class=skip href=#t>Skip</a><div id=t>{PROSE}</div>",
        "is a skip link",
    ),
    "a live region": ("[aria-live]", f"<p>{PROSE}</p><div aria-live=polite>3 left</div>", "is a live region"),
    "a live role": ("[role=alert]", f"<p>{PROSE}</p><div role=alert></div>", "is a live region"),
    "an output": ("output", f"<p>{PROSE}</p><output></output>", "is a live region"),
}


@pytest.mark.parametrize("what", PROTECTED)
def test_stays_when_asked_for_directly(what: str) -> None:
    css, body, reason = PROTECTED[what]
    page = page_of(body)
    [element] = page.select(css)
    result, plan = planned(page, Remove(element, "x"), Replace(element, "<hr>", "x"))
    assert result.encode() == page.body
    assert [reason in refusal.reason for refusal in plan.refused] == [True, True], plan.refused


@pytest.mark.parametrize("what", [what for what in PROTECTED if what != "a form round the page"])
def test_stays_when_what_is_round_it_goes(what: str) -> None:
    css, body, _ = PROTECTED[what]
    page = page_of(f"<div id=box>{body}<p>beside</p></div>")
    [element] = page.select(css)
    start, end = page.extent(element)
    bytes_of_it = page.body[start:end].decode()
    result, plan = planned(page, Remove(page.ids["box"], "x"))
    if "most of the text" not in what:  # of the page's main part only the shell is sure
        assert bytes_of_it in result
    else:
        assert bytes_of_it.split(">")[0] in result
    assert "beside" not in result
    assert plan.accepted


@pytest.mark.parametrize("css", ["h1", "main", "label", "form"])
def test_tags_alone_stay_too(css: str) -> None:
    page = page_of(f"<main><h1>Title</h1><p>{PROSE}</p></main><form><label for=q>Find</label><input id=q></form>")
    [element] = page.select(css)
    result, plan = planned(page, Unwrap(element, "x"))
    assert result.encode() == page.body
    assert len(plan.refused) == 1


GOES = {
    "a second h1": ("h1:nth-of-type(2)", f"<h1>One</h1><h1>Two</h1><p>{PROSE}</p>"),
    "a small article": ("article", f"<p>{PROSE}</p><article>a teaser</article>"),
    "a button of a script": ("button", f"<p>{PROSE}<button>Menu</button></p>"),
    "a switched-off field outside forms": ("input", f"<p>{PROSE}<input disabled></p>"),
    "a form without a field": ("form", f"<p>{PROSE}</p><form>Closed</form>"),
    "a link to another page": ("a", f"<p>{PROSE} <a href=/x#t>x</a></p>"),
    "a region that is not live": ("div", f"<p>{PROSE}</p><div aria-live=off>x</div>"),
    "a hidden field's hidden neighbour": ("div", f"<p>{PROSE}</p><div hidden>x</div>"),
}


@pytest.mark.parametrize("what", GOES)
def test_goes_all_the_same(what: str) -> None:
    css, body = GOES[what]
    page = page_of(body)
    [element] = page.select(css)
    start, end = page.extent(element)
    expected = page.body[:start] + page.body[end:]
    result, plan = planned(page, Remove(element, "x"))
    assert not plan.refused
    assert result.encode() == expected


BANNER = """<div id=banner>We use cookies
<form><label for=a>All</label><input id=a type=checkbox><button>OK</button></form></div>"""


def test_consent_banner_takes_its_controls_along() -> None:
    page = page_of(f"<h1>T</h1><p>{PROSE}</p>{BANNER}")
    result, plan = planned(page, Remove(page.ids["banner"], "consent", controls_go=True))
    assert not plan.refused
    assert "cookies" not in result
    assert "checkbox" not in result


def test_consent_banner_takes_no_heading_along() -> None:
    page = page_of(f"<p>{PROSE}</p>" + BANNER.replace("We use", "<h1>Hello</h1> We use"))
    result, _ = planned(page, Remove(page.ids["banner"], "consent", controls_go=True))
    assert "<h1>Hello</h1>" in result
    assert "cookies" not in result
    assert "checkbox" not in result


@pytest.mark.parametrize(
    "reference",
    [
        "<a href=#t>see</a>",
        "<p aria-labelledby='x t'>see</p>",
        "<p aria-describedby=t>see</p>",
        "<p aria-controls=t>see</p>",
        "<table><tr><td headers=t>see</td></tr></table>",
    ],
)
def test_id_of_a_target_stays_as_an_empty_anchor(reference: str) -> None:
    page = page_of(f"<p>{PROSE}</p>{'<p>1</p>' * 3}{reference}<nav><ul id=t><li>menu</li></ul></nav>")
    [nav] = page.select("nav")
    result, _ = planned(page, Remove(nav, "x"))
    assert result.endswith('<a id="t"></a></body></html>')


def test_id_that_only_what_goes_points_at_goes() -> None:
    page = page_of(f"<p>{PROSE}</p><nav>{'<a href=/1>1</a>' * 9}<a href=#t>t</a><p id=t>x</p></nav>")
    [nav] = page.select("nav")
    result, _ = planned(page, Remove(nav, "x"))
    assert "nav" not in result
    assert 'id="t"' not in result


def test_chain_without_steps_changes_nothing() -> None:
    page = page_of(f"<h1>T</h1><p>{PROSE}</p>")
    steps: tuple[Step, ...] = ()
    assert Chain("none", steps).run(page) == ()
    assert page.render() == page.body
