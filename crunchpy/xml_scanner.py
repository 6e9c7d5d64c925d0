"""Reads the tags of an XHTML body that is sent as XML. Whether it is well-formed, lxml's XML parser decides."""

from __future__ import annotations

import re

from crunchpy.open_elements import MAX_DEPTH
from crunchpy.reasons import Reason
from crunchpy.scanner import MAX_TAGS
from crunchpy.source import Source, TooMuchError

# XML 1.0, productions 15, 16, 18, 28, 40 to 44: in a well-formed document `<` starts nothing else.
_TOKEN = re.compile(
    rb"<(?:!--.*?-->|!\[CDATA\[.*?\]\]>|\?.*?\?>|!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*'|\[.*?\]\s*(?=>))*>"
    rb"|/([^\s>]+)\s*>|([^\s/>!?]+)(?:\"[^\"]*\"|'[^']*'|[^\"'>])*?(/?)>)",
    re.S,
)


def scan_xml(body: bytes) -> Source:
    """Find the elements of an XML body in an ASCII-compatible charset.

    Raises:
        TooMuchError: past a limit on depth or tags.
    """
    source, stack, position = Source(body, body.lower()), [], 0
    for token in _TOKEN.finditer(body):
        if token.start() > position:
            source.gaps += (position, token.start())
        position = token.end()
        if token[2] is not None:
            ordinal = source.add(token[2], token.start(), token.end())
            if not token[3]:
                stack.append(ordinal)
            if len(stack) > MAX_DEPTH or ordinal > MAX_TAGS:
                raise TooMuchError(Reason.PARSE_LIMITS, f"over {MAX_DEPTH:,} levels or {MAX_TAGS:,} tags")
        elif token[1] is not None and stack:
            ordinal = stack.pop()
            source.content_ends[ordinal] = token.start()
            source.ends[ordinal] = position
            source.lasts[ordinal] = len(source.names) - 1
    return source
