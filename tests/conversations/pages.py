"""Is it a page at all? Fragments, wrong labels, XHTML, broken and hostile markup, framesets."""

from __future__ import annotations

from tests.conversations.wire import BARE, GOES, PROSE, WINDOW, Talk, answer, bare_answer, cut, page

HTML = "Content-Type: text/html; charset=utf-8\r\n"
XHTML = "Content-Type: application/xhtml+xml\r\n"


def filtered(name: str, body: bytes, lines: str = HTML, after: bytes | None = None) -> Talk:
    return Talk(name, answer(body, lines), answer(cut(body) if after is None else after, lines))


def untouched(name: str, body: bytes, because: str | None, lines: str = HTML, asked: str = WINDOW) -> Talk:
    return Talk(name, answer(body, lines), asked=asked, because=because)


ROW = b"<tr id=r2><td>Pen</td><td>3</td></tr>"

FRAGMENTS = [
    untouched("13 htmx", ROW, "fragment", asked=BARE + "HX-Request: true\r\n"),
    untouched("13 htmx and a whole page", page(), "fragment", asked=BARE + "HX-Request: true\r\n"),
    untouched("13 XMLHttpRequest", ROW, "fragment", asked=BARE + "X-Requested-With: XMLHttpRequest\r\n"),
    untouched("13 Turbo", page(), "fragment", asked=BARE + "Turbo-Frame: list\r\n"),
    untouched("13 fetch", page(), "worker_or_fetch", asked=BARE + "Sec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\n"),
    untouched("13 a row and nobody says who asks", ROW, "not_a_document", asked=BARE),
    untouched("13 a row in a window", ROW, "not_a_document"),
    untouched("13 an option", b"<option value=2>Two</option>", "not_a_document", asked=BARE),
    untouched("T5 a word", b"Saved!", "not_a_document", asked=BARE),
    Talk("13 a frame", answer(page()), answer(cut(page())), asked=WINDOW.replace("document", "iframe")),
    Talk("13 a page and nobody says who asks", answer(page()), answer(cut(page())), asked=BARE),
    Talk(
        "13 a page in an app's web view",
        answer(page()),
        answer(cut(page())),
        asked=BARE + "X-Requested-With: org.example.app\r\n",
    ),
]

LABELS = [
    untouched("14 JSON", b'{"html":"<p>Hi</p>","n":2}', "not_a_document"),
    untouched("14 JSON with a page in it", b'{"html":"<!doctype html><html>"}', "not_a_document"),
    untouched("14 a script", b"if(a<2&&b>0){go()}", "not_a_document"),
    untouched("14 a feed", b'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"/>', "not_a_document"),
    untouched("14 no type", page(), None, ""),
    untouched("14 no type and nosniff", b"\x89PNG\r\n\x1a\n" + b"\0" * 99, None, "X-Content-Type-Options: nosniff\r\n"),
    untouched("14 plain text that looks like a page", page(), None, "Content-Type: text/plain\r\n"),
    untouched("14 two types", page(), "bad_headers", "Content-Type: text/html\r\nContent-Type: text/plain\r\n"),
    untouched("T6 nothing", b"", "empty"),
    untouched("T6 white space", b" \r\n\t ", "empty"),
    untouched("T6 only a comment", b"<!-- nothing here -->", "empty"),
]

XML = (
    b'<?xml version="1.0"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>'
    + GOES
    + b'<p>A<br/>B &lt; C &#160; </p><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0"/></svg>'
    b"<p><![CDATA[a < b & <i>]]></p>" + PROSE + b"</body></html>\n"
)

XHTMLS = [
    filtered("15 XHTML as XML", XML, XHTML),
    filtered("T8 XHTML as HTML", XML, HTML),
    filtered("T13 an XML declaration with an encoding", XML.replace(b"1.0", b'1.0" encoding="utf-8', 1), HTML),
    filtered("T13 the same as XML", XML.replace(b"1.0", b'1.0" encoding="utf-8', 1), XHTML),
    untouched("15 XHTML that is not well-formed", XML.replace(b"<br/>", b"<br>"), "not_well_formed", XHTML),
]

LATE = b"<script>late()</script><h2>Comments</h2><p>first!</p><!-- end -->"
REFRESH = b'<!doctype html><head><meta http-equiv=refresh content="0;url=/de"><body>' + GOES + PROSE
DEEP = b"<!doctype html><body>" + GOES + b"<div>" * 300 + b"DEEP" + b"</div>" * 300 + b"<p>TAIL</p>" + PROSE
SHADOW = (
    b'<ul><template id=row><li><a href="{{u}}">{{t}}</a></li></template></ul><my-card><template shadowrootmode=open>'
    b"<h2>In shadow</h2><slot></slot></template><p>light</p></my-card><x-icon/><p>after</p>"
)
NOSCRIPT = (
    b'<noscript><img src=/px.gif alt=""><meta http-equiv=refresh content="0;url=/nojs"></noscript><title>T</title>'
    b"<meta name=description content=d>"
)
FRAMES = (
    b'<html><head><title>T</title></head><frameset cols="20%,80%"><frame src=menu.html><frame src=text.html>'
    b"<noframes><p><a href=text.html>Text</a></p></noframes></frameset></html>"
)

TARGET = b'<a href="#s2">2</a><nav id=s2 class=goes><ul><li><a href=/a>a</a></ul></nav>'
LOGIN = (
    b'<div class="box goes" style="width:300px;height:250px"><form action=/login method=post><label for=u>User</label>'
    b'<input id=u name=u><input type=hidden name=csrf value=z1><div class=captcha><img src=/c.png alt="type letters">'
    b"</div><button>Sign in</button></form></div>"
)

MARKUP = [
    filtered("T1 markup after the end", page() + LATE),
    filtered("17 nothing closed", REFRESH),
    filtered("T7 no doctype", page().removeprefix(b"<!doctype html>\n")),
    filtered(
        "T7 an old doctype", page().replace(b"<!doctype html>", b'<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//EN">')
    ),
    filtered("T7 comments before the doctype", b"<!-- saved -->\r\n" + page()),
    filtered("T2 300 deep", DEEP),
    filtered("18 a NUL", page(b"<p>a\x00b</p><p>c</p>")),
    filtered("19 noscript in the head", page(b"<h1>H</h1>", NOSCRIPT)),
    filtered("20 templates", page(SHADOW)),
    filtered("22 a base", page(b'<a href="#s2">2</a><a href=more>m</a>', b'<base href="https://cdn.example/v1/">')),
    filtered("22 the target of a link", page(TARGET), after=cut(page(b'<a href="#s2">2</a><a id="s2"></a>'))),
    filtered("29 a form in a box that goes", page(LOGIN)),
    filtered(
        "T16 text after what goes", page(b"<p>one <b class=goes>ad</b> two</p>"), after=cut(page(b"<p>one  two</p>"))
    ),
    filtered("nested forms", page(b"<form action=/a><input name=x><form action=/b><input name=y></form></form>")),
    filtered("escaped addresses", page('<a href="/ä?q=ö b">x</a><iframe src=/i>&lt;b&gt; <b></iframe>'.encode())),
    filtered("attributes as browsers write them", page(b"<div @click=go :a='1' DEFER Defer=x data-A=1>x</div><P>y")),
    untouched("23 a frameset", FRAMES, "frameset"),
    untouched("23 a frameset in capitals", FRAMES.replace(b"frameset", b"FRAMESET"), "frameset"),
    untouched(
        "32 a page built by scripts",
        b"<!doctype html><html><body><div id=root></div><script src=/app.js></script>",
        "nothing_to_filter",
    ),
    untouched(
        "29 a page for a password",
        page(b"<form method=post><input type=password name=p><input type=hidden name=csrf value=z1></form>"),
        "password_page",
    ),
    untouched("nothing marked", cut(page()), "nothing_to_change"),
]

# They cost at most a second, and come out as they went in.
HOSTILE = [
    untouched("T3 200000 unclosed divs", b"<!doctype html>" + b"<div>" * 200_000, "too_deep"),
    untouched(
        "100000 attributes",
        b"<!doctype html><p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">",
        "too_many_attributes",
    ),
    untouched("T4 11 MB of text", b"<!doctype html><p>" + b"word " * 2_200_000, "too_large"),
    Talk(
        "T4 11 MB of text without a length",
        bare_answer(b"<!doctype html><p>" + b"word " * 2_200_000, HTML),
        closes=True,
        because="too_large",
    ),
    untouched("50000 options", b"<!doctype html><select>" + b"<option>x" * 50_000, "nothing_to_change"),
    untouched("broken tags", b"<!doctype html>" + b"<b i><i i " * 20_000, "too_deep"),
]

NOT_PAGES = [
    Talk("a HEAD request", answer(b"x" * 99, HTML + 'ETag: "a"\r\n'), method="HEAD", because="not_get"),
    Talk(
        "29 the answer to a POST",
        answer(page()),
        method="POST",
        asked=WINDOW + "Content-Length: 0\r\n",
        because="not_get",
    ),
    Talk("an error page", answer(page(), status="404 Not Found"), because="status"),
    Talk("a redirection", answer(page(), HTML + "Location: /x\r\n", "302 Found"), because="status"),
    Talk("no content", b"HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\n\r\n", because="status"),
    untouched("a download", page(), "attachment", HTML + "Content-Disposition: attachment; filename=a.html\r\n"),
    untouched("no-transform", page(), "no_transform", HTML + "Cache-Control: public, no-transform\r\n"),
    untouched("no-transform asked for", page(), "no_transform", asked=WINDOW + "Cache-Control: no-transform\r\n"),
    untouched("a signed answer", page(), "signed", HTML + 'Signature-Input: sig1=("content-digest")\r\n'),
]

TALKS = [*FRAGMENTS, *LABELS, *XHTMLS, *MARKUP, *NOT_PAGES]
