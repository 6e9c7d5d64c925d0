# cython: language_level=3, wraparound=False
"""The loops over the tags of a page, compiled: `tag_loop.py` has the same in Python, and says what they do.

Both must give the same; `tests/test_loops.py` holds them against each other on real and on random pages.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp

from crunchpy import tag_rules

cdef dict _RULES = tag_rules.RULES
cdef dict _PROPER_PARENTS = tag_rules.PROPER_PARENTS
cdef frozenset _TRACKED = tag_rules.TRACKED, _HEADINGS = tag_rules.HEADINGS
cdef int _NONE = tag_rules.RULE_NONE, _VOID = tag_rules.RULE_VOID, _SAME = tag_rules.RULE_SAME
cdef int _PARENT = tag_rules.RULE_PARENT, _HEADING = tag_rules.RULE_HEADING
cdef int _COUNTED = tag_rules.RULE_COUNTED, _RAW = tag_rules.RULE_RAW
cdef Py_ssize_t _KNOWN_NAMES = 256


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


cdef Py_ssize_t _comment_end(const unsigned char* text, Py_ssize_t start, Py_ssize_t size) noexcept nogil:
    """Behind the comment that begins at `start`, the end of all where nothing ends it; -1 for what is no comment."""
    cdef Py_ssize_t at = start + 4
    if at > size or memcmp(text + start, b"<!--", 4) != 0:
        return -1
    if at < size and text[at] == b">":
        return at + 1
    if at + 1 < size and text[at] == b"-" and text[at + 1] == b">":
        return at + 2
    while True:
        at = _find(text, b">", at, size)
        if at == size:
            return size
        if at - 2 >= start + 4 and text[at - 1] == b"-" and text[at - 2] == b"-":
            return at + 1
        if at - 3 >= start + 4 and text[at - 1] == b"!" and text[at - 2] == b"-" and text[at - 3] == b"-":
            return at + 1
        at += 1


def lower(bytes text):
    cdef Py_ssize_t place, size = len(text)
    cdef bytes lowered = PyBytes_FromStringAndSize(NULL, size)
    cdef const unsigned char* source = text
    cdef unsigned char* target = <unsigned char*>PyBytes_AS_STRING(lowered)
    for place in range(size):  # branchless, so that compilers do many at once
        target[place] = source[place] | ((<unsigned char>(source[place] - 65) < 26) << 5)
    return lowered


def scan_tags(scanner, Py_ssize_t begin):
    return (<_Scan>_Scan(scanner)).run(begin)


cdef class _Scan:
    """The lists of one page, and the loop that fills them.

    Most of the time goes to making Python's integers and names, so each offset and each name is made once and shared.
    """

    cdef object scanner, opened, behind
    cdef bytes low
    cdef list names, starts, start_ends, gaps, content_ends, ends, lasts, stack, open_names, known
    cdef Py_ssize_t size, long_tag
    cdef int watched

    def __cinit__(self, scanner):
        source, opened = scanner.source, scanner.open
        self.scanner, self.opened, self.low, self.size = scanner, opened, scanner.low, len(scanner.low)
        self.names, self.starts, self.start_ends, self.gaps = source.names, source.starts, source.start_ends, source.gaps
        self.content_ends, self.ends, self.lasts = source.content_ends, source.ends, source.lasts
        self.stack, self.open_names, self.known = opened.ordinals, opened.names, [b""] * _KNOWN_NAMES
        self.long_tag, self.watched = scanner.long_tag_bytes, opened.watched

    cdef Py_ssize_t run(self, Py_ssize_t begin) except -2:
        """From one tag to the next; up to `self.behind`, which is `position`, all has been taken in."""
        cdef const unsigned char* text = self.low
        cdef Py_ssize_t start = begin, position = begin
        cdef object place
        cdef unsigned char c
        self.behind = begin
        while True:
            start = _find(text, b"<", start, self.size)
            if start + 1 >= self.size:  # a `<` that is last is text
                break
            c = text[start + 1]
            if not (_is_letter(c) or c == b"/" or c == b"!" or c == b"?"):
                start += 1
                continue
            place = start
            if start > position:
                self.gaps.append(self.behind)
                self.gaps.append(place)
            if _is_letter(c):
                position = self.start_tag(start, place)
            elif c == b"/" and start + 2 < self.size and _is_letter(text[start + 2]):
                position = self.end_tag(start, place)
            else:
                position = _comment_end(text, start, self.size)
                if position < 0:
                    position = self.scanner.skip_markup(start, is_comment=False)
                if position >= self.size:
                    return position
                self.behind = position
            if position < 0 or position > self.size:
                return position if position < 0 else self.size
            start = position
        self.gaps.append(self.behind)
        self.gaps.append(self.size)
        return self.size

    cdef Py_ssize_t start_tag(self, Py_ssize_t start, object place) except -2:
        """Gives the offset at which to go on: past the end where a jump over text led there, as the tag did not."""
        cdef const unsigned char* text = self.low
        cdef Py_ssize_t value_end, position, at = _name_end(text, start + 2, self.size)
        cdef Py_ssize_t end = _tag_end(text, at, self.size, &value_end)
        cdef bytes name
        cdef bint is_whole
        cdef int rules
        if end < 0:
            return -1
        name = self.name(text + start + 1, at - start - 1)
        is_whole = text[end - 2] == b"/" and value_end != end - 1
        rules = <int>_RULES.get(name, _NONE) & self.watched
        self.behind = end
        if end - start <= self.long_tag:
            if rules == _VOID or (is_whole and rules == _NONE):
                self.add(name, place)
                return end
            if not is_whole and self.does_nothing(rules, name):
                self.stack.append(self.add(name, place))
                self.open_names.append(name)
                if rules == _COUNTED:
                    self.opened.count(name, 1)
                    self.watched = self.opened.watched
                return end
        if rules == _RAW and not is_whole and end - start <= self.long_tag:
            self.behind = self.scanner.raw_text(self.add(name, place), name, end)
        else:
            self.behind = self.scanner.start_tag(name, start, end, is_whole=is_whole)
            self.watched = self.opened.watched
        position = self.behind
        return self.size + 1 if position >= self.size and position != end else position

    cdef bytes name(self, const unsigned char* text, Py_ssize_t size):
        """The name at `text`; the same object for the same name, mostly, so that it is hashed once."""
        cdef Py_ssize_t slot = (size * 31 + text[0] * 7 + text[size - 1]) % _KNOWN_NAMES
        cdef bytes known = <bytes>self.known[slot]
        if len(known) != size or memcmp(<const unsigned char*>known, text, size) != 0:
            known = self.known[slot] = text[:size]
        return known

    cdef object add(self, bytes name, object place):
        """As `Source.add`, for the tag that ends at `self.behind`."""
        cdef object ordinal = len(self.names)
        self.names.append(name)
        self.starts.append(place)
        self.start_ends.append(self.behind)
        self.content_ends.append(self.behind)
        self.ends.append(self.behind)
        self.lasts.append(ordinal)
        return ordinal

    cdef bint does_nothing(self, int rules, bytes name) except -1:
        """Whether the rules for a start tag find nothing to close."""
        cdef Py_ssize_t depth = len(self.open_names)
        if rules == 0 or rules == _COUNTED or rules == _NONE:
            return True
        if rules == _SAME:
            return name not in self.open_names
        if rules == _HEADING:
            return depth == 0 or self.open_names[depth - 1] not in _HEADINGS
        return rules == _PARENT and depth > 0 and self.open_names[depth - 1] in _PROPER_PARENTS[name]

    cdef Py_ssize_t end_tag(self, Py_ssize_t start, object place) except -2:
        cdef const unsigned char* text = self.low
        cdef Py_ssize_t value_end, at = _name_end(text, start + 3, self.size)
        cdef Py_ssize_t end = _tag_end(text, at, self.size, &value_end)
        cdef Py_ssize_t ordinal, depth = len(self.open_names)
        cdef bytes name
        if end < 0:
            return -1
        name = self.name(text + start + 2, at - start - 2)
        self.behind = end
        if depth == 0 or self.open_names[depth - 1] != name:
            self.opened.close(name, start, end)
            self.watched = self.opened.watched
            return end
        self.open_names.pop()
        ordinal = self.stack.pop()
        self.content_ends[ordinal] = place
        self.ends[ordinal] = self.behind
        self.lasts[ordinal] = len(self.names) - 1
        if name in _TRACKED:
            self.opened.count(name, -1)
            self.watched = self.opened.watched
        return end


cdef enum:
    _BUCKETS = 64


cdef struct _Attribute:
    int ordinal
    unsigned int name_hash
    int name_start
    int name_end
    int value_start
    int value_end
    int following  # the next attribute in the same bucket; 0 for none, since no attribute follows itself


cdef class Attributes:
    """The attributes of the start tags, in the order of the source."""

    cdef bytes _body, _low
    cdef _Attribute* _found
    cdef Py_ssize_t _count, _room
    cdef int[_BUCKETS] _first, _last  # by the hash of the name; places in `_found`

    def __cinit__(self, bytes body, bytes low, list names, list starts, list start_ends):
        cdef Py_ssize_t ordinal
        self._body, self._low = body, low
        self._found, self._count, self._room = NULL, 0, 0
        for ordinal in range(_BUCKETS):
            self._first[ordinal] = self._last[ordinal] = -1
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
        cdef unsigned int bucket
        if self._count == self._room:
            self._room = 2 * self._room + 256
            larger = <_Attribute*>realloc(self._found, self._room * sizeof(_Attribute))
            if larger == NULL:
                raise MemoryError
            self._found = larger
        bucket = found.name_hash % _BUCKETS
        found.following = 0
        self._found[self._count] = found[0]
        if self._first[bucket] < 0:
            self._first[bucket] = <int>self._count
        else:
            self._found[self._last[bucket]].following = <int>self._count
        self._last[bucket] = <int>self._count
        self._count += 1
        return 0

    def of(self, bytes name, list elements=None):
        cdef const unsigned char* low = self._low
        cdef const unsigned char* wanted = name
        cdef unsigned int name_hash = 5381
        cdef Py_ssize_t place, size = len(name)
        cdef int last = -1
        cdef list found = []
        cdef str text_name = name.decode("latin-1")
        cdef _Attribute* attribute
        for place in range(size):
            name_hash = name_hash * 33 + wanted[place] if place else name_hash + wanted[place]
        place = self._first[name_hash % _BUCKETS]
        while place >= 0:
            attribute = &self._found[place]
            place = attribute.following or -1
            if (
                attribute.name_hash == name_hash
                and attribute.ordinal != last  # of equal names on a tag the first counts
                and attribute.name_end - attribute.name_start == size
                and memcmp(low + attribute.name_start, wanted, size) == 0
            ):
                last = attribute.ordinal
                value = self._text(attribute.value_start, attribute.value_end)
                if elements is None:
                    found.append((last, value))
                elif (element := elements[last]) is not None:
                    found.append((last, element, element.get(text_name, "") if value is None else value))
        return found

    cdef object _text(self, Py_ssize_t start, Py_ssize_t end):
        cdef const unsigned char* body = self._body
        cdef Py_ssize_t place
        for place in range(start, end):
            if body[place] >= 128 or body[place] == b"&" or (body[place] < 32 and body[place] != b"\t" and body[place] != b"\n"):
                return None
        return PyUnicode_DecodeASCII(<const char*>body + start, end - start, NULL)
