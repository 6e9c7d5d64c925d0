# cython: language_level=3, wraparound=False
"""The loops over all bytes of a page, compiled: `tag_loop.py` and `text_loop.py` say what they do, in Python.

Both must give the same; `tests/test_loops.py` holds them against each other on real and on random pages.
"""

import sys

from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp

from crunchpy.tag_rules import PROPER_PARENTS, RULES, RULE_NONE, RULE_P, RULE_PARENT, RULE_SAME, RULE_VOID, TRACKED
from crunchpy.word_count import SEPARATORS, words_in

cdef dict _RULES = RULES
cdef dict _PROPER_PARENTS = PROPER_PARENTS
cdef frozenset _TRACKED = TRACKED
cdef frozenset _SEPARATORS = SEPARATORS
cdef tuple _NO_MORE = (sys.maxsize, sys.maxsize)
cdef int _NONE = RULE_NONE, _VOID = RULE_VOID, _SAME = RULE_SAME, _PARENT = RULE_PARENT, _P = RULE_P


cdef inline bint _is_space(unsigned char c) noexcept nogil:
    return c == b" " or c == b"\n" or c == b"\t" or c == b"\r" or c == b"\f"


cdef inline bint _is_letter(unsigned char c) noexcept nogil:
    return b"a" <= c <= b"z"


cdef inline Py_ssize_t _find(const unsigned char* text, unsigned char c, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Where `c` stands from `at` on; `size` where it does not."""
    cdef const void* found = memchr(text + at, c, size - at) if at < size else NULL
    return size if found == NULL else <const unsigned char*>found - text


cdef inline Py_ssize_t _name_end(const unsigned char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    while at < size and not (_is_space(text[at]) or text[at] == b"/" or text[at] == b">"):
        at += 1
    return at


cdef inline Py_ssize_t _bare_value_end(const unsigned char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    while at < size and not (_is_space(text[at]) or text[at] == b">"):
        at += 1
    return at


cdef Py_ssize_t _tag_end(
    const unsigned char* text, Py_ssize_t at, Py_ssize_t size, Py_ssize_t* value_end
) noexcept nogil:
    """Behind the `>` of a tag whose name ends at `at`, -1 for a tag that is never finished; and where its last bare
    value ends."""
    value_end[0] = -1
    while at < size:
        if text[at] == b">":
            return at + 1
        if text[at] != b"=":
            at += 1
            continue
        at += 1
        while at < size and _is_space(text[at]):
            at += 1
        if at == size:
            return -1
        if text[at] == b'"' or text[at] == b"'":
            at = _find(text, text[at], at + 1, size) + 1
        elif text[at] != b">":
            at = value_end[0] = _bare_value_end(text, at, size)
    return -1


def scan_tags(scanner, Py_ssize_t begin):
    cdef bytes low = scanner.low, name
    cdef const unsigned char* text = low
    cdef Py_ssize_t size = len(low), position = begin, start, end, at, value_end, ordinal
    cdef object source = scanner.source, opened = scanner.open
    cdef list names = source.names, starts = source.starts, start_ends = source.start_ends, gaps = source.gaps
    cdef list content_ends = source.content_ends, ends = source.ends, lasts = source.lasts
    cdef list stack = opened.ordinals, open_names = opened.names
    cdef Py_ssize_t long_tag = scanner.long_tag_bytes
    cdef int watched = opened.watched, rules
    cdef unsigned char c
    cdef bint is_whole
    start = begin
    while True:
        start = _find(text, b"<", start, size)
        if start + 1 >= size:  # a `<` that is last is text
            break
        c = text[start + 1]
        if _is_letter(c):
            at = _name_end(text, start + 2, size)
            end = _tag_end(text, at, size, &value_end)
            if start > position:
                gaps.append(position)
                gaps.append(start)
            if end < 0:
                return -1
            position = end
            name = text[start + 1 : at]
            ordinal = len(names)
            rules = <int>_RULES.get(name, _NONE) & watched
            is_whole = text[end - 2] == b"/" and value_end != end - 1
            if rules == _VOID and end - start <= long_tag:
                content_ends[ordinal] = ends[ordinal] = end
                lasts[ordinal] = ordinal
            elif not is_whole and end - start <= long_tag and (
                rules == 0
                or (rules == _SAME and name not in open_names)
                or (rules == _PARENT and open_names and open_names[len(open_names) - 1] in _PROPER_PARENTS[name])
            ):
                stack.append(ordinal)
                open_names.append(name)
            elif rules == _P and not is_whole and end - start <= long_tag:
                stack.append(ordinal)
                open_names.append(name)
                opened.count(name, 1)
                watched = opened.watched
            else:
                position = scanner.start_tag(name, start, end, is_whole=is_whole)
                watched = opened.watched
                if position != end and position >= size:
                    return position
                start = position
                continue
            names.append(name)
            starts.append(start)
            start_ends.append(end)
            start = end
        elif c == b"/" and start + 2 < size and _is_letter(text[start + 2]):
            at = _name_end(text, start + 3, size)
            end = _tag_end(text, at, size, &value_end)
            if start > position:
                gaps.append(position)
                gaps.append(start)
            if end < 0:
                return -1
            position = end
            name = text[start + 2 : at]
            if open_names and open_names[len(open_names) - 1] == name:
                open_names.pop()
                ordinal = stack.pop()
                content_ends[ordinal] = start
                ends[ordinal] = end
                lasts[ordinal] = len(names) - 1
                if name in _TRACKED:
                    opened.count(name, -1)
                    watched = opened.watched
            else:
                opened.close(name, start, end)
                watched = opened.watched
            start = end
        elif c == b"!" or c == b"?" or c == b"/":
            if start > position:
                gaps.append(position)
                gaps.append(start)
            position = scanner.skip_markup(
                start,
                is_comment=c == b"!" and start + 3 < size and text[start + 2] == b"-" and text[start + 3] == b"-",
            )
            if position >= size:
                return position
            start = position
        else:
            start += 1
    gaps.append(position)
    gaps.append(size)
    return size


cdef struct _Attribute:
    int ordinal
    unsigned int name_hash
    int name_start
    int name_end
    int value_start
    int value_end


cdef class Attributes:
    """The attributes of the start tags, in the order of the source."""

    cdef bytes _body, _low
    cdef _Attribute* _found
    cdef Py_ssize_t _count, _room
    cdef dict _values

    def __cinit__(self, bytes body, bytes low, list names, list starts, list start_ends):
        cdef Py_ssize_t ordinal
        self._body, self._low, self._values = body, low, {}
        self._found, self._count, self._room = NULL, 0, 0
        for ordinal in range(len(starts)):
            self._read(ordinal, <Py_ssize_t>starts[ordinal] + 1 + len(<bytes>names[ordinal]), start_ends[ordinal])

    def __dealloc__(self):
        free(self._found)

    cdef int _read(self, Py_ssize_t ordinal, Py_ssize_t at, Py_ssize_t behind) except -1:
        """The attributes of one tag, whose name ends at `at`."""
        cdef const unsigned char* text = self._low
        cdef Py_ssize_t end = behind - 1, start
        cdef _Attribute found
        found.ordinal = <int>ordinal
        while True:
            while at < end and (_is_space(text[at]) or text[at] == b"/"):
                at += 1
            if at >= end:
                return 0
            start = at
            found.name_hash = 5381 + text[at]
            at += 1
            while at < end and not (_is_space(text[at]) or text[at] == b"/" or text[at] == b"="):
                found.name_hash = found.name_hash * 33 + text[at]
                at += 1
            found.name_start, found.name_end = <int>start, <int>at
            found.value_start = found.value_end = <int>at
            while at < end and _is_space(text[at]):
                at += 1
            if at < end and text[at] == b"=":
                at = self._value(at + 1, end, &found)
            self._keep(&found)

    cdef Py_ssize_t _value(self, Py_ssize_t at, Py_ssize_t end, _Attribute* found) noexcept:
        """Note where a value is that begins at `at` or, without blanks, behind it; gives the offset behind it."""
        cdef const unsigned char* text = self._low
        cdef Py_ssize_t value_end
        while at < end and _is_space(text[at]):
            at += 1
        if at < end and (text[at] == b'"' or text[at] == b"'"):
            value_end = _find(text, text[at], at + 1, end)
            found.value_start, found.value_end = <int>at + 1, <int>value_end
            return value_end + 1
        value_end = _bare_value_end(text, at, end)
        found.value_start, found.value_end = <int>at, <int>value_end
        return value_end

    cdef int _keep(self, _Attribute* found) except -1:
        cdef _Attribute* larger
        if self._count == self._room:
            self._room = 2 * self._room + 256
            larger = <_Attribute*>realloc(self._found, self._room * sizeof(_Attribute))
            if larger == NULL:
                raise MemoryError
            self._found = larger
        self._found[self._count] = found[0]
        self._count += 1
        return 0

    def of(self, bytes name):
        found = self._values.get(name)
        if found is None:
            found = self._values[name] = self._read_values(name)
        return found

    cdef list _read_values(self, bytes name):
        cdef const unsigned char* low = self._low
        cdef const unsigned char* wanted = name
        cdef unsigned int name_hash = 5381
        cdef Py_ssize_t place, size = len(name)
        cdef int last = -1
        cdef list found = []
        cdef _Attribute* attribute
        for place in range(size):
            name_hash = name_hash * 33 + wanted[place] if place else name_hash + wanted[place]
        for place in range(self._count):
            attribute = &self._found[place]
            if (
                attribute.name_hash == name_hash
                and attribute.ordinal != last  # of equal names on a tag the first counts
                and attribute.name_end - attribute.name_start == size
                and memcmp(low + attribute.name_start, wanted, size) == 0
            ):
                last = attribute.ordinal
                found.append((last, self._text(attribute.value_start, attribute.value_end)))
        return found

    cdef object _text(self, Py_ssize_t start, Py_ssize_t end):
        cdef const unsigned char* body = self._body
        cdef Py_ssize_t place
        for place in range(start, end):
            if body[place] >= 128 or body[place] == b"&" or (body[place] < 32 and body[place] != b"\t" and body[place] != b"\n"):
                return None
        return PyUnicode_DecodeASCII(<const char*>body + start, end - start, NULL)


cdef int _words(bytes body, Py_ssize_t start, Py_ssize_t end, str codec) except -1:
    """The words of a stretch of text, as `words_in` counts them; beyond ASCII it is asked."""
    cdef const unsigned char* text = body
    cdef Py_ssize_t place, word_start = start, word_end = end
    cdef int words = 0
    cdef bint in_word = False
    for place in range(start, end):
        if text[place] >= 128:
            return words_in(body[start:end], codec)
        if text[place] == b" " or 9 <= text[place] <= 13:
            if in_word:
                word_end = place
            in_word = False
        elif not in_word:
            in_word = True
            words += 1
            word_start, word_end = place, end
    if words == 1 and body[word_start:word_end] in _SEPARATORS:
        return 0
    return words


def count_texts(bytes body, str codec, list gaps, list links, list unread):
    cdef list places = [], counts = [], in_links = []
    cdef Py_ssize_t place, start, link_end = 0, link_start = 0, unread_end = 0, unread_start = 0
    cdef int words
    cdef object links_left = iter(links), unread_left = iter(unread)
    for place in range(0, len(gaps), 2):
        start = gaps[place]
        words = _words(body, start, gaps[place + 1], codec)
        if words == 0:
            continue
        while unread_end <= start:
            unread_start, unread_end = next(unread_left, _NO_MORE)
        if unread_start < start:
            continue
        while link_end <= start:
            link_start, link_end = next(links_left, _NO_MORE)
        places.append(start)
        counts.append(words)
        in_links.append(link_start < start)
    return places, counts, in_links
