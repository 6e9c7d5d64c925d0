"""Why a page was left untouched: one code a reason, one plain sentence a code.

The codes go into the log and into `crunchpy explain`; `Unfit`, `Refused` and `Decision` carry them.
A code is stable: people count them. The sentence may be reworded.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """The code of a reason; a member equals its own string, so plain strings may be compared with it."""

    # What was asked for (known from the request).
    NOT_GET = "not_get"
    EXCEPTED_HOST = "excepted_host"
    RANGE = "range"
    WORKER_OR_FETCH = "worker_or_fetch"
    FRAGMENT = "fragment"
    NO_TRANSFORM = "no_transform"
    UPGRADE = "upgrade"

    # What the origin answered (known from the response headers).
    STATUS = "status"
    NOT_HTML = "not_html"
    NO_TYPE = "no_type"
    ATTACHMENT = "attachment"
    STREAM = "stream"
    BAD_HEADERS = "bad_headers"
    SIGNED = "signed"
    UNKNOWN_CODING = "unknown_coding"
    TOO_LARGE = "too_large"

    # What the body turned out to be.
    TOO_SLOW = "too_slow"
    MEMORY_LIMIT = "memory_limit"
    BAD_CODING = "bad_coding"
    TRUNCATED = "truncated"
    INFLATED_TOO_LARGE = "inflated_too_large"
    RATIO = "ratio"
    CHARSET_UNSUPPORTED = "charset_unsupported"
    UNDECODABLE = "undecodable"
    EMPTY = "empty"
    NOT_A_DOCUMENT = "not_a_document"
    FRAMESET = "frameset"

    # What parsing said.
    NOT_WELL_FORMED = "not_well_formed"
    PARSE_LIMITS = "parse_limits"
    TOO_MANY_ATTRIBUTES = "too_many_attributes"
    TOO_MANY_ELEMENTS = "too_many_elements"
    TOO_DEEP = "too_deep"
    TREE_MISMATCH = "tree_mismatch"

    # What filtering said.
    NOTHING_TO_FILTER = "nothing_to_filter"
    NOTHING_TO_CHANGE = "nothing_to_change"
    PASSWORD_PAGE = "password_page"
    TOO_LITTLE_LEFT = "too_little_left"
    SPLICE_CHECK = "splice_check"
    FILTER_FAILED = "filter_failed"
    FILTER_TIMEOUT = "filter_timeout"
    WORKER_DIED = "worker_died"
    BUSY = "busy"

    @property
    def sentence(self) -> str:
        """One plain sentence for a reader of the log, ending in a full stop."""
        return SENTENCES[self]


SENTENCES: dict[Reason, str] = {
    Reason.NOT_GET: "Only answers to GET are filtered; this request used another method.",
    Reason.EXCEPTED_HOST: "The administrator excepted this host from filtering.",
    Reason.RANGE: "Only a part of the page was asked for or sent.",
    Reason.WORKER_OR_FETCH: "A script, worker or other resource asked for it, not a window or frame.",
    Reason.FRAGMENT: "A script asked for a piece of a page, to put it into one that is already open.",
    Reason.NO_TRANSFORM: "Cache-Control says no-transform, which is always obeyed.",
    Reason.UPGRADE: "The connection changes to another protocol.",
    Reason.STATUS: "Only answers with status 200 are filtered.",
    Reason.NOT_HTML: "The answer is not labelled as HTML or XHTML.",
    Reason.NO_TYPE: "The answer has no Content-Type, and a missing type is not guessed.",
    Reason.ATTACHMENT: "The answer is a download.",
    Reason.STREAM: "The answer is a stream that has no end to wait for.",
    Reason.BAD_HEADERS: "The headers contradict each other, for instance two different types or lengths.",
    Reason.SIGNED: "The answer's body is signed, and a changed body would not match the signature.",
    Reason.UNKNOWN_CODING: "The Content-Encoding is none of gzip, deflate, br and zstd.",
    Reason.TOO_LARGE: "The body is larger than the limit.",
    Reason.TOO_SLOW: "The body took longer to arrive than the limit.",
    Reason.MEMORY_LIMIT: "The pages held at this moment are together larger than the limit.",
    Reason.BAD_CODING: "The body is not what its Content-Encoding says.",
    Reason.TRUNCATED: "The body ended too early.",
    Reason.INFLATED_TOO_LARGE: "The decompressed body is larger than the limit.",
    Reason.RATIO: "The body grows more in decompression than the limit allows.",
    Reason.CHARSET_UNSUPPORTED: "The character encoding cannot be filtered byte by byte.",
    Reason.UNDECODABLE: "The bytes are not valid in the page's character encoding.",
    Reason.EMPTY: "The body is empty or blank.",
    Reason.NOT_A_DOCUMENT: "The body does not start like a whole HTML document.",
    Reason.FRAMESET: "The page is a frameset; each of its frames is filtered on its own.",
    Reason.NOT_WELL_FORMED: "The page is sent as XML and is not well-formed.",
    Reason.PARSE_LIMITS: "The parser reached one of its limits and would have lost content.",
    Reason.TOO_MANY_ATTRIBUTES: "A tag has more attributes than the limit.",
    Reason.TOO_MANY_ELEMENTS: "The page has more elements than the limit.",
    Reason.TOO_DEEP: "The elements are nested deeper than the limit.",
    Reason.TREE_MISMATCH: "The parsed page and its tags disagree too much.",
    Reason.NOTHING_TO_FILTER: "The page has almost no text of its own; scripts build it in the browser.",
    Reason.NOTHING_TO_CHANGE: "No plugin found anything to change.",
    Reason.PASSWORD_PAGE: "The page asks for a password, so it is left alone.",
    Reason.TOO_LITTLE_LEFT: "Even the gentlest settings would have left too little of the page.",
    Reason.SPLICE_CHECK: "The check of the edited bytes failed, so the edits were dropped.",
    Reason.FILTER_FAILED: "Filtering failed with an error.",
    Reason.FILTER_TIMEOUT: "Filtering took longer than the limit.",
    Reason.WORKER_DIED: "The process that filtered the page died.",
    Reason.BUSY: "Too many pages were waiting to be filtered.",
}


def sentence(code: str) -> str:
    """The sentence of a code; of an unknown code, the code itself (a log line must not fail)."""
    return SENTENCES[Reason(code)] if code in Reason else code
