"""Which character encoding a page is in, by the rules that browsers follow.

The order is the HTML standard's: byte order mark, the label of the Content-Type header, what the page itself
declares, and then a default (UTF-8 where the bytes are valid UTF-8, else windows-1252). One rule is added: what is
declared only inside a script or style does not count where the page is valid UTF-8. Labels mean what the Encoding
standard says: `iso-8859-1` is windows-1252, `gb2312` is gb18030, `x-sjis` is Shift_JIS.

Pages are cut as bytes, so an encoding must keep ASCII tags as ASCII bytes: UTF-16, ISO-2022-JP and UTF-7 are refused.
So is a page that is not valid in its encoding: its tags might not be where they seem to be.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import webencodings  # type: ignore[import-untyped]

from crunchpy.codings import Refused
from crunchpy.loops import is_utf8
from crunchpy.reasons import Reason

Source = Literal["bom", "http", "meta", "xml", "valid_utf8", "default"]

# Where the standard stops looking; the tree builder heeds later declarations too, so these are looked for as well,
# but only in what may still be a head.
PRESCAN_BYTES = 1024
MAX_HEAD_BYTES = 65_536

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xfe\xff", None), (b"\xff\xfe", None))

# The Encoding standard's names whose Python codec has another name, best first. A later one is tried where an earlier
# one cannot decode: the standard's Shift_JIS, Big5 and EUC-JP are each a union that no single Python codec covers.
_CODECS: dict[str, tuple[str, ...]] = {
    "big5": ("big5hkscs", "cp950"),
    "euc-jp": ("euc_jp", "euc_jis_2004"),
    "euc-kr": ("cp949",),
    "gbk": ("gb18030",),
    "iso-8859-8-i": ("iso8859-8",),
    "macintosh": ("mac-roman",),
    "shift_jis": ("cp932",),
    "x-mac-cyrillic": ("mac-cyrillic",),
    "windows-874": ("cp874", "c1_cp874"),
    **{f"windows-125{digit}": (f"cp125{digit}", f"c1_cp125{digit}") for digit in range(9)},
}
# A declaration that can be read as ASCII cannot mean these; the standard says what it means instead.
_READABLE = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
_UNSUPPORTED = ("utf-16le", "utf-16be", "iso-2022-jp", "replacement", "x-user-defined")
# Not labels of the standard (browsers ignore them), but a page that names one is not what it seems.
_UNSUPPORTED_LABELS = ("utf-7", "x-utf-7", "unicode-1-1-utf-7", "utf-32", "utf-32le", "utf-32be", "cesu-8", "bocu-1")

_CHARSET_PARAMETER = re.compile(r""";\s*charset\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"\s][^;]*))""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Charset:
    """How to read a page: `body.decode(codec)` works strictly. `source` says where the encoding was named.

    `codec` is a Python codec name; `utf-8-sig` where there is a byte order mark. The few names that start
    with `c1_` are registered by this module.
    """

    codec: str
    source: Source


def sniff(body: bytes, content_type: str) -> Charset | Refused:
    """The encoding of a whole, plain (not compressed) page; refused where it is unsupported or does not fit the bytes.

    content_type: the header's value, whose media type decides between the rules of HTML and of XML.
    """
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return _checked(body, (codec,), "bom") if codec else Refused(Reason.CHARSET_UNSUPPORTED, "utf-16")
    label = http_label(content_type)
    if label is not None and (_name_of(label) or is_unsupported(label)):
        return _by_label(body, label, "http")
    if is_xml(content_type):
        return _by_label(body, _xml_label(body) or "utf-8", "xml")
    label = declared(body[:PRESCAN_BYTES], in_scripts=False)
    return _by_label(body, label, "meta") if label else _undeclared(body)


def is_xml(content_type: str) -> bool:
    """Whether readers parse this media type as XML; of the two types of pages only XHTML's own is."""
    return content_type.split(";", maxsplit=1)[0].strip().lower() == "application/xhtml+xml"


def http_label(content_type: str) -> str | None:
    """The charset parameter of a Content-Type value, as written; None without one."""
    found = _CHARSET_PARAMETER.search(content_type)
    if not found:
        return None
    quoted, plain = found.groups()
    return re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain.strip()


def is_unsupported(label: str) -> bool:
    """Whether a label of the Content-Type header names an encoding that cannot be cut as bytes."""
    return label.strip().lower() in _UNSUPPORTED_LABELS or _name_of(label) in _UNSUPPORTED


def declared(body: bytes, *, in_scripts: bool) -> str | None:
    """The label of the encoding that an HTML page declares about itself in these bytes, by the standard's prescan.

    in_scripts: believe a `<meta>` inside a script, style or title, as the prescan does and the tree builder does not.
    UTF-16 counts as UTF-8, since a page whose declaration can be read as ASCII is not UTF-16.
    """
    labels = [label for attributes in _meta_tags(body, in_scripts) if (label := _label_of_meta(attributes))]
    for label in [*labels, _xml_label(body)]:
        name = _name_of(label) if label else None
        if name or label in _UNSUPPORTED_LABELS:
            return _READABLE.get(name, name) if name else label
    return None


def _by_label(body: bytes, label: str, source: Source) -> Charset | Refused:
    if is_unsupported(label):
        return Refused(Reason.CHARSET_UNSUPPORTED, label)
    name = _name_of(label)
    return _checked(body, _CODECS.get(name, (name,)), source) if name else _undeclared(body)


def _undeclared(body: bytes) -> Charset | Refused:
    """Without a declaration at the start: valid UTF-8, or one further down, or one in a script, or windows-1252."""
    if b"<\0" in body[:8] or b"\0<" in body[:8] or b"\x1b$" in body:  # UTF-16 and ISO-2022-JP can be valid UTF-8
        return Refused(Reason.CHARSET_UNSUPPORTED, "utf-16 or iso-2022-jp")
    if _decodes(body, "utf-8"):
        return Charset("utf-8", "valid_utf8")
    for head, in_scripts in ((body[:MAX_HEAD_BYTES], False), (body[:PRESCAN_BYTES], True)):
        if label := declared(head, in_scripts=in_scripts):
            return _by_label(body, label, "meta")
    return _checked(body, _CODECS["windows-1252"], "default")


def _checked(body: bytes, candidates: tuple[str, ...], source: Source) -> Charset | Refused:
    for codec in candidates:
        if _decodes(body, codec):
            return Charset(codec, source)
    return Refused(Reason.UNDECODABLE, candidates[0])


def _decodes(body: bytes, codec: str) -> bool:
    if codec == "utf-8":
        return is_utf8(body)
    try:
        body.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _name_of(label: str) -> str | None:
    """The Encoding standard's name for a label, None where it knows none."""
    try:
        encoding = webencodings.lookup(label)
    except UnicodeError:  # a surrogate, from a header byte that is no UTF-8
        return None
    return str(encoding.name) if encoding else None


# --- declarations inside the page -----------------------------------------------------------------------------------

_TAG_START = re.compile(rb"<(?:(?P<comment>!--)|(?P<slash>/?)(?P<name>[A-Za-z][^\t\n\f\r />]*)|[!/?])")
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*(?:(?P<end>>)|(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*"
    rb"""(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\t\n\f\r >"'][^\t\n\f\r >]*)"""
    rb"""|(?=>)|(?P<open>["']|\Z)))?)"""
)
_RAW_TEXT = (b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes")
_CONTENT_CHARSET = re.compile(
    rb"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))""", re.IGNORECASE
)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding[\x00- ]*=[\x00- ]*(["'])([^"'\x00- >]+)\1[^>]*>""")


def _meta_tags(body: bytes, in_scripts: bool) -> Iterator[dict[bytes, bytes]]:
    """The attributes of each complete `<meta>`, by the standard's prescan; cut-off or broken markup ends the search."""
    position = 0
    while found := _TAG_START.search(body, position):
        name = (found["name"] or b"").lower()
        if found["comment"]:
            # `<!-->` is a whole comment: its hyphens serve as the start and as the end.
            position = body.find(b"-->", found.start() + 2) + 3
        elif name:
            position, attributes = _attributes(body, found.end())
            if position and name == b"meta" and not found["slash"]:
                yield attributes
            if position and name in _RAW_TEXT and not (in_scripts or found["slash"]):
                position = _end_of_raw_text(body, position, name)
        else:
            position = body.find(b">", found.start()) + 1
        if position <= found.start():
            return


def _attributes(body: bytes, position: int) -> tuple[int, dict[bytes, bytes]]:
    """The end of the tag whose attributes start here, 0 if it has none, and the attributes, the first of a name."""
    attributes: dict[bytes, bytes] = {}
    while found := _ATTRIBUTE.match(body, position):
        position = found.end()
        if found["end"]:
            return position, attributes
        if found["open"] is not None:
            break
        value = found["double"] or found["single"] or found["bare"] or b""
        attributes.setdefault(found["name"].lower(), value)
    return 0, attributes


def _end_of_raw_text(body: bytes, position: int, name: bytes) -> int:
    """Where the end tag of a raw-text element starts, 0 if it has none."""
    found = re.compile(rb"</" + name + rb"[\t\n\f\r />]", re.IGNORECASE).search(body, position)
    return found.start() if found else 0


def _label_of_meta(attributes: dict[bytes, bytes]) -> str | None:
    if b"charset" in attributes:
        return _clean(attributes[b"charset"])
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    found = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
    return _clean(found[1] or found[2] or found[3] or b"") if found else None


def _xml_label(body: bytes) -> str | None:
    found = _XML_ENCODING.match(body)
    return _clean(found[2]) if found else None


def _clean(label: bytes) -> str:
    return label.decode("latin-1").strip().lower()


# --- codecs that Python lacks ---------------------------------------------------------------------------------------

_WINDOWS_CODECS = ("c1_cp874", *(f"c1_cp125{digit}" for digit in range(9)))


def _windows_codec(name: str) -> codecs.CodecInfo | None:
    """The Windows code pages as the Encoding standard has them: unassigned bytes 80 to 9F are C1 controls.

    Python refuses these bytes, and one of them in a page of 100 kB would leave the page unfiltered.
    """
    if name not in _WINDOWS_CODECS:
        return None
    table = "".join(_character(byte, name.removeprefix("c1_")) for byte in range(256))
    encoding = codecs.charmap_build(table)
    return codecs.CodecInfo(
        encode=lambda text, errors="strict": codecs.charmap_encode(text, errors, encoding),
        decode=lambda data, errors="strict": codecs.charmap_decode(data, errors, table),
        name=name,
    )


def _character(byte: int, codec: str) -> str:
    unassigned = chr(byte) if byte in range(0x80, 0xA0) else "\ufffe"  # U+FFFE is the mark of no character at all
    try:
        return bytes([byte]).decode(codec)
    except UnicodeDecodeError:
        return unassigned


codecs.register(_windows_codec)
