# cython: language_level=3, wraparound=False
"""The attributes of a page's tags, compiled: `attributes.py` has the same in Python, and says what it does.

Both must give the same; `tests/test_loops.py` holds them against each other on real and on random pages.
"""

from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp

from crunchpy._bytes cimport bare_value_end, find, is_space


cdef enum:
    _BUCKETS = 64
    _RECENT = 256
    _SEED = 5381


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
            while at < end and (is_space(text[at]) or text[at] == b"/"):
                at += 1
            if at >= end:
                return 0
            start = at
            found.name_hash = _SEED * 33 + text[at]
            at += 1
            while at < end and not (is_space(text[at]) or text[at] == b"/" or text[at] == b"="):
                found.name_hash = found.name_hash * 33 + text[at]
                at += 1
            found.name_start, found.name_end = <int>start, <int>at
            found.value_start = found.value_end = <int>at
            while at < end and is_space(text[at]):
                at += 1
            if at < end and text[at] == b"=":
                at = self._value(at + 1, end, &found)
            self._keep(&found)

    cdef Py_ssize_t _value(self, Py_ssize_t at, Py_ssize_t end, _Attribute* found) noexcept:
        """Note where a value is that begins at `at` or, without blanks, behind it; gives the offset behind it."""
        cdef const unsigned char* text = self._low
        cdef Py_ssize_t value_end
        while at < end and is_space(text[at]):
            at += 1
        if at < end and (text[at] == b'"' or text[at] == b"'"):
            value_end = find(text, text[at], at + 1, end)
            found.value_start, found.value_end = <int>at + 1, <int>value_end
            return value_end + 1
        value_end = bare_value_end(text, at, end)
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

    cdef Py_ssize_t _next(self, Py_ssize_t place, bytes name, unsigned int name_hash, int but_not) except -2:
        """From `place` on along its bucket the first attribute of that name, not of the tag `but_not`; -1: none."""
        cdef const unsigned char* wanted = name
        cdef Py_ssize_t size = len(name)
        cdef _Attribute* attribute
        while place >= 0:
            attribute = &self._found[place]
            if (
                attribute.name_hash == name_hash
                and attribute.ordinal != but_not
                and attribute.name_end - attribute.name_start == size
                and memcmp(<const unsigned char*>self._low + attribute.name_start, wanted, size) == 0
            ):
                return place
            place = attribute.following or -1
        return -1

    def of(self, bytes name, list elements=None):
        cdef unsigned int name_hash = _hash(name)
        cdef Py_ssize_t place = self._next(self._first[name_hash % _BUCKETS], name, name_hash, -1)
        cdef list found = []
        cdef str text_name = name.decode("latin-1")
        cdef _Attribute* attribute
        while place >= 0:
            attribute = &self._found[place]
            value = _text_of(self._body[attribute.value_start : attribute.value_end])
            if elements is None:
                found.append((attribute.ordinal, value))
            elif (element := elements[attribute.ordinal]) is not None:
                found.append((attribute.ordinal, element, element.get(text_name, "") if value is None else value))
            # Of equal names on a tag the first counts.
            place = self._next(attribute.following or -1, name, name_hash, attribute.ordinal)
        return found

    def by_value(self, bytes name, list elements):
        cdef unsigned int name_hash = _hash(name)
        cdef Py_ssize_t place = self._next(self._first[name_hash % _BUCKETS], name, name_hash, -1)
        cdef dict by_bytes = {}, by_text = {}
        cdef list ordinals, recent = [(b"", [])] * _RECENT
        cdef bytes value
        cdef _Attribute* attribute
        while place >= 0:
            attribute = &self._found[place]
            if elements[attribute.ordinal] is not None:
                ordinals = self._ordinals_of(attribute, by_bytes, recent)
                ordinals.append(attribute.ordinal)
            place = self._next(attribute.following or -1, name, name_hash, attribute.ordinal)
        for value, ordinals in by_bytes.items():
            text = _text_of(value)
            if text is None:
                text = elements[ordinals[0]].get(name.decode("latin-1"), "")
            if (known := by_text.get(text)) is None:
                by_text[text] = ordinals
            else:  # written in another way
                (<list>known).extend(ordinals)
        return by_text

    cdef list _ordinals_of(self, _Attribute* attribute, dict by_bytes, list recent):
        """The list for an attribute's value; `recent` finds most without making and hashing the value again."""
        cdef const unsigned char* text = <const unsigned char*>self._body + attribute.value_start
        cdef Py_ssize_t size = attribute.value_end - attribute.value_start
        cdef Py_ssize_t slot = (size * 31 + (text[0] * 7 + text[size - 1] + text[size // 2] * 5 if size else 0)) % _RECENT
        cdef tuple known = <tuple>recent[slot]
        cdef bytes value = <bytes>known[0]
        cdef list ordinals
        if size and len(value) == size and memcmp(<const unsigned char*>value, text, size) == 0:
            return <list>known[1]
        value = text[:size]
        ordinals = <list>by_bytes.get(value)
        if ordinals is None:
            ordinals = by_bytes[value] = []
        recent[slot] = (value, ordinals)
        return ordinals

    def ordinals(self, bytes name):
        cdef unsigned int name_hash = _hash(name)
        cdef Py_ssize_t place = self._next(self._first[name_hash % _BUCKETS], name, name_hash, -1)
        cdef list found = []
        while place >= 0:
            found.append(self._found[place].ordinal)
            place = self._next(self._found[place].following or -1, name, name_hash, self._found[place].ordinal)
        return found


cdef unsigned int _hash(bytes name) noexcept:
    """As `_read` makes it from a name in a tag."""
    cdef const unsigned char* text = name
    cdef unsigned int name_hash = _SEED
    cdef Py_ssize_t place
    for place in range(len(name)):
        name_hash = name_hash * 33 + text[place]
    return name_hash


cdef object _text_of(bytes value):
    cdef const unsigned char* text = value
    cdef Py_ssize_t place
    for place in range(len(value)):
        if text[place] >= 128 or text[place] == b"&" or (text[place] < 32 and text[place] != 9 and text[place] != 10):
            return None
    return PyUnicode_DecodeASCII(<const char*>text, len(value), NULL)
