"""Around the page: policies, workers, cookies, early hints, trailers."""

from __future__ import annotations

from tests.conversations.wire import BARE, WINDOW, Talk, answer, bare_answer, chunked, cut, page

POLICIES = (
    "Content-Type: text/html; charset=utf-8\r\n"
    "Content-Security-Policy: default-src 'self'; script-src 'nonce-r4nd'; style-src 'self'\r\n"
    "content-security-policy: img-src 'self'\r\n"
    "Content-Security-Policy-Report-Only: default-src 'none'\r\n"
    "Strict-Transport-Security: max-age=63072000; includeSubDomains; preload\r\n"
    "Set-Cookie: a=1; Path=/; HttpOnly\r\n"
    "Set-Cookie: b=2; SameSite=Lax\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Permissions-Policy: camera=()\r\n"
    "Vary: Accept-Encoding, Cookie\r\n"
    "Cache-Control: private, max-age=60\r\n"
    "Link: </s.css>; rel=preload; as=style\r\n"
    "Refresh: 300\r\n"
    "X-Odd: two  spaces\r\n"
)
PROTECTED = page(
    b'<script nonce=r4nd>go()</script><link rel=stylesheet href=/s.css integrity="sha256-AAAA">',
    b"<meta http-equiv=Content-Security-Policy content=\"img-src 'self'\"><title>T</title>",
)
TEXT = "Content-Type: text/html\r\n"

TALKS = [
    Talk("34 policies", answer(PROTECTED, POLICIES), answer(cut(PROTECTED), POLICIES)),
    *(
        Talk(
            f"35 asked for by a {destination}",
            answer(page(), TEXT + 'ETag: "a"\r\n'),
            asked=BARE + f'Sec-Fetch-Dest: {destination}\r\nAccept-Encoding: gzip, dcb\r\nIf-None-Match: "b"\r\n',
            because="worker_or_fetch",
        )
        for destination in ("worker", "serviceworker", "sharedworker", "script", "style", "empty", "image", "object")
    ),
    Talk(
        "35 a fetch with integrity",
        answer(page(), TEXT),
        asked=BARE + "Sec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\n",
        because="worker_or_fetch",
    ),
    Talk(
        "36 cookies and logins go up as they are",
        answer(page(), TEXT),
        answer(cut(page()), TEXT),
        asked=WINDOW + "Cookie: a=1; b=2\r\nAuthorization: Basic dTpw\r\nX-Odd: two  spaces\r\nDNT: 1\r\n",
    ),
    Talk(
        "37 Alt-Svc of a page",
        answer(page(), TEXT + 'Strict-Transport-Security: max-age=1\r\nAlt-Svc: h3=":443"\r\n'),
        answer(cut(page()), TEXT + 'Strict-Transport-Security: max-age=1\r\nAlt-Svc: h3=":443"\r\n'),
    ),
    Talk(
        "103 early hints before the page",
        b"HTTP/1.1 103 Early Hints\r\nLink: </s.css>; rel=preload\r\n\r\n" + answer(page(), TEXT),
        answer(cut(page()), TEXT),
    ),
    Talk(
        "trailers of a page that is filtered",
        bare_answer(
            chunked(page())[:-2] + b"Content-Digest: sha-256=:AAAA=:\r\n\r\n",
            TEXT + "Transfer-Encoding: chunked\r\nTrailer: Content-Digest\r\n",
        ),
        bare_answer(cut(page()), TEXT + f"content-length: {len(cut(page()))}\r\n"),
    ),
    Talk(
        "trailers of what is left alone",
        bare_answer(chunked(b"Saved!")[:-2] + b"Server-Timing: a\r\n\r\n", TEXT + "Transfer-Encoding: chunked\r\n"),
        bare_answer(chunked(b"Saved!"), TEXT + "Transfer-Encoding: chunked\r\n"),
        because="not_a_document",
    ),
]
