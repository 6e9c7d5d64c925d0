"""The HTML standard's lists of element names, as bytes in lower case, for the scanner.

Only names live here, each with the clause of the standard ("13.x" are sections of the WHATWG HTML standard, November
2025); what is done with them is in `scanner.py` and `open_elements.py`.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[bytes]:
    return frozenset(name.encode() for name in text.split())


# 13.1.2: no end tag, no content. `param` and the obsolete ones are void for the parser all the same.
VOID = _names(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
)
# libxml2 knows no HTML 5 void elements: without an end tag it nests all that follows into these.
VOID_UNKNOWN_TO_LIBXML2 = _names("bgsound keygen source track wbr")
# 13.2.5: after these start tags the tokeniser reads text up to the matching end tag.
RAW_TEXT = _names("script style textarea title xmp iframe noembed noframes plaintext")
# 13.2.4.3: formatting elements are reopened by the parser after a wrong end tag, so an unclosed one has no sure extent.
FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
HEADINGS = _names("h1 h2 h3 h4 h5 h6")
# 13.2.4.2: an end tag is not matched through these ("has an element in scope").
# Some count in pictures and formulas only, where HTML may stand in them ("integration points").
INTEGRATION_POINTS = _names("foreignobject desc title annotation-xml mi mo mn ms mtext")
SCOPE_BOUNDARIES = _names("applet caption table td th marquee object template") | INTEGRATION_POINTS
# 13.2.6.4.7: start tags that close an open p.
CLOSES_P = _names(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary ul xmp"
)
# 13.2.4.2: "special" elements stop the search of an end tag that has no rule of its own.
SPECIAL = CLOSES_P | _names(
    "applet area base basefont bgsound body br button caption col colgroup embed frame frameset head html iframe img"
    " input keygen link marquee meta noembed noframes noscript object param script select source style table tbody td"
    " template textarea tfoot th thead title tr track wbr"
)
# 13.1.2.4: whose end tag may be left out. "generate implied end tags" closes these without an error.
IMPLIED_END = _names("dd dt li optgroup option p rb rp rt rtc")
TABLE_SECTIONS = _names("tbody tfoot thead")
TABLE_PARTS = TABLE_SECTIONS | _names("table tr")
TABLE_TAGS = TABLE_SECTIONS | _names("caption colgroup tr td th")
# 13.2.6.4.9: what may stand directly in a table; all else is moved before it ("foster parenting").
ALLOWED_IN_TABLE = TABLE_TAGS | _names("col script style template form input")
# The open element up to which a table tag closes what is open: start tag -> names that it closes.
TABLE_CLOSES: dict[bytes, frozenset[bytes]] = {
    b"td": _names("td th caption colgroup"),
    b"th": _names("td th caption colgroup"),
    b"tr": _names("td th tr caption colgroup"),
    b"col": _names("caption"),
    b"colgroup": _names("td th tr tbody thead tfoot caption colgroup"),
    b"caption": _names("td th tr tbody thead tfoot caption colgroup"),
    **{name: _names("td th tr tbody thead tfoot caption colgroup") for name in TABLE_SECTIONS},
}
# 13.2.6.5: these start tags end a picture or a formula that they stand in.
BREAKS_OUT_OF_FOREIGN = _names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
    " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
FOREIGN_ROOTS = _names("svg math")
# Neither pushed nor closed: their tags may come anywhere and only once count.
DOCUMENT_PARTS = _names("html head body")
# Text below these is not read by a person who looks at the page.
UNREAD = _names("noscript template select svg math datalist head")

# Start tags for which there is a rule of their own, beside those that close an open p.
OWN_RULE = HEADINGS | TABLE_TAGS | _names("li dd dt col a nobr button option optgroup rb rp rt rtc form")
# Without child elements.
CHILDLESS = VOID | RAW_TEXT | DOCUMENT_PARTS
# Elements that a rule counts while they are open.
TRACKED = FOREIGN_ROOTS | _names("p form")
# Where their rule can do nothing: directly in these, the usual case.
PROPER_PARENTS: dict[bytes, frozenset[bytes]] = {
    b"li": _names("ul ol menu"),
    b"td": _names("tr"),
    b"th": _names("tr"),
    b"tr": _names("table tbody thead tfoot"),
    b"dd": _names("dl"),
    b"dt": _names("dl"),
    b"option": _names("select optgroup datalist"),
}

# One look-up a start tag: which rules speak of the name. The last two are asked about inside pictures only, where
# RULE_NONE alone means that the name is nothing but a name.
RULE_OTHER, RULE_CLOSES_P, RULE_VOID, RULE_SAME, RULE_PARENT = 1, 2, 4, 8, 16
RULE_HEADING, RULE_COUNTED, RULE_RAW = 32, 64, 128
RULE_BREAKS_OUT, RULE_NONE = 256, 512
ALWAYS_WATCHED = RULE_OTHER | RULE_VOID | RULE_SAME | RULE_PARENT | RULE_HEADING | RULE_COUNTED | RULE_RAW
_SAME = _names("a nobr button")
_RAW = _names("script style")
_PARENT = frozenset(PROPER_PARENTS)
_KNOWN_VOID = VOID - VOID_UNKNOWN_TO_LIBXML2 - OWN_RULE - DOCUMENT_PARTS


def _rules(name: bytes) -> int:
    rules = RULE_NONE
    if name in CLOSES_P:
        rules |= RULE_CLOSES_P
    if name in BREAKS_OUT_OF_FOREIGN:
        rules |= RULE_BREAKS_OUT
    if name in _KNOWN_VOID:
        rules |= RULE_VOID
    elif name in _SAME:
        rules |= RULE_SAME
    elif name in _PARENT:
        rules |= RULE_PARENT
    elif name in HEADINGS:
        rules |= RULE_HEADING
    elif name == b"p" or name in FOREIGN_ROOTS:
        rules |= RULE_COUNTED
    elif name in _RAW:
        rules |= RULE_RAW
    elif name in OWN_RULE | TRACKED | CHILDLESS:
        rules |= RULE_OTHER
    return rules


_WITH_RULES = OWN_RULE | CLOSES_P | CHILDLESS | TRACKED | BREAKS_OUT_OF_FOREIGN
RULES: dict[bytes, int] = {name: _rules(name) for name in _WITH_RULES}
